"""Groups that run at the same time, each on another frame (docs/machine.md, section 16)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hwmodel.accesses import Accesses

PORT = "port_cycles"  # of a group, in a frame
# The figures that the times of a whole design are made of: its groups' largest time off the port, to the end of a frame
# and to the next one, the sum of their times at the port, and their number. A single group has its own times.
OFF_PORT = ("off_port_latency", "off_port_frame")
SHARED_PORT, GROUPS = "shared_port_cycles", "groups"
PERIOD_PARTS = (*OFF_PORT, SHARED_PORT, GROUPS)


@dataclass(frozen=True, slots=True)
class Period:
    """The cycles of a period, and how many copies of each array lie outside, one for each frame that is in use."""

    cycles: int
    copies: Mapping[str, int]


def period_cycles(latencies: Sequence[int], at_port: Sequence[int]) -> int:
    """The cycles of a period in which all groups end, whatever the order in which the port serves their steps.

    A group by itself takes its latency, and the port serves it for `at_port` of these cycles. In a period it also waits
    while the port serves others: at most the sum of their cycles at the port.
    """
    return max(latency - own for latency, own in zip(latencies, at_port, strict=True)) + sum(at_port)


def copies_outside(accesses: Accesses, groups: Sequence[Sequence[str]]) -> dict[str, int]:
    """The copies of each array outside that frames have in use, by name: group g works on frame p - g in period p.

    An input comes in the period before that of the first group, an output is taken in the period after its last part is
    made.
    """
    network, copies = accesses.network, dict[str, int]()
    group_of = {task: number for number, tasks in enumerate(groups) for task in tasks}
    for name, array in network.arrays.items():
        if accesses.is_resident(name):
            continue
        made = [group_of[task] for task in array.producers] or [-1]
        used = [group_of[task] for task in array.readers] + [max(made) + 1] * array.is_output
        if used and max(used) > min(made):
            copies[name] = max(used) - min(made) + 1
    return copies
