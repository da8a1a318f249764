"""What a search through a space of mappings found, whatever its method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dse.pareto.fronts import Front
from dse.results.schema import Comparisons
from dse.search.group_front import Counts, GroupFront
from dse.space.task_graph import Mask
from hwmodel.design import Design


@dataclass(frozen=True, slots=True)
class Generation:
    """One generation of a heuristic search: designs priced so far, and the hypervolume of the front so far.

    The hypervolume is a share of the last front's, on axes where that runs from 0 to 1, up to 1.1.
    """

    number: int
    evaluated: int
    hypervolume: float


@dataclass(frozen=True, slots=True)
class Evolution:
    """How a heuristic search went; `stalled` tells whether it ended because nothing more came."""

    seed: int
    population: int
    stalled: bool
    generations: tuple[Generation, ...]


@dataclass(frozen=True)
class Searched:
    """A front of whole designs in a search's columns, and `design`, what stands behind a point of it.

    `counts` are of group designs, or of whole designs where `counts_wholes`; `group_designs` and `whole_designs` are
    the size of the space (None: too many fusions to be counted). `groups` are there where groups were searched
    one by one. `refusal` is an example of a group that was refused, with the reason.
    """

    front: Front
    design: Callable[[int], Design]
    counts: Counts
    exact: bool
    how: str
    group_designs: int
    whole_designs: int | None
    counts_wholes: bool = False
    refusal: tuple[tuple[str, ...], str] | None = None
    groups: Mapping[Mask, GroupFront] = field(default_factory=dict)
    comparisons: Comparisons | None = None
    evolution: Evolution | None = None
