"""README.md of an emitted folder of C++: what the design is, what is promised of it, and what is not."""

from __future__ import annotations

from collections.abc import Iterator

from dse.output.hardware_page import (
    Promised,
    addresses_part,
    built_part,
    costs_part,
    heading,
    table,
    units_part,
)
from hwmodel.emit.schedule.memories import Memory


def page_of(own: Promised, top: str) -> str:
    """The page of a design whose function on top has that name."""
    last = "C++17, with the pragmas of Vitis HLS."
    parts = (
        heading(own, top, ("C++", "hls"), last),
        _promises(own),
        _running(own, top),
        units_part(own.hardware),
        _memories(own),
        costs_part(own),
        _not_promised(),
    )
    return "\n".join(line for part in parts for line in part).rstrip("\n") + "\n"


def _promises(own: Promised) -> Iterator[str]:
    cycles, clock = own.hardware.cycles, own.opened.platform.clock_mhz
    time = f", {cycles / clock:,.2f} µs at {clock:g} MHz" if clock else ""
    yield "## What is promised"
    yield ""
    yield "- The outputs are those of `arrayol run`, bit for bit: under g++ on any data, whose sums wrap (-fwrapv)."
    yield "- No address is outside its memory, and nothing is undefined: sanitizers find nothing."
    yield "- A FIFO of the schedule never holds more than the depth that is declared for it. Streams count that in"
    yield "  the cycles of the schedule, also where functions run one after another."
    yield "- Of the schedule it was proven that it overwrites no word that is needed, meets no bank twice in a cycle,"
    yield "  and brings each repetition the values that the specification names."
    yield "- The C++ itself was not run before this page was written. `make csim` runs it, and so does"
    yield "  `arrayol emit hls --check`."
    yield ""
    yield f"The same design takes {cycles:,} cycles a frame as Verilog{time}. Of this C++ no cycles are promised:"
    yield "a tool of synthesis makes its own schedule."
    yield ""


def _running(own: Promised, top: str) -> Iterator[str]:
    yield "## Running it"
    yield ""
    yield "- `make csim` builds the program with g++ and runs two frames, `make csim-sanitize` with sanitizers of"
    yield "  addresses and of undefined behaviour. They print `frame N wrong W`, with words of the outputs that"
    yield "  differ, and of each stream `fullest` beside `depth`. The exit code is 1 where anything is not as it"
    yield "  should be."
    yield f"- For a tool of synthesis: the files of src, with `{top}` on top. It brings the headers of shim itself."
    yield ""
    yield "| file | what it is |"
    yield "|---|---|"
    yield f"| src/top.cpp | `{top}`: a frame, group after group |"
    yield "| src/groupN.cpp | a group: bodies, programs of nested loops, a function for each task and port, memories |"
    yield "| src/schedule.hpp, src/design.hpp | what all loops share; the external memory |"
    yield "| shim/ap_int.h, shim/hls_stream.h | integers of any width, and streams that count what they hold, for g++ |"
    yield "| tb/main.cpp | the program of g++ |"
    yield from addresses_part(own)


def _memories(own: Promised) -> Iterator[str]:
    yield "## Memories"
    yield ""
    yield "Banks are dimensions of their own, which pragmas partition; each bank of a FIFO is a stream."
    yield ""
    yield from table(
        ("group", "memory", "of array", "kind", "banks", "depth in words", "width in bits"),
        (
            (number, memory.name, memory.array, _kind(memory), memory.banks, f"{memory.depth:,}", memory.width)
            for number, group in enumerate(own.hardware.groups)
            for memory in group.memories
        ),
    )
    yield from built_part(own)


def _kind(memory: Memory) -> str:
    if memory.content is not None:
        return "ROM"
    return "streams" if memory.fifo else "registers" if memory.registers else "buffer"


def _not_promised() -> Iterator[str]:
    yield "## What is not promised"
    yield ""
    yield "- Cycles, clock and area: they are those of the tool. Nothing here was synthesised."
    yield "- That a tool reaches the interval of each PIPELINE, runs functions of a step side by side (DATAFLOW), or"
    yield "  believes that what they touch of a memory in a step is apart (STABLE), as the schedule proves it."
    yield "- Long bursts: a word of the external memory is read where its data go in."
