"""C loop nests to specifications: `import_c.import_source` is the way in.

`reading` parses, `lowering` executes a function symbolically and gives a scop (`model`). `flat` and `expansion` rewrite
the arrays of the scop, `stages` and `plans` cut it into stages, `emit` and `bodies` write a task for each stage.
`arithmetic`, `ranges`, `forms` and `graphs` hold what several of them use.
"""
