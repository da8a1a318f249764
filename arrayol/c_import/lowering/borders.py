"""Subscripts that are continued past the ends of an array: clamped, mirrored or wrapped.

C writes them as choices, `i < 0 ? 0 : i >= n ? n - 1 : i`, in many ways. A choice is taken for a border where it has
the same value in all iterations that reach it, which isl decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeGuard

from arrayol.c_import.forms import isl_condition, isl_text, names_of, rounded
from arrayol.c_import.lowering.context import Context
from arrayol.c_import.lowering.pieces import SubscriptPiece, pieces_of_form, pieces_of_value, summed
from arrayol.c_import.lowering.symbols import CArray
from arrayol.c_import.model import UNKNOWN, Bordered, Dynamic, Form, Rounded, Term, not_negative
from arrayol.c_import.ranges import NumberNeededError
from arrayol.ir.affine import Affine
from arrayol.polyhedral.flow import ends_of

_SYMMETRIC = {"mirror": 2, "reflect": 1}  # by mode: how much less than twice the extent an index and its image make


def with_borders(run: Context, array: CArray, subscripts: tuple[Form, ...]) -> tuple[Form, ...]:
    """The subscripts of a read with borders in place of choices; as they are where one depends on data otherwise."""
    if array.rank != len(subscripts) or not any(map(_is_chosen, subscripts)):
        return subscripts
    result: list[Form] = []
    for place, (form, dim) in enumerate(zip(subscripts, array.dims, strict=True), 1):
        subscript, is_last = _Subscript(run, form), place == array.rank
        one = form if not _is_chosen(form) else subscript.bordered(dim, is_row=array.rank == 1)
        if one is None and is_last:  # of a pointer that leaves the rows
            one = subscript.bordered(None, is_row=True)
        if one is None:
            return subscripts
        result.append(one)
    return tuple(result) if len(set(map(_mode, result)) - {""}) == 1 else subscripts  # a link has one border


def _mode(form: Form) -> str:
    """How a subscript continues; empty for one that does not, or in several ways."""
    modes = {term.mode if isinstance(term, Bordered) else term.operator for term, _ in form.terms if _is_border(term)}
    return " ".join(sorted(modes))


def _is_border(term: Term) -> TypeGuard[Bordered | Rounded]:
    return isinstance(term, Bordered) or (isinstance(term, Rounded) and term.operator == "%")


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
            pieces = pieces_of_form(self.form)
            border = None if pieces is None else self._border(pieces, dim)
            if border is not None or not is_row:
                return border
        terms = summed(self.form)
        result: Form = Affine(constant=terms.constant)
        for term, factor in terms.terms:
            one: Form | None = Affine(((term, 1),))
            if isinstance(term, Dynamic):
                pieces = pieces_of_value(term.value)
                one = None if pieces is None else self._border(pieces, None)
            if one is None:
                return None
            result += one.scaled(factor)
        is_one = len(result.terms) == 1 and result.constant == 0
        return result if is_one or any(abs(factor) > 1 for _, factor in result.terms) else None

    def _border(self, pieces: Sequence[SubscriptPiece], dim: Form | None) -> Form | None:
        """The border that has these values, of an extent that is given or that they name."""
        likely = list(dict.fromkeys(self._likely([piece.form for piece in pieces], dim)))
        for border in likely:
            if all(self._agrees(piece, border, {}) for piece in pieces):
                return border
        values = self.run.values
        for border in likely:
            named = sorted(_all_names([border]) & set(values))
            if named and all(self._agrees(piece, border, values) for piece in pieces):
                raise NumberNeededError(named[0])
        return None

    def _likely(self, forms: Sequence[Form], dim: Form | None) -> Iterator[Form]:
        """Borders that a choice between these forms may be; an image in a mirror may be the form of another."""
        for form, other in product(sorted(forms, key=lambda form: any(factor < 0 for _, factor in form.terms)), forms):
            if form == other or not self._moves(form) or not all(isinstance(term, str) for term, _ in form.terms):
                continue
            for mode, named in self._modes(form, other):
                extent = dim or named or self._reach(form, mode)
                if extent is not None and mode != "wrap":
                    yield Affine(((Bordered(mode, form, extent), 1),))
                elif extent is not None and extent.number is not None and extent.number > 0:
                    yield rounded("%", form, extent.number)

    def _modes(self, form: Form, other: Form) -> Iterator[tuple[str, Form | None]]:
        """Modes in which one form continues the other, with the extents; None for one that only one end shows."""
        total, apart = form + other, other - form
        if not self._moves(other):
            yield "nearest", other + 1 if other != Affine() else None
            yield "wrap", other + 1 if other != Affine() else None
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

    def _reach(self, form: Form, mode: str) -> Form | None:
        """The extent of an array of which nothing above the form is read; what wraps starts anew there."""
        greatest = self.run.arithmetic.ranges.greatest(form)
        return None if greatest is None else Affine(constant=greatest + (mode != "wrap"))

    def _agrees(self, piece: SubscriptPiece, border: Form, values: Mapping[str, int | float]) -> bool:
        """Whether a border has the value of a piece wherever that is taken; consts without values may be any."""
        loops = self.run.recorder.loops
        conditions = [*self.run.recorder.conditions, *piece.conditions]
        for loop in loops:
            own: Form = Affine(((loop.name, 1),))
            conditions += [not_negative(own - loop.low), not_negative(loop.high - 1 - own)]
        difference = piece.form - border
        forms = [difference, *(form for one in conditions for form in one.forms())]
        names = dict.fromkeys([*(loop.name for loop in loops), *sorted(_all_names(forms))])
        if any(_is_chosen(form) for form in forms) or any(name.startswith(UNKNOWN) for name in names):
            return False
        try:
            where = [*map(isl_condition, conditions), *(f"{name} = {values[name]}" for name in names if name in values)]
            ends = ends_of(list(names), where, isl_text(difference))
        except ArithmeticError:
            return False
        return ends in {None, (0, 0)}


def _all_names(forms: Iterable[Form]) -> set[str]:
    return {name for form in forms for name in names_of(form)}
