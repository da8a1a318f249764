"""Affine forms: integer multiples of terms and a constant; and integer expressions as such forms.

Every step from an expression to its form is exact for all integers: of `//` and `%` only what the divisor divides is
taken out. In an element type, where arithmetic wraps, only what surely stays in the type's range is taken apart.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from math import gcd
from typing import Generic, Self, TypeAlias, TypeVar

from arrayol.ir import expressions
from arrayol.ir.intervals import fits
from arrayol.ir.types import ElementType, Weak
from arrayol.source import Span

_Term = TypeVar("_Term", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Affine(Generic[_Term]):
    """The sum of factor x term over `terms`, and `constant`. No factor is 0, no term stands twice."""

    terms: tuple[tuple[_Term, int], ...] = ()
    constant: int = 0

    @classmethod
    def of(cls, terms: Iterable[tuple[_Term, int]], constant: int) -> Self:
        """A form from terms that may repeat or vanish."""
        sums: dict[_Term, int] = {}
        for term, factor in terms:
            sums[term] = sums.get(term, 0) + factor
        return cls(tuple((term, factor) for term, factor in sums.items() if factor), constant)

    def __add__(self, other: Self | int) -> Self:
        if isinstance(other, int):
            return type(self)(self.terms, self.constant + other)
        return self.of((*self.terms, *other.terms), self.constant + other.constant)

    def __sub__(self, other: Self | int) -> Self:
        return self + (-other if isinstance(other, int) else other.scaled(-1))

    def scaled(self, factor: int) -> Self:
        """The form multiplied by an integer."""
        if factor == 0:
            return type(self)()
        return type(self)(tuple((term, factor * own) for term, own in self.terms), factor * self.constant)

    def divided(self, divisor: int) -> Self:
        """The form divided by a number that divides all its factors; the constant is rounded down."""
        return type(self)(tuple((term, own // divisor) for term, own in self.terms), self.constant // divisor)

    def factor(self, term: _Term) -> int:
        """The factor of a term, 0 where it does not occur."""
        return next((own for other, own in self.terms if other == term), 0)

    def without(self, term: _Term) -> Self:
        """All but one term."""
        return type(self)(tuple(item for item in self.terms if item[0] != term), self.constant)

    @property
    def number(self) -> int | None:
        """The value where it is one number."""
        return None if self.terms else self.constant

    @property
    def step(self) -> int:
        """The greatest common divisor of the factors; 0 for a number."""
        return gcd(*(factor for _, factor in self.terms))


# In range variables by name, and expressions that are not affine.
AffineExpr: TypeAlias = Affine[str | expressions.Expr]


def affine(expr: expressions.Expr) -> AffineExpr:
    """The form of an integer expression, of the weak type or of an element type."""
    match expr:
        case expressions.Constant():
            return Affine(constant=int(expr.value))
        case expressions.Index():
            return Affine(((expr.name, 1),))
        case expressions.Operation() if _is_exact(expr):
            return _chain(expr)
        case expressions.Convert() if _keeps_values(expr):
            return affine(expr.operand)
        case _:
            return Affine(((expr, 1),))


def non_affine_part(form: AffineExpr) -> list[tuple[expressions.Expr, int]]:
    """What is not affine in range variables, with its factors."""
    return [(term, factor) for term, factor in form.terms if not isinstance(term, str)]


def expression_of(form: AffineExpr, span: Span) -> expressions.Expr:
    """The weak integer expression of a form whose rest is weak: `2 * i + j - 1`, `5 - k`, positive terms first."""
    names = [(expressions.Index(term, span), factor) for term, factor in form.terms if isinstance(term, str)]
    parts = sorted([*names, *non_affine_part(form)], key=lambda part: part[1] < 0)
    constant, first = form.constant, None
    if constant > 0 and parts and parts[0][1] < 0:
        constant, first = 0, _number(constant, span)
    return _summed(parts, constant, first, span)


def _summed(
    parts: list[tuple[expressions.Expr, int]], constant: int, total: expressions.Expr | None, span: Span
) -> expressions.Expr:
    for part, factor in parts:
        if total is None:
            total = _times(factor, part, span)
        else:
            total = _operation("+" if factor > 0 else "-", total, _times(abs(factor), part, span), span)
    if total is None or not constant:
        return total or _number(constant, span)
    return _operation("+" if constant > 0 else "-", total, _number(abs(constant), span), span)


def _times(factor: int, expr: expressions.Expr, span: Span) -> expressions.Expr:
    return expr if factor == 1 else _operation("*", _number(factor, span), expr, span)


def _number(value: int, span: Span) -> expressions.Constant:
    return expressions.Constant(value, Weak.INTEGER, span)


def _operation(operator: str, left: expressions.Expr, right: expressions.Expr, span: Span) -> expressions.Operation:
    return expressions.Operation(operator, (left, right), Weak.INTEGER, span)


def _chain(expr: expressions.Operation) -> AffineExpr:
    """A chain of left operands by a loop, since it may be longer than any stack."""
    chain: list[expressions.Operation] = []
    left: expressions.Expr = expr
    while isinstance(left, expressions.Operation) and _is_exact(left):
        chain.append(left)
        left = left.operands[0]
    form = affine(left)
    for node in reversed(chain):
        form = _apply(node, form)
    return form


def _apply(node: expressions.Operation, left: AffineExpr) -> AffineExpr:
    if len(node.operands) == 1:
        return left.scaled(-1) if node.operator == "-" else Affine(((node, 1),))
    right = affine(node.operands[1])
    match node.operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return _product(node, left, right)
        case "//" | "%" if right.number:
            return _rounded(node, left, right.number)
        case _:
            return _opaque(node, left, right)


def _opaque(node: expressions.Operation, left: AffineExpr, right: AffineExpr) -> AffineExpr:
    """Any other operation, of operands in their affine forms."""
    if node.type is not Weak.INTEGER or not _is_weak(left) or not _is_weak(right):
        return Affine(((node, 1),))
    operands = (expression_of(left, node.span), expression_of(right, node.span))
    return Affine(((replace(node, operands=operands), 1),))


def _product(node: expressions.Operation, left: AffineExpr, right: AffineExpr) -> AffineExpr:
    for factor, other in ((left, right), (right, left)):
        if factor.number is not None:
            return other.scaled(factor.number)
    if not _is_weak(left) or not _is_weak(right):
        return Affine(((node, 1),))
    contents = [gcd(form.constant, form.step) for form in (left, right)]  # not 0: neither is a number
    first, second = (
        expression_of(form.divided(content), node.span) for form, content in zip((left, right), contents, strict=True)
    )
    return Affine(((_operation("*", first, second, node.span), contents[0] * contents[1]),))


def _rounded(node: expressions.Operation, left: AffineExpr, divisor: int) -> AffineExpr:
    """What `//` and `%` leave of what the divisor divides, and the rest of them as it is."""
    whole: AffineExpr = Affine(tuple(item for item in left.terms if item[1] % divisor == 0))
    part: AffineExpr = Affine(tuple(item for item in left.terms if item[1] % divisor), left.constant)
    if part.number is not None:
        return left.divided(divisor) if node.operator == "//" else Affine(constant=part.constant % divisor)
    if not _is_weak(part):
        return Affine(((node, 1),))
    kept = _operation(node.operator, expression_of(part, node.span), _number(divisor, node.span), node.span)
    rest: AffineExpr = Affine(((kept, 1),))
    return whole.divided(divisor) + rest if node.operator == "//" else rest


def _is_weak(form: AffineExpr) -> bool:
    return all(expr.type is Weak.INTEGER for expr, _ in non_affine_part(form))


def _is_exact(expr: expressions.Operation) -> bool:
    """Whether an operation on integers gives the integer of mathematics: always in the weak type."""
    if expr.type is Weak.INTEGER:
        return True
    return isinstance(expr.type, ElementType) and expr.type.is_integer and fits(expr, expr.type, {})


def _keeps_values(expr: expressions.Convert) -> bool:
    """Whether a conversion leaves an integer as it is; what does not fit from the weak type is an error."""
    if not expr.type.is_integer:
        return False
    return expr.operand.type is Weak.INTEGER or fits(expr.operand, expr.type, {})
