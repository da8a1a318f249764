"""About how many seconds the exact search takes, by which `auto` chooses between it and the rounds."""

from __future__ import annotations

from dse.search.exact import tries_all_options
from dse.search.figures import Columns
from dse.search.groups.job_cost import KEPT
from dse.search.groups.search import GroupJobs
from dse.search.isomorphic import IsomorphicGroups
from dse.search.pricing import RateChoices, plain_structure
from dse.space.mappings import MappingSpace
from dse.space.options import count_mapping_options, opens_keeps_alone
from dse.space.task_graph import Mask


def exact_seconds(space: MappingSpace, columns: Columns, most: float) -> float:
    """Predicted seconds of pricing every group; more than `most` where they are, then not counted to the end.

    The same on every machine. Options count where all are tried on every structure.
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
        structures = sum(len(shapes) for _, shapes in space.structures(last))
        kept = jobs.searches_keeps
        total += cost.tables + structures * cost.plain * (1 + KEPT * kept)
        opened = everywhere and not (kept and opens_keeps_alone(space, last))
        if opened and structures and total <= most:
            blocks = list(space.blocks(last))
            many = count_mapping_options(space, plain_structure(tasks, blocks[len(blocks) // 2]), keeps=not kept)
            total += structures * many * cost.structure(slow=True)
        if total > most:
            break
    return total
