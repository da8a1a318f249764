"""What the memories of a report's best designs are built of: those of the knee and of the best in each objective.

For a whole front it would be too much to work out and to hold; `arrayol simulate` tells it of any design.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from arrayol.errors import ArrayolError
from dse.output.built_memories import BuiltMemories, built_memories
from dse.output.report.sources import Timelines
from dse.results.designs import Design
from dse.space.objectives import grows
from hwmodel.machine.model import MachineModel


def best_designs(designs: Sequence[Design], objectives: Sequence[str], knee: str | None) -> list[Design]:
    """The knee, if any, then the best design in each objective, the first of equal ones."""
    chosen = [one for one in designs if one.id == knee] + [_best(designs, name) for name in objectives]
    return list({one.id: one for one in chosen}.values())


def _best(designs: Sequence[Design], name: str) -> Design:
    return min(designs, key=lambda one: -one.objectives[name] if grows(name) else one.objectives[name])


def memories_of(designs: Sequence[Design], timelines: Timelines) -> Iterator[tuple[str, Any]]:
    """By design what its memories are built of; none of those that take too long or are of files that have changed."""
    for design in designs:
        built = _built(timelines.models[design.choice], design, timelines)
        if built is not None:
            yield design.id, built.to_json() | {"summary": built.summary}


def _built(model: MachineModel, design: Design, timelines: Timelines) -> BuiltMemories | None:
    decisions = design.decisions
    if not all(timelines.affordable(group, decisions.choice) for group in decisions.groups):
        return None
    try:
        estimate = model.evaluate(decisions)
    except (ArrayolError, ValueError, KeyError):  # specification or platform are not those of the result
        return None
    found = [[(use.kind, use.name, use.bits) for use in group.memories] for group in estimate.groups]
    known = [[(use.kind, use.name, use.bits) for use in mapping.memories] for mapping in design.mappings]
    return built_memories(model.platform, estimate) if found == known else None
