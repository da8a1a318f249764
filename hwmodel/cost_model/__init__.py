"""The machine model (docs/machine.md): cycles, memory and traffic of mapped designs, from counts."""
