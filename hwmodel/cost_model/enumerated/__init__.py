"""The front end by elements: every run and every element of one structure, and the tables computed from them."""
