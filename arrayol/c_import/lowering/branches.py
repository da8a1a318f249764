"""Choices: both sides are run, and each scalar is a choice between its two values after that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from arrayol.c_import.arithmetic import Arithmetic, affine_condition
from arrayol.c_import.graphs import mapped
from arrayol.c_import.lowering.context import Context
from arrayol.c_import.lowering.symbols import (
    Address,
    Content,
    Deferred,
    Pending,
    Poison,
    RestartError,
    Undefined,
    Unusable,
)
from arrayol.c_import.model import COperation, Dynamic, ElementGuard, Form
from arrayol.ir.affine import Affine


class Branches:
    """Runs the sides of choices."""

    def __init__(self, run: Context) -> None:
        self.run = run

    def both(self, condition: COperation, first: Callable[[], object], second: Callable[[], object]) -> COperation:
        """Run one thing where a condition holds and another where not, and merge scalars; the condition as kept."""
        recorder, arithmetic = self.run.recorder, self.run.arithmetic
        affine, data = _split(condition, arithmetic)
        before = dict(recorder.contents)
        if data is not None:
            recorder.predicates.append(data)
        with recorder.where(*affine):
            first()
        then = recorder.contents
        recorder.contents = dict(before)
        if data is None:
            negated = [one.negated() for one in affine]
            with recorder.where(negated[0] if len(negated) == 1 else ElementGuard("or", parts=tuple(negated))):
                second()
        else:
            kept = recorder.predicates.pop()
            if kept is not data:
                condition = kept if not affine else _rebuilt(condition, kept)
            recorder.predicates.append(arithmetic.inverse(condition))
            second()
            kept = recorder.predicates.pop()
            condition = kept.operands[0] if kept.kind == "not" else arithmetic.inverse(kept)
        recorder.contents = self._merged(condition, then, recorder.contents)
        return condition

    def _merged(self, condition: COperation, then: dict[Any, Content], other: dict[Any, Content]) -> dict[Any, Content]:
        merged: dict[Any, Content] = {}
        for cell in {**then, **other}:
            merged[cell] = self._merge(condition, then.get(cell, Undefined()), other.get(cell, Undefined()))
        return merged

    def _merge(self, condition: COperation, one: Content, other: Content) -> Content:
        one, other = (
            side.content() if isinstance(side, Pending) and one is not other else side for side in (one, other)
        )
        if one is other:
            return one
        if isinstance(other, Undefined):
            return one
        if isinstance(one, Undefined):
            return other
        lost = self._lost(one, other)
        if lost is not None:
            return lost
        return self.either(condition, one, other)

    def _lost(self, *sides: Content) -> Content | None:
        """The side that has no value. Raises RestartError where a loop before must hand one on."""
        for side in sides:
            if isinstance(side, Poison | Unusable):
                return side
            if isinstance(side, Deferred):
                self.run.carried.add(side.key)
                raise RestartError
        return None

    def either(self, condition: COperation, one: Content, other: Content) -> Content:
        """A choice between two values, or between places of one array."""
        if isinstance(one, COperation) and isinstance(other, COperation):
            if one.form is not None and other.form is not None and (one.form - other.form).number == 0:
                return one
            known = affine_condition(condition)
            if known is not None:
                one, other = guarded(one, known), guarded(other, known.negated())
            return self.run.arithmetic.choice(condition, one, other)
        if isinstance(one, Address) and isinstance(other, Address) and _share_rows(one, other):
            both = zip(one.subscripts, other.subscripts, strict=True)
            return Address(one.array, tuple(self._subscript(condition, *forms) for forms in both))
        return Unusable("this pointer depends on a choice", "choose between the values that it points to")

    def _subscript(self, condition: COperation, one: Form, other: Form) -> Form:
        """A choice between two subscripts."""
        if (one - other).number == 0:
            return one
        sides = (self.run.arithmetic.of_form(form, "i64") for form in (one, other))
        place = self.run.arithmetic.choice(condition, *sides)
        return place.form if place.form is not None else Affine(((Dynamic(place), 1),))


def guarded(value: COperation, condition: ElementGuard) -> COperation:
    """A value that is only asked for where a condition holds: its reads happen there alone."""
    if not any(True for _ in value.reads()):
        return value

    def change(node: COperation) -> COperation:
        if node.access is None:
            return node
        return replace(node, access=replace(node.access, guards=(*node.access.guards, condition)))

    return mapped(value, change)


def _split(condition: COperation, arithmetic: Arithmetic) -> tuple[list[ElementGuard], COperation | None]:
    """The affine parts of a condition, and the rest that depends on data."""
    affine: list[ElementGuard] = []
    data: COperation | None = None
    for part in _conjuncts(condition):
        known = affine_condition(part)
        if known is not None:
            affine.append(known)
        else:
            data = part if data is None else arithmetic.both("and", data, part)
    return affine, data


def _conjuncts(condition: COperation) -> list[COperation]:
    if condition.kind == "and" and condition.type == "bool":
        return [one for side in condition.operands for one in _conjuncts(side)]
    return [condition]


def _rebuilt(condition: COperation, kept: COperation) -> COperation:
    """A condition with its data part as it was kept."""
    parts = [one for one in _conjuncts(condition) if affine_condition(one) is not None]
    result = kept
    for part in reversed(parts):
        result = COperation("and", "bool", (part, result))
    return result


def _share_rows(one: Address, other: Address) -> bool:
    return one.array is other.array and len(one.subscripts) == len(other.subscripts)
