"""From the syntax tree of a C function to statements over arrays, by symbolic execution: it is run on symbols.

Scalars are values, not memory: what one is at a place is a graph of what it was computed from. It becomes memory where
a loop hands it from one iteration to the next, or where a later store would change what its graph reads.

`function` runs the whole. `context` connects the parts of a run, which know each other by the protocols of `parts`;
`recorder` collects the statements that they make.
"""
