"""FIFO links: what each read waits for, whether data are read in the order of writing, and the depth.

Choices that no units can mend are refused first (docs/machine.md, section 6): another reader, an element read never or
twice, data of one repetition that no schedule keeps in order. The order of the repetitions depends on the schedule, and
so on units: `require_order` checks it once the starts are known (section 4).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray
from arrayol.errors import ArrayolError, error
from arrayol.text import listed
from hwmodel.cost_model.group.group import Group
from hwmodel.cost_model.group.ticks import Ticks, Work
from hwmodel.cost_model.numbering import narrow
from hwmodel.datapath.figures import Datapath, read_cycles, result_cycles


@dataclass(frozen=True, eq=False)
class FifoData:
    """The data of one FIFO, one entry for each, in row-major order of elements.

    `writer` and `reader` are runs of the two tasks (entries of their work), `made` and `taken` the datum's position in
    the port's pattern at each end, and `written` and `read` the data of the two patterns.
    """

    array: str
    source: str
    target: str
    writer: IntArray
    reader: IntArray
    made: IntArray
    taken: IntArray
    written: int
    read: int

    def lags(self, path: Datapath) -> IntArray:
        """Cycles from the start of the writer's repetition until each datum is there."""
        return result_cycles(self.made.astype(np.int64), self.written, path.interval) + path.latency + 1

    def chunks(self, path: Datapath) -> IntArray:
        """Cycles from the start of the reader's repetition to the one in which each datum is read."""
        return read_cycles(self.taken.astype(np.int64), self.read, path.interval)


def fifo_data(group: Group, ticks: Ticks, array: str) -> FifoData:
    """The run that writes and the run that reads each datum. Raises ArrayolError (`fifo-refused`)."""
    source, target = ends_of(group, array)
    written, writer, place_made = _accesses(group, source, array, ticks.work[source], writes=True)
    read, reader, taken = _accesses(group, target, array, ticks.work[target], writes=False)
    if not ticks.work[source].once:  # what is made for a tick is read at that tick
        size = group.accesses.size(array)
        written = written + size * ticks.work[source].use[writer]
        read = read + size * ticks.work[target].tick[reader]
    first, second = np.argsort(written), np.argsort(read, kind="stable")
    _require_once(group, array, target, written[first], (read[second], ticks.work[target].repetition[reader[second]]))
    sizes = [
        int(np.prod(touch.pattern, dtype=np.int64))
        for touch in (group.writes(source, array)[0], group.reads(target, array)[0])
    ]
    data = FifoData(array, source, target, writer[first], reader[second], place_made[first], taken[second], *sizes)
    _require_neighbours(group, ticks, data, sizes[1])
    return data


def ends_of(group: Group, array: str) -> tuple[str, str]:
    """The tasks that write and read a FIFO. Raises ArrayolError (`fifo-refused`)."""
    if array not in group.writers_of:
        raise _refused(array, f"no task of the group {' '.join(group.tasks)} makes it")
    makers = group.network.arrays[array].producers
    if len(makers) > 1:
        raise _refused(array, f"{listed(makers)} each write a part of it, which have no order among themselves")
    source = makers[0]
    readers = group.readers(array)
    if array in group.stored or len(readers) != 1:
        others = f"{listed(readers)} read it" if len(readers) > 1 else "it is needed outside the group too"
        raise _refused(array, others)
    if any(touch.tiler.border for touch in group.reads(readers[0], array)):
        raise _refused(
            array, f"'{readers[0]}' reads it through a border: each read is a window, in no order of writing"
        )
    if len(group.writes(source, array)) != 1 or len(group.reads(readers[0], array)) != 1:
        task = source if len(group.writes(source, array)) != 1 else readers[0]
        raise _refused(array, f"'{task}' accesses it through several ports, which have no order among themselves")
    return source, readers[0]


def _refused(array: str, why: str) -> ArrayolError:
    return error(
        "fifo-refused",
        f"'{array}' cannot pass through a FIFO: {why}",
        hint="a FIFO has one reader in the group, which reads every element once, in the order of writing; keep this "
        "array in a buffer",
    )


def _accesses(group: Group, task: str, array: str, work: Work, *, writes: bool) -> tuple[IntArray, IntArray, IntArray]:
    """The element, the run, and the position in the pattern of each access."""
    touch = (group.writes if writes else group.reads)(task, array)[0]
    pattern, parts = np.arange(math.prod(touch.pattern)), list(group.accesses.in_parts(touch, work.repetition))
    elements = [np.zeros(0, np.int64), *(touched.ravel() for _, touched in parts)]
    runs = [np.zeros(0, np.int64), *(np.repeat(rows, len(pattern)) for rows, _ in parts)]
    place = np.tile(narrow(pattern, len(pattern)), sum(len(rows) for rows, _ in parts))
    return np.concatenate(elements), np.concatenate(runs), place


