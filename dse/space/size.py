"""How large a space is, counted before anything of it is searched; and its fusions, where they are few."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arrayol.text import counted, listed, rounded
from dse.space.fusions import count_by_groups, subspaces
from dse.space.mappings import GROUPS_AT_MOST, MappingSpace
from dse.space.networks.rewrites import are_of_streams
from dse.space.task_graph import Mask

LISTED_AT_MOST = 1 << 14  # fusions


def count_fusions(space: MappingSpace) -> int | None:
    """How many fusions the study spans; None where counting them takes too long."""
    if space.fusions or space.study.longest_group:
        fusions = all_fusions(space)
        return None if fusions is None else len(fusions)
    return _count_all(space)


def count_wholes(space: MappingSpace, sizes: Mapping[Mask, int]) -> int | None:
    """The number of whole designs: over fusions the product of their groups' designs; None with too many fusions."""
    fusions = all_fusions(space)
    if fusions is None:
        return None
    return sum(math.prod(sizes[group] for group in fusion) for fusion in fusions)


def all_fusions(space: MappingSpace) -> tuple[tuple[Mask, ...], ...] | None:
    """The fusions that the study lists, else every legal one with groups no longer than it allows.

    Their groups stand in execution order. None where they are too many to be listed.
    """
    if space.fusions:
        return space.fusions
    count = _count_all(space)
    if count is None or count > LISTED_AT_MOST:
        return None
    number = {name: place for place, name in enumerate(space.graph.names)}
    longest = space.study.longest_group or len(space.graph)
    return tuple(
        tuple(sum(1 << number[task] for task in group) for group in fusion.groups)
        for subspace in subspaces(space.graph)
        for fusion in subspace
        if max(map(len, fusion.groups)) <= longest
    )


def _count_all(space: MappingSpace) -> int | None:
    counts = count_by_groups(space.graph)
    return None if counts is None else sum(counts.values())


@dataclass(frozen=True, slots=True)
class SpaceSize:
    """Fusions and groups (None: too many to be counted), and designs without what a study has beyond plain ones.

    Where groups are too many, structures and designs are those of single tasks.
    """

    fusions: int | None
    groups: int | None
    structures: int  # group designs but for their rates
    group_designs: int
    whole_designs: int | None

    def text(self, space: MappingSpace) -> str:
        """The size for people."""
        if self.groups is None:
            tasks = counted(len(space.graph), "task")
            return f"{space.model.network.name}: {tasks}, more than {GROUPS_AT_MOST:,} groups"
        fusions = "fusions" if self.fusions is None else counted(self.fusions, "fusion")
        whole = "" if self.whole_designs is None else f", {rounded(self.whole_designs)} whole designs"
        plain = f"{counted(self.groups, 'group')}, {rounded(self.group_designs)} plain group designs{whole}"
        more = "; beside them the options of the study" if space.study.has_options else ""
        choices = "".join(f"; all this {text}" for text in choices_text(space.variants))
        return f"{space.model.network.name}: {fusions} of {counted(len(space.graph), 'task')}, {plain}{more}{choices}"


def choices_text(variants: Sequence[MappingSpace]) -> tuple[str, ...]:
    """In words what is chosen of whole designs, where there is a choice: loads, splits."""
    loads, splits = (len(set(column)) for column in zip(*(one.choice for one in variants), strict=True))
    by = [
        *(["splits of sums"] if any(one.splits and not are_of_streams(one.splits) for one in variants) else []),
        *(["arrays that streams pass on"] if any(are_of_streams(one.splits) for one in variants) else []),
    ]
    texts = f"under each of {loads} choices of loads", f"in each of {splits} networks, by {listed(by)}"
    return tuple(text for number, text in zip((loads, splits), texts, strict=True) if number > 1)


def size_of(space: MappingSpace) -> SpaceSize:
    """The size of a space; a group that no blocks cut counts as one design, an infeasible one."""
    blocks: dict[str, int] = {}
    structures = 0
    sizes = {}
    groups = space.groups if space.lists_groups else tuple(1 << task for task in range(len(space.graph)))
    for group in groups:
        last = space.last(group)
        if last is None:
            sizes[group] = 1
            continue
        if last not in blocks:
            blocks[last] = space.count_structures(last)
        structures += blocks[last]
        sizes[group] = blocks[last] * space.count_rates(space.tasks(group))
    number, designs = len(groups) if space.lists_groups else None, sum(sizes.values())
    if number is None:
        return SpaceSize(None, None, structures, designs, None)
    return SpaceSize(count_fusions(space), number, structures, designs, count_wholes(space, sizes))
