"""From the syntax tree of a C function to statements over arrays, by running it on symbols.

Scalars are values, not memory: what one is at a place is a graph of what it was computed from. It becomes memory where
a loop hands it from one iteration to the next, or where a later store would change what its graph reads.
"""
