"""When the repetitions of a step start: lines, units, delays, FIFOs, and what a datapath takes (docs/machine.md)."""
