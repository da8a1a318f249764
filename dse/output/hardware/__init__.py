"""Designs that are emitted: simulated, their folders in Verilog or C++, and the pages beside them."""
