"""Figures of many group designs of all kinds at once, each priced once, in jobs: what a heuristic search asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from pydantic import TypeAdapter

from arrayol.errors import ArrayolError
from dse.jobs.digest import digest
from dse.jobs.jobs import JobPlan
from dse.jobs.runner import JobRunner
from dse.search.context import SearchContext
from dse.search.figures import values_of
from dse.search.group_front import Counts
from dse.search.groups.job_cost import STRUCTURE_SECONDS, JobCost, in_jobs
from dse.search.pricing import Evaluator, RateChoices, why_infeasible
from dse.search.streams.stream_search import STREAM_SECONDS
from dse.space.mappings import MappingSpace, Shape, table_of
from dse.space.options import is_plain
from hwmodel.cost_model.metrics import Metrics
from hwmodel.cost_model.streaming.stream_groups import metrics_of_streams
from hwmodel.design import GroupDesign, Scan, structure_of

Figures = tuple[int, ...] | None  # in the order of a search's columns; None for an infeasible design
Refusal = tuple[tuple[str, ...], str]  # a group and the reason


@dataclass(frozen=True)
class GroupFigures:
    """The figures of some group designs, in their order, and an example of a refusal."""

    figures: tuple[Figures, ...]
    refusal: Refusal | None


_PRICES = TypeAdapter(GroupFigures)


@dataclass(frozen=True)
class FiguresJob:
    """Group designs that share what is computed for one of them: blocks of one scan, or a structure."""

    parts: tuple[tuple[GroupDesign, ...], ...]
    cost: float = field(compare=False)
    kind = "figures of a generation"

    def key(self, context: SearchContext) -> bytes:
        """What it depends on."""
        return digest(self.kind, context.network_key, self.parts)

    def run(self, context: SearchContext) -> GroupFigures:
        """Price them."""
        pricing = _FiguresOfDesigns(context)
        for part in self.parts:
            pricing.price(part)
        return GroupFigures(tuple(pricing.figures[design] for design in chain(*self.parts)), pricing.refusal)

    def dump(self, prices: GroupFigures) -> str:
        """Prices as text."""
        return _PRICES.dump_json(prices).decode()

    def load(self, text: str) -> GroupFigures:
        """Prices from their text."""
        return _PRICES.validate_json(text)


class BatchEvaluator:
    """Remembers every group design it has priced: its figures, or None for an infeasible one."""

    def __init__(self, context: SearchContext, runner: JobRunner | None = None) -> None:
        self.context, self.runner = context, runner or JobRunner()
        self.space, self.columns = context.space, context.columns
        self.figures: dict[GroupDesign, Figures] = {}
        self.refusal: Refusal | None = None

    @property
    def counts(self) -> Counts:
        """Designs that are feasible by themselves, and others."""
        infeasible = sum(1 for values in self.figures.values() if values is None)
        return Counts(len(self.figures) - infeasible, infeasible)

    def price(self, designs: Iterable[GroupDesign]) -> None:
        """Price those that are new."""
        self.do(self.jobs(designs))

    def jobs(self, designs: Iterable[GroupDesign]) -> list[FiguresJob]:
        """What prices those that are new."""
        return list(self._jobs(dict.fromkeys(design for design in designs if design not in self.figures)))

    def do(self, jobs: Sequence[FiguresJob]) -> None:
        """Do such jobs, and remember the figures."""
        self.runner.do(self.context, [self._plan(jobs)])

    def _plan(self, jobs: Sequence[FiguresJob]) -> JobPlan[None]:
        for job, prices in zip(jobs, (yield jobs), strict=True):
            self.figures.update(zip(chain(*job.parts), prices.figures, strict=True))
            self.refusal = self.refusal or prices.refusal

    def _jobs(self, designs: Iterable[GroupDesign]) -> Iterator[FiguresJob]:
        """Plain designs with equal tasks and scans together, others structure by structure, as many as make a job."""
        together: dict[tuple[tuple[str, ...], Scan] | GroupDesign, list[GroupDesign]] = {}
        for design in designs:
            structure = structure_of(design)
            if design.stream is not None:
                together[design] = [design]
                continue
            alike = (design.tasks, design.blocks.scan) if _in_batches(self.space, structure) else structure
            together.setdefault(alike, []).append(design)
        parts = ((part, self.seconds(part)) for alike in together.values() for part in self._split(alike))
        for run, seconds in in_jobs(parts):
            yield FiguresJob(tuple(run), seconds)

    def _split(self, designs: Sequence[GroupDesign]) -> Iterator[tuple[GroupDesign, ...]]:
        """Designs that are alike in parts that take no longer than a job may, those of the same blocks together."""
        if designs[0].stream is not None:
            yield tuple(designs)
            return
        by_shape: dict[tuple[int, ...], list[GroupDesign]] = {}
        for design in designs:
            by_shape.setdefault(design.blocks.shape, []).append(design)
        for run, _ in in_jobs((alike, self.seconds(alike)) for alike in by_shape.values()):
            yield tuple(chain(*run))

    def seconds(self, part: Sequence[GroupDesign]) -> float:
        """By what the first of them is; its group's tables, where it has some, are there from earlier generations."""
        first, combinations = part[0], len({_rates(design) for design in part})
        if first.stream is not None:
            return STREAM_SECONDS * len(part)
        cost = JobCost(self.space, first.tasks, combinations, rates=combinations)
        if not _in_batches(self.space, first):
            return cost.structure(first)
        return STRUCTURE_SECONDS + cost.plain * len({design.blocks.shape for design in part})


