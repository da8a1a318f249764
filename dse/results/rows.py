"""Names of designs, and designs as rows of a table: figures, then the decisions by task and array."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from dse.results.designs import BlocksRecord, Design, GroupRecord
from dse.space.task_graph import TaskGraph
from hwmodel.design import Fusion

_BY_GROUP = ("blocks", "scans", "cuts", "fifos", "layouts", "policies", "recompute")


def design_rows(
    designs: Sequence[Design], front: Collection[str], tasks: tuple[str, ...]
) -> Iterator[tuple[object, ...]]:
    """Headers, then designs of one result; `front` has the identifiers of its front."""
    figures, is_mapped = tuple(designs[0].objectives), bool(designs[0].mappings)
    checks = ("verified", "bottleneck") if is_mapped else ()
    intervals = _columns("interval", tasks) if is_mapped else []
    decisions = (*_BY_GROUP, "loads", "splits") if is_mapped else _columns("block_data", tasks)
    yield ("id", "pareto", "groups", "fusion", *figures, *checks, *_columns("units", tasks), *intervals, *decisions)
    for design in designs:
        processors = design.processors
        yield (
            design.id,
            "yes" if design.id in front else "no",
            len(design.fusion),
            " | ".join(" ".join(group) for group in design.fusion),
            *(design.objectives[name] for name in figures),
            *([{True: "yes", False: "no", None: ""}[design.verified], design.bottleneck] if design.mappings else ()),
            *(one.units if (one := processors.get(task)) else None for task in tasks),
            *(one.interval if (one := processors.get(task)) else None for task in tasks if is_mapped),
            *(_decisions(design) if design.mappings else (processors[task].block_data for task in tasks)),
        )


def _columns(name: str, tasks: tuple[str, ...]) -> list[str]:
    return [f"{name}[{task}]" for task in tasks]


def _decisions(design: Design) -> Iterator[str]:
    """What `_BY_GROUP` names, over all groups, the loads that the study gives, and the splits."""
    yield from (" | ".join(texts) for texts in zip(*map(_group, design.groups), strict=True))
    yield "; ".join(f"{name} {load}" for name, load in design.array_loads)
    yield "; ".join(design.splits)


def _group(group: GroupRecord) -> tuple[str, ...]:
    assert group.mapping is not None, "only mappings have such columns"
    cuts = [f"{processor.task}: {_blocks(processor.cut)}" for processor in group.processors if processor.cut]
    layouts = [f"{layout.array}: {layout.banks} banks" for layout in group.mapping.layouts]
    return (
        group.mapping.schedule.text,
        f"[{group.mapping.scan}]",
        "; ".join(cuts),
        " ".join(group.mapping.fifos),
        "; ".join(layouts),
        group.mapping.keeping,
        "yes" if group.mapping.recompute else "no",
    )


def _blocks(blocks: BlocksRecord) -> str:
    return f"{blocks.decisions.text} scan {blocks.scan}"


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
