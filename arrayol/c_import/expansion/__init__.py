"""Array expansion: memory that loops use again becomes an array with an element for each iteration; copies go."""
