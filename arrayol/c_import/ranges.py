"""Bounds of the integers that a value or a form can be, in every iteration.

A bound may need the value of a const, which else stays a name that users can set. Then `NumberNeededError` says so, and
the function is run again with a number in place of the name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from arrayol.c_import.constants import FLOATS, limits
from arrayol.c_import.forms import rounded
from arrayol.c_import.model import BOOL, Bordered, COperation, Dynamic, ElementGuard, ForLoop, Form, Rounded, Term


class NumberNeededError(Exception):
    """A decision needs the value of a const."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@dataclass
class Ranges:
    """Bounds of the loops that are open, by name; `consts` are names without a bound, `tables` const arrays."""

    consts: Mapping[str, int | float]
    loops: dict[str, ForLoop] = field(default_factory=dict)
    tables: dict[str, Sequence[str]] = field(default_factory=dict)
    conditions: Sequence[ElementGuard] = ()  # that hold where the run stands

    def least(self, form: Form) -> int | None:
        """A number that the form is never below; None where none is known. Raises NumberNeededError."""
        return self._nearest(form, self._end(form, greatest=False), greatest=False)

    def greatest(self, form: Form) -> int | None:
        """A number that the form is never above; None where none is known. Raises NumberNeededError."""
        return self._nearest(form, self._end(form, greatest=True), greatest=True)

    def _nearest(self, form: Form, end: int | None, *, greatest: bool) -> int | None:
        """An end, or a nearer one that a condition gives: where `g >= 0`, `g + c` is at least c, `c - g` at most."""
        held = [one.form for one in _all_of(self.conditions) if one.kind == ">=" and one.form is not None]
        ends = [(form + one if greatest else form - one).number for one in held]
        known = [one for one in (end, *ends) if one is not None]
        return (min if greatest else max)(known, default=None)

    def _end(self, form: Form, *, greatest: bool) -> int | None:
        form = self._open_loops(_with_rests(form), greatest=greatest)
        total = form.constant
        for term, factor in form.terms:
            end = self._term_end(term, greatest=greatest == (factor > 0))
            if end is None:
                return None
            total += factor * end
        return total

    def _open_loops(self, form: Form, *, greatest: bool) -> Form:
        """The form with the ends of loops in their place, inner loops first, since their bounds may name outer ones."""
        for name in reversed(self.loops):
            factor = form.factor(name)
            if factor:
                loop = self.loops[name]
                end = loop.high - 1 if (factor > 0) == greatest else loop.low
                form = form.without(name) + end.scaled(factor)
        return form

    def _term_end(self, term: Term, *, greatest: bool) -> int | None:
        if isinstance(term, Dynamic):
            low, high = self.of(term.value)
            return high if greatest else low
        if isinstance(term, Bordered):
            return self._end(term.extent - 1, greatest=True) if greatest else 0
        if isinstance(term, Rounded):
            if term.operator == "%":
                return term.divisor - 1 if greatest else 0
            end = self._end(term.form, greatest=greatest)
            return None if end is None else end // term.divisor
        if term in self.consts:
            raise NumberNeededError(term)
        return None

    def of(self, value: COperation) -> tuple[int, int]:
        """The least and greatest integer that a value of an integer type can be."""
        known: dict[int, tuple[int, int]] = {}
        for node in value.nodes():
            if node.type not in FLOATS:
                known[id(node)] = self._node(node, known)
        return known[id(value)]

    def _node(self, node: COperation, known: Mapping[int, tuple[int, int]]) -> tuple[int, int]:
        low, high = limits(node.type)
        if node.form is not None:
            ends = self._form_ends(node.form, low, high)
        else:
            ends = self._operation(node, [known.get(id(one)) for one in node.operands])
        if ends is None or ends[0] < low or ends[1] > high:
            return low, high  # it may wrap
        return ends

    def _form_ends(self, form: Form, low: int, high: int) -> tuple[int, int] | None:
        """The ends of a form; a const does not decide how far it is from the ends of its type."""
        ends: list[int] = []
        for greatest, fallback in ((False, low), (True, high)):
            try:
                end = self._end(form, greatest=greatest)
            except NumberNeededError:
                end = None
            ends.append(fallback if end is None else end)
        return ends[0], ends[1]

    def _operation(self, node: COperation, ends: list[tuple[int, int] | None]) -> tuple[int, int] | None:
        if node.kind == "literal" and node.type != BOOL:
            return int(node.text), int(node.text)
        table = None if node.access is None else self.tables.get(node.access.array)
        if table:
            numbers = list(map(int, table))
            return min(numbers), max(numbers)
        if node.type == BOOL or node.kind in {"read", "const", "unknown", "call"}:
            return self._call(node, ends) if node.kind == "call" else None
        if node.kind == "choice":
            ends = ends[1:]
            return None if None in ends else (min(one[0] for one in ends if one), max(one[1] for one in ends if one))
        if any(one is None for one in ends):
            return None
        return _arithmetic(node.kind, [one for one in ends if one is not None])

    def _call(self, node: COperation, ends: list[tuple[int, int] | None]) -> tuple[int, int] | None:
        if node.text in {"min", "max"} and None not in ends:
            pick = min if node.text == "min" else max
            return pick(one[0] for one in ends if one), pick(one[1] for one in ends if one)
        if node.text == "abs" and ends[0] is not None:
            low, high = ends[0]
            return (0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))
        return None


