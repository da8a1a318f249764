"""Streaming groups in C++."""
