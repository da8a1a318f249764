"""The units of a task in hardware: the lanes of their ports, and in which cycle of a repetition each is at work."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwmodel.datapath.port_cycles import result_cycles
from hwmodel.emit.schedule.memories import Memory
from hwmodel.emit.schedule.names import plain
from hwmodel.emit.schedule.windows import WindowPort

Ints = NDArray[np.int64]
FETCH = 3  # cycles from the start of a repetition to its operand registers: to the bank, through it, to the unit


@dataclass(frozen=True, slots=True)
class ReadPort:
    """An input port of a task's units: through which lanes, of what memory.

    `size` elements in chunks of `chunk`; lane u chunk + k has element k of the chunk of unit u. Where a lane touches
    nothing, what the port `otherwise` brings stands in its place, or else the bits `constant`. A port of
    which data say the place has no lanes: its elements, in their order, are the words of the memory `lookup`.
    """

    port: str
    lanes: str
    size: int
    chunk: int
    width: int
    window: WindowPort | None = None
    constant: int | None = None
    otherwise: ReadPort | None = None
    lookup: Memory | None = None


@dataclass(frozen=True, slots=True)
class WritePort:
    """An output port: lanes as those of a ReadPort, one set for each memory that takes what it makes.

    With `early` its lanes take results before they leave the unit with all others, as a delay hands them on: lane u
    size + k takes element k of unit u, in cycle `early[k]` of the datapath's schedule (docs/cost.md).
    """

    port: str
    lanes: tuple[str, ...]
    size: int
    chunk: int
    width: int
    early: tuple[int, ...] = ()

    @property
    def bus(self) -> str:
        """The name of the unit's output that its lanes take."""
        return f"{self.port}$early" if self.early else self.port

    @property
    def at_once(self) -> int:
        """How many of its elements are on that output at once."""
        return self.size if self.early else self.chunk


@dataclass(frozen=True)
class TaskUnits:
    """The units of a task: so many of its elementary's datapath, each with an interval and a latency in cycles.

    `kept` are delays, as (output, input), whose state units also keep from one repetition to the next: the controls
    `begins` and `keeps` of the reader have a bit for each unit that begins a repetition, and that goes on with its own.
    """

    task: str
    elementary: str
    units: int
    interval: int
    latency: int
    reads: tuple[ReadPort, ...]
    writes: tuple[WritePort, ...]
    kept: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """The task's name in hardware."""
        return plain(self.task)

    @property
    def early(self) -> frozenset[tuple[str, tuple[int, ...]]]:
        """Outputs that are taken before they leave, with the cycles of their elements in the datapath's schedule."""
        return frozenset((own.port, own.early) for own in self.writes if own.early)


@dataclass(frozen=True, eq=False)
class Timed:
    """The instances of a task that start: their unit, and the rows of its readers and writers in which they do.

    `writing` is the row of the writers `latency` cycles after the start.
    """

    unit: Ints
    reading: Ints
    writing: Ints
    readers: int
    writers: int


def in_chunks(first: Ints, unit: Ints, size: int, chunk: int) -> tuple[Ints, Ints]:
    """By instance and element the row and the lane: chunk after chunk, each unit with lanes of its own."""
    place = np.arange(size)
    return first[:, None] + place // chunk, unit[:, None] * chunk + place % chunk


def leaving(first: Ints, unit: Ints, size: int, interval: int) -> tuple[Ints, Ints]:
    """Row and lane of results, which leave in cycles from the first one on."""
    place = np.arange(size)
    cycle = result_cycles(place, size, interval)
    lane = place - cycle * size // interval
    return first[:, None] + cycle, unit[:, None] * -(-size // interval) + lane


def table_of(shape: tuple[int, int], row: Ints, lane: Ints, words: Ints) -> Ints:
    """By row and lane the word, -1 for none."""
    table = np.full(shape, -1, np.int64)
    row, lane, words = np.broadcast_arrays(row, lane, words)
    there = words >= 0
    table[row[there], lane[there]] = words[there]
    return table
