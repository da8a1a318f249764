"""The table of designs, `designs.csv`: a line each, for spreadsheets.

Spreadsheets compute what begins with =, +, - or @, and some take 0,1 for a number. No text here does or is so: names
are those of the language and of costs, and scans stand in brackets.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from dse.results.designs import BlocksRecord, Design, GroupRecord
from dse.results.schema import Result

_BY_GROUP = ("blocks", "scans", "cuts", "fifos", "layouts", "policies", "recompute")


def designs_csv(result: Result) -> str:
    """All designs that the result holds, one a line; `pareto` says which are on the front."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(_rows(result))
    return text.getvalue()


def _rows(result: Result) -> Iterator[list[object]]:
    tasks, figures = result.space.all_tasks, tuple(result.pareto[0].objectives)
    front = {design.id for design in result.pareto}
    checks = ("verified", "bottleneck") if result.is_mapped else ()
    intervals = _columns("interval", tasks) if result.is_mapped else []
    decisions = (*_BY_GROUP, "loads", "splits") if result.is_mapped else _columns("block_data", tasks)
    yield ["id", "pareto", "groups", "fusion", *figures, *checks, *_columns("units", tasks), *intervals, *decisions]
    for design in result.stored:
        yield [
            design.id,
            "yes" if design.id in front else "no",
            len(design.fusion),
            " | ".join(" ".join(group) for group in design.fusion),
            *(design.objectives[name] for name in figures),
            *([{True: "yes", False: "no", None: ""}[design.verified], design.bottleneck] if design.mappings else ()),
            *(one.units if (one := design.processors.get(task)) else "" for task in tasks),
            *(one.interval if (one := design.processors.get(task)) else "" for task in tasks if result.is_mapped),
            *(_decisions(design) if design.mappings else (design.processors[task].block_data for task in tasks)),
        ]


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
        group.mapping.blocks.decisions.text,
        f"[{group.mapping.blocks.scan}]",
        "; ".join(cuts),
        " ".join(group.mapping.fifos),
        "; ".join(layouts),
        group.mapping.keeping,
        "yes" if group.mapping.recompute else "no",
    )


def _blocks(blocks: BlocksRecord) -> str:
    return f"{blocks.decisions.text} scan {blocks.scan}"
