"""The published model (paper A): units, block sizes, internal memory and latency of a fusion."""
