"""A streaming group as a design carries it: its decisions, when its nodes fire, and its line buffers.

All times are pulses (docs/machine.md, section 15). Frozen values, compared by content.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

Starts = Literal["latency", "memory"]
Interface = Literal["port", "axis"]
NodeKind = Literal["task", "load", "store"]
Frames = Literal["outside", "inside"]

SETTLING = 2  # cycles after a step, in which what leaves a stream in its last pulse comes into its memory
STORES_FROM = 3 + SETTLING  # the cycle of a step from which words that a stream stores pass the port


@dataclass(frozen=True, slots=True)
class Stream:
    """The decisions of a design about a streaming group.

    `scan` is the order of its loops, by their numbers, the outermost first; empty for the order of the text. `pace` is
    the number of pulses for a place of the innermost loop, a whole number or one over a whole number. With `raster`, or
    with the interface "axis", arrays leave in scan order, else as they are made. `chunk` is the pulses of a step of the
    memory port, 0 for a stream that has none. With `frames` inside, the group keeps what it reads of other frames.
    """

    scan: tuple[int, ...] = ()
    pace: Fraction = Fraction(1)
    starts: Starts = "latency"
    interface: Interface = "port"
    raster: bool = False
    chunk: int = 0
    frames: Frames = "outside"

    @property
    def text(self) -> str:
        """In words: "stream 1/4", "axis stream 1/4", "stream 1 over frames"."""
        over = " over frames" if self.frames == "inside" else ""
        return f"{'axis ' if self.interface == 'axis' else ''}stream {self.pace}{over}"

    @property
    def stores_in_scan_order(self) -> bool:
        """Whether arrays leave in scan order, whatever the order is in which they are made."""
        return self.raster or self.interface == "axis"

    @property
    def has_blanking(self) -> bool:
        """Whether frames lie inside behind the memory port: each then has pulses in which only its last data pass."""
        return self.frames == "inside" and self.interface == "port"


@dataclass(frozen=True, slots=True)
class Firing:
    """When a node fires: repetition r at start + sum of stride x place, place div `units` along the `shared` dimension.

    The place of an index is the number of indices before it: of a dimension that starts with index f of n, index x has
    place (x - f) mod n. `first` has these f by dimension; it is empty where all are 0. `units` units fire together. A
    unit takes its operands and hands out its results during the `interval` pulses from the firing on; the last result
    of a port is born `interval` + `latency` pulses after it. Where frames lie inside of the group, the node does the
    same every `frame` pulses; otherwise this is 0.
    """

    extents: tuple[int, ...]
    strides: tuple[int, ...]
    start: int = 0
    shared: int | None = None
    units: int = 1
    interval: int = 1
    latency: int = 0
    first: tuple[int, ...] = ()
    frame: int = 0

    def frames_back(self, vector: Sequence[int]) -> int:
        """How many frames a delay reaches back: its steps along dimensions that have one repetition in a frame."""
        return sum(step for step, extent in zip(vector, self.extents, strict=True) if extent == 1)


@dataclass(frozen=True, slots=True)
class StreamNode:
    """A task, a load of an array from outside, or a store of an array that leaves."""

    name: str
    kind: NodeKind
    firing: Firing


@dataclass(frozen=True, slots=True, order=True)
class Tap:
    """A place where a unit of a node reads: an element of the pattern of one of its reads.

    `read` numbers the node's reads; the delays of a task follow those through tilers. `place` is the number of the
    element in the pattern, row-major. `beyond` is 0 for reads in the order of birth. Of others bit 0 is set where a
    border puts an element in place of one beyond the ends, and bit 1 + a where the reader has gone round axis a more or
    less often than the writer had.
    """

    node: str
    read: int
    place: int
    unit: int
    beyond: int = 0

    @property
    def in_order(self) -> Tap:
        """The tap of the same place that reads in the order of birth."""
        return replace(self, beyond=0)


@dataclass(frozen=True, slots=True)
class Segment:
    """The part of a chain between two neighbouring positions: `depth` words, and the taps at its older end.

    `shifts` where one enable moves both ends, at every birth and on after the last one.
    """

    depth: int
    taps: tuple[Tap, ...]
    shifts: bool


@dataclass(frozen=True, slots=True)
class Chain:
    """Line buffers of one lane: the data of one element of one port of one unit of a node, in the order of birth.

    `at_birth` are the taps that read each datum in the pulse of its birth; the segments follow from the newest to the
    oldest. A `kept` chain stands beside the lane: it holds only data that are read out of the order of birth when they
    are at no tap of the lane. A chain of a `state` holds only what delays read of an output that leaves by an exit or
    not at all. `period` is the number of pulses from birth to birth within a line, `line` the pulses of a line.
    """

    node: str
    port: str
    place: int
    unit: int
    bits: int
    period: int
    line: int
    at_birth: tuple[Tap, ...]
    segments: tuple[Segment, ...]
    kept: bool = False
    state: bool = False

    @property
    def words(self) -> int:
        """The sum of its depths."""
        return sum(segment.depth for segment in self.segments)


@dataclass(frozen=True)
class StreamedGroup:
    """A streaming group under its decisions: nodes by name, chains, and the pulses of a line and of a frame."""

    tasks: tuple[str, ...]
    stream: Stream
    nodes: Mapping[str, StreamNode]
    chains: tuple[Chain, ...]
    line: int
    frame: int

    def begin_of(self, pulse: int) -> int:
        """The pulse with which a frame begins in whose time a pulse lies; with no blanking 0, as one is regarded."""
        return pulse // self.frame * self.frame if self.stream.has_blanking else 0
