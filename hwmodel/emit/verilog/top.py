"""The top module of a design, whose groups run one after another, and a test bench for it.

Each channel of the external memory has a port, or two, for all groups that load or store something there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from hwmodel.emit.schedule.group import GroupSchedule
from hwmodel.emit.verilog.agents import bits_of
from hwmodel.emit.verilog.copies import CopiedArrays
from hwmodel.emit.verilog.wiring import WORDS, ChannelPorts, Outside, engine_ports, wire

LONGEST_PATH = 1024  # characters of the name of a file of waveforms
FRAMES = 2  # that a test bench runs, so that what a frame leaves behind is seen


@dataclass(frozen=True)
class TurnGroup:
    """A group of a design whose groups work in turn; it does nothing in the first `lag` starts after a reset."""

    schedule: GroupSchedule
    lag: int = 0

    @property
    def setup(self) -> bool:
        """Whether it loads something before the first frame."""
        return self.schedule.setup


def top_module(
    name: str,
    groups: Sequence[TurnGroup],
    channels: Sequence[ChannelPorts],
    copied: CopiedArrays,
    cleared: int = 0,
) -> str:
    """The module of a design: `start` begins a frame, `busy` says that it goes on, `done` is its last cycle.

    If groups load something before the first frame, the first `start` does so before the frame begins: all of them take
    the words that the first of them asks for. For `cleared` cycles after a reset memories of units are cleared: a start
    in these is kept.
    """
    outside, engines = copied.outside, [engine for channel in channels for engine in channel.engines]
    ports = [port for engine in engines for port in engine_ports(engine, outside)]
    lines = [f"module {name} ("]
    own = ["  input wire clk", "  input wire reset", "  input wire start", "  output wire busy", "  output wire done"]
    lines += [",\n".join([*own, *(port.declared() for port in ports)]), ");"]
    loading = [number for number, group in enumerate(groups) if group.setup]
    started, begins = "starts" if cleared else "start", "begins"
    lines += [*_clearing(cleared), *_beginning(loading, started), *_frames(max(group.lag for group in groups))]
    for number, group in enumerate(groups):
        loads = f"{started} && !ready" if group.setup else None
        lines += _working(number, group, (begins, loads), copied)
        begins = f"ends{number}" if group.lag else f"last{number}"
    lines.append(f"  assign busy = {' || '.join(f'busy{number}' for number in range(len(groups)))};")
    lines.append(f"  assign done = {begins};")
    for engine in engines:
        users = with_engine([group.schedule for group in groups], engine)
        for port in (port for port in engine_ports(engine, outside) if port.output):
            if len(groups) == 1:
                lines.append(f"  assign {port.name} = {copied.sent(port.name, 0)};")
                continue
            # A group that is not at work asks for nothing, and its data are masked.
            asks = [f"running{number}{' && ready' if number in loading[1:] else ''}" for number in users]
            masked = [
                f"({asking} ? {copied.sent(port.name, number)} : {port.bits}'d0)"
                for number, asking in zip(users, asks, strict=True)
            ]
            lines.append(f"  assign {port.name} = {' | '.join(masked)};")
    return "\n".join([*lines, "endmodule", ""])


def with_engine(groups: Sequence[GroupSchedule], engine: str) -> list[int]:
    """The numbers of the groups that have an engine."""
    return [number for number, group in enumerate(groups) if engine in {own.name for own in group.engines}]


def _clearing(cycles: int) -> Iterator[str]:
    """When a frame may start: not while memories are cleared after a reset."""
    if not cycles:
        return
    bits = bits_of(cycles + 1)
    yield f"  reg [{bits - 1}:0] clearing;  // cycles until the memories of units are clear"
    yield "  reg waits;"
    yield "  wire wanted = start || waits;"
    yield "  wire starts = wanted && clearing == 0;"
    yield "  always @(posedge clk) begin"
    yield f"    clearing <= reset ? {cycles} : clearing == 0 ? 0 : clearing - 1'b1;"
    yield "    waits <= !reset && wanted && !starts;"
    yield "  end"


def _beginning(loading: Sequence[int], start: str) -> Iterator[str]:
    """When the first group begins a frame: at once, or when all that stays has been loaded."""
    if not loading:
        yield f"  wire begins = {start};"
        return
    yield "  reg ready;"
    yield f"  wire begins = ready ? {start} : loaded{loading[0]};"
    yield f"  always @(posedge clk) ready <= !reset && (ready || loaded{loading[0]});"


def _frames(most: int) -> Iterator[str]:
    """How many frames were done since the reset, up to those after which all groups work."""
    if most:
        yield f"  reg [{bits_of(most + 1) - 1}:0] frames;  // done since the reset, {most} at most"
        yield f"  always @(posedge clk) frames <= reset ? 0 : frames + (done && frames != {most});"


def _working(number: int, group: TurnGroup, starts: tuple[str, str | None], copied: CopiedArrays) -> Iterator[str]:
    """A group, which another one follows at once as long as its first frame is not there."""
    if not group.lag:
        yield from _group(number, group, starts, copied)
        return
    begins, loads = starts
    yield f"  wire works{number} = frames >= {group.lag};  // its first frame is there"
    yield from _group(number, group, (f"{begins} && works{number}", loads), copied)
    yield f"  wire ends{number} = works{number} ? last{number} : {begins};"


def _group(number: int, group: TurnGroup, starts: tuple[str, str | None], copied: CopiedArrays) -> Iterator[str]:
    start, load = starts
    connected = [".clk(clk)", ".reset(reset)", f".start({start})"]
    connected += [f".{own}({own}{number})" for own in ("busy", "running", "last")]
    yield f"  wire busy{number}, running{number}, last{number};"
    if load is not None:
        yield f"  wire loaded{number};"
        connected += [f".load({load})", f".loaded(loaded{number})"]
    for port in (port for engine in group.schedule.engines for port in engine_ports(engine.name, copied.outside)):
        if port.output:
            yield wire(f"{port.name}{number}", port.bits)
            connected.append(f".{port.name}({port.name}{number})")
        else:
            connected.append(f".{port.name}({port.name})")
    for declared, connection in copied.connected(number, group.schedule):
        yield declared
        connected.append(connection)
    yield f"  group{number}_top group{number} (\n    {', '.join(connected)}\n  );"
    yield from copied.lines(number, group.schedule, f"last{number}")


@dataclass(frozen=True)
class Bench:
    """The subject of a test bench: a top module, the channels of the memory outside, the words of each output.

    With `periods` frames overlap, and the top module says when one is taken. If outputs lie elsewhere in each frame,
    `outputs` has one entry for each, else one for all; then the memory keeps what it has from frame to frame.
    """

    top: str
    channels: Sequence[ChannelPorts]
    outside: Outside
    latency: int
    outputs: Sequence[Sequence[tuple[str, int, int]]]  # by frame, the tag of each one's channel, first word, and count
    later: int = 0  # frames with data of their own after the first one; without any, all frames have the same
    periods: bool = False
    cleared: int = 0  # cycles after a reset in which no frame begins

    @property
    def frames(self) -> int:
        """The frames that it runs."""
        return 1 + self.later if self.later else FRAMES


Run = Callable[[Bench, int, Sequence[str]], Iterator[str]]  # see `frames_in_turn`


def image_path(name: str, number: int, tag: str) -> str:
    """The file of an image of a channel of the external memory, of a frame by its number."""
    return f"data/{f'channel{tag}/' if tag else ''}{name}{number or ''}.hex"


def words_in(channel: ChannelPorts) -> int:
    """The words that a bench has of a channel."""
    return max(2, channel.words)


def expected_words(bench: Bench) -> Iterator[str]:
    """The memories for what should be in each channel."""
    for channel in bench.channels:
        yield f"  reg [{bench.outside.word_bits - 1}:0] expected{channel.tag} [0:{words_in(channel) - 1}];"


def cleared_words(bench: Bench) -> Iterator[str]:
    """Statements that clear all channels before the first frame."""
    for channel in bench.channels:
        yield f"    for (at = 0; at < {words_in(channel)}; at = at + 1) memory{channel.tag}.words[at] = 0;"


def reset_ended(bench: Bench) -> Iterator[str]:
    """Statements that end the reset, and wait until memories of units are clear."""
    yield "    repeat (3) @(negedge clk);"
    yield "    reset = 0;"
    if bench.cleared:
        yield f"    repeat ({bench.cleared}) @(negedge clk);"


def words_read(bench: Bench, name: str, number: int) -> Iterator[str]:
    """Statements that read the images of a frame: those before it (`memory`), or after it (`expected`)."""
    for channel in bench.channels:
        where = f"memory{channel.tag}.words" if name == "memory" else f"expected{channel.tag}"
        yield f'$readmemh("{image_path(name, number, channel.tag)}", {where});'


def test_bench(bench: Bench, longest: int, run: Run) -> str:
    """The module `tb`: it runs frames and prints of each `frame N before B cycles C wrong W`, no longer than `longest`.

    It starts in the folder of data/memory.hex and data/expected.hex, the external memory before and after, or the same
    of each channel.
    """
    outside = bench.outside
    lines = [
        "`timescale 1ns / 1ps",
        "module tb;",
        "  reg clk = 0, reset = 1, start = 0;",
        "  wire busy, done;",
        "  always #5 clk = !clk;",
    ]
    engines = [engine for channel in bench.channels for engine in channel.engines]
    for port in (port for engine in engines for port in engine_ports(engine, outside)):
        width = f"[{port.bits - 1}:0] " if port.bits > 1 else ""
        lines.append(f"  wire {width}{port.name};")
    own = [f".{port.name}({port.name})" for engine in engines for port in engine_ports(engine, outside)]
    signals = ".clk(clk), .reset(reset), .start(start), .busy(busy), .done(done)"
    if bench.periods:
        lines.append("  wire taken;")
        signals += ", .taken(taken), .settled(1'b1)"
    lines.append(f"  {bench.top} under_test ({signals},\n    {', '.join(own)}\n  );")
    parameters = f".WIDTH({outside.word_bits}), .ADDRESS({outside.address_bits}), .COUNT({WORDS})"
    for channel in bench.channels:
        sizes = f".WORDS({words_in(channel)}), .LATENCY({bench.latency})"
        sides = [_side(side, channel.engines[number : number + 1], outside) for number, side in enumerate("ab")]
        lines.append(f"  external_memory #({parameters}, {sizes}) memory{channel.tag} (")
        lines.append(f"    .clk(clk), .reset(reset), {', '.join(sides)}\n  );")
    waves = [
        '    if ($value$plusargs("vcd=%s", waves)) begin',
        "      $dumpfile(waves);",
        "      $dumpvars(0, tb);",
        "    end",
    ]
    lines += [
        f"  reg [{8 * LONGEST_PATH}:1] waves;  // +vcd=FILE writes waveforms",
        *run(bench, longest, waves),
        "    $finish;",
        "  end",
        "endmodule",
        "",
    ]
    return "\n".join(lines)


def frames_in_turn(bench: Bench, longest: int, before: Sequence[str]) -> Iterator[str]:
    """The run of a test bench: lines `before`, then frames one after another, each for at most `longest` cycles."""
    yield from _frame_loop(bench, longest, before)
    yield from _words_compared(bench)
    yield "    end"


def _frame_loop(bench: Bench, longest: int, before: Sequence[str]) -> Iterator[str]:
    """The beginning: frames, up to the end of each."""
    yield from expected_words(bench)
    yield "  integer waited, cycles, wrong, frame, at;"
    yield "  initial begin"
    yield from before
    if not bench.later:
        yield from (f"    {line}" for line in words_read(bench, "expected", 0))
    if len(bench.outputs) > 1:
        yield from cleared_words(bench)
    yield from reset_ended(bench)
    yield f"    for (frame = 0; frame < {bench.frames}; frame = frame + 1) begin"
    if bench.later:
        for number in range(bench.frames):
            yield f"      if (frame == {number}) begin"
            for name in ("memory", "expected"):
                yield from (f"        {line}" for line in words_read(bench, name, number))
            yield "      end"
    else:
        yield from (f"      {line}" for line in words_read(bench, "memory", 0))
    yield "      start = 1;"
    yield "      @(negedge clk) start = 0;"
    yield "      waited = 0;"
    yield f"      while (!busy && waited < {longest}) @(negedge clk) waited = waited + 1;"
    yield "      cycles = 0;"
    yield f"      while (busy && cycles < {longest}) @(negedge clk) cycles = cycles + 1;"


def _words_compared(bench: Bench) -> Iterator[str]:
    """The end of a frame: words of the outputs that differ are counted, and all figures printed."""
    yield "      wrong = 0;"
    for number, outputs in enumerate(bench.outputs):
        frame = f"if (frame == {number}) " if len(bench.outputs) > 1 else ""
        for tag, first, count in outputs:
            yield f"      {frame}for (at = {first}; at < {first + count}; at = at + 1)"
            yield f"        if (memory{tag}.words[at] !== expected{tag}[at]) wrong = wrong + 1;"
    yield '      $display("frame %0d before %0d cycles %0d wrong %0d", frame, waited, cycles, wrong);'


def _side(side: str, engine: Sequence[str], outside: Outside) -> str:
    """The connections of a port of the memory; one that nothing uses is asked for nothing."""
    own = []
    for port in engine_ports("", outside):
        there = f"{engine[0]}{port.name}" if engine else (f"{port.bits}'d0" if port.output else "")
        own.append(f".{side}{port.name}({there})")
    return ", ".join(own)
