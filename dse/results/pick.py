"""One design of a result by a rule: the knee of the front, or the fastest that keeps bounds."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arrayol.errors import Diagnostic, InfeasibleError
from arrayol.language.diagnose import did_you_mean
from arrayol.text import listed
from dse.results.compare import Values, grows, values_of
from dse.results.schema import Design, Result
from dse.space.objectives import LATENCY, WrongObjectiveError
from dse.space.study import Constraint, parse_constraint

KNEE = "knee"
_AND = re.compile(r"\s*,\s*|\s+and\s+")
_CELLS = 1 << 21  # of intermediate arrays at a time
_RELATIONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
}


@dataclass(frozen=True, slots=True)
class Rule:
    """What to pick: the knee, or with constraints the design of the least latency that keeps them."""

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
    """A rule of its text: `knee`, or constraints as `internal_memory_bits <= 1e6, lut <= 400`.

    Raises ValueError for another form.
    """
    if text.strip() == KNEE:
        return Rule(KNEE)
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

    The knee is taken from the front; a bounded design from all that the result holds. Raises WrongObjectiveError
    (`unknown-objective`), InfeasibleError (`infeasible`) where no design keeps the bounds.
    """
    require_figures(rule, result.pareto[0].objectives)
    return _bounded(result, rule) if rule.constraints else _knee(result, rule)


def trade_offs(values: Values) -> Values:
    """For each point (n, m) of a front, what its worst alternative gives up for what it gains.

    Each objective is scaled so that the front spans 0 to 1. For a point p and another q, gain is the sum over
    objectives of what p is better by, loss of what p is worse by; the trade-off of p is the least gain / loss over
    all q (Rachmawati and Srinivasan, 2009). Points equal to p are left out; infinite where p is alone.
    """
    low, span = values.min(axis=0), np.ptp(values, axis=0)
    scaled = (values - low) / np.where(span > 0, span, 1)
    trades = np.full(len(values), math.inf)
    step = max(1, _CELLS // max(1, values.size))
    for start in range(0, len(values), step):
        better = scaled[None, :, :] - scaled[start : start + step, None, :]
        gain, loss = np.maximum(better, 0).sum(axis=2), np.maximum(-better, 0).sum(axis=2)
        ratio = np.divide(gain, loss, out=np.full_like(gain, math.inf), where=loss > 0)
        trades[start : start + step] = ratio.min(axis=1)
    return trades


def _knee(result: Result, rule: Rule) -> Picked:
    trade = trade_offs(values_of(result.pareto, result.objectives))
    place = int(np.argmax(trade))  # of equal ones the first in the order of the front
    reason = "the only design of the front"
    if math.isfinite(trade[place]):
        reason = (
            f"it gains at least {trade[place]:.3g} times what it loses against any other design, "
            "each objective scaled to the front's range"
        )
    why = f"the knee of {', '.join(result.objectives)}: {reason}"
    return Picked(result.pareto[place], rule, why, len(result.pareto))


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
