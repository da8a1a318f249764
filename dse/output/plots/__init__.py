"""Figures of results, drawn with matplotlib; the rest of the program asks `save` for them."""
