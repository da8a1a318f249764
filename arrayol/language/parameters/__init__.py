"""Elementaries and tasks with parameters: a copy for each distinct use, before names are resolved."""
