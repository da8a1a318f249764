"""Designs as rows of a table: identifier, front, fusion, figures, then the decisions by task and by group."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from dse.results.designs import BlocksRecord, Design, GroupRecord

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
