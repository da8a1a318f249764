"""The model of streaming groups (docs/machine.md, section 16): from decisions to starts, line buffers and figures."""
