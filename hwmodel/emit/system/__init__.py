"""A design as part of a system: registers, drivers, a bench in Python, and projects of other tools."""
