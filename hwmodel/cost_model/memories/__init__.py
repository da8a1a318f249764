"""Memories as built, for both front ends of the model: their ports, organisations and figures."""
