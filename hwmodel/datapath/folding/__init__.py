"""Operators that several operations of a repetition share at an interval above one cycle (docs/cost.md)."""
