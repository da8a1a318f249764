"""How much an execution does, so that the fuzz test runs small ones only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from pathlib import Path

from arrayol.checks.check import load_checked
from arrayol.ir.expressions import Assign, Range, Statement
from arrayol.ir.intervals import Interval, UnboundedError, interval
from arrayol.ir.spec import CompoundTask, Elementary, Port, Spec

FRAMES = 2  # counted for an infinite dimension
WHATEVER = 10**30
Run = tuple[str, list[str], list[str], int]  # top task, its inputs and outputs, its work


def runs_of(path: Path) -> Iterator[Run]:
    """All tasks that nothing calls and that are finite, or else the elementary tasks."""
    spec = load_checked(path)
    for name in spec.tops or tuple(spec.components):
        component = spec.components[name]
        ports = (*component.inputs, *component.outputs)
        if all(extent is not None for port in ports for extent in port.shape):
            inputs, outputs = ([port.name for port in side] for side in (component.inputs, component.outputs))
            yield name, inputs, outputs, _work(spec, name)


def _work(spec: Spec, name: str) -> int:
    """Statements executed and elements held, about."""
    component = spec.components[name]
    held = sum(map(_elements, (*component.inputs, *component.outputs)))
    match component:
        case Elementary():
            return held + _statements(component.body or (), {})
        case CompoundTask():
            return held + sum(_work(spec, call.callee) for call in component.calls)
    return held + prod(extent or FRAMES for extent in component.repetition) * _work(spec, component.callee)


def _elements(port: Port) -> int:
    return prod(extent or FRAMES for extent in port.shape)


def _statements(body: Sequence[Statement], variables: Mapping[str, Interval]) -> int:
    total = 0
    for statement in body:
        inner, turns = _turns(statement.ranges, variables)
        total += turns * (1 if isinstance(statement, Assign) else _statements(statement.body, inner))
    return total


def _turns(ranges: Sequence[Range], variables: Mapping[str, Interval]) -> tuple[dict[str, Interval], int]:
    known, turns = dict(variables), 1
    for each in ranges:
        try:
            low, high = interval(each.low, known)[0], interval(each.high, known)[1]
        except UnboundedError:
            return known, WHATEVER
        known[each.name] = (low, max(low, high - 1))
        turns *= max(1, high - low)
    return known, turns
