"""Tile transfers on a platform: policies, their costs, reports and code (docs/transfers.md)."""
