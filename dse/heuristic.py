"""NSGA-II through a space of mappings too large to be searched exactly; what it finds is a heuristic front."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from dse.bulk import BulkPricer
from dse.coding import Coding
from dse.exact import bounds_text, in_order
from dse.fronts import Values, front_of
from dse.graph import Mask
from dse.group_part import Counts
from dse.mapping_space import MappingSpace
from dse.progress import Report, SearchProgress
from dse.search.indicators import share_of
from dse.search.nsga2 import Genes, evolve
from dse.search_context import SearchContext
from dse.searched import Evolution, Generation, Searched
from dse.space_size import size_of
from dse.work.crew import Crew
from hwmodel.design import Design, GroupDesign

POPULATION = 200
GENERATIONS_AT_MOST = 400
STALLED_AFTER = 30  # generations in which the front has gained less than STALLED_BELOW of its hypervolume
STALLED_BELOW = 5e-4
_REFUSED = 1e6  # the excess of a design with a refused group

Groups = dict[Mask, GroupDesign]


@dataclass
class _Archive:
    """Every design so far that no other dominates, and the values of the front after each generation."""

    values: Values
    units: Values
    designs: list[Groups] = field(default_factory=list)
    history: list[Values] = field(default_factory=list)
    evaluated: list[int] = field(default_factory=list)

    def add(self, values: Values, units: Values, designs: Sequence[Groups], evaluated: int) -> None:
        """Take the feasible designs of one generation."""
        together = [*self.designs, *designs]
        front = front_of(np.concatenate([self.values, values]), np.concatenate([self.units, units]))
        self.values, self.units = front.values, front.units
        self.designs = [together[row] for row in front.origin]
        self.history.append(front.values)
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


def search_heuristically(context: SearchContext, seed: int, crew: Crew, report: Report) -> Searched:
    """Evolve whole designs until nothing more comes. The same space, columns and seed give the same front."""
    space, columns = context.space, context.columns
    coding, pricer = Coding(space), BulkPricer(space, columns)
    archive = _Archive(np.zeros((0, len(columns.figures)), np.int64), np.zeros(0, np.int64))
    first = coding.spread(POPULATION, np.random.default_rng(seed))
    resets = np.where(coding.resets, 0.5, 0.0)
    stalled = True
    for asked in evolve(coding.most, len(columns.figures), first, resets, seed):
        asked.tell(*_answer(coding, pricer, asked.genes, archive))
        report(
            SearchProgress(
                "searching",
                len(archive.history),
                GENERATIONS_AT_MOST,
                "generations",
                at_most=True,
                designs=len(pricer.found),
            )
        )
        if archive.has_stalled():
            break
        if len(archive.history) > GENERATIONS_AT_MOST:
            stalled = False
            break
    evolution = Evolution(seed, POPULATION, stalled, tuple(archive.generations()))
    return _searched(space, archive, pricer, evolution)


def _answer(
    coding: Coding, pricer: BulkPricer, genes: Genes, archive: _Archive
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Objectives and excess of one generation, its feasible designs noted in the archive."""
    designs = [coding.design(row) for row in genes]
    pricer.price(group for one in designs if one for group in one.values())
    how, figures = pricer.columns.how, len(pricer.columns.figures)
    values = np.zeros((len(designs), figures), np.int64)
    excess = np.full(len(designs), _REFUSED)
    for row, one in enumerate(designs):
        priced = [pricer.found[group] for group in one.values()] if one else [None]
        refused = sum(1 for found in priced if found is None)
        if refused:
            excess[row] += refused
            continue
        whole = np.array(priced[0], np.int64)
        for found in priced[1:]:
            whole = how.whole(whole, np.array(found, np.int64))
        values[row] = whole
        excess[row] = sum(
            max(0.0, value / max(1, limit) - 1)
            for value, limit in zip(whole.tolist(), how.limits, strict=True)
            if limit is not None
        )
    rows = [row for row in range(len(designs)) if excess[row] == 0]
    kept = [one for row in rows if (one := designs[row])]
    units = np.array([sum(p.units for group in one.values() for p in group.processors) for one in kept], np.int64)
    archive.add(values[rows], units, kept, len(pricer.found))
    return values.astype(np.float64), excess


def _searched(space: MappingSpace, archive: _Archive, pricer: BulkPricer, evolution: Evolution) -> Searched:
    front = front_of(archive.values, archive.units)
    size = size_of(space)
    priced = pricer.counts
    # What is opened counts as far as it was tried: how much there is depends on every single structure.
    opened = sum(1 for one in pricer.found if not _is_plain(one))
    total = size.group_designs + opened if space.study.holds_plain else max(size.group_designs, priced.size)

    def design(row: int) -> Design:
        return in_order(space, archive.designs[int(front.origin[row])])

    ended = "its front gained nothing more" if evolution.stalled else "its last generation"
    how = f"NSGA-II, seed {evolution.seed}, {len(evolution.generations) - 1} generations of {POPULATION} until {ended}"
    return Searched(
        front=front,
        design=design,
        counts=Counts(priced.evaluated, priced.infeasible, total - priced.size),
        exact=False,
        how=how + bounds_text(space, epsilon=False),
        group_designs=total,
        whole_designs=size.whole_designs,
        refusal=pricer.refusal,
        evolution=evolution,
    )


def _is_plain(design: GroupDesign) -> bool:
    processors = tuple(replace(one, cut=None) for one in design.processors)
    return design == GroupDesign(processors, design.blocks)
