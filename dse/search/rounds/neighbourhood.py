"""Around the front: what differs in one decision from designs of groups that make it, and which were varied so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dse.search.group_front import GroupPart
from dse.search.rounds.portions import WorkItem, WorkQueue
from dse.space.options import spread
from dse.space.task_graph import Mask
from hwmodel.design import GroupDesign

AROUND = 48  # designs of groups around which is searched before whole designs may be made

OfGroup = tuple[Mask, GroupDesign]  # a design of a group
Decision = Callable[[WorkQueue, int, GroupPart, Sequence[GroupDesign]], Iterator[WorkItem]]
# What differs from a design in one decision. Sides of blocks gain most for what they take: so they are tried until
# nothing better comes of it, then FIFOs that are priced from counts, rates around the designs there are then, at last
# all options; and sides again of what is better.
DECISIONS: tuple[Decision, ...] = (
    WorkQueue.other_blocks,
    WorkQueue.other_fifos,
    WorkQueue.other_rates,
    WorkQueue.other_options,
)


@dataclass(frozen=True)
class Neighbourhood:
    """The designs that were varied in each decision."""

    varied: Mapping[Decision, set[OfGroup]] = field(default_factory=lambda: {one: set() for one in DECISIONS})

    def unvaried(self, designs: Sequence[OfGroup]) -> tuple[Decision, list[OfGroup]] | None:
        """A decision, and some of the designs that were not varied in it yet.

        The first decision that has some; None where all were varied in all. They are those of single tasks, which take
        least, as long as there are such.
        """
        for decision, varied in self.varied.items():
            fresh = [one for one in designs if one not in varied]
            single = [(group, design) for group, design in fresh if group.bit_count() == 1]
            if taken := spread(single or fresh, AROUND):
                return decision, taken
        return None

    @property
    def number(self) -> int:
        """How many designs were varied."""
        return len(set.union(*self.varied.values()))
