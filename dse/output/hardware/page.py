"""README.md of an emitted folder: what the design is, what is promised of it, and what is not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arrayol.text import counted
from dse.output.hardware.buffers_page import buffers_part, first_starts
from dse.output.hardware.periods_page import (
    CYCLES,
    SIGNALS,
    copies_part,
    frame_register,
    frames_promised,
    frames_run,
    images,
    period_promised,
    started_by_software,
)
from dse.output.open_design import StoredDesign
from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.schedule.group import GroupSchedule
from hwmodel.emit.schedule.memories import Memory
from hwmodel.emit.system.software import CHANNEL_BASES, c_name
from hwmodel.emit.verilog.axi import bases_of, bus_of
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.emit.verilog.layout import ExternalArray, OutsideLayout
from hwmodel.emit.verilog.top import image_path
from hwmodel.emit.verilog.wiring import ChannelPorts, Outside, channels_of, engine_ports
from hwmodel.figures import LOCAL_BITS, ROM_BITS

_SIGNALS: list[tuple[object, ...]] = [
    ("start", "in", 1, "for a cycle, while not `busy`: begin a frame"),
    ("busy", "out", 1, "a frame is being computed"),
    ("done", "out", 1, "the last cycle of a frame"),
]
BITS = {ROM_BITS: "bits of ROMs", LOCAL_BITS: "bits of locals"}


@dataclass(frozen=True)
class Promised:
    """A design and its hardware. `data` says what the frame of the test bench is made of.

    `simulated_steps` is the number of steps that were simulated; those of the frame repeat them if there are more.
    `logic` has the LUT and FF of the whole design by its schedule, and `mhz` its clock, if known. `slower` says why it
    is below the platform's where a given latency has too few registers.
    """

    opened: StoredDesign
    hardware: HardwareDesign
    data: str
    simulated_steps: int
    logic: Mapping[str, float] = field(default_factory=dict)
    mhz: float | None = None
    slower: str | None = None


def page_of(own: Promised, files: DesignFiles) -> str:
    """The page of a folder of files."""
    outside, axi = files.outside, files.axi
    parts = (
        heading(own, f"{own.hardware.top}_top", ("Verilog", "verilog"), "Verilog-2001; no primitives of a vendor."),
        _promises(own),
        _running(own, axi),
        units_part(own.hardware),
        memories_part(own, _COPIES, "copies", _copies),
        costs_part(own),
        _interface(own.hardware, outside, files.channels),
        _timing(own.hardware),
        _axi(axi, outside, files.channels),
        _system(own.hardware, files),
        _not_promised(),
    )
    return "\n".join(line for part in parts for line in part).rstrip("\n") + "\n"


def heading(own: Promised, named: str, form: tuple[str, str], last: str) -> Iterator[str]:
    """What it is and what it was made of; `form` are the language, and the command's word for it."""
    opened, (language, word) = own.opened, form
    consts = ", ".join(f"{name} = {value}" for name, value in opened.spec.constants.items())
    yield f"# `{named}`: design {opened.record.id} in {language}"
    yield ""
    of = f"Made by `arrayol emit {word}` of the task `{opened.top}` in {Path(opened.spec.name).name}"
    yield f"{of}{f' with {consts}' if consts else ''},"
    yield f"on the platform {opened.platform_name}. {last}"
    yield ""


