"""Fronts of single groups: which jobs price their designs, in what order, and what these jobs compute."""
