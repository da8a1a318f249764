"""Schedules of large frames, from those of shorter ones."""
