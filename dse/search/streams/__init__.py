"""Streaming groups in a search."""
