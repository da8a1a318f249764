"""Results of explorations."""
