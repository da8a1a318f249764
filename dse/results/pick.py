"""Designs of a result that are picked: by a rule, and the few that stand for a front, in words why each of them."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arrayol.errors import Diagnostic, InfeasibleError
from arrayol.language.syntax.diagnose import did_you_mean
from arrayol.text import listed
from dse.results.compare import Values, values_of
from dse.results.designs import Design
from dse.results.schema import Result
from dse.results.volume import telling
from dse.space.objectives import WrongObjectiveError, cost_unit, grows, known_figure
from dse.space.study import Constraint, parse_constraint
from hwmodel.cost_model.estimate import LOADS, STORES
from hwmodel.figures import FRAME, FRAMES_PER_SECOND, LATENCY, MICROSECONDS

KNEE = "knee"
TELLING = 10  # designs that stand for a front: they have specifications, bars in the breakdown, names in the picture
KNEE_GAIN = 1.5  # how much a knee gains for what it loses in place of an end: halfway, it is a fifth below their line
FASTEST = "fastest"
_END = re.compile(rf"{FASTEST}|(least|most) [^<>=]+")  # as tables name the ends of a front
_AND = re.compile(r"\s*,\s*|\s+and\s+")
_RELATIONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
}


@dataclass(frozen=True, slots=True)
class Rule:
    """What to pick: the knee or an end of the front, or with constraints the design of the least latency in them."""

    text: str
    constraints: tuple[Constraint, ...] = ()

    @property
    def figures(self) -> tuple[str, ...]:
        """The figures that it bounds."""
        return tuple(constraint.figure for constraint in self.constraints)


@dataclass(frozen=True, slots=True)
class Picked:
    """The design that a rule takes, in words why, and how many designs it was taken from."""

    design: Design
    rule: Rule
    why: str
    designs: int


def parse_rule(text: str) -> Rule:
    """A rule of its text: `knee`, an end as `fastest` or `least memory`, or constraints as `lut <= 400, dsp <= 2`.

    Raises ValueError for another form.
    """
    if text.strip() == KNEE or _END.fullmatch(text.strip()):
        return Rule(text.strip())
    constraints = tuple(parse_constraint(part) for part in _AND.split(text.strip()))
    return Rule(", ".join(map(str, constraints)), constraints)


def require_figures(rule: Rule, known: Collection[str]) -> None:
    """Raises WrongObjectiveError (`unknown-objective`) where a rule bounds a figure that designs do not have."""
    for name in rule.figures:
        if name not in known:
            hint = did_you_mean(name, known) or f"designs here have {', '.join(known)}"
            raise WrongObjectiveError([Diagnostic("unknown-objective", f"there is no figure '{name}'", hint=hint)])


def pick(result: Result, rule: Rule) -> Picked:
    """The design of a result that a rule takes.

    The knee and ends are taken from the front; a bounded design from all that the result holds. Raises
    WrongObjectiveError (`unknown-objective`), InfeasibleError: `infeasible` where no design keeps the bounds, `no-knee`
    or `no-end` where the front has none.
    """
    require_figures(rule, result.pareto[0].objectives)
    if rule.constraints:
        return _bounded(result, rule)
    return _knee(result, rule) if rule.text == KNEE else _end_of(result, rule)


@dataclass(frozen=True, slots=True)
class Knee:
    """The design at which a front bends, and whether it bends enough to speak of a knee.

    `gain` is what the design gains for what it loses in place of an end of the front, the least over all ends;
    infinite for a front of one point.
    """

    design: Design
    gain: float

    @property
    def is_knee(self) -> bool:
        """Whether it gains clearly more than it loses, whichever end one comes from."""
        return KNEE_GAIN * (1 - 1e-9) <= self.gain < math.inf

    @property
    def text(self) -> str:
        """What the knee is worth, or why there is none."""
        if self.gain == math.inf:
            return "the front has one point, and no knee"
        if self.is_knee:
            worth = f"compared with any end of the front it gains at least {self.gain:.3g} times what it loses"
            return f"{worth}, each objective scaled to the front's range"
        times = f"{self.gain:.3g} times " if f"{self.gain:.3g}" != "1" else ""
        best = f"compared with every end of the front, no design gains more than {times}what it loses"
        return f"the front has no knee: {best}, and a knee gains at least {KNEE_GAIN} times as much"


def knee_of(result: Result) -> Knee:
    """The knee of a result's front, if it has one."""
    place, gain = bend_of(values_of(result.pareto, result.objectives))
    return Knee(result.pareto[place], gain)


def bend_of(values: Values) -> tuple[int, float]:
    """The row with the least sum of its values, and the least gain / loss of it in place of an end of the front.

    Values, of shape (designs, objectives), are scaled to the front's range. In place of any other design it gains at
    least what it loses (Rachmawati and Srinivasan, 2009); of equal ones the first is taken. An end is the best in
    one objective; of several the one with the least sum.
    """
    span = np.ptp(values, axis=0)
    scaled = (values - values.min(axis=0)) / np.where(span > 0, span, 1)
    sums = scaled.sum(axis=1)
    place = int(np.argmin(sums))
    ends = [int(min(np.flatnonzero(column == 0), key=lambda row: sums[row])) for column in scaled.T]
    better = scaled[ends] - scaled[place]
    gains, losses = np.maximum(better, 0).sum(axis=1), np.maximum(-better, 0).sum(axis=1)
    return place, min((gains[losses > 0] / losses[losses > 0]).tolist(), default=math.inf)


