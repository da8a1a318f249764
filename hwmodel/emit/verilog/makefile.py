"""The Makefile of an emitted folder: its test bench on Icarus and on Verilator, and what linters say."""

from __future__ import annotations

_TEXT = """\
# sim: the test bench on Icarus; sim-verilator: on Verilator 5; lint: what both say of the design; clean.{told}
RTL := $(sort $(wildcard rtl/*.v))
TB := $(sort $(wildcard tb/*.v))

.PHONY: sim sim-verilator lint clean{phony}
sim: build/icarus
	vvp -n build/icarus
sim-verilator: build/verilator/tb
	build/verilator/tb
build/icarus: $(RTL) $(TB)
	mkdir -p build
	iverilog -g2001 -s tb -o $@ $^
build/verilator/tb: $(RTL) $(TB)
	mkdir -p build
	verilator --binary --timing --top-module tb -Wno-fatal -Wno-lint -Wno-TIMESCALEMOD --Mdir build/verilator -o tb $^
lint:
	iverilog -g2001 -Wall -Wno-implicit -t null $(RTL)
	verilator --lint-only -Wno-WIDTH --top-module {top} $(RTL)
clean:
	rm -rf build
"""
_AXI = """\
sim-axi: build/icarus-axi
	vvp -n build/icarus-axi
build/icarus-axi: $(RTL) $(TB)
	mkdir -p build
	iverilog -g2001 -s tb_axi -o $@ $^
"""


def makefile(top: str, axi: str | None) -> str:
    """Its text, for a top module, and for that of AXI4 where there is one: then that is what linters look at."""
    if axi is None:
        return _TEXT.format(top=top, told="", phony="")
    return _TEXT.format(top=axi, told="\n# sim-axi: the design behind AXI4 on Icarus.", phony=" sim-axi") + _AXI
