"""The units of a task in hardware, the lanes of their ports, and the cycles in which each lane is used.

A repetition occupies its unit from its start on. Its patterns pass in *chunks*: an input of `size` elements takes one
chunk of ceil(size / interval) elements in each cycle of the initiation interval. Each unit has lanes of its own, so a
lane belongs to one unit and one position in a chunk.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.datapath.figures import result_cycles
from hwmodel.datapath.operators.bins import Bins
from hwmodel.emit.schedule.memories import Memory
from hwmodel.emit.schedule.names import plain
from hwmodel.emit.schedule.windows import WindowPort

# Loads of single buffers come when those that read them have left: a control of the requests of loads, and one of the
# readers, in each row of a step in which they have work.
LATE, HOLDS = "late", "holds"
FETCH = 3  # cycles from the start of a repetition to its operand registers: to the bank, through it, to the unit


@dataclass(frozen=True, slots=True)
class ReadPort:
    """An input port of a task's units, and the lanes of a memory through which it is read.

    The port takes `size` elements in chunks of `chunk`; lane u chunk + k has element k of the chunk of unit u. If a
    lane touches no word, it takes the value of the port `otherwise` there, or else the bits `constant`. A port that is
    read at subscripts of data has no lanes: its elements lie as in a table (Memory.table_words) in the memory `lookup`.
    Neither has one whose elements are constants of the datapath: `built_in` are their bits. The lanes count when so
    many frames are `later` than the first: before, all of them take what stands in their place.
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
    built_in: tuple[int, ...] = ()
    later: int = 0


@dataclass(frozen=True, slots=True)
class WritePort:
    """An output port, with one set of lanes (as those of ReadPort) for each memory that takes its results.

    With `early`, its lanes take results before they leave the unit together with all others, for a delay: lane u size +
    k takes element k of unit u, in cycle `early[k]` of the datapath's schedule (docs/cost.md).
    """

    port: str
    lanes: tuple[str, ...]
    size: int
    chunk: int
    width: int
    early: tuple[int, ...] = ()

    @property
    def bus(self) -> str:
        """The name of the unit's output that the lanes take."""
        return f"{self.port}$early" if self.early else self.port

    @property
    def at_once(self) -> int:
        """The number of elements that are on this output in one cycle."""
        return self.size if self.early else self.chunk


@dataclass(frozen=True)
class TaskUnits:
    """The units of a task: `units` copies of its datapath, with an initiation interval and a latency in cycles.

    `kept` lists the delays, as (output, input), whose state units also keep from one repetition to the next. The
    controls `begins` and `keeps` of the reader then have one bit for each unit: it begins a repetition, and it takes
    its own state. Units with `bins` have memories to whose words sums are added, and need `begins` too.
    """

    task: str
    elementary: str
    units: int
    interval: int
    latency: int
    reads: tuple[ReadPort, ...]
    writes: tuple[WritePort, ...]
    kept: tuple[tuple[str, str], ...] = ()
    bins: tuple[Bins, ...] = ()

    @property
    def name(self) -> str:
        """The task's name in hardware."""
        return plain(self.task)

    @property
    def early(self) -> frozenset[tuple[str, tuple[int, ...]]]:
        """The outputs that are taken early, with the cycles of their elements in the datapath's schedule."""
        return frozenset((port.port, port.early) for port in self.writes if port.early)


@dataclass(frozen=True, eq=False)
class Timed:
    """The start of each instance of a task: its unit, and its rows in the activities of the reader and of the writer.

    `writing` is the writer's row `latency` cycles after the start. `readers` and `writers` are the numbers of rows.
    """

    unit: IntArray
    reading: IntArray
    writing: IntArray
    readers: int
    writers: int


def in_chunks(first: IntArray, unit: IntArray, size: int, chunk: int) -> tuple[IntArray, IntArray]:
    """The row and the lane of each element, (instances, size), if patterns pass chunk by chunk from row `first` on."""
    element = np.arange(size)
    return first[:, None] + element // chunk, unit[:, None] * chunk + element % chunk


def leaving(first: IntArray, unit: IntArray, size: int, interval: int) -> tuple[IntArray, IntArray]:
    """The row and the lane of each result, (instances, size), if results leave from row `first` on."""
    element = np.arange(size)
    cycle = result_cycles(element, size, interval)
    lane = element - cycle * size // interval
    return first[:, None] + cycle, unit[:, None] * -(-size // interval) + lane


def table_of(shape: tuple[int, int], row: IntArray, lane: IntArray, words: IntArray) -> IntArray:
    """The word of each row and lane, -1 for none."""
    table = np.full(shape, -1, np.int64)
    row, lane, words = np.broadcast_arrays(row, lane, words)
    there = words >= 0
    table[row[there], lane[there]] = words[there]
    return table
