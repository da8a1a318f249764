"""Reading .aol text: grammar, parser, resolution of names, constants and types."""
