setlocal commentstring=#\ %s comments=:# shiftwidth=2 softtabstop=2 expandtab
