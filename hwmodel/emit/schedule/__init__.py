"""The schedule of a design in hardware: who touches which word in which cycle, as programs of nested loops."""
