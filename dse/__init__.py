"""Design space exploration: the space, the search, Pareto fronts, results and plots."""
