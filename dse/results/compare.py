"""Two results side by side: what they have in common, points gained and lost, and how much of the space each has.

The two fronts are points in the objectives that both results have, smaller is better, and are measured up to the same
reference point. A point of both fronts is the same point, also where other decisions lead to it.

Cycles of two clocks are no measure of one time, so times are then compared in time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import Diagnostic, Severity, error
from arrayol.text import counted, listed
from dse.pareto.fronts import non_dominated
from dse.pareto.hypervolume import corner_of, hypervolume
from dse.results.designs import Design
from dse.results.schema import Result
from dse.results.volume import Axes
from dse.space.objectives import MACHINE, grows
from hwmodel.figures import LATENCY, MICROSECONDS
from hwmodel.platform import Platform

_CLOCKED = {figure.key: figure.name for figure in MACHINE.values() if figure.clocked}
_NAMED = 4  # differences of a kind that a sentence names


def clock_mhz(result: Result) -> float | None:
    """The clock behind a result's microseconds; None for a platform without a clock."""
    for design in result.pareto:
        if time := design.objectives.get(MICROSECONDS):
            return design.objectives[LATENCY] / time
    return None


def same_clock(first: float | None, second: float | None) -> bool:
    """Whether cycles of both take the same time; divisions leave the last digits of a clock open."""
    if first is None or second is None:
        return first is second
    return math.isclose(first, second, rel_tol=1e-9)


def quantity(figure: str) -> str:
    """What a figure measures: cycles and microseconds of a latency are one quantity."""
    return MACHINE[figure].key if figure in MACHINE else figure


def assuming_as(result: Result, platform: Platform) -> Platform:
    """The platform with datapaths assumed where the result's were: a file need not say so, an option may have."""
    assumed = any(datapath.origins.get("interval") == "assumed" for datapath in result.datapaths)
    return platform.model_copy(update={"assume_datapaths": True}) if assumed else platform


def technology_text(result: Result) -> str:
    """The table that priced the bodies of a result, and which figures are estimates of it, in words."""
    figures = [name for name in result.estimates if name in result.pareto[0].objectives]
    verb = "is an estimate" if len(figures) == 1 else "are estimates"
    return f"{result.technology}" + (f"; {listed(figures)} {verb} of this table" if figures else "")


def shared_objectives(first: Result, second: Result) -> tuple[str, ...]:
    """The objectives that both results have, in the order of the first: times in a unit that is the same for both.

    Raises ArrayolError (`other-objectives`) where there is none.
    """
    clocks = clock_mhz(first), clock_mhz(second)
    theirs = {quantity(name): name for name in second.objectives}
    shared: dict[str, str] = {}
    for name in first.objectives:
        what = quantity(name)
        if what not in theirs or what in shared:
            continue
        if what in _CLOCKED and None not in clocks and not same_clock(*clocks):
            shared[what] = _CLOCKED[what]
        else:
            shared[what] = name if name == theirs[what] or None not in clocks else what
    if not shared:
        message = f"one result is in {', '.join(first.objectives)}, the other in {', '.join(second.objectives)}"
        hint = "explore both with at least one objective in common, as --objectives latency_cycles"
        raise error("other-objectives", f"{message}: they have no objective in common", hint=hint)
    return tuple(shared.values())


def other_problem(first: Result, second: Result) -> tuple[Diagnostic, ...]:
    """A warning (`other-problem`) that names what differs where the two results solve different problems."""
    differences = list(_differences(first, second))
    if not differences:
        return ()
    message = f"the two results solve different problems: {'; '.join(differences)}"
    hint = "a design that is better in one may be so because its problem is smaller; compare results of one problem"
    return (Diagnostic("other-problem", message, hint=hint, severity=Severity.WARNING),)


def _differences(first: Result, second: Result) -> Iterator[str]:
    specs = [Path(result.spec).name for result in (first, second)]
    if specs[0] != specs[1]:
        yield f"the specifications are '{specs[0]}' and '{specs[1]}'"
    if first.top != second.top:
        yield f"the tasks explored are '{first.top}' and '{second.top}'"
    names = dict.fromkeys((*first.constants, *second.constants))
    others = [
        f"{name} is {_value(first.constants, name)} in the first and {_value(second.constants, name)} in the second"
        for name in names
        if _value(first.constants, name) != _value(second.constants, name)
    ]
    yield from _sampled(others)
    for word, here, there in (("first", first, second), ("second", second, first)):
        alone = [f"'{task}'" for task in here.space.tasks if task not in there.space.tasks]
        if alone:
            yield f"only the {word} has the {'task' if len(alone) == 1 else 'tasks'} {listed(list(_sampled(alone)))}"


def _value(constants: Mapping[str, Any], name: str) -> str:
    return str(constants[name]) if name in constants else "not there"


def _sampled(texts: list[str]) -> Iterator[str]:
    yield from texts[:_NAMED]
    if len(texts) > _NAMED:
        yield f"{len(texts) - _NAMED:,} more"


def _loads(result: Result) -> str:
    return ", ".join(f"{name} {' or '.join(loads)}" for name, loads in result.loads.items()) or "none"


def terms(first: Result, second: Result, objectives: tuple[str, ...]) -> Iterator[str]:
    """In which terms the two are compared, where that needs a word: clocks, objectives left out, rules of memory."""
    clocks = clock_mhz(first), clock_mhz(second)
    times = [name for name in objectives if quantity(name) in _CLOCKED]
    if times and not same_clock(*clocks):
        shown = [f"{clock:,.6g} MHz" if clock else "not known" for clock in clocks]
        how = "are compared in time, not in cycles" if None not in clocks else "are compared in cycles, not in time"
        yield f"the clocks are {shown[0]} and {shown[1]}: times {how}"
    kept = {quantity(name) for name in objectives}
    for word, result in (("first", first), ("second", second)):
        dropped = [name for name in result.objectives if quantity(name) not in kept]
        if dropped:
            yield f"{listed(dropped)} of the {word} result {'is' if len(dropped) == 1 else 'are'} left out"
    if first.model != second.model:
        yield f"the {first.model} model and the {second.model} model count cycles and memory in their own ways"
    shares = [bool((result.space.study or {}).get("reuse_memory")) for result in (first, second)]
    if shares[0] != shares[1]:
        word = "first" if shares[0] else "second"
        yield f"only in the {word} result groups share their local memory (reuse_memory)"
    together = [bool((result.space.study or {}).get("together")) for result in (first, second)]
    if together[0] != together[1]:
        yield f"only in the {'first' if together[0] else 'second'} result groups run at the same time (together)"
    loads = [_loads(result) for result in (first, second)]
    if loads[0] != loads[1]:
        yield f"the study's loads are {loads[0]} for the first and {loads[1]} for the second"
    yield from _estimates(first, second, objectives)
    if first.constraints != second.constraints:
        bounds = [", ".join(result.constraints) or "none" for result in (first, second)]
        yield f"the constraints are {bounds[0]} for the first and {bounds[1]} for the second"


def _estimates(first: Result, second: Result, objectives: tuple[str, ...]) -> Iterator[str]:
    """Objectives that are estimates in one of the results or in both."""
    for name in objectives:
        said = [result.estimate_text(name) for result in (first, second)]
        if all(said):
            of_both = f"an {said[0]}, in both results" if said[0] == said[1] else f"an {said[0]}, and an {said[1]}"
            yield f"{name} is {of_both}"
        elif any(said):
            yield f"{name} is an {said[0] or said[1]}, in the {'first' if said[0] else 'second'} result alone"


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
