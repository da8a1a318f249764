"""The units of a task in hardware, the lanes of their ports, and the cycles in which each lane is used.

A repetition occupies its unit from its start on. Its patterns pass in *chunks*: an input of `size` elements takes one
chunk of ceil(size / interval) elements in each cycle of the initiation interval. Each unit has lanes of its own, so a
lane belongs to one unit and one position in a chunk.

In a round, each position of the patterns of all units is either *fresh*, read from the memory, or shifted in from the
register of the position that is one round further along the line. A fresh position of chunk c is available from cycle c
of the round on, and a register keeps it until the round's end. At that end all positions shift to the registers that
the next round reads (docs/machine.md, section 13).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.accesses import points
from hwmodel.datapath.derive import FETCH_CYCLES
from hwmodel.datapath.figures import result_cycles
from hwmodel.datapath.operators.bins import Bins
from hwmodel.emit.schedule.memories import Memory, in_turn
from hwmodel.emit.schedule.names import plain
from hwmodel.local_memory.addresses import Place, WindowReads
from hwmodel.simulator.memories.rows import Rows


@dataclass(frozen=True, slots=True)
class WindowPort:
    """The registers of a window; `places` are their positions relative to the origin of the first unit's pattern.

    `source` has for each register the number of the fresh position that it is, or -1; then its value comes from
    register number `ahead` (-1 for none). `patterns` has for each unit and element of its pattern the number of a
    register. `each` fresh positions are read in one cycle.
    """

    places: tuple[Place, ...]
    source: tuple[int, ...]
    ahead: tuple[int, ...]
    patterns: tuple[tuple[int, ...], ...]
    each: int


@dataclass(frozen=True, eq=False)
class WindowPlan:
    """A window, and for each unit and element its fresh position and how many rounds before its use that is read."""

    port: WindowPort
    lane: IntArray
    back: IntArray


def window_kept(when: Rows, window: WindowReads, size: int) -> WindowPlan:
    """The registers of a window: one for each position of a round, and those on its way from a fresh position."""
    fitting = np.array(when.touch.tiler.fitting, np.int64).reshape(len(when.ahead), len(when.touch.pattern))
    pattern = points(when.touch.pattern) @ fitting.T
    step, round_step = np.array(when.ahead, np.int64), np.array(when.ahead, np.int64) * when.units
    fresh, number = {place: at for at, place in enumerate(window.fresh)}, dict[Place, int]()
    lane, back, register = (np.zeros((when.units, size), np.int64) for _ in range(3))
    for unit, at in np.ndindex(when.units, size):
        place = tuple((pattern[at] + unit * step).tolist())
        register[unit, at] = number.setdefault(place, len(number))
        # Follow the position along the line, one round at a time, up to the fresh position that brings it.
        while place not in fresh:
            place = tuple((np.array(place) + round_step).tolist())
            number.setdefault(place, len(number))
            back[unit, at] += 1
        lane[unit, at] = fresh[place]
    ahead = tuple(number.get(tuple((np.array(place) + round_step).tolist()), -1) for place in number)
    source = tuple(fresh.get(place, -1) for place in number)
    patterns = tuple(tuple(row) for row in register.tolist())
    return WindowPlan(WindowPort(tuple(number), source, ahead, patterns, window.each), lane, back)


# Single buffers are loaded when their readers are through with the step. `LATE` is a control of the agent that requests
# the loads: this request waits for that. `HOLDS` is a control of readers, 1 in each row of a step in which they work.
LATE, HOLDS = "late", "holds"
FETCH = FETCH_CYCLES  # from the start of a repetition to its operand registers: to the bank, through it, to the unit


@dataclass(frozen=True, slots=True)
class ReadPort:
    """An input port of a task's units, and the lanes of a memory through which it is read.

    The port takes `size` elements in chunks of `chunk`; lane u chunk + k has element k of the chunk of unit u. If a
    lane touches no word, it takes the value of the port `otherwise` there, or else the bits `constant`. A port that is
    looked up has no lanes: by element it has its word in the memory `lookup`, in banks in turn where there are no
    `words`. If it moves from step to step, the control `base` of the reader is added to the address. Neither has one
    whose elements are constants of the datapath: `built_in` are their bits. With `later` above 0 lanes
    are read from that frame on, counted from 0; in the frames before, `otherwise` or `constant` takes their place.
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
    words: tuple[int, ...] = ()
    base: str = ""
    built_in: tuple[int, ...] = ()
    later: int = 0

    @property
    def table(self) -> IntArray:
        """The word of each element of a port that is looked up, without what is added to its address."""
        assert self.lookup is not None, "a port with a lookup"
        if self.words:
            return np.array(self.words, np.int64)
        return in_turn(np.arange(self.size), self.lookup.banks, self.lookup.depth)


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
    its own state. Units with `bins` have memories to whose words sums are added, and need `begins` too, a control for
    each 32 of them.
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
    def early(self) -> frozenset[tuple[str, tuple[tuple[int, int], ...]]]:
        """The outputs that are taken early, with their elements and the cycle of each in the datapath's schedule."""
        return frozenset((port.port, tuple(enumerate(port.early))) for port in self.writes if port.early)


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
