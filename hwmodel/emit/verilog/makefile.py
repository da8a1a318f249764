"""The Makefile of an emitted folder: its test bench on Icarus and on Verilator, and what linters say."""

from __future__ import annotations

_TEXT = """\
# sim: the test bench on Icarus; sim-verilator: on Verilator 5; lint: what both say of the design; clean.
RTL := $(sort $(wildcard rtl/*.v))
TB := $(sort $(wildcard tb/*.v))

.PHONY: sim sim-verilator lint clean
sim: build/icarus
	vvp -n build/icarus
sim-verilator: build/verilator/tb
	build/verilator/tb
build/icarus: $(RTL) $(TB)
	mkdir -p build
	iverilog -g2001 -o $@ $^
build/verilator/tb: $(RTL) $(TB)
	mkdir -p build
	verilator --binary --timing --top-module tb -Wno-fatal -Wno-lint --Mdir build/verilator -o tb $^
lint:
	iverilog -g2001 -Wall -Wno-implicit -t null $(RTL)
	verilator --lint-only -Wno-WIDTH --top-module {top} $(RTL)
clean:
	rm -rf build
"""


def makefile(top: str) -> str:
    """Its text, for a top module."""
    return _TEXT.format(top=top)
