"""Reference execution of a specification on NumPy arrays."""
