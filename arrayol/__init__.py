"""Array-OL: read a specification, check it exactly, execute it, and map it on hardware."""

__version__ = "0.2.0"
