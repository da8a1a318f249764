"""NSGA-II on whole designs: their encoding as genes, generations priced in batches; a door to pymoo."""
