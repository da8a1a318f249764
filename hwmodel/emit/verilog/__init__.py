"""Verilog-2001 of datapaths: pipelines of integer bodies, and test benches."""
