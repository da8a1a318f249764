"""The model of streaming groups (docs/machine.md, section 15): from decisions to starts, line buffers and figures."""
