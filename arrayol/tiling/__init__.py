"""Tiled nests: which data each tile reads, writes, loads and stores (paper C, Alias, Darte and Plesco 2011)."""
