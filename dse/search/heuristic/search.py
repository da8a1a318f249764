"""NSGA-II through a space of mappings too large to be searched exactly; what it finds is a heuristic front.

It starts from regular and random designs, or from the front of a search before it, which its own only makes better.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from dse.jobs.jobs import SEARCHING, JobPlan, SearchProgress
from dse.jobs.runner import JobRunner, TimeOverError
from dse.pareto.combine import Groups, Stock, values_of
from dse.pareto.fronts import Combination
from dse.pareto.hypervolume import RisingVolume, octaves_of, share_of, spread_rows
from dse.search.batch_pricer import BatchEvaluator
from dse.search.context import Evolution, Generation, SearchContext, Searched, SearchRequest
from dse.search.exact.exact import bounds_text, in_order
from dse.search.figures import objective_values
from dse.search.group_front import Counts, GroupPart
from dse.search.heuristic.encoding import Coding, Sides
from dse.search.heuristic.nsga2 import Genes, evolve
from dse.search.heuristic.slow_designs import SlowDesigns
from dse.search.incumbents.complete_designs import Wholes
from dse.search.integer_partitions import Code, code_of, covered
from dse.search.streams.stream_search import StreamJob
from dse.space.options import is_plain
from dse.space.remarks import size_of
from dse.space.task_graph import Mask
from hwmodel.design import Design, GroupDesign

POPULATION = 200
GENERATIONS_AT_MOST = 400
RECOMBINED_EVERY = 5  # generations
STALLED_AFTER = 30  # generations in which the front has gained less than STALLED_BELOW of its hypervolume
STALLED_BELOW = 5e-4
GENERATION_SECONDS = 0.15  # what one takes beside the prices of its designs
_REFUSED = 1e6  # the excess of a design with a refused group

Costs = NDArray[np.float64]


def search_heuristically(context: SearchContext, request: SearchRequest, runner: JobRunner) -> Searched:
    """Evolve whole designs until nothing more comes, and now and then put the best groups together to new ones.

    The same space, columns and seed give the same front, unless the time is over before.
    """
    search, volume = GeneticSearch(context, runner, request.seed), RisingVolume()
    figures = context.columns.leading
    try:
        for number in search.generations():
            request.report(
                SearchProgress(
                    SEARCHING,
                    number,
                    GENERATIONS_AT_MOST,
                    "generations",
                    at_most=True,
                    designs=len(search.pricer.figures),
                    hypervolume=partial(volume.with_points, search.wholes.values[:, :figures]),
                    bound=lambda: volume.share_of_any(context.least),
                )
            )
            runner.heed_time()
    except TimeOverError:
        if not search.history:
            raise
        search.stalled = False
        return _searched(search, request.clock_text)
    return _searched(search)


class GeneticSearch:
    """What one search knows: how genes are read, what was priced, the front, and the best designs of each group.

    `wholes` are the designs to start from. `sides` gives the sides of blocks along an extent, by default the study's.
    Designs with a group whose price alone is predicted to take more than `longest` seconds are left out, and without
    `with_streams` all streams.
    """

    def __init__(
        self,
        context: SearchContext,
        runner: JobRunner,
        seed: int,
        wholes: Wholes | None = None,
        sides: Callable[[int], Sides] | None = None,
        longest: float = math.inf,
        *,
        with_streams: bool = True,
    ) -> None:
        space, columns = context.space, context.columns
        self.seed, self.longest = seed, longest
        self.coding = Coding(space, sides or space.sides)
        self.pricer = BatchEvaluator(context, runner)
        self.wholes = wholes or Wholes.none(len(columns.figures))
        self.stock = Stock(space.graph, space.fusions, columns.combination)
        self.slow = SlowDesigns(space, self.pricer.figures)
        self.genes: dict[GroupDesign, Genes] = {}  # of each group design the row in which it was first seen
        self.has_streams = with_streams and space.study.has_streams
        self.streamed: set[Mask] = set()  # groups whose streams are in the stock
        self.known: set[bytes] = set()  # rows that were made of groups
        self.history: list[IntArray] = []  # the front after each generation,
        self.evaluated: list[int] = []  # and the designs priced
        self.partitions: set[Code] = set()  # of the fusions of designs that were looked at
        self.seconds = 0.0  # of predicted work
        self.stalled = False

    def generations(self, seconds: float = math.inf) -> Iterator[int]:
        """Evolve, and tell the number of each generation that has ended.

        Ends where nothing more comes, after the last generation allowed, or before one that is more work than is left
        of so many predicted seconds.
        """
        columns, resets = self.pricer.columns, np.where(self.coding.resets, 0.8, 0.0)
        self.stalled = True  # unless it ends for another reason
        for number, asked in enumerate(
            evolve(self.coding.most, len(columns.figures), self._first(), resets, self.seed)
        ):
            designs = self._designs(asked.genes)
            jobs = self.pricer.jobs(group for design in designs if design for group in design.values())
            cost = GENERATION_SECONDS + sum(job.cost for job in jobs)
            if self.seconds + cost > seconds:
                self.stalled = False
                return
            self.seconds += cost
            self.pricer.do(jobs)
            asked.tell(*self._answer(designs, asked.genes))
            if number and number % RECOMBINED_EVERY == 0:
                asked.join(*self._recombine())
            self.history.append(self.wholes.values)
            self.evaluated.append(len(self.pricer.figures))
            yield number
            if number % RECOMBINED_EVERY == 0 and self._has_stalled():
                return
            if number == GENERATIONS_AT_MOST:
                self.stalled = False
                return

    @property
    def evolution(self) -> Evolution:
        """How it went: each generation with its share of the last hypervolume."""
        pairs = zip(self.history, self.evaluated, strict=True)
        generations = (
            Generation(number, evaluated, round(share_of(values, self.history[-1]), 6))
            for number, (values, evaluated) in enumerate(pairs)
        )
        return Evolution(self.seed, POPULATION, self.stalled, tuple(generations))

    def _first(self) -> Genes:
        """The population to start with: at most half of it are designs of the front there is."""
        genes = self.coding.spread(POPULATION, np.random.default_rng(self.seed))
        octaves = octaves_of(objective_values(self.pricer.columns, self.wholes.values))
        rows = spread_rows(octaves, POPULATION // 2)
        seeds = [row for place in rows if (row := self.coding.genes(self.wholes.designs[place])) is not None]
        if seeds:
            genes[-len(seeds) :] = seeds
        return genes

    def _has_stalled(self) -> bool:
        """Whether the front some generations ago was nearly as good as the last one."""
        if len(self.history) <= STALLED_AFTER or not len(self.history[-STALLED_AFTER - 1]):
            return False
        return share_of(self.history[-STALLED_AFTER - 1], self.history[-1]) > 1 - STALLED_BELOW

    def _answer(self, designs: Sequence[Groups | None], genes: Genes) -> tuple[Costs, Costs]:
        """Objectives and excess of priced designs; feasible ones join the front, their groups the stock."""
        self._store_groups(designs, genes)
        tasks = len(self.coding.space.graph)
        self.partitions.update(code_of(map(Mask.bit_count, design), tasks) for design in designs if design)
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
        self.wholes = self.wholes.joined(values[rows], units, kept.__getitem__)
        return values.astype(np.float64), excess

    def _recombine(self) -> tuple[Genes, Costs]:
        """Genes and objectives of the best whole designs of groups seen so far, each once; all join the front."""
        wholes = self.stock.wholes()
        values, units = values_of(wholes, len(self.pricer.columns.figures))
        kept = self.pricer.columns.keep_bounds(values)
        self.wholes = self.wholes.joined(values[kept], units[kept], lambda row: wholes[kept[row]].groups)
        rows: list[Genes] = []
        places: list[int] = []
        for place, whole in enumerate(wholes):
            if any(design.stream is not None for design in whole.groups.values()):
                continue  # streams have no genes
            row = self.coding.joined({group: self.genes[design] for group, design in whole.groups.items()})
            if row.tobytes() not in self.known:
                self.known.add(row.tobytes())
                rows.append(row)
                places.append(place)
        genes = np.array(rows, np.int64).reshape(len(rows), len(self.coding.most))
        return genes, values[places].astype(np.float64)

    def _designs(self, genes: Genes) -> list[Groups | None]:
        """What the rows of the next generation stand for."""
        self.slow.next_generation()
        designs = [self._design(row) for row in genes]
        self._add_streams(designs)
        return designs

    def _add_streams(self, designs: Sequence[Groups | None]) -> None:
        """Price the streams of groups that were not seen before; they join the stock."""
        space = self.coding.space
        masks = dict.fromkeys(mask for groups in designs for mask in groups or () if mask not in self.streamed)
        if not self.has_streams or not masks:
            return
        self.streamed.update(masks)
        jobs = [StreamJob.of(space, space.tasks(mask)) for mask in masks]
        self.seconds += sum(job.cost for job in jobs)
        (parts,) = self.pricer.runner.do(self.pricer.context, [_done(jobs)])
        for mask, part in zip(masks, parts, strict=True):
            streams = part.designs(np.arange(len(part.values)))
            self.stock.add({mask: dict(zip(streams, map(tuple, part.values.tolist()), strict=True))})

    def _design(self, genes: Genes) -> Groups | None:
        groups = self.coding.design(genes)
        if groups is None:
            return None
        found = {group: self.slow.granted_or_without(design) for group, design in groups.items()}
        is_short = self.longest == math.inf or all(self.pricer.seconds([one]) <= self.longest for one in found.values())
        return found if is_short else None

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


def _done(jobs: Sequence[StreamJob]) -> JobPlan[Sequence[GroupPart]]:
    return (yield jobs)


def evolution_text(evolution: Evolution, clock: str = "") -> str:
    """How it went, in a sentence; `clock` says how a clock ended it."""
    ended = "its front gained nothing more" if evolution.stalled else "its last generation"
    return (
        f"NSGA-II, seed {evolution.seed}, {len(evolution.generations) - 1} generations of {POPULATION}"
        f"{f', {clock}, at most {GENERATIONS_AT_MOST}' if clock else f' until {ended}'}; "
        f"every {RECOMBINED_EVERY} generations the best designs of each group were put together to whole designs"
    )


def _excess(values: IntArray, combination: Combination) -> float:
    """How far the figures of a whole design are above the limits, as shares of these."""
    bounded = zip(map(int, values), combination.limits, strict=True)
    return sum(max(0.0, value / max(1, limit) - 1) for value, limit in bounded if limit is not None)


def _searched(search: GeneticSearch, clock: str = "") -> Searched:
    space, wholes, pricer = search.coding.space, search.wholes, search.pricer
    evolution, size, priced = search.evolution, size_of(space), pricer.counts
    # Options count as far as they were tried: how many there are depends on every single structure.
    with_options = sum(not is_plain(design) for design in pricer.figures)
    total = size.group_designs + with_options if space.study.holds_plain else max(size.group_designs, priced.size)

    def design(row: int) -> Design:
        return in_order(space, wholes.designs[row])

    return Searched(
        front=wholes.front,
        design=design,
        counts=Counts(priced.evaluated, priced.infeasible, total - priced.size),
        exact=False,
        complete=not clock,
        description=evolution_text(evolution, clock) + search.slow.text() + bounds_text(space, epsilon=False),
        group_designs=total,
        whole_designs=size.whole_designs,
        refusal=pricer.refusal,
        evolution=evolution,
        coverage=covered(space, search.partitions, is_whole=False),
    )
