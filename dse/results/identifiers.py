"""Names of designs: the fusion, in short."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from dse.space.task_graph import TaskGraph
from hwmodel.design import Fusion

# What every name of a design matches. Names become parts of paths, of scripts of other programs and of comments.
IDENTIFIER = r"^[0-9A-Za-z][0-9A-Za-z+.,:_-]*$"
_PLAIN_SIZES = 6  # group sizes that an identifier spells one by one


def identifier(fusion: Fusion, graph: TaskGraph) -> str:
    """A short name that tells the fusion apart from every other one of the graph.

    Where the groups in turn take the tasks in dataflow order, their sizes: 2+2, and in long ones equal neighbours
    together: 2+1x9+3. Else the numbers of their tasks in dataflow order, from 1: 1-3.5.4,6 (never without ',' or '-',
    since single tasks alone run in dataflow order).
    """
    number = {name: place for place, name in enumerate(graph.names, 1)}
    groups = [[number[name] for name in group] for group in fusion.groups]
    if [task for group in groups for task in group] == list(range(1, len(number) + 1)):
        sizes = [len(group) for group in groups]
        return _shortened(sizes) if len(sizes) > _PLAIN_SIZES else "+".join(map(str, sizes))
    return ".".join(",".join(_runs(group)) for group in groups)


def _shortened(sizes: Sequence[int]) -> str:
    runs = [(size, sum(1 for _ in run)) for size, run in groupby(sizes)]
    return "+".join(f"{size}x{count}" if count > 1 else str(size) for size, count in runs)


def _runs(numbers: Sequence[int]) -> list[str]:
    """Ascending numbers with runs shortened: [1, 2, 3, 5] gives ["1-3", "5"]."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
