"""Consts in what transformations print: a number that follows from consts is written as an expression of them.

Steps decide on numbers. So they are run again with other values of each const; where they give the same text but for
numbers, each number is written as the sum of products of consts that has all values seen, such as `H / 4 - 1`. What is
printed is read again, with the consts' values and with others, and must be what the steps give there. A const for which
that fails is applied: the text has its value.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from functools import reduce
from itertools import chain, combinations
from math import lcm
from pathlib import Path
from typing import Any

from arrayol.checks.check import check_again, check_source
from arrayol.errors import ArrayolError
from arrayol.ir import syntax, trusted
from arrayol.ir.spec import ConstValue, Spec
from arrayol.language.emitter import items_of, name, number, text_of
from arrayol.source import SourceFile
from arrayol.transforms.steps import BrokenStepError, Step, run_steps

_TOGETHER = 3  # consts in one product at most
_SHORT = 1 << 20  # factors beyond it, above or below the line, are no factors that anybody would write
Values = Mapping[str, ConstValue]
Leaves = tuple[ConstValue, ...]
Sum = dict[frozenset[str], Fraction]  # factors by the consts whose product they multiply


@dataclass(frozen=True, slots=True)
class KeptText:
    """The text of a transformed specification, and the consts that it has no more, as their values are in it."""

    text: str
    applied: tuple[str, ...]


def text_with_consts(spec: Spec, steps: Sequence[Step], after: Spec) -> KeptText:
    """What `spec_text(after)` says, with the consts of `spec`, from which the steps made `after`."""
    runs = _Runs(spec, steps, after)
    used = {const: others for const in spec.constants if (others := runs.others(const)) is not None}
    tried = [const for const, others in used.items() if others]
    text = runs.text(tried, used)
    if text is None:
        tried = [const for const in tried if runs.text([const], used) is not None]
        while (text := runs.text(tried, used)) is None and tried:
            tried = tried[:-1]
    return KeptText(text or text_of(items_of(after)), tuple(const for const in used if const not in tried))


@dataclass(slots=True)
class _Runs:
    """What the steps make with other values of consts, each computed once."""

    spec: Spec
    steps: Sequence[Step]
    after: Spec
    made: dict[frozenset[tuple[str, ConstValue]], Spec | None]
    base: tuple[tuple[Any, ...], Leaves]
    sizes: set[int]

    def __init__(self, spec: Spec, steps: Sequence[Step], after: Spec) -> None:
        self.spec, self.steps, self.after, self.made = spec, steps, after, {}
        self.base = _parsed_const(items_of(after))
        self.sizes = {int(word) for step in steps for word in re.findall(r"\b[0-9]{1,9}\b", str(step))}

    def others(self, const: str) -> tuple[ConstValue, ...] | None:
        """Two other values of a const that change numbers only, none if there are no two; None: it changes nothing."""
        found: list[ConstValue] = []
        changes = False
        for value in _other_values(self.spec.constants[const], self.sizes):
            leaves = self.leaves({const: value})
            changes = changes or leaves != self.base[1]
            if leaves is not None:
                found.append(value)
            if len(found) == 2:
                return tuple(found) if changes else None
        return ()

    def at(self, values: Values) -> Spec | None:
        """What the steps make with these values of some consts, None where they or the checks refuse them."""
        key = frozenset(values.items())
        if key not in self.made:
            try:
                other = check_again(self.spec, {**self.spec.recorded, **values}, same_names=True)
                self.made[key] = run_steps(other, self.steps).spec
            except (ArrayolError, BrokenStepError):
                self.made[key] = None
        return self.made[key]

    def leaves(self, values: Values) -> Leaves | None:
        """The numbers of that, None where it differs in more."""
        made = self.at(values)
        if made is None:
            return None
        shape, leaves = _parsed_const(items_of(made))
        return leaves if shape == self.base[0] else None

    def text(self, kept: Sequence[str], used: Mapping[str, Sequence[ConstValue]]) -> str | None:
        """The text with these consts, None where it does not say what the steps make."""
        if not kept:
            return None
        sums = self._sums({const: used[const] for const in kept})
        if sums is None:
            return None
        items = _put_together(items_of(self.after), iter(sums))
        free = {const for const in self.spec.constants if const in kept or const not in used}
        text = "\n".join([text_of(list(_definitions(self.spec, free, sums))), text_of(items)])
        others: list[Values] = [{const: value} for const in kept for value in used[const]]
        joint = {const: used[const][1] for const in kept}
        others += [joint] if self.at(joint) is not None else []
        own = {const: self.spec.constants[const] for const in kept}  # else those that follow from others would move too
        same = self._says(text, {}, self.after)
        return text if same and all(self._says(text, own | {**one}, self.at(one)) for one in others) else None

    def _says(self, text: str, values: Values, expected: Spec | None) -> bool:
        """Whether the text, with some consts set, says what is expected."""
        settings = {const: str(value) for const, value in values.items()}
        try:
            beside = Path(self.spec.name).with_name("transformed.aol")  # where the files of const arrays are
            found = check_source(SourceFile(str(beside), text), settings)
        except ArrayolError:
            return False
        return expected is not None and found.ok and found.spec.components == expected.components

    def _sums(self, others: Mapping[str, Sequence[ConstValue]]) -> list[syntax.Expr | None] | None:
        """For each number an expression of the consts, None where it follows from none."""
        alone = {const: [self.leaves({const: value}) for value in values] for const, values in others.items()}
        found: list[syntax.Expr | None] = []
        for place, value in enumerate(self.base[1]):
            moving = [
                const
                for const, runs in alone.items()
                if any(leaves is not None and leaves[place] != value for leaves in runs)
            ]
            made = self._sum(place, moving, others) if moving else None
            if moving and made is None:
                return None
            found.append(made)
        return found

    def _sum(self, place: int, moving: Sequence[str], others: Mapping[str, Sequence[ConstValue]]) -> syntax.Expr | None:
        """The expression of a number that has its value at each of the first other values, and where these meet."""
        values = self.spec.constants
        if len(moving) == 1 and all(
            (leaves := self.leaves({moving[0]: value})) is not None and leaves[place] == value
            for value in (values[moving[0]], *others[moving[0]])
        ):
            return _ref(moving[0])
        if len(moving) > _TOGETHER or any(isinstance(values[const], bool) for const in moving):
            return None
        total: Sum = {}
        for some in _subsets(moving):
            corner = Fraction(0)
            for fewer in _subsets(some):
                leaves = self.leaves({const: others[const][0] for const in fewer})
                if leaves is None:
                    return None
                corner += (-1) ** (len(some) - len(fewer)) * Fraction(leaves[place])
            product: Sum = {frozenset(): corner}
            for const in some:
                step = 1 / (Fraction(others[const][0]) - Fraction(values[const]))
                product = _times(product, const, step, -step * Fraction(values[const]))
            for consts, factor in product.items():
                total[consts] = total.get(consts, Fraction(0)) + factor
        short = all(abs(factor.numerator) < _SHORT and factor.denominator < _SHORT for factor in total.values())
        return _written({consts: factor for consts, factor in total.items() if factor}, values) if short else None


def _other_values(value: ConstValue, sizes: Iterable[int]) -> list[ConstValue]:
    """Values that are likely to serve where this one does: multiples, since sizes divide, and some blocks more."""
    if isinstance(value, bool):
        return []
    if not isinstance(value, int):
        return [2 * value, value / 2, value + 1] if value else [1.0, 2.0]
    more = [value + times * size for size in (*sizes, 1, 2, 4, 8) for times in (1, 2)]
    return list(dict.fromkeys(one for one in (2 * value, 3 * value, 4 * value, *more, value - 1) if one != value))


def _subsets(consts: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return chain.from_iterable(combinations(consts, size) for size in range(len(consts) + 1))


def _times(product: Sum, const: str, factor: Fraction, constant: Fraction) -> Sum:
    """A sum of products times (factor const + constant)."""
    made = {consts: value * constant for consts, value in product.items()}
    return made | {consts | {const}: value * factor for consts, value in product.items()}


def _written(total: Sum, values: Values) -> syntax.Expr:
    """A sum as an expression; divided term by term where each is whole with these values, else once."""

    def whole(consts: frozenset[str], factor: Fraction) -> bool:
        if any(isinstance(values[const], float) for const in consts):
            return True
        return reduce(lambda product, const: product * Fraction(values[const]), consts, factor).denominator == 1

    terms = sorted(total.items(), key=lambda term: (term[1] < 0, -len(term[0]), sorted(term[0])))
    if all(whole(*term) for term in terms):
        return _added([(_term(consts, abs(factor)), factor < 0) for consts, factor in terms])
    by = lcm(*(factor.denominator for factor in total.values()))
    inner = _added([(_term(consts, abs(factor * by)), factor < 0) for consts, factor in terms])
    return trusted.Binary("/", inner, number(by))


def _added(terms: Sequence[tuple[syntax.Expr, bool]]) -> syntax.Expr:
    (first, negative), *rest = terms
    made = trusted.Unary("-", first) if negative else first
    for term, minus in rest:
        made = trusted.Binary("-" if minus else "+", made, term)
    return made


def _term(consts: frozenset[str], factor: Fraction) -> syntax.Expr:
    names = [_ref(const) for const in sorted(consts)]
    if factor.numerator != 1 or not names:
        names.insert(0, number(factor.numerator))
    product = reduce(lambda left, right: trusted.Binary("*", left, right), names)
    return product if factor.denominator == 1 else trusted.Binary("/", product, number(factor.denominator))


def _ref(const: str) -> syntax.Expr:
    return trusted.Ref(name(const), ())


def _definitions(spec: Spec, free: Collection[str], sums: Sequence[syntax.Expr | None]) -> Iterator[syntax.Item]:
    """The definitions of consts in a text, as they were where they name no others than `free` ones."""
    written = {item.name.text: item for item in spec.items if isinstance(item, syntax.Const)}
    follow = {
        const for const, item in written.items() if const not in spec.settings and {*_names(item.value)} <= {*free}
    }
    needed, waiting = set[str](), [*_names(sums)]
    while waiting:
        const = waiting.pop()
        waiting += _names(written[const].value) if const in follow and const not in needed else ()
        needed.add(const)
    for const, item in written.items():
        if const in needed:
            value = item.value if const in follow else number(spec.constants[const])
            yield trusted.replace(item, value=value, span=syntax.NOWHERE)


def _names(node: Any) -> Iterator[str]:
    """The names that expressions refer to."""
    if isinstance(node, syntax.Ref):
        yield node.name.text
    if isinstance(node, (tuple, list)):
        for one in node:
            yield from _names(one)
    elif is_dataclass(node):
        for entry in fields(node):
            yield from _names(getattr(node, entry.name))


# Syntax as its numbers, and all that is around them.


def _parsed_const(items: Sequence[Any]) -> tuple[tuple[Any, ...], Leaves]:
    shape: list[Any] = []
    leaves: list[ConstValue] = []
    _take(tuple(items), shape, leaves)
    return tuple(shape), tuple(leaves)


def _take(node: Any, shape: list[Any], leaves: list[ConstValue]) -> None:
    value = _value(node)
    if value is not None:
        shape.append("number")
        leaves.append(value)
    elif isinstance(node, tuple):
        shape.append(len(node))
        for one in node:
            _take(one, shape, leaves)
    elif is_dataclass(node):
        shape.append(type(node))
        for entry in fields(node):
            if entry.compare:
                _take(getattr(node, entry.name), shape, leaves)
    else:
        shape.append(node)


def _put_together(items: Sequence[Any], sums: Iterator[syntax.Expr | None]) -> list[Any]:
    return [_put(item, sums) for item in items]


def _put(node: Any, sums: Iterator[syntax.Expr | None]) -> Any:
    if _value(node) is not None:
        return next(sums) or node
    if isinstance(node, tuple):
        return tuple(_put(one, sums) for one in node)
    if is_dataclass(node) and not isinstance(node, type):
        return trusted.replace(
            node, **{entry.name: _put(getattr(node, entry.name), sums) for entry in fields(node) if entry.compare}
        )
    return node


def _value(node: Any) -> ConstValue | None:
    """The value of a number with its sign."""
    if isinstance(node, syntax.Number):
        return node.value
    negative = isinstance(node, syntax.Unary) and node.operator == "-" and isinstance(node.operand, syntax.Number)
    return -node.operand.value if negative else None
