"""Pareto fronts: found, combined, counted and measured; with dse.search the door to pymoo and moocore."""
