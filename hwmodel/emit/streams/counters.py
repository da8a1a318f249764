"""The counters of a streaming group: delays from the begin of a frame, loops of nodes, trains of enables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from hwmodel.emit.streams.conditions import Index
from hwmodel.emit.streams.names import bits_below, vector
from hwmodel.emit.streams.trains import Loops, Nest


@dataclass
class Counters:
    """What counts pulses, of frames that follow each other every `frame` pulses at the earliest; `lines` in Verilog.

    A `mark` stands in names in front of numbers.
    """

    mark: ClassVar[str] = "$"

    frame: int
    events: set[int] = field(default_factory=set)
    lines: list[str] = field(default_factory=list)
    _trains: dict[tuple[Nest, ...], str] = field(default_factory=dict)
    _nests: dict[tuple[int, Loops], str] = field(default_factory=dict)
    ticks: dict[tuple[int, int], str] = field(default_factory=dict)

    def event(self, pulse: int) -> str:
        """The net that is 1 so many pulses after the begin of each frame."""
        self.events.add(pulse)
        return f"at{self.mark}{pulse}"

    def tick(self, period: int, pulse: int) -> str:
        """The net that is 1 in a pulse after the begin of a frame, and every `period` pulses before and after."""
        if period == 1:
            return "1'b1"
        return self.ticks.setdefault((period, pulse % period), f"tick{self.mark}{period}{self.mark}{pulse % period}")

    def nested(self, name: str, first: int, loops: Loops) -> tuple[str, list[Index]]:
        """Counters of nested loops: the net of their pulses, and the index of each loop."""
        begins, indices = self.event(first), []
        for number, (stride, extent) in enumerate(loops):
            own = f"{name}${number}"
            index = Index(f"{own}$i", extent)
            bits, pause = bits_below(extent), bits_below(stride)
            self.lines += [
                f"  wire {own}$fires;",
                f"  wire [{bits - 1}:0] {index.net};",
                f"  place #(.EXTENT({extent}), .STRIDE({stride}), .INDEX({bits}), .PAUSE({pause})) {own} (",
                f"    .clk(clk), .reset(reset), .go(go), .begins({begins}), .fires({own}$fires), .index({index.net})",
                "  );",
            ]
            begins = f"{own}$fires"
            indices.append(index)
        return begins, indices

    def train(self, nests: tuple[Nest, ...]) -> str:
        """The net that is 1 in some pulses of each frame.

        Data of a frame pass a place before those of the next one, so a nest ends before it begins again.
        """
        if nests not in self._trains:
            assert all(nest.last - nest.first < self.frame for nest in nests), "data pass in order, frame by frame"
            name = f"train{self.mark}{len(self._trains)}"
            self._trains[nests] = name
            nets = [self._nest(nest) for nest in nests]
            self.lines.append(self._either(name, nets))
        return self._trains[nests]

    def _nest(self, nest: Nest) -> str:
        key = nest.first, nest.loops
        if key not in self._nests:
            name = f"nest{self.mark}{len(self._nests)}"
            self._nests[key], _ = self.nested(name, nest.first, nest.loops)
        return self._nests[key]

    def _either(self, name: str, nets: Sequence[str]) -> str:
        """The declaration of a net that is 1 when one of others is."""
        return f"  wire {name} = {' || '.join(nets)};"

    def delays(self) -> Iterator[tuple[int, int]]:
        """The events that are counted: each a number of pulses after another, which comes before it."""
        before = 0
        for pulse in _with_steps(sorted(self.events - {0}), self.frame):
            yield before, pulse
            before = pulse

    def event_lines(self) -> Iterator[str]:
        """The delays from the begin of a frame, each from the one before."""
        yield "  wire at$0 = begins;"
        for before, pulse in self.delays():
            bits = bits_below(pulse - before + 1)
            yield f"  wire at${pulse};"
            yield f"  later #(.DELAY({pulse - before}), .BITS({bits})) at${pulse}$later (.clk(clk), .reset(reset),"
            yield f"    .go(go), .in(at${before}), .out(at${pulse})"
            yield "  );"

    def tick_lines(self) -> Iterator[str]:
        """Counters round and round, which are in step with the begins of frames."""
        for period in sorted({period for period, _ in self.ticks}):
            bits = bits_below(period)
            again = f"round${period} == {period - 1} ? {bits}'d0 : round${period} + 1'b1"
            yield f"  reg {vector(bits)}round${period};"
            yield "  always @(posedge clk)"
            yield f"    if (reset) round${period} <= 0;"
            yield f"    else if (go) round${period} <= {again};"
        for (period, pulse), name in sorted(self.ticks.items()):
            yield f"  wire {name} = round${period} == {pulse};"


def _with_steps(pulses: Sequence[int], longest: int) -> Iterator[int]:
    """Pulses, with others between them where they are too far apart."""
    before = 0
    for pulse in pulses:
        while pulse - before > longest:
            before += longest
            yield before
        yield pulse
        before = pulse
