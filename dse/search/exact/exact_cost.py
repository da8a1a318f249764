"""About how many seconds the exact search takes, by which `auto` chooses between it and the rounds."""

from __future__ import annotations

import math

import numpy as np

from dse.pareto.combine import completions_of
from dse.search.figures import Columns
from dse.search.groups.keep_search import searches_keeps
from dse.search.groups.search import TYPICAL, GroupJobs
from dse.search.isomorphic import IsomorphicGroups
from dse.search.pricing import RateChoices, plain_structure
from dse.search.streams.stream_search import StreamJob
from dse.space.mappings import MappingSpace, Shape, table_of
from dse.space.options import count_mapping_options, one_more, opens_only_keeps
from dse.space.task_graph import Mask
from hwmodel.design import Blocks, GroupDesign, Scan

OPTIONS_ELEMENTS = 50_000_000  # structures times elements of arrays: beyond, options are tried singly, on fronts
LEAST_ELEMENTS = 10_000  # what a structure costs however small its arrays are
FRONT = 32  # structures on the plain front of a group, on which options are tried one at a time
ASKED = 1024  # plain structures of a group, of which it is asked whether they are products
STEP_SECONDS = 4e-4  # to add a group's front to one of whole designs, of two figures,
STEP_FACTOR = 5.0  # and so many times as long for each further one, whose fronts have more points
OFFERS_SECONDS = 0.5  # that a look at the options of one structure may take here


def exact_seconds(space: MappingSpace, columns: Columns, most: float) -> float:
    """Predicted seconds of pricing every group, and of combining their fronts; the same on every machine.

    More than `most` where they are, then not counted to the end.
    """
    isomorphic, all_options = IsomorphicGroups(space), tries_all_options(space, columns)
    total = combining_seconds(space, columns)
    for group in sorted(space.groups, key=Mask.bit_count):
        if total > most:
            return total
        if isomorphic.of(group) is None:
            total += group_seconds(space, columns, group, all_options=all_options, most=most - total)
    return total


def group_seconds(
    space: MappingSpace, columns: Columns, group: Mask, *, all_options: bool, most: float = math.inf
) -> float:
    """Predicted seconds of pricing one group; more than `most` where they are, then not counted to the end.

    With `all_options` these are tried on every structure, else one at a time on the plain front.
    """
    last, tasks = space.last(group), space.tasks(group)
    if last is None or not space.study.has_blocks:
        return streams_seconds(space, tasks)
    jobs = GroupJobs(space, columns, tasks, RateChoices(tuple(map(space.rates, tasks))))
    cost, kept, structures = jobs.cost, jobs.searches_keeps, space.count_structures(last)
    least = cost.tables_of(structures) + structures * (cost.plain + (cost.keeps if kept else 0.0))
    if least > most:
        return least
    streams, found = streams_seconds(space, tasks), space.structure_at(last, 0.5)
    if found is None:
        return streams + cost.tables_of(0)
    total = streams + cost.tables_of(structures) + structures * _enumerated_seconds(jobs, *found)
    for scan, shapes in space.structures(last):
        total += float(cost.blocks(scan, shapes).sum() + (cost.keeps_of(scan, shapes).sum() if kept else 0.0))
    if total <= most and space.study.has_options and not (kept and opens_only_keeps(space, last)):
        middle = plain_structure(tasks, Blocks(found[1], found[0]))  # stands for all
        total += _options(jobs, middle, structures if all_options else None)
    return total


def streams_seconds(space: MappingSpace, tasks: tuple[str, ...]) -> float:
    """Predicted seconds of the streams of a group, where the study has them."""
    return StreamJob.of(space, tasks).cost if space.study.has_streams else 0.0


def tries_all_options(space: MappingSpace, columns: Columns) -> bool:
    """Whether mapping options are few enough to be tried on every structure; always so where there are none.

    What is kept in bulk counts for nothing by itself.
    """
    if not space.study.has_options:
        return True
    elements = sum(space.accesses.size(array) for array in space.model.network.arrays)
    left = OPTIONS_ELEMENTS // max(elements, LEAST_ELEMENTS)
    for group in space.groups:
        last = space.last(group)
        keeps = not searches_keeps(space, columns, space.tasks(group))
        if last and not keeps and opens_only_keeps(space, last):
            continue
        structures = space.count_structures(last) if last else 0
        if structures > left:
            return False
        # One structure in the middle stands for all: offers differ little between them.
        if last and structures and (found := space.structure_at(last, 0.5)):
            middle = plain_structure(space.tasks(group), Blocks(found[1], found[0]))
            left -= structures * (1 + count_mapping_options(space, middle, keeps=keeps))
        if left < 0:
            return False
    return True


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
        found = (space.structure_at(jobs.tasks[-1], share) for share in TYPICAL)
        typical = [
            plain_structure(jobs.tasks, Blocks(shape, scan)) for scan, shape in dict.fromkeys(filter(None, found))
        ]
        return structures * jobs.seconds_of_options(typical or [middle], keeps=keeps)
    if cost.offers() > OFFERS_SECONDS:
        return FRONT * cost.offers() + space.slow_structures * cost.opened(middle.blocks.shape)
    options = list(one_more(space, [middle], keeps=keeps))
    by_counts = space.model.takes_by_counts
    slow = list(map(cost.structure, jobs.bearable([one for one in options if not by_counts(one)])))
    quick = [cost.structure(structure) for structure in options if by_counts(structure)]
    most_slow = min(space.slow_structures, FRONT * len(slow))
    return FRONT * (cost.offers() + sum(quick)) + most_slow * max(slow, default=0.0)
