"""All designs of an exploration as points of a plot, within bounded memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from dse.pareto.counted import Candidate
from dse.results.exploration import PlottedPoints
from dse.results.schema import identifier
from dse.space.objectives import Objective
from dse.space.task_graph import TaskGraph
from hwmodel.platform import Platform

DRAWN_AT_MOST = 200_000  # distinct points
NAMED_AT_MOST = 40  # designs; where there are more, only the front has its names in the plot

Key = tuple[tuple[int, ...], int]  # the integers of the objectives, and the number of groups


@dataclass
class Collector:
    """Gathers the points of candidates as they come."""

    graph: TaskGraph
    _keys: set[Key] = field(default_factory=set)
    _first: list[Candidate] = field(default_factory=list)
    _designs: int = 0
    _left_out: int = 0

    def add(self, candidate: Candidate) -> None:
        """Note one more feasible design."""
        self._designs += 1
        key = candidate.values, len(candidate.fusion.groups)
        if key in self._keys or len(self._keys) < DRAWN_AT_MOST:
            self._keys.add(key)
        else:
            self._left_out += 1
        if self._designs <= NAMED_AT_MOST + 1:
            self._first.append(candidate)

    def finish(self, objectives: Sequence[Objective], platform: Platform) -> PlottedPoints:
        """The points, ascending."""
        keys = sorted(self._keys)
        names: dict[Key, list[str]] = {key: [] for key in keys}
        if self._designs <= NAMED_AT_MOST:
            for candidate in self._first:
                key = candidate.values, len(candidate.fusion.groups)
                names[key].append(identifier(candidate.fusion, self.graph))
        return PlottedPoints(
            tuple(
                tuple(
                    float(objective.in_unit(value, platform))
                    for objective, value in zip(objectives, values, strict=True)
                )
                for values, _ in keys
            ),
            tuple(groups for _, groups in keys),
            tuple(tuple(names[key]) for key in keys),
            self._designs,
            self._left_out,
        )
