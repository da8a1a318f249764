"""How many fusions and whole designs a space holds, and the fusions themselves where they are few."""

from __future__ import annotations

import math
from collections.abc import Mapping

from dse.graph import Mask
from dse.mapping_space import MappingSpace
from dse.space import count_by_groups, subspaces

LISTED_AT_MOST = 1 << 14  # fusions


def count_fusions(space: MappingSpace) -> int | None:
    if space.fusions:
        return len(space.fusions)
    if space.study.longest_group:
        return None
    counts = count_by_groups(space.graph)
    return None if counts is None else sum(counts.values())


def count_wholes(space: MappingSpace, sizes: Mapping[Mask, int]) -> int | None:
    """The number of whole designs: over fusions the product of their groups' designs; None with too many fusions."""
    fusions = space.fusions or all_fusions(space)
    if fusions is None:
        return None
    return sum(math.prod(sizes[group] for group in fusion) for fusion in fusions)


def all_fusions(space: MappingSpace) -> tuple[tuple[Mask, ...], ...] | None:
    count = count_fusions(space)
    if count is None or count > LISTED_AT_MOST:
        return None
    number = {name: place for place, name in enumerate(space.graph.names)}
    return tuple(
        tuple(sum(1 << number[task] for task in group) for group in fusion.groups)
        for subspace in subspaces(space.graph)
        for fusion in subspace
    )
