"""An elementary task on linear bank mappings, as a specification that computes the same arrays.

Each array becomes one of banks and words, in which element x is at [bank(x), address(x)] (linear_banks.py). One task
fills them, the unrolled body works on them, one task restores the arrays, as with a custom layout (emit_aol.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from arrayol.errors import error
from arrayol.ir import expressions
from arrayol.ir.affine import affine, expression_of
from arrayol.ir.spec import Elementary, Port, Spec
from arrayol.ir.types import ElementType, Weak
from arrayol.source import Span
from arrayol.transforms.unroll import StatementCopy, Unrolled
from hwmodel.banks.emit_aol import Fresh, LaidOut, cleared, emitted, index_names, range_to
from hwmodel.banks.linear import LinearMapping
from hwmodel.banks.linear_banks import LinearBanks, linear_banks
from hwmodel.banks.renaming import Seating, wide, with_accesses


def rewritten_linear(spec: Spec, name: str, factors: Sequence[int], linear: Mapping[str, LinearMapping]) -> Spec:
    """A specification of NAME unrolled and on its linear mappings, filled in front and restored behind.

    `linear` has the mapping of each array that the nest uses. Task NAME_laid_out has the ports of NAME; each array is a
    port [banks, words] of NAME_banked. Scalar ports stay as they are. Raises ArrayolError: `no-nest` where NAME is no
    elementary with a body, `no-linear-banks` where no mapping of an array is free of conflicts, and what `unroll`
    raises.
    """

    def lay(component: Elementary, unrolled: Unrolled, fresh: Fresh, parts: tuple[str, str]) -> LaidOut:
        arrays = {port.name: port for port in (*component.inputs, *component.outputs) if port.name in linear}
        seats = {name: _Seat(fresh(f"{name}_banks"), _banks_of(port, linear[name])) for name, port in arrays.items()}
        inputs, outputs = (
            tuple(port for port in ports if port.name in seats) for ports in (component.inputs, component.outputs)
        )
        seating = Seating((), *(tuple(seats[port.name].port_of(port) for port in ports) for ports in (inputs, outputs)))
        split = tuple(_copy(port, seats[port.name], into_banks=True) for port in inputs)
        join = tuple(_copy(port, seats[port.name], into_banks=False) for port in outputs)
        return LaidOut(
            seating,
            with_accesses(unrolled, _ToBanks(seats)),
            cleared(Elementary(parts[0], inputs, seating.inputs, split, None, component.span), seating.inputs),
            Elementary(parts[1], seating.outputs, outputs, join, None, component.span),
        )

    return emitted(spec, name, factors, lay)


def _banks_of(port: Port, linear: LinearMapping) -> LinearBanks:
    if linear.banks is None:
        raise error(
            "no-linear-banks",
            f"'{port.name}' is in no linear banks: {linear.gave_up}",
            port.span,
            hint="unroll by less, or write the custom layout",
        )
    return linear_banks([extent or 0 for extent in port.shape], linear.banks, linear.vector, linear.block)


@dataclass(frozen=True, slots=True)
class _Seat:
    """An array in a port of banks and words."""

    name: str
    banks: LinearBanks

    def port_of(self, array: Port) -> Port:
        return Port(self.name, array.type, (self.banks.banks, self.banks.depth), array.span)

    def subscripts(self, place: Sequence[expressions.Expr], span: Span) -> tuple[expressions.Expr, expressions.Expr]:
        """The bank and the word of an element; subscripts that come from data are i64, in which nothing wraps."""
        weak = all(item.type is Weak.INTEGER for item in place)
        items = list(place) if weak else [wide(item) for item in place]
        banks, numbers = self.banks, _Numbers(Weak.INTEGER if weak else ElementType.I64, span)
        line = numbers.sum(items, banks.vector)
        bank = numbers.by("%", numbers.by("//", line, banks.block), banks.banks)
        folded = numbers.by("//", items[banks.axis], banks.period)
        if banks.each > 1:
            offset = numbers.by("//", numbers.by("%", line, banks.block), banks.step)
            folded = numbers.sum([folded, offset], [banks.each, 1])
        words = [folded if axis == banks.axis else item for axis, item in enumerate(items)]
        word = numbers.sum(words, [prod(banks.folded[axis + 1 :]) for axis in range(len(words))])
        return numbers.simple(bank), numbers.simple(word)


@dataclass(frozen=True, slots=True)
class _Numbers:
    """Expressions of integers of one type."""

    type: ElementType | Weak
    span: Span

    def constant(self, value: int) -> expressions.Expr:
        return expressions.Constant(value, self.type, self.span)

    def by(self, operator: str, expr: expressions.Expr, number: int) -> expressions.Expr:
        """`expr // number` or `expr % number`."""
        if number == 1:
            return expr if operator == "//" else self.constant(0)
        return expressions.Operation(operator, (expr, self.constant(number)), self.type, self.span)

    def sum(self, items: Sequence[expressions.Expr], factors: Sequence[int]) -> expressions.Expr:
        """The sum of items times factors of 0 or more."""
        total: expressions.Expr | None = None
        for item, factor in zip(items, factors, strict=True):
            if factor:
                scaled = (self.constant(factor), item)
                term = item if factor == 1 else expressions.Operation("*", scaled, self.type, self.span)
                parts = (total, term) if total is not None else ()
                total = expressions.Operation("+", parts, self.type, self.span) if parts else term
        return total if total is not None else self.constant(0)

    def simple(self, expr: expressions.Expr) -> expressions.Expr:
        """An expression of equal value, as short as its affine form is."""
        return expression_of(affine(expr), self.span) if self.type is Weak.INTEGER else expr


@dataclass(frozen=True, slots=True)
class _ToBanks:
    """The accesses of a body on banks; other arrays stay."""

    seats: Mapping[str, _Seat]

    def to(
        self,
        copy: StatementCopy,
        array: str,
        written: Sequence[expressions.Expr],
        inner: Sequence[expressions.Expr],
        number: int,
    ) -> tuple[str, tuple[expressions.Expr, ...]]:
        seat = self.seats.get(array)
        if seat is None:
            return array, tuple(inner)
        return seat.name, seat.subscripts(inner, written[0].span)


def _copy(array: Port, seat: _Seat, *, into_banks: bool) -> expressions.Statement:
    """All elements of an array into its banks, or back."""
    indices, span = index_names([array, seat.name]), array.span
    place = tuple(expressions.Index(indices(axis), span) for axis in range(len(array.shape)))
    ranges = tuple(range_to(indices(axis), extent or 0, span) for axis, extent in enumerate(array.shape))
    inside = seat.subscripts(place, span)
    outside: tuple[str, tuple[expressions.Expr, ...]] = (array.name, place)
    (port, to), (source, at) = ((seat.name, inside), outside) if into_banks else (outside, (seat.name, inside))
    value = expressions.Read(source, at, array.type, span)
    return expressions.Assign(port, to, value, ranges, None, False, span, span)
