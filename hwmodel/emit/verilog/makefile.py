"""The Makefile of an emitted folder: its test bench on Icarus and on Verilator, and what linters say."""

from __future__ import annotations

# What -Wall of Verilator is not asked for: sums are a bit longer than what takes them, their highest bits and some
# ports are read by no one, and a small module stands in the file of the one that has it.
WAIVERS = ("WIDTH", "UNUSEDSIGNAL", "DECLFILENAME")

_TEXT = """\
# sim: the test bench on Icarus; sim-verilator: on Verilator 5; lint: what both say of the design; clean.{told}
RTL := $(sort $(wildcard rtl/*.v))
TB := $(sort $(wildcard tb/*.v))
PYTHON ?= python3

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
	iverilog -g2001 -Wall -t null $(RTL)
	verilator --lint-only -Wall {waivers} --top-module {top} $(RTL)
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
_COCOTB = """\
sim-cocotb:
	$(PYTHON) cocotb/run.py
"""


def makefile(top: str, axi: str | None, ip: str | None) -> str:
    """Its text, for a top module, and for those with AXI4 and with registers where there are such.

    Linters look at that of AXI4.
    """
    if axi is None:
        return _filled(top, "", "")
    told = "\n# sim-axi: the design behind AXI4 on Icarus"
    if ip is None:
        return _filled(axi, f"{told}.", " sim-axi") + _AXI
    told += "; sim-cocotb: with its registers too, from NumPy arrays."
    return _filled(axi, told, " sim-axi sim-cocotb") + _AXI + _COCOTB


def stream_makefile(top: str) -> str:
    """The Makefile of a design that has AXI4-Streams."""
    return (
        _filled(top, "\n# sim-cocotb: frames between sources and sinks in cocotb, from NumPy arrays.", " sim-cocotb")
        + _COCOTB
    )


def _filled(top: str, told: str, phony: str) -> str:
    waivers = " ".join(f"-Wno-{name}" for name in WAIVERS)
    return _TEXT.format(top=top, waivers=waivers, told=told, phony=phony)
