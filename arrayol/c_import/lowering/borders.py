"""Subscripts that are continued past the ends of an array: clamped, mirrored or wrapped.

C writes them as choices, `i < 0 ? 0 : i >= n ? n - 1 : i`, in many ways. A choice is taken for a border where it has the
same value in all iterations that reach it, which isl decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from arrayol.c_import.arithmetic import affine_condition
from arrayol.c_import.forms import isl_condition, isl_text, names_of, rounded
from arrayol.c_import.lowering.context import Context
from arrayol.c_import.lowering.symbols import Array
from arrayol.c_import.model import Bordered, Condition, Dynamic, Form, Value, not_negative
from arrayol.ir.affine import Affine
from arrayol.polyhedral.flow import ends_of

_MOST_PIECES = 16
_INTEGERS = frozenset({"i32", "i64"})
_SUMS = frozenset({"+", "-", "*"})
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_SYMMETRIC = {"mirror": 2, "reflect": 1}  # by mode: how much less than twice the extent an index and its image make


@dataclass(frozen=True)
class _Piece:
    """What a subscript is where conditions hold."""

    conditions: tuple[Condition, ...]
    form: Form


def with_borders(run: Context, array: Array, subscripts: tuple[Form, ...]) -> tuple[Form, ...]:
    """The subscripts of a read with borders in place of choices; as they are where one depends on data otherwise."""
    if array.rank != len(subscripts) or not any(map(_is_chosen, subscripts)):
        return subscripts
    result: list[Form] = []
    for form, dim in zip(subscripts, array.dims, strict=True):
        one = form if not _is_chosen(form) else _Subscript(run, form).bordered(dim, is_row=array.rank == 1)
        if one is None:
            return subscripts
        result.append(one)
    return tuple(result)


def _is_chosen(form: Form) -> bool:
    return any(isinstance(term, Dynamic) for term, _ in form.terms)


@dataclass(frozen=True)
class _Subscript:
    """One subscript, where the run stands."""

    run: Context
    form: Form

    def bordered(self, dim: Form | None, *, is_row: bool) -> Form | None:
        """The subscript of a dimension; of a row that holds several also sums of borders. None where it is none."""
        if dim is not None:
            pieces = _pieces_of_form(self.form)
            border = None if pieces is None else self._border(pieces, dim)
            if border is not None or not is_row:
                return border
        summed = _summed(self.form)
        result: Form = Affine(constant=summed.constant)
        for term, factor in summed.terms:
            one: Form | None = Affine(((term, 1),))
            if isinstance(term, Dynamic):
                pieces = _pieces(term.value)
                one = None if pieces is None else self._border(pieces, None)
            if one is None:
                return None
            result += one.scaled(factor)
        return result

    def _border(self, pieces: Sequence[_Piece], dim: Form | None) -> Form | None:
        """The border that has these values, of an extent that is given or that they name."""
        for border in dict.fromkeys(self._likely([piece.form for piece in pieces], dim)):
            if all(self._agrees(piece, border) for piece in pieces):
                return border
        return None

    def _likely(self, forms: Sequence[Form], dim: Form | None) -> Iterator[Form]:
        """What a choice between these forms may be."""
        for form, other in product(forms, forms):
            if form == other or not self._moves(form) or not all(isinstance(term, str) for term, _ in form.terms):
                continue
            for mode, named in self._modes(form, other):
                extent = dim or named or self._reach(form)
                if extent is not None and mode != "wrap":
                    yield Affine(((Bordered(mode, form, extent), 1),))
                elif extent is not None and extent.number is not None and extent.number > 0:
                    yield rounded("%", form, extent.number)

    def _modes(self, form: Form, other: Form) -> Iterator[tuple[str, Form | None]]:
        """Modes in which one form continues the other, with the extents; None for one that only one end shows."""
        total, apart = form + other, other - form
        if not self._moves(other):
            yield "nearest", other + 1 if other != Affine() else None
        elif not self._moves(total):
            for mode, less in _SYMMETRIC.items():
                twice = total + less
                if total == Affine(constant=less - 2):
                    yield mode, None
                elif twice.constant % 2 == 0 and twice.step % 2 == 0:
                    yield mode, twice.divided(2)
        elif not self._moves(apart):
            yield "wrap", apart

    def _moves(self, form: Form) -> bool:
        return bool(names_of(form) & {loop.name for loop in self.run.recorder.loops})

    def _reach(self, form: Form) -> Form | None:
        greatest = self.run.arithmetic.ranges.greatest(form)
        return None if greatest is None else Affine(constant=greatest + 1)

    def _agrees(self, piece: _Piece, border: Form) -> bool:
        """Whether a border has the value of a piece wherever that is taken."""
        loops = self.run.recorder.loops
        conditions = [*self.run.recorder.conditions, *piece.conditions]
        for loop in loops:
            own: Form = Affine(((loop.name, 1),))
            conditions += [not_negative(own - loop.low), not_negative(loop.high - 1 - own)]
        difference = piece.form - border
        forms = [difference, *(form for one in conditions for form in one.forms())]
        names = dict.fromkeys([*(loop.name for loop in loops), *sorted(_all_names(forms))])
        if any(_is_chosen(form) for form in forms):
            return False
        try:
            ends = ends_of(list(names), list(map(isl_condition, conditions)), isl_text(difference))
        except ArithmeticError:
            return False
        return ends in {None, (0, 0)}


def _all_names(forms: Iterable[Form]) -> set[str]:
    return {name for form in forms for name in names_of(form)}


def _summed(form: Form) -> Form:
    """A subscript with sums and products of choices as terms of their own."""
    result: Form = Affine(constant=form.constant)
    for term, factor in form.terms:
        result += (_linear(term.value) if isinstance(term, Dynamic) else Affine(((term, 1),))).scaled(factor)
    return result


def _linear(value: Value) -> Form:
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


def _pieces_of_form(form: Form) -> list[_Piece] | None:
    """All that a subscript can be; None where it depends on data."""
    pieces = [_Piece((), Affine(constant=form.constant))]
    for term, factor in form.terms:
        more = _pieces(term.value) if isinstance(term, Dynamic) else [_Piece((), Affine(((term, 1),)))]
        scaled = None if more is None else [_Piece(one.conditions, one.form.scaled(factor)) for one in more]
        found = _joined("+", pieces, scaled)
        if found is None:
            return None
        pieces = found
    return pieces


def _pieces(value: Value) -> list[_Piece] | None:
    """All that an integer can be, with where it is; None where it depends on data, or in too many ways."""
    if value.form is not None:
        return [_Piece((), value.form)]
    if value.type not in _INTEGERS:
        return None
    if value.kind == "convert":
        return _pieces(value.operands[0])
    if value.kind == "negative":
        return _joined("-", [_Piece((), Affine())], _pieces(value.operands[0]))
    if value.kind in _SUMS:
        return _joined(value.kind, *map(_pieces, value.operands))
    if value.kind == "choice":
        return _chosen(value)
    if value.kind == "call" and value.text == "abs":
        inner = _pieces(value.operands[0])
        return None if inner is None else _few([one for piece in inner for one in _both_signs(piece)])
    return None


def _both_signs(piece: _Piece) -> list[_Piece]:
    is_positive = not_negative(piece.form)
    return [
        _Piece((*piece.conditions, is_positive), piece.form),
        _Piece((*piece.conditions, is_positive.negated()), piece.form.scaled(-1)),
    ]


def _chosen(value: Value) -> list[_Piece] | None:
    condition = _condition(value.operands[0])
    first, second = map(_pieces, value.operands[1:])
    if condition is None or first is None or second is None:
        return None
    pieces = [_Piece((condition, *one.conditions), one.form) for one in first]
    return _few([*pieces, *(_Piece((condition.negated(), *one.conditions), one.form) for one in second)])


def _joined(sign: str, left: list[_Piece] | None, right: list[_Piece] | None) -> list[_Piece] | None:
    if left is None or right is None:
        return None
    found: list[_Piece] = []
    for one, other in product(left, right):
        form = _combined(sign, one.form, other.form)
        if form is None:
            return None
        found.append(_Piece((*one.conditions, *other.conditions), form))
    return _few(found)


def _few(pieces: list[_Piece]) -> list[_Piece] | None:
    return pieces if len(pieces) <= _MOST_PIECES else None


def _condition(value: Value) -> Condition | None:
    """The condition that a truth value is, also where it compares choices; None where it depends on data."""
    if value.kind in {"and", "or", "not"}:
        parts = [one for each in value.operands if (one := _condition(each)) is not None]
        if len(parts) < len(value.operands):
            return None
        return parts[0].negated() if value.kind == "not" else Condition(value.kind, parts=tuple(parts))
    if value.kind not in _COMPARISONS:
        return None
    left, right = map(_pieces, value.operands)
    if left is None or right is None:
        return None
    ways: list[Condition] = []
    for one, other in product(left, right):
        sides = tuple(Value("form", "i32", form=each.form) for each in (one, other))
        compared = affine_condition(Value(value.kind, value.type, sides))
        assert compared is not None
        ways.append(Condition("and", parts=(*one.conditions, *other.conditions, compared)))
    return ways[0] if len(ways) == 1 else Condition("or", parts=tuple(ways))
