"""What two results have in common: the objectives in which they can be compared, and what makes them unlike.

Cycles of two clocks are no measure of one time, so times are then compared in time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from arrayol.errors import Diagnostic, Severity, error
from arrayol.text import listed
from dse.results.schema import Result
from dse.space.objectives import MACHINE
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
