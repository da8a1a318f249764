"""Bank layout: which memory bank holds which element of the arrays of a nest (docs/layout.md)."""
