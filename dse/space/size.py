"""How many fusions and whole designs a space holds, and the fusions themselves where they are few."""

from __future__ import annotations

import math
from collections.abc import Mapping

from dse.space.fusions import count_by_groups, subspaces
from dse.space.mappings import MappingSpace
from dse.space.task_graph import Mask

LISTED_AT_MOST = 1 << 14  # fusions


def count_fusions(space: MappingSpace) -> int | None:
    """How many fusions the study spans; None where counting them takes too long."""
    if space.study.longest_group:
        fusions = space.fusions or all_fusions(space)
        return None if fusions is None else len(fusions)
    return len(space.fusions) or _count_all(space)


def count_wholes(space: MappingSpace, sizes: Mapping[Mask, int]) -> int | None:
    """The number of whole designs: over fusions the product of their groups' designs; None with too many fusions."""
    fusions = space.fusions or all_fusions(space)
    if fusions is None:
        return None
    return sum(math.prod(sizes[group] for group in fusion) for fusion in fusions)


def all_fusions(space: MappingSpace) -> tuple[tuple[Mask, ...], ...] | None:
    """Every legal fusion with groups no longer than the study allows; None where they are too many to be listed."""
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
