"""The interim front: whole designs of the groups searched so far, a lower bound of the final front while it comes.

The recursion of `dse.pareto.combine`, its fronts thinned so far that it takes some tenths of a second. A thinned front
holds some of the points of the whole one, and so do the sums made of it: what they dominate the exact front dominates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from dse.pareto.combine import ListedFront, WholeFront, completions_of
from dse.pareto.fronts import Combination, Front
from dse.pareto.hypervolume import Octaves, RisingVolume, octaves_of, spread_rows
from dse.space.task_graph import Mask, TaskGraph

POINTS_AT_MOST = 48  # of a down-set's front, and of a group's
STEPS_AT_MOST = 20_000  # from a down-set by a group to another; beyond, there is no interim front
_SUMS_AT_MOST = 1 << 19  # pairs of points over all steps, of two figures; each further one takes about thrice as long


@dataclass(frozen=True)
class FrontSoFar:
    """A front of whole designs, and the points of the groups' fronts that it was made of."""

    whole: WholeFront | ListedFront
    used: Mapping[Mask, Front]


class InterimFront:
    """The front of the whole designs that the groups finished so far allow; its hypervolume only rises.

    `objectives` is the number of leading columns that are compared; further ones are there for constraints, which
    `combination` holds. With `fusions`, lists of groups in orders in which they can run, only those are whole designs.
    """

    def __init__(
        self, graph: TaskGraph, combination: Combination, objectives: int, fusions: Sequence[Sequence[Mask]] = ()
    ) -> None:
        self._graph = graph
        self._combination = combination
        self._objectives = objectives
        self._fusions = fusions
        self._volume = RisingVolume()
        self._seen: dict[Mask, Front] = {}  # at the last look
        self._too_wide = False

    @property
    def reference(self) -> NDArray[np.float64] | None:
        """The corner of the box, in octaves: that of the first front there was."""
        return self._volume.reference

    def bound(self, least: Octaves) -> float | None:
        """The least share that the front so far has of the hypervolume of any other, if nothing is below that."""
        return self._volume.share_of_any(least)

    def hypervolume(self, fronts: Mapping[Mask, Front]) -> float | None:
        """The share of the box between 1 and the reference (`RisingVolume`) that the front so far dominates.

        Of the exact front's share a lower bound, equal where no front was thinned. None while the groups make no
        whole design, and where there are too many down-sets for a quick look.
        """
        is_same = fronts.keys() == self._seen.keys() and all(fronts[group] is self._seen[group] for group in fronts)
        made = None if is_same else self.wholes(fronts)
        self._seen = dict(fronts)
        if made is not None:
            self._volume.with_points(made.whole.front.values[:, : self._objectives])
        return self._volume.share

    def wholes(self, fronts: Mapping[Mask, Front]) -> FrontSoFar | None:
        """The front of the whole designs that these allow, of thinned ones; None as above."""
        feasible = {group: front for group, front in fronts.items() if len(front)}
        completions = None if self._too_wide else completions_of(self._graph, feasible, self._fusions)
        if completions is None or completions.steps > STEPS_AT_MOST:
            self._too_wide = True
            return None
        if not completions.steps:
            return None
        figures = len(self._combination.largest)
        cost = completions.steps * 3 ** max(0, figures - 2)
        most = max(2 * figures, min(POINTS_AT_MOST, isqrt(_SUMS_AT_MOST // cost)))

        def thin(part: Front) -> Front:
            return part.at(spread_rows(octaves_of(part.values), most))

        used = {group: thin(part) for group, part in feasible.items()}
        return FrontSoFar(completions.front(used, self._combination, thin), used)