def telling_designs(front: Sequence[Design], objectives: Sequence[str], count: int) -> list[int]:
    """The places, ascending, of at most so many designs that tell most of a front: its ends, where it bends, others.

    The others are those that add most to the hypervolume (`dse.pareto.hypervolume.telling_rows`).
    """
    if len(front) <= count:
        return list(range(len(front)))
    place, _ = bend_of(values_of(front, objectives))
    return telling(front, objectives, count, [place])


def _knee(result: Result, rule: Rule) -> Picked:
    knee = knee_of(result)
    if not knee.is_knee and knee.gain < math.inf:
        name = result.objectives[-1]
        bound = f"{name} {'>=' if grows(name) else '<='} {knee.design.objectives[name]}"
        raise InfeasibleError([Diagnostic("no-knee", knee.text, hint=f'pick by a bound, as --pick "{bound}"')])
    reason = f"the knee of {', '.join(result.objectives)}: {knee.text}"
    return Picked(knee.design, rule, reason if knee.is_knee else knee.text, len(result.pareto))


def _end_of(result: Result, rule: Rule) -> Picked:
    front, ends = result.pareto, dict[str, int]()
    for name, place in _ends(result):
        ends.setdefault(_end(name), place)
    if rule.text not in ends:
        hint = f"its ends are {listed([f'{own!r}' for own in ends])}"
        raise InfeasibleError([Diagnostic("no-end", f"the front has no end called '{rule.text}'", hint=hint)])
    return Picked(front[ends[rule.text]], rule, f"the {rule.text} of {len(front):,} designs on the front", len(front))


def _bounded(result: Result, rule: Rule) -> Picked:
    designs = result.stored
    keeping = [design for design in designs if all(keeps(design, constraint) for constraint in rule.constraints)]
    if not keeping:
        raise _none_keeps(designs, rule, searchable=result.is_mapped)
    order = tuple(dict.fromkeys((LATENCY, *result.objectives)))
    best = min(keeping, key=lambda design: tuple(_rank(design, name) for name in order))
    count = (
        f"{len(keeping):,} of {len(designs):,} designs keep it" if len(keeping) != 1 else "only this design keeps it"
    )
    return Picked(best, rule, f"the least {LATENCY} with {rule.text}; {count}", len(designs))


def keeps(design: Design, constraint: Constraint) -> bool:
    """Whether a design keeps a bound."""
    return _RELATIONS[constraint.relation](design.objectives[constraint.figure], constraint.bound)


def _rank(design: Design, figure: str) -> float:
    return -design.objectives[figure] if grows(figure) else design.objectives[figure]


def _none_keeps(designs: Sequence[Design], rule: Rule, *, searchable: bool) -> InfeasibleError:
    """The bound that alone no design keeps, if there is one, with the value that comes nearest."""
    for constraint in rule.constraints:
        if not any(keeps(design, constraint) for design in designs):
            values = [design.objectives[constraint.figure] for design in designs]
            word, nearest = ("least", min(values)) if constraint.is_upper else ("most", max(values))
            what = f"no design of the result keeps {constraint}: the {word} is {nearest:,}"
            break
    else:
        what = f"no design of the result keeps {listed([str(constraint) for constraint in rule.constraints])} together"
    search = "'explore --constraint' searches for designs that keep a bound; they need not be on this front"
    hint = search if searchable else "--all keeps every design of the published model to pick from"
    return InfeasibleError([Diagnostic("infeasible", what, hint=hint)])


SHOWN_AT_MOST = 8  # designs of a front in a table; the result folder holds all
_PORT = frozenset({LOADS, STORES})
_TIMES = frozenset({LATENCY, FRAME, MICROSECONDS, FRAMES_PER_SECOND})
_MEMORY = frozenset({"internal_memory_elements", "internal_memory_bits"})


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
    front = result.pareto
    if len(front) == 1:
        return
    for name, place in _ends(result):
        if len({design.objectives[name] for design in front}) > 1:
            yield place, _end(name)
    knee = knee_of(result)
    if knee.is_knee:
        yield front.index(knee.design), KNEE
    for constraint in map(parse_constraint, result.constraints):
        if constraint.figure in front[0].objectives:
            figure = known_figure(constraint.figure)
            unit = figure.unit if figure is not None else cost_unit(constraint.figure)
            yield _nearest(front, constraint), f"near {float(constraint.bound):,.12g} {unit}"


def _ends(result: Result) -> Iterator[tuple[str, int]]:
    """By objective the place of the best design of the front."""
    values = values_of(result.pareto, result.objectives)
    totals = values.sum(axis=1)
    for name, column in zip(result.objectives, values.T, strict=True):
        yield name, int(np.lexsort((totals, column))[0])


def _end(name: str) -> str:
    """The best design in a figure, in words."""
    if name in _TIMES:
        return FASTEST
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
