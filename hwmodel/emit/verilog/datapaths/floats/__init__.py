"""Floating-point operators as circuits: described once, cut into as many stages as are wanted."""
