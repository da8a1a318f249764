"""Memory that loops use again and again as an array with an element for each iteration; and copies, which go."""