def _promises(own: Promised) -> Iterator[str]:
    cycles, clock = own.hardware.cycles, own.opened.platform.clock_mhz
    time = f", {cycles / clock:,.2f} µs at the {clock:g} MHz of the platform" if clock else ""
    yield "## What is promised"
    yield ""
    periods = own.hardware.periods
    yield from _time_promised(cycles, time) if periods is None else period_promised(periods, time)
    if own.hardware.buffers is not None:
        yield from first_starts(own.hardware, own.hardware.buffers)
    if setup := own.opened.estimate.setup_cycles:
        yield f"- The first `start` loads the data that stay on the chip, in {setup:,} cycles; then its frame begins."
    if own.slower is not None:
        yield f"- The clock is estimated at {own.slower}."
    yield "- The outputs are those of `arrayol run`, bit for bit."
    yield "- Before this was written, its programs were unrolled and compared with the simulated machine: they access"
    yield "  the same words in the same cycles, overwrite no word that is needed, and access no bank twice in a cycle."
    yield "  Values were followed from the external memory and back: each repetition takes the values that the"
    yield "  specification names, and each stored word has the value that it names."
    yield from repeated_part(own)
    yield "- The Verilog itself was not run before this page was written. `make sim` runs it, as does"
    yield "  `arrayol emit verilog --check`."
    if periods is not None:
        yield from frames_promised()
    else:
        yield "- The next frame may start at once: after each frame all counters are back at their start."
    yield ""


def _time_promised(cycles: int, time: str) -> Iterator[str]:
    """The cycles of a frame, and how long that is."""
    yield f"- A frame takes {cycles:,} cycles{time}: `busy` is high for exactly that many cycles, from the cycle after"
    yield "  `start` up to and including `done`. The machine model and the simulated machine say the same, and the test"
    yield "  bench counts it again. This holds for the external memory described below."


def repeated_part(own: Promised) -> Iterator[str]:
    """What a shorter frame was simulated and proven for, if it was one."""
    steps = sum(group.steps for group in own.hardware.groups)
    if steps > own.simulated_steps and any(group.streamed is not None for group in own.hardware.groups):
        yield f"- Its data were not followed through the line buffers in all {steps:,} steps, but in a smaller frame of"
        yield f"  {own.simulated_steps:,}, with the same ends of lines and of the frame."
    elif steps > own.simulated_steps:
        shorter = f"a shorter frame of {own.simulated_steps:,} steps"
        yield f"- All this was done for {shorter}. The {steps:,} steps of the frame"
        yield "  repeat them; two rounds of what repeats were compared. The whole frame takes the cycles of the model,"
        yield "  and its requests store every word of the outputs."


def _running(own: Promised, axi: str | None) -> Iterator[str]:
    yield "## Running it"
    yield ""
    if own.hardware.periods is not None:
        yield from frames_run(own.hardware, own.hardware.periods)
    else:
        frames = "two frames" if own.hardware.buffers is None else f"{1 + len(own.hardware.later)} frames"
        yield f"- `make sim` runs {frames} in Icarus Verilog, `make sim-verilator` in Verilator 5. Each prints"
        yield f"  `frame N before B cycles {own.hardware.cycles} wrong 0`: B is the number of set-up cycles before the"
        yield "  frame; 'wrong' counts wrong output words."
    if axi is not None:
        yield "- `make sim-axi` runs them as a master of AXI4, with a memory that is slow at random."
    yield "- `make lint` prints the warnings of both; `make clean` removes all built files."
    yield ""
    yield "| file | content |"
    yield "|---|---|"
    yield f"| rtl/{own.hardware.top}_top.v | the top module; a group of tasks each in rtl/groupN_top.v |"
    yield "| rtl/groupN_AGENT.v | which word is accessed in which cycle: a program of nested loops with counters |"
    yield "| rtl/unit_TASK.v | the datapath of a task |"
    yield "| rtl, others | memories, registers, and the port to the external memory |"
    if axi is not None:
        yield f"| rtl/{axi}.v, rtl/axi_port.v | the top module as a master of AXI4; tb/tb_axi.v, tb/axi_memory.v |"
    yield "| tb/tb.v, tb/external_memory.v | the test bench, and the external memory as the model has it |"
    yield from addresses_part(own)


