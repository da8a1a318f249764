"""Two results side by side: designs gained and lost, and how much of the objectives' space each front dominates.

The two fronts are points in the objectives that both results have, smaller is better, and are measured up to the same
reference point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import error
from dse.pareto.hypervolume import hypervolume
from dse.results.schema import Design, Result
from dse.space.objectives import MACHINE

Values = NDArray[np.float64]


def grows(figure: str) -> bool:
    """Whether larger is better for a figure of this name; a cost's is smaller."""
    return figure in MACHINE and MACHINE[figure].grows


def values_of(designs: Sequence[Design], objectives: Sequence[str]) -> Values:
    """Of shape (designs, objectives); figures of which more is better are negative."""
    signs = [-1 if grows(name) else 1 for name in objectives]
    rows = [
        [sign * design.objectives[name] for sign, name in zip(signs, objectives, strict=True)] for design in designs
    ]
    return np.array(rows, np.float64).reshape(len(designs), len(objectives))


def reference_of(values: Values) -> Values:
    """The corner up to which volumes are measured: a tenth worse than the worst value of each objective."""
    worst = values.max(axis=0)
    corner: Values = worst + np.maximum(np.abs(worst) / 10, 1e-9)
    return corner


@dataclass(frozen=True)
class Kept:
    """A design that both fronts have: as it is in the first, and in the second."""

    before: Design
    after: Design


@dataclass(frozen=True)
class Comparison:
    """Two results in the objectives that they share.

    Designs are the same where all their decisions are; between results of two models, or of the published model, where
    their fusions are (`by` says which). `volumes` are up to `reference`, a tenth worse than the worst of both fronts;
    `dominated` says how many designs of each front some design of the other dominates.
    """

    first: Result
    second: Result
    objectives: tuple[str, ...]
    by: str
    gained: tuple[Design, ...]
    lost: tuple[Design, ...]
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
                {"ids": [pair.before.id, pair.after.id], "objectives": [pair.before.objectives, pair.after.objectives]}
                for pair in self.kept
            ],
            "fusions": {"gained": list(self.fusions_gained), "lost": list(self.fusions_lost)},
            "hypervolume": {"values": list(self.volumes), "reference": dict(self.reference)},
            "dominated": list(self.dominated),
        }


def compare(first: Result, second: Result) -> Comparison:
    """Compare two results. Raises ArrayolError (`other-objectives`) where they have different objectives."""
    objectives = first.objectives
    if set(objectives) != set(second.objectives):
        message = f"one result is in {', '.join(objectives)}, the other in {', '.join(second.objectives)}"
        raise error("other-objectives", message, hint="explore both with the same --objectives")
    by = "decisions" if first.is_mapped and second.is_mapped else "fusion"
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


def shown_fusion(design: Design) -> str:
    """The groups of a design with their tasks."""
    return " | ".join(" ".join(group) for group in design.fusion)


def _dominated(values: Values, others: Values) -> int:
    """How many rows some row of others is nowhere worse and somewhere better than."""
    return sum(bool(((others <= value).all(axis=1) & (others < value).any(axis=1)).any()) for value in values)


def _by_key(result: Result, by: str) -> dict[object, Design]:
    """The designs of a front by what makes them the same; of several the first, which is the fastest."""
    designs: dict[object, Design] = {}
    for design in result.pareto:
        designs.setdefault(design.fusion if by == "fusion" else design.decisions, design)
    return designs


def _labels(result: Result) -> dict[str, Any]:
    return {
        "spec": result.spec,
        "top": result.top,
        "constants": result.constants,
        "model": result.model,
        "platform": result.platform,
    }


def _brief(design: Design) -> dict[str, Any]:
    return {"id": design.id, "fusion": [list(group) for group in design.fusion], "objectives": design.objectives}
