"""The methods of searching a space; with dse.pareto the door to pymoo and moocore."""
