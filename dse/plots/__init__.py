"""Plots of results; the only door to matplotlib."""
