"""What the figures of structures are computed from, whoever counted it: steps, buffers, accesses (`GroupTables`)."""
