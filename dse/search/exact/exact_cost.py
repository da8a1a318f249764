"""About how many seconds the exact search takes, by which `auto` chooses between it and the rounds."""

from __future__ import annotations

import numpy as np

from dse.pareto.combine import completions_of
from dse.search.exact.exact import tries_all_options
from dse.search.figures import Columns
from dse.search.groups.search import GroupJobs
from dse.search.isomorphic import IsomorphicGroups
from dse.search.pricing import RateChoices, plain_structure
from dse.space.mappings import MappingSpace, Shape, table_of
from dse.space.options import one_more, opens_only_keeps
from dse.space.task_graph import Mask
from hwmodel.design import Blocks, GroupDesign, Scan

FRONT = 32  # structures on the plain front of a group, on which options are tried one at a time
ASKED = 1024  # plain structures of a group, of which it is asked whether they are products
STEP_SECONDS = 4e-4  # to add a group's front to one of whole designs, of two figures,
STEP_FACTOR = 5.0  # and so many times as long for each further one, whose fronts have more points
OFFERS_SECONDS = 0.5  # that a look at the options of one structure may take here


def exact_seconds(space: MappingSpace, columns: Columns, most: float) -> float:
    """Predicted seconds of pricing every group, and of combining their fronts; the same on every machine.

    More than `most` where they are, then not counted to the end.
    """
    isomorphic, everywhere = IsomorphicGroups(space), space.study.has_options and tries_all_options(space, columns)
    total = combining_seconds(space, columns)
    for group in sorted(space.groups, key=Mask.bit_count):
        last = space.last(group)
        if last is None or isomorphic.of(group) is not None:
            continue
        tasks = space.tasks(group)
        jobs = GroupJobs(space, columns, tasks, RateChoices(tuple(map(space.rates, tasks))))
        cost = jobs.cost
        structures, kept = space.count_structures(last), jobs.searches_keeps
        least = cost.tables + structures * (cost.plain + (cost.keeps if kept else 0.0))
        if total + least > most:
            return total + least
        found = space.structure_at(last, 0.5)
        total += cost.tables
        if found is None:
            continue
        total += structures * _enumerated_seconds(jobs, *found)
        for scan, shapes in space.structures(last):
            total += float(cost.blocks(scan, shapes).sum() + (cost.keeps_of(scan, shapes).sum() if kept else 0.0))
        if total <= most and space.study.has_options and not (kept and opens_only_keeps(space, last)):
            middle = plain_structure(tasks, Blocks(found[1], found[0]))  # stands for all
            total += _options(jobs, middle, structures if everywhere else None)
    return total


def combining_seconds(space: MappingSpace, columns: Columns) -> float:
    """Predicted seconds until fronts of all groups are one of whole designs."""
    completions = completions_of(space.graph, space.groups, space.fusions)
    steps = len(space.groups) if completions is None else completions.steps
    return STEP_SECONDS * STEP_FACTOR ** max(0, len(columns.figures) - 2) * steps


def _enumerated_seconds(jobs: GroupJobs, scan: Scan, shape: Shape) -> float:
    """Seconds that a plain structure takes more, on the average, since some are no products after all.

    Those under one scan stand for all; of many shapes, or where their product is large, some do.
    """
    batch, last = jobs.space.model.batch(jobs.tasks) if jobs.cost.is_separable else None, jobs.tasks[-1]
    if batch is None:
        return 0.0
    count, most = jobs.space.count_shapes(last), batch.at_once or ASKED
    places = range(count) if count <= most else [count * place // most for place in range(most)]
    shapes = jobs.space.shapes_at(last, np.array(places, np.int64))
    shapes = shapes[jobs.space.rows_under(last, scan, shapes)]
    if not len(shapes):
        shapes = table_of([shape])
    taken = batch.takes(scan, shapes)
    alone: list[float] = jobs.cost.exactly(shapes[~taken]).tolist()
    return sum(alone) / len(shapes)


def _options(jobs: GroupJobs, middle: GroupDesign, structures: int | None) -> float:
    """Seconds of all options on so many structures, or of one more option on those of the plain front."""
    space, cost, keeps = jobs.space, jobs.cost, not jobs.searches_keeps
    if structures is not None:
        return structures * jobs.seconds_of_options(middle, keeps=keeps)
    if cost.offers() > OFFERS_SECONDS:
        return FRONT * cost.offers() + space.slow_structures * cost.opened(middle.blocks.shape)
    options = list(one_more(space, [middle], keeps=keeps))
    by_counts = space.model.takes_by_counts
    slow = list(map(cost.structure, jobs.bearable([one for one in options if not by_counts(one)])))
    quick = [cost.structure(structure) for structure in options if by_counts(structure)]
    most_slow = min(space.slow_structures, FRONT * len(slow))
    return FRONT * (cost.offers() + sum(quick)) + most_slow * max(slow, default=0.0)
