"""One search through the space of fusions, priced as it goes: subspace fronts, then the front among their survivors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from dse.pareto.counted import COMPARED_AT_MOST, counted_front, points_of
from dse.pareto.front import Candidate, GrowingFront
from dse.pareto.hypervolume import RisingVolume
from dse.results.schema import SubspaceSummary
from dse.search.plotted_points import Collector
from dse.space.fusions import Subspace, count_by_groups, expand, subspaces
from dse.space.objectives import Objective
from dse.space.task_graph import task_graph
from hwmodel.design import Fusion
from hwmodel.published.estimate import Infeasible
from hwmodel.published.model import PublishedModel

_REPORT_EVERY = 64  # fusions


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search is; `total` is None where the space is too tangled to be counted beforehand.

    `hypervolume` gives that of the front so far (`RisingVolume`), None before the first feasible fusion; it is computed
    when asked for, while the search waits.
    """

    evaluated: int
    total: int | None
    subspace: int
    subspaces: int
    hypervolume: Callable[[], float | None] = field(default=lambda: None, compare=False)


class FusionSearch:
    """Counts and keeps what an exploration's result needs; `run` fills it.

    `worst` holds the largest value of each objective over feasible designs. With `keep_all` the candidates stay in
    `kept`, in the order of the space.
    """

    def __init__(
        self,
        model: PublishedModel,
        objectives: tuple[Objective, ...],
        *,
        keep_all: bool = False,
        report: Callable[[Progress], None] | None = None,
    ) -> None:
        self.model = model
        self.objectives = objectives
        self.graph = task_graph(model.network)
        self.plotted = Collector(self.graph)
        self.summaries: list[SubspaceSummary] = []
        self.front: list[Candidate] = []
        self.kept: list[Candidate] = []
        self.evaluated = 0
        self.infeasible = 0
        self.example: Infeasible | None = None
        self.worst: tuple[int, ...] = ()
        self.comparisons_by_subspaces: int | None = 0
        self.comparisons_of_all_pairs: int | None = 0
        self._every_value: list[tuple[int, ...]] = []
        self._keep_all = keep_all
        self._report = report or (lambda _: None)
        self._survivors = GrowingFront()
        self._volume = RisingVolume()

    def run(self) -> None:
        """Walk the subspaces, then compare their survivors, then (where they are few enough) all with all."""
        counts = count_by_groups(self.graph)
        total = sum(counts.values()) if counts else None
        spaces = list(subspaces(self.graph))
        for place, subspace in enumerate(spaces, 1):
            for candidate in self._front_of(subspace, Progress(0, total, place, len(spaces))):
                self._survivors.add(candidate)
        self.front = self._survivors.finish()
        self._count(self._survivors)
        self._compare_all_pairs()

    def _front_of(self, subspace: Subspace, progress: Progress) -> list[Candidate]:
        front, partitions = GrowingFront(), Counter[str]()
        infeasible = self.infeasible
        for sizes, fusion in _fusions(subspace):
            partitions["+".join(map(str, sizes))] += 1
            candidate = self._price(fusion)
            if candidate:
                front.add(candidate)
            if self.evaluated % _REPORT_EVERY == 0:
                self._tell(progress, front)
        survivors = front.finish()
        self._count(front)
        self._tell(progress, front)
        self.summaries.append(
            SubspaceSummary(
                groups=subspace.groups,
                fusions=partitions.total(),
                infeasible=self.infeasible - infeasible,
                pareto=len(survivors),
                partitions=dict(partitions),
            )
        )
        return survivors

    def _price(self, fusion: Fusion) -> Candidate | None:
        """The fusion as a candidate, or None and a note where it is infeasible."""
        self.evaluated += 1
        design = self.model.evaluate(fusion)
        if isinstance(design, Infeasible):
            self.infeasible += 1
            self.example = self.example or design
            return None
        candidate = Candidate(fusion, tuple(objective.exact(design) for objective in self.objectives))
        self.worst = tuple(map(max, candidate.values, self.worst or candidate.values))
        self.plotted.add(candidate)
        if self._keep_all:
            self.kept.append(candidate)
        if len(self._every_value) <= COMPARED_AT_MOST:
            self._every_value.append(candidate.values)
        return candidate

    def _count(self, front: GrowingFront) -> None:
        if self.comparisons_by_subspaces is None or front.comparisons is None:
            self.comparisons_by_subspaces = None
        else:
            self.comparisons_by_subspaces += front.comparisons

    def _compare_all_pairs(self) -> None:
        """What the paper's subspaces save, counted by doing it: every feasible design against every other."""
        if len(self._every_value) > COMPARED_AT_MOST:
            self.comparisons_of_all_pairs = None
        elif self._every_value:
            self.comparisons_of_all_pairs = counted_front(points_of(self._every_value)).comparisons

    def _tell(self, progress: Progress, front: GrowingFront) -> None:
        self._report(replace(progress, evaluated=self.evaluated, hypervolume=partial(self._hypervolume, front)))

    def _hypervolume(self, front: GrowingFront) -> float | None:
        """Of the survivors of former subspaces, and of the candidates of the present one so far."""
        candidates = [*self._survivors.held, *front.held]
        values = np.array([one.values for one in candidates], np.float64).reshape(-1, len(self.objectives))
        return self._volume.with_points(values)


def _fusions(subspace: Subspace) -> Iterator[tuple[tuple[int, ...], Fusion]]:
    """The fusions of a subspace with the integer partition that each stands for."""
    for sizes in subspace.partitions:
        for fusion in expand(subspace.graph, sizes):
            yield sizes, fusion
