"""Two results side by side: designs gained and lost, and how much of the objectives' space each front dominates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from arrayol.errors import error
from dse.mapping_result import GroupRecord, MappedDesign, MappingResult
from dse.points import AnyDesign, AnyResult, Values, grows, reference_of, values_of
from dse.search.indicators import hypervolume

Key = tuple[object, ...]


@dataclass(frozen=True)
class Kept:
    """A design that both fronts have: as it is in the first, and in the second."""

    before: AnyDesign
    after: AnyDesign


@dataclass(frozen=True)
class Comparison:
    """Two results in the objectives that they share.

    Designs are the same where all their decisions are; between results of two models, or of the published model, where
    their fusions are (`by` says which). `volumes` are up to `reference`, a tenth worse than the worst of both fronts;
    `dominated` says how many designs of each front some design of the other dominates.
    """

    first: AnyResult
    second: AnyResult
    objectives: tuple[str, ...]
    by: str
    gained: tuple[AnyDesign, ...]
    lost: tuple[AnyDesign, ...]
    kept: tuple[Kept, ...]
    fusions_gained: tuple[str, ...]
    fusions_lost: tuple[str, ...]
    reference: Mapping[str, float]
    volumes: tuple[float, float]
    dominated: tuple[int, int]

    def to_document(self) -> dict[str, Any]:
        """The JSON of `compare`."""
        return {
            "results": [_labels(self.first), _labels(self.second)],
            "objectives": list(self.objectives),
            "designs": [len(self.first.pareto), len(self.second.pareto)],
            "same_by": self.by,
            "gained": [_brief(design) for design in self.gained],
            "lost": [_brief(design) for design in self.lost],
            "kept": [
                {"ids": [one.before.id, one.after.id], "objectives": [one.before.objectives, one.after.objectives]}
                for one in self.kept
            ],
            "fusions": {"gained": list(self.fusions_gained), "lost": list(self.fusions_lost)},
            "hypervolume": {"values": list(self.volumes), "reference": dict(self.reference)},
            "dominated": list(self.dominated),
        }


def compare(first: AnyResult, second: AnyResult) -> Comparison:
    """Compare two results. Raises ArrayolError (`other-objectives`) where they have different objectives."""
    objectives = first.objectives
    if set(objectives) != set(second.objectives):
        message = f"one result is in {', '.join(objectives)}, the other in {', '.join(second.objectives)}"
        raise error("other-objectives", message, hint="explore both with the same --objectives")
    by = "decisions" if isinstance(first, MappingResult) and isinstance(second, MappingResult) else "fusion"
    keys = [_by_key(result, by) for result in (first, second)]
    ours, theirs = (values_of(result.pareto, objectives) for result in (first, second))
    corner = reference_of(np.concatenate([ours, theirs]))
    fusions = [{shown_fusion(design): None for design in result.pareto} for result in (first, second)]
    return Comparison(
        first=first,
        second=second,
        objectives=objectives,
        by=by,
        gained=tuple(design for key, design in keys[1].items() if key not in keys[0]),
        lost=tuple(design for key, design in keys[0].items() if key not in keys[1]),
        kept=tuple(Kept(design, keys[1][key]) for key, design in keys[0].items() if key in keys[1]),
        fusions_gained=tuple(fusion for fusion in fusions[1] if fusion not in fusions[0]),
        fusions_lost=tuple(fusion for fusion in fusions[0] if fusion not in fusions[1]),
        reference={
            name: float(-value if grows(name) else value) for name, value in zip(objectives, corner, strict=True)
        },
        volumes=(hypervolume(ours.tolist(), corner.tolist()), hypervolume(theirs.tolist(), corner.tolist())),
        dominated=(_dominated(ours, theirs), _dominated(theirs, ours)),
    )


def shown_fusion(design: AnyDesign) -> str:
    """The groups of a design with their tasks."""
    return " | ".join(" ".join(group) for group in design.fusion)


def _dominated(values: Values, others: Values) -> int:
    """How many rows some row of others is nowhere worse and somewhere better than."""
    found = 0
    for value in values:
        found += int(((others <= value).all(axis=1) & (others < value).any(axis=1)).any())
    return found


def _by_key(result: AnyResult, by: str) -> dict[Key, AnyDesign]:
    """The designs of a front by what makes them the same; of several the first, which is the fastest."""
    designs: tuple[AnyDesign, ...] = result.pareto
    found: dict[Key, AnyDesign] = {}
    for design in designs:
        found.setdefault(_key(design, by), design)
    return found


def _key(design: AnyDesign, by: str) -> Key:
    """What makes two designs the same."""
    if by == "fusion" or not isinstance(design, MappedDesign):
        return (design.fusion,)
    return tuple(_decisions(group) for group in design.groups)


def _decisions(group: GroupRecord) -> Key:
    processors = tuple((one.task, one.units, one.cut and (one.cut.shape, one.cut.scan)) for one in group.processors)
    layouts = tuple((one.array, one.banks, one.vector, one.block) for one in group.layouts)
    return (
        processors,
        (group.blocks.shape, group.blocks.scan),
        group.fifos,
        layouts,
        group.policy,
        group.recompute,
    )


def _labels(result: AnyResult) -> dict[str, Any]:
    return {
        "spec": result.spec,
        "top": result.top,
        "constants": result.constants,
        "model": result.model,
        "platform": result.platform,
    }


def _brief(design: AnyDesign) -> dict[str, Any]:
    return {"id": design.id, "fusion": [list(group) for group in design.fusion], "objectives": design.objectives}
