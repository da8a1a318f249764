"""Types of expressions in bodies: promotion, exact fixed-point numbers, and every operation typed."""
