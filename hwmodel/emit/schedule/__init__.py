"""The schedule of a design in hardware: which agent accesses which word in which cycle, as programs of nested loops."""