def addresses_part(own: Promised) -> Iterator[str]:
    """The data of a frame, and where they lie outside: the rest of the table of files."""
    size = own.hardware.addresses
    for channel in channels_of(own.hardware.groups, size):
        if own.hardware.periods is not None or own.hardware.buffers is not None:
            yield from images(own.hardware, own.data, channel)
            continue
        memory, expected = (image_path(name, 0, channel.tag) for name in ("memory", "expected"))
        yield f"| {memory} | {_named(channel)} before a frame: {own.data} |"
        yield f"| {expected} | the same after it |"
        for number in range(1, 1 + len(own.hardware.later)):
            later = ", ".join(image_path(name, number, channel.tag) for name in ("memory", "expected"))
            yield f"| {later} | the same of frame {number}: values stay from frame to frame |"
    yield "| design.json | the whole schedule as data |"
    yield ""
    for channel in channels_of(own.hardware.groups, size):
        words = f"{counted(channel.words, 'word')} of {8 * size.word_bytes} bits"
        first = (f"`{name}` {at:,}" for name, at in size.first.items() if size.channels[name] == channel.number)
        memory = _named(channel)
        yield f"{memory[0].upper()}{memory[1:]} has {words}. Its arrays, by first word:"
        yield f"{', '.join(first)}."
        yield ""
    if own.hardware.periods is not None:
        yield from copies_part(own.hardware, own.hardware.periods)
    if own.hardware.buffers is not None:
        yield from buffers_part(own.hardware, own.hardware.buffers)


def _named(channel: ChannelPorts) -> str:
    """A channel in words."""
    return f"channel {channel.tag} of the external memory" if channel.tag else "the external memory"


def units_part(hardware: HardwareDesign) -> Iterator[str]:
    """The tasks of each group, and their units."""
    yield "## Groups and units"
    yield ""
    groups = "one after another" if hardware.periods is None else "at the same time"
    yield f"Groups run {groups}; the tasks of a group run together, step by step."
    yield ""
    yield from table(
        ("group", "cycles", "steps", "task", "units", "interval in cycles", "latency in cycles"),
        (
            (number, f"{group.cycles:,}", f"{group.steps:,}", own.task, own.units, own.interval, own.latency)
            for number, group in enumerate(hardware.groups)
            for own in group.paces
        ),
    )


_COPIES = "These are the memories in rtl/. Each reader has its own copy; registers are shared by all readers."


def memories_part(
    own: Promised, sentence: str, column: str, value: Callable[[GroupSchedule, Memory], str]
) -> Iterator[str]:
    """The memories of all groups, with a last `column` of values, and what the model builds them of."""
    yield "## Memories"
    yield ""
    yield sentence
    yield ""
    yield from table(
        ("group", "memory", "of array", "banks", "depth in words", "width in bits", column),
        (
            (number, memory.name, memory.array, memory.banks, f"{memory.depth:,}", memory.width, value(group, memory))
            for number, group in enumerate(own.hardware.groups)
            for memory in group.memories
        ),
    )
    yield from _built(own)


def _built(own: Promised) -> Iterator[str]:
    """What the model builds memories of."""
    built = own.opened.memories
    if built is not None:
        yield "What the model builds them of:"
        yield ""
        yield from table(
            ("memory (groups from 1)", "organisation", "built of", "blocks", "LUT", "FF"),
            (
                (one.title, one.organisation, one.built_of, *(f"{own:,.6g}" for own in (one.blocks, one.lut, one.ff)))
                for one in built.memories
            ),
        )


def _copies(group: GroupSchedule, memory: Memory) -> str:
    if memory.registers:
        return "registers"
    readers = group.readers[memory.name]
    if not readers:
        return "a table, a port for each read"
    copies = {name: len(own) for agent in group.agents for name, own in agent.copies.items()}
    return str(sum(copies.get(name, 1) for name in readers))


