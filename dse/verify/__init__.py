"""Proving designs of a front on the simulated machine."""
