"""Designs that a report tells more of: those that were asked for, the knee, and the best in each objective.

Opened again with specification and platform, they have what their memories are built of, how these are organised, and
Verilog. For a whole front it would be too much to work out and to hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arrayol.errors import ArrayolError
from dse.output.open_design import StoredDesign
from dse.output.report.sources import Origin, Timelines
from dse.results.designs import Design
from dse.results.schema import Result
from dse.space.objectives import grows


def best_designs(designs: Sequence[Design], objectives: Sequence[str], knee: str | None) -> list[Design]:
    """The knee, if any, then the best design in each objective, the first of equal ones."""
    chosen = [one for one in designs if one.id == knee] + [_best(designs, name) for name in objectives]
    return list({one.id: one for one in chosen}.values())


def _best(designs: Sequence[Design], name: str) -> Design:
    return min(designs, key=lambda one: -one.objectives[name] if grows(name) else one.objectives[name])


def opened_designs(designs: Sequence[Design], result: Result, origin: Origin) -> Iterator[StoredDesign]:
    """The designs as they were explored; without those that take too long or are of files that have changed."""
    timelines = Timelines(origin.models)
    for design in designs:
        opened = _opened(design, result, origin, timelines)
        if opened is not None:
            yield opened


def _opened(design: Design, result: Result, origin: Origin, timelines: Timelines) -> StoredDesign | None:
    decisions, model = design.decisions, origin.models[design.choice]
    if not all(timelines.affordable(group, decisions.choice) for group in decisions.groups):
        return None
    try:
        estimate = model.evaluate(decisions)
    except (ArrayolError, ValueError, KeyError):  # specification or platform are not those of the result
        return None
    found = [[(use.kind, use.name, use.bits) for use in group.memories] for group in estimate.groups]
    known = [[(use.kind, use.name, use.bits) for use in mapping.memories] for mapping in design.mappings]
    spec, top = origin.specs[design.splits], result.top
    opened = StoredDesign(
        design, spec, top, model.accesses, model.platform, result.platform, decisions, estimate, result.device
    )
    return opened if found == known else None
