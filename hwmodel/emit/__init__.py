"""Code of a design for tools outside."""
