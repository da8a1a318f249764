;;; aol-mode.el --- Array-OL specifications  -*- lexical-binding: t; -*-

;;; Commentary:
;; Colours for .aol files; `M-x eglot' starts `arrayol lsp' for them.

;;; Code:

(defvar aol-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?_ "w" table)
    table))

(defvar aol-font-lock-keywords
  `((,(regexp-opt '("import" "const" "tiler" "elementary" "task" "extern" "for" "where" "loop" "in" "repeat" "of" "at"
                    "delay" "else" "origin" "paving" "fitting" "wrap" "if" "and" "or" "not")
                  'words)
     . font-lock-keyword-face)
    (,(regexp-opt '("true" "false") 'words) . font-lock-constant-face)
    (,(regexp-opt '("abs" "min" "max" "round" "sat" "real" "imag" "conj" "sqrt" "exp" "log" "floor" "ceil" "sin" "cos"
                    "tan")
                  'words)
     . font-lock-builtin-face)
    ("\\<\\(bool\\|[iu][0-9]+\\(\\.[0-9]+\\)?\\|f32\\|f64\\|c64\\|c128\\)\\>" . font-lock-type-face)
    ("\\<\\(?:elementary\\|task\\)\\s-+\\([A-Za-z_][A-Za-z_0-9]*\\)" 1 font-lock-function-name-face)))

;;;###autoload
(define-derived-mode aol-mode prog-mode "Array-OL"
  "Major mode for Array-OL specifications."
  (setq-local comment-start "# ")
  (setq-local indent-tabs-mode nil)
  (setq-local font-lock-defaults '(aol-font-lock-keywords)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.aol\\'" . aol-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(aol-mode "arrayol" "lsp")))

(provide 'aol-mode)
;;; aol-mode.el ends here