def costs_part(own: Promised) -> Iterator[str]:
    """What the model says that the whole design costs, with its parts."""
    opened = own.opened
    hardware = {total.name for total in opened.totals}
    others = [
        f"{value:,} {BITS.get(name, name)}" for name, value in opened.estimate.costs.items() if name not in hardware
    ]
    technology = opened.memories.technology if opened.memories is not None else "the platform"
    source = f"Figures of {technology}{f'; shares of the {opened.device.name}' if opened.device is not None else ''}"
    yield "## Cost in the model"
    yield ""
    yield from (f"- {text}" for text in (*(total.text for total in opened.totals), *others))
    yield ""
    yield f"{source}."
    if opened.platform.prices is not None and opened.platform.prices.overhead is not None:
        yield "Control logic is included, as the technology estimates it: programs and counters of agents, paths to"
        yield "and from banks, and the port."
    else:
        yield "Control logic is not included: programs and counters of agents, paths to and from banks, the port."
    if own.logic:
        lut, ff = (f"{own.logic[cost]:,.0f} {cost.upper()}" for cost in ("lut", "ff"))
        yield f"By its schedule the whole design takes about {lut} and {ff} of an ECP5."
    if own.mhz is not None:
        yield f"By its slowest unit and its longest program it reaches about {own.mhz:,.0f} MHz there."
    yield ""


def _interface(hardware: HardwareDesign, outside: Outside, channels: Sequence[ChannelPorts]) -> Iterator[str]:
    said = {
        "request": "a request begins, in this cycle",
        "address": "its first word, counted in words",
        "words": "how many words it has, one after another",
        "write": "1 to store, 0 to load",
        "rvalid": "a requested word is there",
        "rdata": "that word; the first byte of an array lowest",
        "rready": "the word is accepted at the end of this cycle",
        "wready": "a word of a request to store may pass",
        "wvalid": "it passes at the end of this cycle",
        "wdata": "that word",
        "wstrobe": "which bytes of it are to be stored",
    }
    yield "## The interface"
    yield ""
    yield "One clock, all at its rising edge. `reset` is synchronous and active high."
    yield ""
    rows: list[tuple[object, ...]] = [
        ("clk, reset", "in", 1, "hold `reset` for a cycle at least"),
        *(_SIGNALS if hardware.periods is None else SIGNALS),
    ]
    for engine in (engine for channel in channels for engine in channel.engines):
        for port in engine_ports(engine, outside):
            text = said[port.name.removeprefix(f"{engine}_")]
            rows.append((port.name, "out" if port.output else "in", port.bits, text))
    yield from table(("signal", "direction", "bits", "meaning"), rows)


def _timing(hardware: HardwareDesign) -> Iterator[str]:
    latency, most = hardware.latency, hardware.outstanding
    yield "## The external memory"
    yield ""
    if len(hardware.addresses.words) > 1:
        yield "Each of its channels is a memory of its own, whose number ends the names of its ports. All are alike:"
        yield ""
    yield f"- It takes a request in any cycle; {counted(most, 'request')} at most are unfinished at once"
    yield "  at a port. It serves them in their order."
    yield f"- The first word of a request passes {counted(latency, 'cycle')} after the request at the soonest, then one"
    yield "  word in each cycle: `rvalid` and `wready` say when. `rready` and `wvalid` answer in the same cycle."
    if hardware.turn:
        lasts = "such a step lasts as long at least" if hardware.periods is None else "a period has time for that"
        yield f"- An arbiter may take {counted(hardware.turn, 'cycle')} to serve what a step loads and stores:"
        yield f"  {lasts}."
    yield "- If it is slower, the design waits: the outputs are the same, and a frame takes more cycles."
    yield ""


def _axi(axi: str | None, outside: Outside, channels: Sequence[ChannelPorts]) -> Iterator[str]:
    yield "## AXI4"
    yield ""
    if axi is None:
        yield f"AXI4 has no words of {outside.word_bits} bits: there is no top module for it."
        yield ""
        return
    if len(channels) > 1:
        named = (f"`{bus_of(own)}` with `{base}`" for own, base in zip(channels, bases_of(channels), strict=True))
        yield f"Each channel has a master and a base of its own: {', '.join(named)}. Of each of them:"
        yield ""
    yield f"`{axi}` is the same design as a master of AXI4, with data of {outside.word_bits} bits. `aresetn` is"
    yield "active low; word 0 of the external memory lies at `base`, a multiple of a word's bytes, which is stable"
    yield "while `busy`. All bursts are of whole words (INCR), of at most 256, and none crosses 4 KB; reads may go some"
    yield "words beyond the last array. `done` comes when the last write has been answered; `fault` says that an answer"
    yield "was an error, until reset. No ID, no lock: all is in order."
    yield ""
    yield "Its outputs are the same. Its cycles are not promised: they depend on the bus and its memory."
    yield ""


