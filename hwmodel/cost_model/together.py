"""Groups that run at the same time, each on another frame (docs/machine.md, section 16)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses

Whole = TypeVar("Whole", int, IntArray)

PORT, SERVICE = "cycles at the port", "longest service"  # of a group: in a frame, in a step
# The figures that the times of a whole design are made of: its groups' largest time off the port, to the end of a frame
# and to the next one, the sum of their times at the port, and their number. A single group has its own times. If the
# port is served in turns, all of a group's time is off the port, and the longest services of all groups fit in a turn.
OFF_PORT = ("off the port, to the end", "off the port, to the next frame")
SHARED_PORT, GROUPS, SERVICES = "at a shared port", "number of groups", "longest services"
PERIOD_PARTS = (*OFF_PORT, SHARED_PORT, GROUPS, SERVICES)


@dataclass(frozen=True, slots=True)
class Period:
    """The cycles of a period, how many copies of each array lie outside, one for each frame in use, the turn."""

    cycles: int
    turn: int
    copies: Mapping[str, int]


def off_port(latency: Whole, at_port: Whole, turn: int) -> Whole:
    """The cycles of a group's latency that do not add to the time in which others wait for the port."""
    return latency if turn else latency - at_port


def period_cycles(latencies: Sequence[int], at_port: Sequence[int], turn: int) -> int:
    """The cycles of a period in which all groups end, whatever the order in which the port serves their steps.

    A group by itself takes its latency, and the port serves it for `at_port` of these cycles. In a period it also waits
    while the port serves others: at most the sum of their cycles at the port. With a `turn` its latency has waits for
    that, and is enough.
    """
    times = [off_port(*pair, turn) for pair in zip(latencies, at_port, strict=True)]
    return max(times) + (0 if turn else sum(at_port))


def copies_outside(accesses: Accesses, groups: Sequence[Sequence[str]]) -> dict[str, int]:
    """The copies of each array outside that frames have in use, by name: group g works on frame p - g in period p.

    An input comes in the period before that of the first group, outputs are taken in the period after that of the last.
    The group that makes a state of a delay takes it some periods later.
    """
    network, copies = accesses.network, dict[str, int]()
    group_of = {task: number for number, tasks in enumerate(groups) for task in tasks}
    for name, array in network.arrays.items():
        if accesses.is_resident(name) or array.earlier is not None:
            continue
        made = [group_of[task] for task in array.producers] or [-1]
        used = [group_of[task] for task in array.readers] + [len(groups)] * array.is_output
        used += [max(made) + frames for frames in network.taken_later(name)]
        if used and max(used) > min(made):
            copies[name] = max(used) - min(made) + 1
    return copies
