"""About how many seconds the exact search takes, by which `auto` chooses between it and the rounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dse.search.exact import tries_all_options
from dse.search.figures import Columns
from dse.search.groups.search import GroupJobs
from dse.search.isomorphic import IsomorphicGroups
from dse.search.pricing import RateChoices, plain_structure
from dse.space.mappings import MappingSpace, Shape
from dse.space.options import one_more, opens_keeps_alone, spread
from dse.space.task_graph import Mask
from hwmodel.design import GroupDesign, Scan

FRONT = 32  # structures on the plain front of a group, on which options are tried one at a time
ASKED = 1024  # plain structures of a group, of which it is asked whether they are products
OFFERS_SECONDS = 0.5  # that a look at the options of one structure may take here


def exact_seconds(space: MappingSpace, columns: Columns, most: float) -> float:
    """Predicted seconds of pricing every group; more than `most` where they are, then not counted to the end.

    The same on every machine.
    """
    isomorphic, everywhere = IsomorphicGroups(space), space.study.has_options and tries_all_options(space, columns)
    total = 0.0
    for group in sorted(space.groups, key=Mask.bit_count):
        last = space.last(group)
        if last is None or isomorphic.of(group) is not None:
            continue
        tasks = space.tasks(group)
        jobs = GroupJobs(space, columns, tasks, RateChoices(tuple(map(space.rates, tasks))))
        cost = jobs.cost
        plain = [(scan, list(shapes)) for scan, shapes in space.structures(last)]
        structures = sum(len(shapes) for _, shapes in plain)
        kept = jobs.searches_keeps
        total += cost.tables + structures * (cost.plain + (cost.keeps if kept else 0.0))
        total += structures * _alone(jobs, plain)
        if structures and total <= most and space.study.has_options and not (kept and opens_keeps_alone(space, last)):
            blocks = list(space.blocks(last))
            middle = plain_structure(tasks, blocks[len(blocks) // 2])  # stands for all
            total += _options(jobs, middle, structures if everywhere else None)
        if total > most:
            break
    return total


def _alone(jobs: GroupJobs, plain: Sequence[tuple[Scan, Sequence[Shape]]]) -> float:
    """Seconds that a plain structure takes more, on the average, since some are no products after all.

    Those under the scan in the middle stand for all.
    """
    batch = jobs.space.model.batch(jobs.tasks) if jobs.cost.is_separable else None
    if batch is None or not plain:
        return 0.0
    scan, shapes = plain[len(plain) // 2]
    some = spread(shapes, batch.at_once or ASKED)
    taken = batch.takes(scan, np.array(some, np.int64).reshape(len(some), -1))
    alone = (jobs.cost.exactly(shape) for shape, is_taken in zip(some, taken.tolist(), strict=True) if not is_taken)
    return sum(alone) / max(1, len(some))


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
