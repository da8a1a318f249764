"""Tile transfers on a platform: policies, their costs, reports and code (design.md, section 7)."""
