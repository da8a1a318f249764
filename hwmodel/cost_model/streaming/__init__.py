"""Figures of streaming groups (docs/machine.md, section 15): port, memories as built, costs and energy."""
