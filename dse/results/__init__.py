"""What an exploration says: its schema, steps of transformation, one picked design, two results compared."""
