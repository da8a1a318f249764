autocmd BufRead,BufNewFile *.aol setfiletype aol
