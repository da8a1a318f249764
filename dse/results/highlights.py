"""The few designs that stand for a front, and in words why each of them: fastest, least memory, knee."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dse.results.compare import values_of
from dse.results.designs import Design
from dse.results.pick import KNEE, bend_of, knee_of, telling_designs
from dse.results.schema import Result
from dse.results.volume import telling
from dse.space.objectives import cost_unit, grows, known_figure
from dse.space.study import Constraint, parse_constraint
from hwmodel.cost_model.estimate import LOADS, STORES
from hwmodel.figures import FRAME, FRAMES_PER_SECOND, LATENCY, MICROSECONDS

SHOWN_AT_MOST = 8  # designs of a front in a table; the result folder holds all
_PORT = frozenset({LOADS, STORES})
_TIMES = frozenset({LATENCY, FRAME, MICROSECONDS, FRAMES_PER_SECOND})
_MEMORY = frozenset({"internal_memory_data", "internal_memory_bits"})


@dataclass(frozen=True, slots=True)
class Highlight:
    """A design of a front; `reasons` in words, none for a design that only stands between others."""

    design: Design
    reasons: tuple[str, ...]


def highlights(result: Result) -> tuple[Highlight, ...]:
    """At most SHOWN_AT_MOST designs, in the order of the front.

    They are the ends of the compared figures, the knee, the design nearest to each constraint, and those that add most
    to the hypervolume.
    """
    front, objectives = result.pareto, result.objectives
    reasons: dict[int, list[str]] = {}
    for place, reason in _reasons(result):
        reasons.setdefault(place, []).append(reason)
    if len(front) > SHOWN_AT_MOST:
        bend, _ = bend_of(values_of(front, objectives))
        places = telling(front, objectives, SHOWN_AT_MOST, [bend, *reasons])
    else:
        places = telling_designs(front, objectives, SHOWN_AT_MOST)
    return tuple(Highlight(front[place], tuple(dict.fromkeys(reasons.get(place, ())))) for place in places)


def _reasons(result: Result) -> Iterator[tuple[int, str]]:
    """Places in the front that have a name of their own."""
    front, objectives = result.pareto, result.objectives
    if len(front) == 1:
        return
    values = values_of(front, objectives)
    totals = values.sum(axis=1)
    for name, column in zip(objectives, values.T, strict=True):
        if np.ptp(column) > 0:
            yield int(np.lexsort((totals, column))[0]), _end(name)
    knee = knee_of(result)
    if knee.is_knee:
        yield front.index(knee.design), KNEE
    for constraint in map(parse_constraint, result.constraints):
        if constraint.figure in front[0].objectives:
            figure = known_figure(constraint.figure)
            unit = figure.unit if figure is not None else cost_unit(constraint.figure)
            yield _nearest(front, constraint), f"near {float(constraint.bound):,.12g} {unit}"


def _end(name: str) -> str:
    """The best design in a figure, in words."""
    if name in _TIMES:
        return "fastest"
    if name in _MEMORY:
        return "least memory"
    figure = known_figure(name)
    return f"{'most' if grows(name) else 'least'} {name if figure is None else figure.title}"


def _nearest(front: Sequence[Design], constraint: Constraint) -> int:
    """The place of the design that keeps a bound with the least to spare."""
    spare = [abs(design.objectives[constraint.figure] - float(constraint.bound)) for design in front]
    return spare.index(min(spare))


def wait_text(design: Design) -> str:
    """What ends the steps of the most cycles, and the share of these, as "memory port: loads 98%"; empty for none."""
    cycles = (design.breakdown or {}).get("cycles", {})
    name = max(cycles, key=cycles.__getitem__, default=None)
    if name is None or not cycles[name]:
        return ""
    return f"{'memory port' if name in _PORT else 'compute'}: {name} {cycles[name] / sum(cycles.values()):.0%}"
