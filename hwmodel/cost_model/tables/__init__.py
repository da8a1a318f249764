"""The tables from which the figures of structures are computed, for all front ends: steps, buffers and accesses."""
