"""Reference execution: the meaning that every transformation and every mapped design is held against."""