def _require_once(group: Group, array: str, target: str, written: IntArray, reads: tuple[IntArray, IntArray]) -> None:
    """Raises ArrayolError (`fifo-refused`) if an element is read never or twice."""
    read, repetition = reads
    if np.array_equal(written, read):
        return
    size = group.accesses.size(array)
    twice = np.flatnonzero(np.diff(read, prepend=-1) == 0)
    unread = np.setdiff1d(written, read)
    place = int((unread[0] if len(unread) else read[twice[0]]) % size)
    subscripts = [int(index) for index in np.unravel_index(place, group.accesses.shape(array))]
    if len(unread):
        raise _refused(array, f"element {subscripts} is made and never read")
    pair = [_indices(group, target, repetition[at]) for at in (twice[0] - 1, twice[0])]
    raise _refused(array, f"'{target}' reads element {subscripts} in its repetitions {pair[0]} and {pair[1]}")


def _require_neighbours(group: Group, ticks: Ticks, data: FifoData, taken: int) -> None:
    """Raises ArrayolError (`fifo-refused`) unless data that a repetition writes in a row are read in a row.

    Likewise data that a repetition reads in a row have to be written in a row.
    """
    work = ticks.work[data.source], ticks.work[data.target]
    written = np.lexsort((data.made, data.writer))
    together = data.made[written][1:] > 0
    early, late = written[:-1][together], written[1:][together]
    same = data.reader[early] == data.reader[late]
    goes_on = same & (data.taken[late] == data.taken[early] + 1)
    next_one = ~same & (data.taken[early] == taken - 1) & (data.taken[late] == 0)
    wrong = np.flatnonzero(~(goes_on | next_one))
    if not len(wrong):
        return
    pair = early[wrong[0]], late[wrong[0]]
    writer = _indices(group, data.source, work[0].repetition[data.writer[pair[0]]])
    readers = [_indices(group, data.target, work[1].repetition[data.reader[datum]]) for datum in pair]
    raise _refused(
        data.array,
        f"two data that '{data.source}' writes one after the other in repetition {writer}, '{data.target}' does not "
        f"read one after the other, in {readers[0]} and {readers[1]}",
    )


def _indices(group: Group, task: str, repetition: int) -> list[int]:
    """The indices of a repetition, given by its number."""
    return [int(index) for index in np.unravel_index(repetition, group.accesses.extents(task))]


@dataclass(frozen=True, eq=False)
class Starts:
    """The starts of the runs at one end of a FIFO: step, cycle in the step, and position in scan order of each."""

    step: IntArray
    cycle: IntArray
    rank: IntArray
    repetition: IntArray


def require_order(group: Group, data: FifoData, ends: tuple[Starts, Starts], after: tuple[IntArray, IntArray]) -> None:
    """Raises ArrayolError (`fifo-refused`) if data are not read in the order in which they are written.

    `after` has the cycles from the start of its repetition in which each datum is written, and read.
    """
    source, target = ends
    written = _order(source, data.writer, data.made, after[0])
    read = _order(target, data.reader, data.taken, after[1])
    wrong = np.flatnonzero(written != read)
    if not len(wrong):
        return
    early, late = int(written[wrong[0]]), int(read[wrong[0]])
    writers = [_indices(group, data.source, source.repetition[data.writer[datum]]) for datum in (early, late)]
    readers = [_indices(group, data.target, target.repetition[data.reader[datum]]) for datum in (early, late)]
    if writers[0] == writers[1]:
        which = f"two data that '{data.source}' writes in repetition {writers[0]}"
    else:
        which = f"what '{data.source}' writes in repetition {writers[0]} and later in {writers[1]}"
    raise _refused(data.array, f"{which}, '{data.target}' reads in the other order, in {readers[0]} and {readers[1]}")


def _order(runs: Starts, of: IntArray, place: IntArray, after: IntArray) -> IntArray:
    """The order in which data pass one end of a FIFO."""
    return np.lexsort((place, runs.rank[of], after, runs.cycle[of], runs.step[of]))


def depth(arrives: IntArray, leaves: IntArray) -> int:
    """The largest number of data that are there at once.

    Each is from the cycle it arrives in to the one it leaves in.
    """
    if not len(arrives):
        return 0
    arriving, leaving = np.sort(arrives), np.sort(leaves)
    # In each cycle of an arrival: what has arrived, less what left in earlier cycles.
    here = np.arange(1, len(arriving) + 1) - np.searchsorted(leaving, arriving, side="left")
    return int(here.max())
