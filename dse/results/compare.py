"""Two results side by side: points gained and lost, and how much of the objectives' space each front dominates.

The two fronts are points in the objectives that both results have, smaller is better, and are measured up to the same
reference point. A point of both fronts is the same point, also where other decisions lead to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import Diagnostic
from arrayol.text import counted
from dse.pareto.counted import non_dominated
from dse.pareto.hypervolume import corner_of, hypervolume
from dse.results.designs import Design
from dse.results.schema import Result
from dse.results.shared import other_problem, shared_objectives, terms
from dse.results.volume import Axes
from dse.space.objectives import grows

Values = NDArray[np.float64]


def values_of(designs: Sequence[Design], objectives: Sequence[str]) -> Values:
    """Objectives (designs, objectives); figures of which more is better are negative."""
    signs = [-1 if grows(name) else 1 for name in objectives]
    rows = [
        [sign * design.objectives[name] for sign, name in zip(signs, objectives, strict=True)] for design in designs
    ]
    return np.array(rows, np.float64).reshape(len(designs), len(objectives))


@dataclass(frozen=True)
class Pair:
    """A point or a design that both fronts have: as it is in the first, and in the second.

    `same` tells that some design with its figures is on both fronts with the same decisions.
    """

    before: Design
    after: Design
    same: bool


@dataclass(frozen=True)
class Comparison:
    """Two results in the objectives that they share.

    `fronts` are the designs that no other of their result beats in these objectives. Points are the same where their
    objectives are (`kept`); of the others, designs are the same where all their decisions are (`moved`); between
    results of two models, or of the published model, where their fusions are (`by` says which). What is left is gained
    or lost: a design for each point. `volumes` are up to `reference`, the corner of both fronts together;
    `dominated` says how many designs of each front some design of the other dominates. `warnings` say that the
    results solve different problems, `remarks` in which terms they are compared.
    """

    first: Result
    second: Result
    objectives: tuple[str, ...]
    by: str
    fronts: tuple[tuple[Design, ...], tuple[Design, ...]]
    gained: tuple[Design, ...]
    lost: tuple[Design, ...]
    kept: tuple[Pair, ...]
    moved: tuple[Pair, ...]
    fusions_gained: tuple[str, ...]
    fusions_lost: tuple[str, ...]
    reference: Mapping[str, float]
    volumes: tuple[float, float]
    dominated: tuple[int, int]
    warnings: tuple[Diagnostic, ...]
    remarks: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Comparison({self.heading})"

    @property
    def heading(self) -> str:
        """In a line: points gained and lost."""
        gained, lost = counted(len(self.gained), "point"), f"{len(self.lost):,}"
        both = f"{len(self.kept):,} on both fronts of {', '.join(self.objectives)}"
        return f"{gained} gained, {lost} lost, {both}"

    @property
    def reached_otherwise(self) -> tuple[Pair, ...]:
        """The points of both fronts that no design with the same decisions is at."""
        return tuple(pair for pair in self.kept if not pair.same)

    def to_document(self) -> dict[str, Any]:
        """The JSON of `compare`."""
        return {
            "results": [_labels(self.first), _labels(self.second)],
            "warnings": [warning.message for warning in self.warnings],
            "remarks": list(self.remarks),
            "objectives": list(self.objectives),
            "designs": [len(front) for front in self.fronts],
            "same_by": self.by,
            "gained": [_brief(design) for design in self.gained],
            "lost": [_brief(design) for design in self.lost],
            "kept": [_both(pair) | {f"same_{self.by}": pair.same} for pair in self.kept],
            "moved": [_both(pair) for pair in self.moved],
            "fusions": {"gained": list(self.fusions_gained), "lost": list(self.fusions_lost)},
            "hypervolume": {"values": list(self.volumes), "reference": dict(self.reference)},
            "dominated": list(self.dominated),
        }


def compare(first: Result, second: Result) -> Comparison:
    """Compare two results in the objectives that both have: by these first, then by decisions.

    Raises ArrayolError (`other-objectives`) where they have no objective in common.
    """
    objectives = shared_objectives(first, second)
    by = "decisions" if first.is_mapped and second.is_mapped else "fusion"
    ours, theirs = (_points(result, objectives) for result in (first, second))
    fronts = (_designs(ours), _designs(theirs))
    kept = [Pair(*_pair(ours[point], theirs[point], by)) for point in ours if point in theirs]
    left = {point: designs for point, designs in ours.items() if point not in theirs}
    new = {point: designs for point, designs in theirs.items() if point not in ours}
    moved = _take_moved(left, new, by)
    values = [values_of(front, objectives) for front in fronts]
    axes = Axes.of(fronts[0][0].objectives, objectives)
    octaves = [axes.octaves(design.objectives for design in front) for front in fronts]
    corner = corner_of(np.concatenate(octaves))
    fusions = [{shown_fusion(design): None for design in front} for front in fronts]
    return Comparison(
        first=first,
        second=second,
        objectives=objectives,
        by=by,
        fronts=fronts,
        gained=tuple(designs[0] for designs in new.values()),
        lost=tuple(designs[0] for designs in left.values()),
        kept=tuple(kept),
        moved=moved,
        fusions_gained=tuple(fusion for fusion in fusions[1] if fusion not in fusions[0]),
        fusions_lost=tuple(fusion for fusion in fusions[0] if fusion not in fusions[1]),
        reference=axes.figures(corner),
        volumes=(hypervolume(octaves[0], corner), hypervolume(octaves[1], corner)),
        dominated=(_dominated(*values), _dominated(values[1], values[0])),
        warnings=other_problem(first, second),
        remarks=(*terms(first, second, objectives), *_left_out((first, second), fronts)),
    )


Points = dict[tuple[int | float, ...], list[Design]]  # the designs at each point of a front, in its order


def _points(result: Result, objectives: Sequence[str]) -> Points:
    """The front in these objectives alone; what has the same figures is one point."""
    points: Points = {}
    for design in result.pareto:
        points.setdefault(tuple(design.objectives[name] for name in objectives), []).append(design)
    signs = [-1 if grows(name) else 1 for name in objectives]
    rows = [[sign * value for sign, value in zip(signs, point, strict=True)] for point in points]
    best = set(non_dominated(np.array(rows, object)).tolist())
    return {point: designs for place, (point, designs) in enumerate(points.items()) if place in best}


def _designs(points: Points) -> tuple[Design, ...]:
    return tuple(design for designs in points.values() for design in designs)


def _key(design: Design, by: str) -> object:
    """What makes two designs the same."""
    return design.fusion if by == "fusion" else design.decisions


def _pair(before: Sequence[Design], after: Sequence[Design], by: str) -> tuple[Design, Design, bool]:
    """The designs of a point that are the same, or else the first of each."""
    known = {_key(design, by): design for design in reversed(after)}
    for design in before:
        if _key(design, by) in known:
            return design, known[_key(design, by)], True
    return before[0], after[0], False


def _take_moved(left: Points, new: Points, by: str) -> tuple[Pair, ...]:
    """The designs that are at one point of the first front and at another of the second; both points are taken out."""
    places = {_key(design, by): point for point in reversed(new) for design in reversed(new[point])}
    moved = []
    for point, designs in list(left.items()):
        there = (places.get(_key(design, by)) for design in designs)
        place = next((place for place in there if place is not None and place in new), None)
        if place is not None:
            moved.append(Pair(*_pair(left.pop(point), new.pop(place), by)))
    return tuple(moved)


def _left_out(results: Sequence[Result], fronts: Sequence[Sequence[Design]]) -> Iterator[str]:
    """Designs that are on their front only for an objective that the other result does not have."""
    for word, result, front in zip(("first", "second"), results, fronts, strict=True):
        if number := len(result.pareto) - len(front):
            beaten = "is on it no more" if number == 1 else "are on it no more"
            yield f"{counted(number, 'design')} of the {word} front {beaten} in these objectives alone"


def shown_fusion(design: Design) -> str:
    """The groups of a design with their tasks."""
    return " | ".join(" ".join(group) for group in design.fusion)


def _dominated(values: Values, others: Values) -> int:
    """How many rows some row of others is nowhere worse and somewhere better than."""
    return sum(bool(((others <= value).all(axis=1) & (others < value).any(axis=1)).any()) for value in values)


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


def _both(pair: Pair) -> dict[str, Any]:
    return {
        "ids": [pair.before.id, pair.after.id],
        "objectives": [pair.before.objectives, pair.after.objectives],
    }
