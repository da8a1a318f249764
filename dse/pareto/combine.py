"""Whole designs from group designs: the front over all fusions (docs/explore.md, "From groups to whole designs").

The groups of a legal fusion can run one after another; what has run after each is a down-set, a set of tasks that holds
all that its tasks need. So fusions are the paths from the empty set to all tasks, each step a group that can run next,
and

    F[all done] = Pareto(union over its last groups g of F[done before g] + G[g])

with G[g] the front of a group, where + adds (or takes the maximum of) every pair of points. This is exact: sums and
maxima are monotone, so a point that is dominated in F[done] is dominated in all that comes of it, and points may be
dropped at every down-set. A fusion is met once for each order in which its groups can run, with equal figures, which
costs time and changes nothing. Of each point the down-set before and the group's row are kept, which gives its groups
by going back. For a chain the down-sets are its prefixes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dse.pareto.fronts import Combination, Front, Rows, combined, front_of, merged
from dse.space.fusions import next_groups
from dse.space.task_graph import Mask, TaskGraph

Thinning = Callable[[Front], Front]  # some points of a front


@dataclass(frozen=True, slots=True)
class Choice:
    """One group of a whole design: its tasks and the row of its design in the group's front."""

    group: Mask
    row: int


@dataclass(frozen=True, slots=True)
class _Steps:
    """Where the points of a down-set's front came from: the row before and the group's row of each, of shape (n, 2).

    `place` tells for each point which of `sources`, pairs of the down-set before and the group, it is.
    """

    sources: tuple[tuple[Mask, Mask], ...]
    place: Rows
    rows: Rows


@dataclass(frozen=True)
class WholeFront:
    """The front of whole designs; `choices` gives the groups of one of its points."""

    front: Front
    _steps: Mapping[Mask, _Steps]
    _all: Mask

    def choices(self, point: int) -> tuple[Choice, ...]:
        """The groups of point number `point` of the front, in an order in which they can run."""
        found: list[Choice] = []
        done, row = self._all, int(self.front.origin[point])
        while done:
            steps = self._steps[done]
            before, group = steps.sources[steps.place[row]]
            found.append(Choice(group, int(steps.rows[row, 1])))
            done, row = before, int(steps.rows[row, 0])
        return tuple(reversed(found))


def whole_front(
    graph: TaskGraph,
    groups: Callable[[Mask], Front],
    how: Combination,
    follow: Callable[[Mask], Iterable[Mask]] | None = None,
    *,
    thin: Thinning | None = None,
) -> WholeFront:
    """The front of whole designs of all fusions; with `thin` only some points of each part are kept.

    `follow(done)` gives the groups that may run after a down-set, by default all that can (`next_groups`).
    `groups(group)` is the front of a group's designs (made with `how.trades_units`), empty where none is feasible.
    """
    figures = len(how.largest)
    nothing = Front(np.zeros((1, figures), np.int64), np.zeros(1, np.int64), np.zeros(1, np.intp))
    fronts: dict[Mask, Front] = {0: nothing}
    steps: dict[Mask, _Steps] = {}
    arriving: dict[Mask, list[tuple[Mask, Mask, Front]]] = {}
    for size in range(len(graph) + 1):
        for done in sorted(mask for mask in {*arriving, *fronts} if mask.bit_count() == size):
            if done:
                fronts[done], steps[done] = _settle(arriving.pop(done), how, thin)
            for group in next_groups(graph, done) if follow is None else follow(done):
                sums = combined(fronts[done], groups(group), how)
                if len(sums):
                    arriving.setdefault(done | group, []).append((done, group, sums))
            if done != graph.all:
                del fronts[done]
    empty = Front(np.zeros((0, figures), np.int64), np.zeros(0, np.int64), np.zeros(0, np.intp))
    found = fronts.get(graph.all, empty)
    return WholeFront(front_of(found.values, found.units), steps, graph.all)


@dataclass(frozen=True)
class ListedFront:
    """The front of the whole designs of some fusions; `choices` gives the groups of one of its points."""

    front: Front
    _wholes: tuple[WholeFront, ...]
    _starts: Rows

    def choices(self, point: int) -> tuple[Choice, ...]:
        """The groups of point number `point` of the front, in an order in which they can run."""
        row = self.front.origin[point]
        place = int(np.searchsorted(self._starts, row, side="right")) - 1
        return self._wholes[place].choices(int(row - self._starts[place]))


def listed_front(
    graph: TaskGraph,
    groups: Callable[[Mask], Front],
    how: Combination,
    fusions: Sequence[Sequence[Mask]],
    *,
    thin: Thinning | None = None,
) -> ListedFront:
    """The front of whole designs of these fusions alone, each a list of groups in an order in which they can run.

    With `thin` only some points of each part of a fusion are kept.
    """
    wholes = tuple(fusion_front(graph, groups, how, fusion, thin=thin) for fusion in fusions)
    starts = np.cumsum([0, *(len(whole.front) for whole in wholes[:-1])])
    found = merged([whole.front for whole in wholes], how)
    front = front_of(found.values, found.units)
    return ListedFront(Front(front.values, front.units, found.origin[front.origin]), wholes, starts)


def fusion_front(
    graph: TaskGraph,
    groups: Callable[[Mask], Front],
    how: Combination,
    fusion: Sequence[Mask],
    *,
    thin: Thinning | None = None,
) -> WholeFront:
    """The front of the whole designs of one fusion, its groups in an order in which they can run; `thin` as above."""
    following: dict[Mask, Mask] = {}
    done = 0
    for group in fusion:
        following[done] = group
        done |= group

    def follow(before: Mask) -> tuple[Mask, ...]:
        return (following[before],) if before in following else ()

    return whole_front(graph, groups, how, follow, thin=thin)


def _settle(arriving: list[tuple[Mask, Mask, Front]], how: Combination, thin: Thinning | None) -> tuple[Front, _Steps]:
    """One down-set's front from all that lead to it, and where each of its points came from."""
    front = merged([sums for _, _, sums in arriving], how)
    if thin is not None:
        front = thin(front)
    counts = [len(sums) for _, _, sums in arriving]
    place = np.repeat(np.arange(len(arriving)), counts)[front.origin]
    rows = np.concatenate([sums.origin for _, _, sums in arriving])[front.origin]
    return front, _Steps(tuple((done, group) for done, group, _ in arriving), place, rows)