def _system(hardware: HardwareDesign, files: DesignFiles) -> Iterator[str]:
    """The design in a system: registers, software, projects of other tools, clock and reset."""
    yield "## In a system"
    yield ""
    if files.ip is not None:
        layout = files.layout
        yield f"`{files.ip}` has the master of AXI4 and a slave of AXI4-Lite, `s_axi`, with 12 bits of address:"
        yield ""
        yield from table(
            ("address", "register", "bits"),
            (
                ("0x000", "control", "0: start a frame, ignored unless ready; 1: clear done"),
                ("0x004", "status", "0: busy; 1: done, since it was cleared last; 2: fault, until reset; 3: ready"),
                ("0x008", "interrupt", "`irq` is high, 0: while done; 1: while ready"),
                ("0x00C", "cycles", "of the last frame" if layout.overlap == 1 else CYCLES),
                *_bases(layout),
                *([] if layout.overlap == 1 else [("0x018", "frame", frame_register(layout))]),
                *(
                    (f"0x{array.register or 0:03X}", f"`{array.name}`", _registers(array))
                    for array in layout.registered
                ),
            ),
        )
        yield ""
        if layout.overlap > 1:
            yield from started_by_software(layout)
        if layout.registered:
            yield "Inputs of at most 256 bytes lie in these registers, and need no place in the external memory."
            if any(array.once for array in layout.registered):
                once = ", ".join(f"`{array.name}`" for array in layout.registered if array.once)
                yield f"{once}: read before the first frame after a reset only."
            yield ""
        yield f"- sw/accelerator.py drives it from NumPy arrays, sw/{c_name(hardware.top)}.h from C."
        yield "- `make sim-cocotb` runs frames and resets over both buses in cocotb, from NumPy arrays."
        yield "- component.xml is IP-XACT (IEEE 1685-2009); vivado/package.tcl makes an IP for block designs."
    yield f"- {c_name(hardware.top)}.core is a core for FuseSoC: targets sim, sim_axi, lint, vivado, ecp5."
    yield "- vivado/build.tcl and ecp5/Makefile (yosys, nextpnr) place it alone, at the clock of the platform."
    yield ""
    yield "There is one clock. `reset` and `aresetn` are synchronous; a cycle is enough. A reset within a frame"
    yield "that resets the external memory and its bus too gives a clean start."
    yield ""


def _bases(layout: OutsideLayout) -> Iterator[tuple[str, str, str]]:
    """The registers that say where the external memory lies, as rows of a table."""
    for channel in range(len(layout.sizes)):
        low = CHANNEL_BASES + 8 * channel if channel else 0x10
        memory, name = "the external memory", "base"
        if len(layout.sizes) > 1:
            memory, name = f"channel {channel}", f"base{channel}"
        yield f"0x{low:03X}, 0x{low + 4:03X}", name, f"where word 0 of {memory} lies, low and high half"


def _registers(array: ExternalArray) -> str:
    copies = f", every {array.register_stride} bytes a copy" if array.copies > 1 else ""
    return f"{array.bytes} bytes: as they lie in a memory{copies}"


def _not_promised() -> Iterator[str]:
    yield "## What is not promised"
    yield ""
    yield "- The clock: it is known only after placing and routing. Nothing here was synthesised."
    yield "- The cycles, if other masters use the external memory, if it refreshes, or with a bridge to a bus."
    yield "- LUT and FF of programs, counters, routes to banks and the port: the model counts units and memories, and"
    yield "  control logic at most as an average of other designs. `arrayol synth` measures it."
    yield "- Anything after a `reset` in the middle of a frame, if the external memory still answers requests."
    yield "- The scripts for Vivado: they were written without it."


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """A table of Markdown."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    yield from (f"| {' | '.join(map(str, row))} |" for row in rows)
    yield ""
