"""Technologies: what an operator takes in time, area and energy, by tables of formulas (docs/cost.md)."""
