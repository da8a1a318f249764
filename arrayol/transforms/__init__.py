"""Checked rewrites of specifications that keep their meaning."""