def _all_of(conditions: Sequence[ElementGuard]) -> Iterator[ElementGuard]:
    """The conditions that hold together."""
    for one in conditions:
        yield one
        if one.kind == "and":
            yield from _all_of(one.parts)


def _with_rests(form: Form) -> Form:
    """The form with `f % d` in place of `f - d * (f // d)`, of which its parts do not say the ends."""
    for term, factor in form.terms:
        if isinstance(term, Rounded) and term.operator == "//" and factor % term.divisor == 0:
            times = -factor // term.divisor
            others = form.without(term) - term.form.scaled(times)
            if not {name for name, _ in others.terms} & {name for name, _ in term.form.terms}:
                return _with_rests(others + rounded("%", term.form, term.divisor).scaled(times))
    return form


def _arithmetic(kind: str, ends: list[tuple[int, int]]) -> tuple[int, int] | None:
    """The ends of an operation on integers between two ends each; None where nothing is known."""
    if kind == "convert":
        return ends[0]
    if kind == "negative":
        return -ends[0][1], -ends[0][0]
    known = _ENDS.get(kind)
    return known(*ends[0], *ends[1]) if known is not None and len(ends) > 1 else None


def _product_ends(low: int, high: int, first: int, last: int) -> tuple[int, int]:
    products = [one * other for one in (low, high) for other in (first, last)]
    return min(products), max(products)


def _shift_ends(low: int, high: int, first: int, last: int) -> tuple[int, int]:
    return _product_ends(low, high, 1 << min(max(first, 0), 64), 1 << min(max(last, 0), 64))


def _quotient_ends(low: int, high: int, first: int, last: int) -> tuple[int, int] | None:
    return (min(low // first, low // last), max(high // first, high // last)) if first > 0 else None


def _moved_down_ends(low: int, high: int, first: int, last: int) -> tuple[int, int] | None:
    return (min(low >> first, low >> last), max(high >> first, high >> last)) if first >= 0 else None


def _mask_ends(low: int, high: int, first: int, last: int) -> tuple[int, int] | None:
    positive = [end for least, end in ((low, high), (first, last)) if least >= 0]
    return (0, min(positive)) if positive else None


def _union_ends(low: int, high: int, first: int, last: int) -> tuple[int, int] | None:
    return (0, (1 << max(high, last).bit_length()) - 1) if low >= 0 and first >= 0 else None


_ENDS: dict[str, Callable[[int, int, int, int], tuple[int, int] | None]] = {
    "+": lambda low, high, first, last: (low + first, high + last),
    "-": lambda low, high, first, last: (low - last, high - first),
    "*": _product_ends,
    "<<": _shift_ends,
    "//": _quotient_ends,
    "%": lambda _low, _high, first, last: (0, last - 1) if first > 0 else None,
    ">>": _moved_down_ends,
    "&": _mask_ends,
    "|": _union_ends,
    "^": _union_ends,
}
