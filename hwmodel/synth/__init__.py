"""Synthesis of emitted Verilog for Lattice ECP5: yosys and nextpnr of the extra `synth`, and what their reports say."""
