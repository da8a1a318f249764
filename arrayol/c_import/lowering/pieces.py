"""Subscripts that are a choice between affine ones, as for a border: each with where it holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import product

from arrayol.c_import.arithmetic import affine_condition
from arrayol.c_import.graphs import truth_of
from arrayol.c_import.lowering.context import Context
from arrayol.c_import.model import COperation, Dynamic, ElementGuard, Form, not_negative
from arrayol.ir.affine import Affine

_MOST_PIECES = 16
_INTEGERS = frozenset({"i32", "i64"})
_WRAPPING = frozenset({*_INTEGERS, "u32", "u64"})  # a subscript that has wrapped lies in no array, so none has
_SUMS = frozenset({"+", "-", "*"})
_PIECED = frozenset({*_SUMS, "convert", "negative"})
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})


@dataclass(frozen=True)
class SubscriptPiece:
    """The form of a subscript where conditions hold."""

    conditions: tuple[ElementGuard, ...]
    form: Form


class Pieces:
    """The pieces of subscripts, and their conditions as values, in one run."""

    def __init__(self, run: Context) -> None:
        self.run = run

    def value(self, conditions: tuple[ElementGuard, ...]) -> COperation:
        """Conditions as one truth value."""
        result: COperation | None = None
        for one in conditions:
            value = truth_of(one)
            result = value if result is None else self.run.arithmetic.both("and", result, value)
        assert result is not None
        return result

    def of(self, subscripts: tuple[Form, ...]) -> Iterator[tuple[tuple[ElementGuard, ...], tuple[Form, ...]]]:
        """All choices of all subscripts, with their conditions; one that depends on data is as it is."""
        for together in product(*(pieces_of_form(form) or [SubscriptPiece((), form)] for form in subscripts)):
            yield tuple(held for one in together for held in one.conditions), tuple(one.form for one in together)


def summed(form: Form) -> Form:
    """A subscript with sums and products of choices as terms of their own."""
    result: Form = Affine(constant=form.constant)
    for term, factor in form.terms:
        own: Form = Affine(((term, 1),))
        result += (_linear(term.value) if isinstance(term, Dynamic) else own).scaled(factor)
    return result


def _linear(value: COperation) -> Form:
    if value.form is not None:
        return value.form
    if value.type in _INTEGERS and value.kind == "convert":
        return _linear(value.operands[0])
    if value.type in _INTEGERS and value.kind == "negative":
        return _linear(value.operands[0]).scaled(-1)
    if value.type in _INTEGERS and value.kind in _SUMS:
        left, right = map(_linear, value.operands)
        combined = _combined(value.kind, left, right)
        if combined is not None:
            return combined
    return Affine(((Dynamic(value), 1),))


def _combined(sign: str, left: Form, right: Form) -> Form | None:
    """The sum, difference or product of two forms; None for a product of two that vary."""
    if sign != "*":
        return left + (right if sign == "+" else right.scaled(-1))
    if right.number is None:
        left, right = right, left
    return None if right.number is None else left.scaled(right.number)


def pieces_of_form(form: Form) -> list[SubscriptPiece] | None:
    """All that a subscript can be; None where it depends on data."""
    pieces = [SubscriptPiece((), Affine(constant=form.constant))]
    for term, factor in form.terms:
        own = [SubscriptPiece((), Affine(((term, 1),)))]
        more = pieces_of_value(term.value, _WRAPPING) if isinstance(term, Dynamic) else own
        scaled = None if more is None else [SubscriptPiece(one.conditions, one.form.scaled(factor)) for one in more]
        found = _joined("+", pieces, scaled)
        if found is None:
            return None
        pieces = found
    return pieces


def pieces_of_value(value: COperation, types: Set[str] = _INTEGERS) -> list[SubscriptPiece] | None:
    """All that an integer can be, with where it is; None where it depends on data, or in too many ways.

    Integers of these types do not wrap.
    """
    if value.form is not None:
        number, bits = value.form.number, int(value.type[1:])
        is_negative = value.type in types - _INTEGERS and number is not None and number >> (bits - 1)
        return [SubscriptPiece((), value.form - (1 << bits) if is_negative else value.form)]
    if value.kind == "choice":
        return _chosen(value, types)
    if value.type not in types:
        return None
    is_known = value.kind in _PIECED or value.text == "abs"
    operands = [pieces_of_value(one, types) for one in value.operands] if is_known else [None]
    return _computed(value.kind, operands)


def _computed(kind: str, operands: Sequence[list[SubscriptPiece] | None]) -> list[SubscriptPiece] | None:
    """All that an operation makes of all that its operands can be."""
    first = operands[0]
    if kind == "convert" or first is None:
        return first
    if kind == "negative":
        return _joined("-", [SubscriptPiece((), Affine())], first)
    if kind == "call":
        return _few([one for piece in first for one in _both_signs(piece)])
    return _joined(kind, first, operands[1])


def _both_signs(piece: SubscriptPiece) -> Iterator[SubscriptPiece]:
    """The size of a piece: itself, or what is as far below 0."""
    is_positive = not_negative(piece.form)
    yield SubscriptPiece((*piece.conditions, is_positive), piece.form)
    yield SubscriptPiece((*piece.conditions, is_positive.negated()), piece.form.scaled(-1))


def _chosen(value: COperation, types: Set[str]) -> list[SubscriptPiece] | None:
    condition = _condition(value.operands[0])
    first, second = (pieces_of_value(one, types) for one in value.operands[1:])
    if condition is None or first is None or second is None:
        return None
    pieces = [SubscriptPiece((condition, *one.conditions), one.form) for one in first]
    return _few([*pieces, *(SubscriptPiece((condition.negated(), *one.conditions), one.form) for one in second)])


def _joined(
    sign: str, left: list[SubscriptPiece] | None, right: list[SubscriptPiece] | None
) -> list[SubscriptPiece] | None:
    if left is None or right is None:
        return None
    found: list[SubscriptPiece] = []
    for one, other in product(left, right):
        form, conditions = _combined(sign, one.form, other.form), _together(one.conditions, other.conditions)
        if form is None:
            return None
        if conditions is not None:
            found.append(SubscriptPiece(conditions, form))
    return _few(found)


def _together(conditions: tuple[ElementGuard, ...], more: tuple[ElementGuard, ...]) -> tuple[ElementGuard, ...] | None:
    """All conditions, each once; None where one is the opposite of another."""
    new = tuple(one for one in more if one not in conditions)
    return None if any(one.negated() in conditions for one in new) else (*conditions, *new)


def _few(pieces: list[SubscriptPiece]) -> list[SubscriptPiece] | None:
    return pieces if len(pieces) <= _MOST_PIECES else None


def _condition(value: COperation) -> ElementGuard | None:
    """The condition that a truth value is, also where it compares choices; None where it depends on data."""
    if value.kind in {"and", "or", "not"}:
        parts = [part for each in value.operands if (part := _condition(each)) is not None]
        if len(parts) < len(value.operands):
            return None
        return parts[0].negated() if value.kind == "not" else ElementGuard(value.kind, parts=tuple(parts))
    if value.kind not in _COMPARISONS:
        return None
    left, right = map(pieces_of_value, value.operands)
    if left is None or right is None:
        return None
    ways: list[ElementGuard] = []
    for one, other in product(left, right):
        sides = tuple(COperation("form", "i32", form=each.form) for each in (one, other))
        compared = affine_condition(COperation(value.kind, value.type, sides))
        assert compared is not None
        held = (*one.conditions, *other.conditions, compared)
        ways.append(ElementGuard("and", parts=held) if len(held) > 1 else compared)
    return ways[0] if len(ways) == 1 else ElementGuard("or", parts=tuple(ways))
