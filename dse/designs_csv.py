"""The table of designs, a line each, for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from dse.mapping_result import BlocksRecord, GroupRecord, MappedDesign, MappingResult
from dse.result import Design, Result


def designs_csv(result: Result | MappingResult) -> str:
    """All designs that the result holds, one a line; `pareto` says which are on the front."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerows(_published(result) if isinstance(result, Result) else _mapped(result))
    return text.getvalue()


def _published(result: Result) -> Iterator[list[object]]:
    front = {design.id for design in result.pareto}
    tasks, figures = result.space.tasks, tuple(result.pareto[0].objectives)
    yield [*_LEAD, *figures, *_columns("units", tasks), *_columns("block_data", tasks)]
    for design in result.pareto if result.designs is None else result.designs:
        decisions = [*(design.units[task] for task in tasks), *(design.block_data[task] for task in tasks)]
        yield [*_row(design, design.id in front), *(design.objectives[name] for name in figures), *decisions]


def _mapped(result: MappingResult) -> Iterator[list[object]]:
    front = {design.id for design in result.pareto}
    tasks, figures = result.space.tasks, tuple(result.pareto[0].objectives)
    by_group = ("blocks", "scans", "cuts", "fifos", "layouts", "policies", "recompute")
    yield [*_LEAD, *figures, "verified", "bottleneck", *_columns("units", tasks), *by_group]
    for design in result.pareto if result.designs is None else result.designs:
        units = {processor.task: processor.units for group in design.groups for processor in group.processors}
        yield [
            *_row(design, design.id in front),
            *(design.objectives[name] for name in figures),
            {True: "yes", False: "no", None: ""}[design.verified],
            design.bottleneck,
            *(units[task] for task in tasks),
            *(" | ".join(texts) for texts in zip(*map(_decisions, design.groups), strict=True)),
        ]


_LEAD = ("id", "pareto", "groups", "fusion")


def _columns(name: str, tasks: tuple[str, ...]) -> Iterator[str]:
    return (f"{name}[{task}]" for task in tasks)


def _row(design: Design | MappedDesign, on_front: bool) -> list[object]:
    fusion = " | ".join(" ".join(group) for group in design.fusion)
    return [design.id, "yes" if on_front else "no", len(design.fusion), fusion]


def _decisions(group: GroupRecord) -> tuple[str, ...]:
    cuts = [f"{one.task}: {_blocks(one.cut)}" for one in group.processors if one.cut]
    layouts = [f"{one.array}: {one.banks} banks" for one in group.layouts]
    return (
        "x".join(map(str, group.blocks.shape)),
        group.blocks.scan,
        "; ".join(cuts),
        " ".join(group.fifos),
        "; ".join(layouts),
        group.policy,
        "yes" if group.recompute else "no",
    )


def _blocks(blocks: BlocksRecord) -> str:
    return f"{'x'.join(map(str, blocks.shape))} scan {blocks.scan}"
