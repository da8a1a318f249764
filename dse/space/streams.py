"""The streams of a group that a study allows: orders of the loops, paces, starts."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice, permutations, product

from dse.space.mappings import MappingSpace
from hwmodel.cost_model.streaming.stream_groups import StreamPricer
from hwmodel.streamed import Frames, Stream

ORDERS_AT_MOST = 6  # of the loops
SLOWER_AT_MOST = 6  # paces above 1, where the study lists none


def streams_of(space: MappingSpace, tasks: tuple[str, ...], pricer: StreamPricer) -> Iterator[Stream]:
    """The streams of a group, the fastest of an order first. Raises ArrayolError (`not-streamed`, `made-in-part`).

    AXI4-Streams are for a group that is all of the network. Frames lie where the pricer has them.
    """
    whole = is_whole(space, tasks)
    interfaces = [own for own in space.study.interfaces if own == "port" or whole]
    loops = len(pricer.model.loops.members)
    frames: Frames = "inside" if pricer.accesses.frames_inside else "outside"
    for scan in orders_of(space, tasks, loops):
        for pace in paces_of(space, tasks):
            for starts, interface in product(space.study.starts, interfaces):
                yield Stream(scan, pace, starts, interface, frames=frames)


def is_whole(space: MappingSpace, tasks: tuple[str, ...]) -> bool:
    """Whether a group is all of the network."""
    return len(tasks) == len(space.graph)


def frames_of(space: MappingSpace, tasks: tuple[str, ...]) -> tuple[Frames, ...]:
    """Where frames may lie, of a group: inside if it is all of the network, and its tasks meet data of other frames."""
    if not space.accesses.meets_frames:
        return ("outside",)
    return tuple(own for own in space.study.frames if own == "outside" or is_whole(space, tasks))


def orders_of(space: MappingSpace, tasks: tuple[str, ...], loops: int) -> tuple[tuple[int, ...], ...]:
    """The orders of so many loops: those that the study lists, or all of few loops.

    In a listed one the dimension of frames is left out: it is no loop of a frame.
    """
    if space.study.orders == "legal":
        return tuple(islice(permutations(range(loops)), ORDERS_AT_MOST))
    spaces = (space.model.network.processes[task].repetition for task in tasks)
    frames = next((repetition.index(None) for repetition in spaces if None in repetition), None)
    ascending = (scan.dimensions for scan in space.study.orders if not any(scan.descending))
    scans = (_in_a_frame(scan, frames) for scan in ascending)
    return tuple(dict.fromkeys(scan for scan in scans if len(scan) == loops))


def _in_a_frame(scan: tuple[int, ...], frames: int | None) -> tuple[int, ...]:
    """The order of the loops of a frame, without the dimension of frames."""
    return scan if frames is None else tuple(at - (at > frames) for at in scan if at != frames)


def paces_of(space: MappingSpace, tasks: tuple[str, ...]) -> tuple[Fraction, ...]:
    """The paces of a group, ascending: those of the study, or halves up to the data of a word of the port.

    Then those of more than a pulse that some task has an interval for.
    """
    if space.study.paces is not None:
        return tuple(sorted(space.study.paces))
    fast = [Fraction(1, 1 << power) for power in range(space.model.data_per_word.bit_length())]
    platform, processes = space.model.platform, space.model.network.processes
    longer = sorted({interval for task in tasks for interval in platform.intervals(processes[task]) if interval > 1})
    step = -(-len(longer) // SLOWER_AT_MOST) or 1
    return (*reversed(fast), *map(Fraction, longer[::step]))
