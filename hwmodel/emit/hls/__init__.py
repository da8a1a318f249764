"""C++ of a design for tools of high-level synthesis, of the schedule that its Verilog is made of."""
