"""Const arrays: tables, formulas and files, as the elements that bodies and links read."""
