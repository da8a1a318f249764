"""A streaming group on the simulated machine, pulse by pulse (docs/machine.md, section 15)."""
