"""Floating-point operators in Verilog, checked against NumPy and measured on an ECP5 (float_operators.py)."""
