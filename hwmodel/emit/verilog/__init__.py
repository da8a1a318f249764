"""Verilog-2001 of whole designs: groups, agents, memories, datapaths, ports, and test benches."""
