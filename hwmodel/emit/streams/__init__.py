"""Streaming groups as Verilog-2001 (docs/hardware.md): when what moves, which net each place reads, the modules."""
