"""Blocks of repetitions: what they touch, what they hand on by delays and write by exits, and a task cut in them."""
