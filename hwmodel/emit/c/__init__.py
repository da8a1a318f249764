"""C of a tiled component: load, compute and store of each tile, in plain loops."""
