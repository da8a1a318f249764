"""The Makefile of an emitted folder of C++."""

from __future__ import annotations

from hwmodel.emit.hls.compiler import BUILDS, FLAGS, PLAIN, SANITIZED

_TEXT = """\
# csim: the program of g++; csim-sanitize: the same with sanitizers of addresses and undefined behaviour; clean.
CXX := g++
FLAGS := {flags}
SOURCES := $(sort $(wildcard src/*.cpp)) tb/main.cpp
HEADERS := $(wildcard src/*.hpp shim/*.h)

.PHONY: csim csim-sanitize clean
csim: build/csim
	build/csim
csim-sanitize: build/csim-sanitize
	build/csim-sanitize
build/csim: $(SOURCES) $(HEADERS)
	mkdir -p build
	$(CXX) $(FLAGS) {plain} -o $@ $(SOURCES)
build/csim-sanitize: $(SOURCES) $(HEADERS)
	mkdir -p build
	$(CXX) $(FLAGS) {sanitized} -o $@ $(SOURCES)
clean:
	rm -rf build
"""


def makefile() -> str:
    """Its text."""
    return _TEXT.format(flags=" ".join(FLAGS), plain=" ".join(BUILDS[PLAIN]), sanitized=" ".join(BUILDS[SANITIZED]))
