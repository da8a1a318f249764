"""NSGA-II through a space of mappings too large to be searched exactly; what it finds is a heuristic front."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce

import numpy as np
from numpy.typing import NDArray

from dse.jobs.jobs import SEARCHING, Report, SearchProgress
from dse.jobs.runner import JobRunner
from dse.pareto.combine import Groups, Stock, values_of
from dse.pareto.fronts import Combination, Values, front_of
from dse.pareto.hypervolume import RisingVolume, share_of
from dse.search.batch_pricer import BatchPricer
from dse.search.context import Evolution, Generation, SearchContext, Searched
from dse.search.exact import bounds_text, in_order
from dse.search.group_front import Counts
from dse.search.heuristic.encoding import Coding
from dse.search.heuristic.nsga2 import Genes, evolve
from dse.search.heuristic.slow_designs import SlowDesigns
from dse.space.options import is_plain
from dse.space.size import size_of
from dse.space.task_graph import Mask
from hwmodel.design import Design, GroupDesign

POPULATION = 200
GENERATIONS_AT_MOST = 400
RECOMBINED_EVERY = 5  # generations
STALLED_AFTER = 30  # generations in which the front has gained less than STALLED_BELOW of its hypervolume
STALLED_BELOW = 5e-4
_REFUSED = 1e6  # the excess of a design with a refused group

Costs = NDArray[np.float64]


@dataclass
class _Archive:
    """Every design so far that no other dominates, and the values of the front after each generation."""

    values: Values
    units: Values
    designs: list[Groups] = field(default_factory=list)
    history: list[Values] = field(default_factory=list)
    evaluated: list[int] = field(default_factory=list)

    def add(self, values: Values, units: Values, designs: Sequence[Groups]) -> None:
        """Take feasible designs."""
        together = [*self.designs, *designs]
        front = front_of(np.concatenate([self.values, values]), np.concatenate([self.units, units]))
        self.values, self.units = front.values, front.units
        self.designs = [together[row] for row in front.origin]

    def note(self, evaluated: int) -> None:
        """A generation has ended."""
        self.history.append(self.values)
        self.evaluated.append(evaluated)

    def has_stalled(self) -> bool:
        """Whether the front some generations ago was nearly as good as the last one."""
        if len(self.history) <= STALLED_AFTER or not len(self.history[-STALLED_AFTER - 1]):
            return False
        return share_of(self.history[-STALLED_AFTER - 1], self.history[-1]) > 1 - STALLED_BELOW

    def generations(self) -> Iterator[Generation]:
        """Each generation with its share of the last hypervolume."""
        for number, (values, evaluated) in enumerate(zip(self.history, self.evaluated, strict=True)):
            yield Generation(number, evaluated, round(share_of(values, self.history[-1]), 6))


def search_heuristically(context: SearchContext, seed: int, runner: JobRunner, report: Report) -> Searched:
    """Evolve whole designs until nothing more comes, and now and then put the best groups together to new ones.

    The same space, columns and seed give the same front.
    """
    search, volume = _Search(Coding(context.space), BatchPricer(context, runner)), RisingVolume()
    figures = context.columns.leading
    first = search.coding.spread(POPULATION, np.random.default_rng(seed))
    resets = np.where(search.coding.resets, 0.8, 0.0)
    archive, stalled = search.archive, True
    for number, asked in enumerate(evolve(search.coding.most, len(context.columns.figures), first, resets, seed)):
        asked.tell(*search.answer(asked.genes))
        if number and number % RECOMBINED_EVERY == 0:
            asked.join(*search.recombine())
        archive.note(len(search.pricer.figures))
        report(
            SearchProgress(
                SEARCHING,
                number,
                GENERATIONS_AT_MOST,
                "generations",
                at_most=True,
                designs=len(search.pricer.figures),
                hypervolume=partial(volume.with_points, archive.values[:, :figures]),
            )
        )
        if number % RECOMBINED_EVERY == 0 and archive.has_stalled():
            break
        if number == GENERATIONS_AT_MOST:
            stalled = False
            break
    return _searched(search, Evolution(seed, POPULATION, stalled, tuple(archive.generations())))


class _Search:
    """What one search knows: how genes are read, what was priced, the front, and the best designs of each group."""

    def __init__(self, coding: Coding, pricer: BatchPricer) -> None:
        self.coding, self.pricer = coding, pricer
        figures = len(pricer.columns.figures)
        self.archive = _Archive(np.zeros((0, figures), np.int64), np.zeros(0, np.int64))
        self.stock = Stock(coding.space.graph, coding.space.fusions, pricer.columns.combination)
        self.slow = SlowDesigns(coding.space, pricer.figures)
        self.genes: dict[GroupDesign, Genes] = {}  # of each group design the row in which it was first seen
        self.joined: set[bytes] = set()

    def answer(self, genes: Genes) -> tuple[Costs, Costs]:
        """Objectives and excess of one generation; its feasible designs go to the archive, its groups to the stock."""
        self.slow.next_generation()
        designs = [self._design(row) for row in genes]
        self.pricer.price(group for design in designs if design for group in design.values())
        self._store_groups(designs, genes)
        values = np.zeros((len(designs), len(self.pricer.columns.figures)), np.int64)
        excess = np.full(len(designs), _REFUSED)
        for row, design in enumerate(designs):
            priced = [self.pricer.figures[group] for group in design.values()] if design else [None]
            feasible = [np.array(figures, np.int64) for figures in priced if figures is not None]
            if len(feasible) < len(priced):
                excess[row] += len(priced) - len(feasible)
                continue
            values[row] = reduce(self.pricer.columns.combination.whole, feasible)
            excess[row] = _excess(values[row], self.pricer.columns.combination)
            excess[row] += self.pricer.columns.excess(values[row : row + 1])[0]
        rows = [row for row in range(len(designs)) if excess[row] == 0]
        kept = [design for row in rows if (design := designs[row])]
        units = np.array(
            [sum(p.units for group in design.values() for p in group.processors) for design in kept], np.int64
        )
        self.archive.add(values[rows], units, kept)
        return values.astype(np.float64), excess

    def recombine(self) -> tuple[Genes, Costs]:
        """Genes and objectives of the best whole designs of groups seen so far, each once; the archive takes all."""
        wholes = self.stock.wholes()
        values, units = values_of(wholes, len(self.pricer.columns.figures))
        kept = self.pricer.columns.keep_bounds(values)
        self.archive.add(values[kept], units[kept], [wholes[row].groups for row in kept])
        rows: list[Genes] = []
        places: list[int] = []
        for place, whole in enumerate(wholes):
            row = self.coding.joined({group: self.genes[design] for group, design in whole.groups.items()})
            if row.tobytes() not in self.joined:
                self.joined.add(row.tobytes())
                rows.append(row)
                places.append(place)
        genes = np.array(rows, np.int64).reshape(len(rows), len(self.coding.most))
        return genes, values[places].astype(np.float64)

    def _design(self, genes: Genes) -> Groups | None:
        groups = self.coding.design(genes)
        return groups and {group: self.slow.granted_or_without(design) for group, design in groups.items()}

    def _store_groups(self, designs: Sequence[Groups | None], genes: Genes) -> None:
        """The feasible groups of a generation that were not seen before."""
        fresh: dict[Mask, dict[GroupDesign, tuple[int, ...]]] = {}
        for row, groups in enumerate(designs):
            for group, design in (groups or {}).items():
                values = self.pricer.figures[design]
                if values is not None and design not in self.genes:
                    self.genes[design] = genes[row]
                    fresh.setdefault(group, {})[design] = values
        self.stock.add(fresh)


def _excess(values: Values, combination: Combination) -> float:
    """How far the figures of a whole design are above the limits, as shares of these."""
    bounded = zip(map(int, values), combination.limits, strict=True)
    return sum(max(0.0, value / max(1, limit) - 1) for value, limit in bounded if limit is not None)


def _searched(search: _Search, evolution: Evolution) -> Searched:
    space, archive, pricer = search.coding.space, search.archive, search.pricer
    front = front_of(archive.values, archive.units)
    size = size_of(space)
    priced = pricer.counts
    # Options count as far as they were tried: how many there are depends on every single structure.
    with_options = sum(not is_plain(design) for design in pricer.figures)
    total = size.group_designs + with_options if space.study.holds_plain else max(size.group_designs, priced.size)

    def design(row: int) -> Design:
        return in_order(space, archive.designs[int(front.origin[row])])

    ended = "its front gained nothing more" if evolution.stalled else "its last generation"
    count = len(evolution.generations) - 1
    description = (
        f"NSGA-II, seed {evolution.seed}, {count} generations of {POPULATION} until {ended}; every {RECOMBINED_EVERY} "
        "generations the best designs of each group were put together to whole designs"
    )
    return Searched(
        front=front,
        design=design,
        counts=Counts(priced.evaluated, priced.infeasible, total - priced.size),
        exact=False,
        description=description + search.slow.text() + bounds_text(space, epsilon=False),
        group_designs=total,
        whole_designs=size.whole_designs,
        refusal=pricer.refusal,
        evolution=evolution,
    )
