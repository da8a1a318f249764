"""Whether memories may serve the ports of a task at some rate, before blocks are chosen.

A necessary condition, from the elements that the task alone touches in a cycle: designs may still be refused because no
bank function separates them, because of other tasks, or because blocks are too large for registers. If it fails, each
design of the task at that rate is refused (docs/machine.md, section 6).
"""

from __future__ import annotations

from dataclasses import dataclass

from arrayol.errors import ArrayolError
from hwmodel.accesses import Accesses, Touch
from hwmodel.cost_model.group.group import Group
from hwmodel.cost_model.memories.local_ports import LocalPorts
from hwmodel.design import row_major
from hwmodel.local_memory.organisations import ROM_READS, Terms
from hwmodel.local_memory.windows import window_of
from hwmodel.platform import Platform


@dataclass(frozen=True)
class LonePorts:
    """The ports of a single task, with its units along the line of a row-major scan."""

    ports: LocalPorts
    terms: Terms

    @staticmethod
    def of(accesses: Accesses, platform: Platform, task: str) -> LonePorts | None:
        """The ports of a task; None if memories always serve it, or it cannot be a group."""
        try:
            group = Group(accesses, (task,))
        except ArrayolError:
            return None
        ports = LocalPorts(group, platform, row_major(len(accesses.extents(task))))
        return None if ports.terms is None else LonePorts(ports, ports.terms)

    def is_feasible(self, units: int, cycles: int, *, in_fifos: bool) -> bool:
        """Whether memories may serve so many units with an occupancy of some cycles.

        With `in_fifos`, arrays that a FIFO may carry need no memory.
        """
        accesses, (task,) = self.ports.group.accesses, self.ports.group.tasks
        arrays = accesses.network.arrays
        sides = ((touch, side is accesses.reads) for side in (accesses.reads, accesses.writes) for touch in side[task])
        return all(
            self._serves(touch, units, cycles, read=read)
            or (in_fifos and bool(arrays[touch.array].producers) and len(arrays[touch.array].readers) == 1)
            for touch, read in sides
        )

    def _serves(self, touch: Touch, units: int, cycles: int, *, read: bool) -> bool:
        """Whether a tiler's elements of a cycle may have as many banks, copies, or registers."""
        access = self.ports.access(touch, units, cycles, results=not read)
        terms, array = self.terms, touch.array
        if not access.random and units * -(-len(access.places) // cycles) <= terms.banks_most:
            return True  # a bank for each place of each unit, even where they have some in common
        window, most = window_of(access) if read else None, access.in_a_cycle
        if window is not None:
            most = min(most, window.each)
        if read and most <= terms.copies_most * ROM_READS:
            return True
        least = len(set(access.places)) * self.ports.group.network.arrays[array].type.bits  # that its memory holds
        return not access.random and (most <= terms.banks_most or least <= terms.register_bits)