class _FiguresOfDesigns:
    """Prices designs that are alike together."""

    def __init__(self, context: SearchContext) -> None:
        self.context, self.space, self.columns = context, context.space, context.columns
        self.figures: dict[GroupDesign, Figures] = {}
        self.refusal: Refusal | None = None

    def price(self, designs: Sequence[GroupDesign]) -> None:
        """Plain designs with equal tasks and scans, or designs of one structure."""
        if designs[0].stream is not None:
            self._price_streams(designs)
            return
        combinations = list(dict.fromkeys(map(_rates, designs)))
        pricer = Evaluator(self.context, designs[0].tasks, RateChoices(chosen=tuple(combinations)))
        places = {rates: place for place, rates in enumerate(combinations)}
        structure = structure_of(designs[0])
        if _in_batches(self.space, structure):
            self._price_plain(pricer, designs, places)
            return
        try:
            priced = pricer.structure(structure)
        except ArrayolError as refused:
            self.refusal = self.refusal or (structure.tasks, refused.diagnostics[0].message)
            self.figures.update(dict.fromkeys(designs))
            return
        self._note(pricer, designs, priced, [(0, places[_rates(design)]) for design in designs])

    def _price_streams(self, designs: Sequence[GroupDesign]) -> None:
        for design in designs:
            try:
                pairs = [(design, self.space.model.estimate(design))]
            except ArrayolError as refused:
                self.refusal = self.refusal or (design.tasks, refused.diagnostics[0].message)
                self.figures[design] = None
                continue
            priced = metrics_of_streams(pairs, self.space.model.energy_prices)
            columns = values_of(self.columns, priced, self.space, design.tasks)
            values = np.stack([column[:, 0] for column in columns], axis=1)
            kept = self.columns.combination.within(values)[0]
            self.figures[design] = tuple(values[0].tolist()) if kept else None

    def _price_plain(
        self, pricer: Evaluator, designs: Sequence[GroupDesign], places: Mapping[tuple[int, ...], int]
    ) -> None:
        by_shape: dict[Shape, list[GroupDesign]] = {}
        for design in designs:
            by_shape.setdefault(design.blocks.shape, []).append(design)
        shapes = list(by_shape)
        for rows, priced in pricer.plain(designs[0].blocks.scan, table_of(shapes)):
            batch = [(place, design) for place, row in enumerate(rows.tolist()) for design in by_shape[shapes[row]]]
            cells = [(place, places[_rates(design)]) for place, design in batch]
            self._note(pricer, [design for _, design in batch], priced, cells)

    def _note(
        self, pricer: Evaluator, designs: Sequence[GroupDesign], priced: Metrics, cells: Sequence[tuple[int, int]]
    ) -> None:
        rows, places = np.array(cells, np.intp).T
        values = pricer.values(priced, (rows, places))
        works = priced.legal[rows, places]
        legal = works & self.columns.combination.within(values)
        for design, kept, figures in zip(designs, legal.tolist(), values.tolist(), strict=True):
            self.figures[design] = tuple(figures) if kept else None
        if not legal.all() and self.refusal is None:
            idle = int(np.count_nonzero(~works))
            self.refusal = (
                designs[0].tasks,
                why_infeasible(idle, int(np.count_nonzero(works & ~legal)), unserved=priced.refusal if idle else None),
            )


def _in_batches(space: MappingSpace, design: GroupDesign) -> bool:
    """Whether it is priced together with others of its scan."""
    return is_plain(design) and space.model.is_separable(design.tasks)


def _rates(design: GroupDesign) -> tuple[int, ...]:
    return tuple(processor.rate for processor in design.processors)
