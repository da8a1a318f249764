"""Integer expressions as linear forms: multiples of range variables and of what is not affine, and an offset.

Every step is exact for all integers: of `//` and `%` only what the divisor divides is taken out. In an element type,
where arithmetic wraps, only what surely stays in the type's range is taken apart.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from math import gcd
from typing import TypeVar

from arrayol.ir import body
from arrayol.ir.types import ElementType, Weak
from arrayol.source import Span

_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class LinearForm:
    """The sum of factor x range variable over `terms`, of factor x expression over `rest`, and `offset`.

    No factor is 0, no variable or expression stands twice.
    """

    terms: tuple[tuple[str, int], ...] = ()
    rest: tuple[tuple[body.Expr, int], ...] = ()
    offset: int = 0

    def __add__(self, other: LinearForm) -> LinearForm:
        terms, rest = dict(self.terms), dict(self.rest)
        for name, factor in other.terms:
            terms[name] = terms.get(name, 0) + factor
        for expr, factor in other.rest:
            rest[expr] = rest.get(expr, 0) + factor
        return LinearForm(_nonzero(terms), _nonzero(rest), self.offset + other.offset)

    def scaled(self, factor: int) -> LinearForm:
        """The form multiplied by an integer."""
        if factor == 0:
            return LinearForm()
        terms = tuple((name, factor * own) for name, own in self.terms)
        return LinearForm(terms, tuple((expr, factor * own) for expr, own in self.rest), factor * self.offset)

    def factor(self, name: str) -> int:
        """The factor of a range variable."""
        return dict(self.terms).get(name, 0)

    @property
    def constant(self) -> int | None:
        """The value where it is one number."""
        return None if self.terms or self.rest else self.offset

    @property
    def content(self) -> int:
        """The greatest number that divides every value that the form can be seen to take; 1 for 0."""
        return gcd(self.offset, *(factor for _, factor in (*self.terms, *self.rest))) or 1

    def divided(self, divisor: int) -> LinearForm:
        """The form divided by a number that divides all its factors; the offset is rounded down."""
        terms = tuple((name, factor // divisor) for name, factor in self.terms)
        rest = tuple((expr, factor // divisor) for expr, factor in self.rest)
        return LinearForm(terms, rest, self.offset // divisor)


def _nonzero(factors: dict[_Key, int]) -> tuple[tuple[_Key, int], ...]:
    return tuple((key, factor) for key, factor in factors.items() if factor)


def linear_form(expr: body.Expr) -> LinearForm:
    """The linear form of an integer expression, of the weak type or of an element type."""
    match expr:
        case body.Constant():
            return LinearForm(offset=int(expr.value))
        case body.Index():
            return LinearForm(((expr.name, 1),))
        case body.Operation() if _is_exact(expr):
            return _chain(expr)
        case body.Convert() if _keeps_values(expr):
            return linear_form(expr.operand)
        case _:
            return LinearForm(rest=((expr, 1),))


def expression_of(form: LinearForm, span: Span) -> body.Expr:
    """The weak integer expression of a form whose rest is weak: `2 * i + j - 1`, `5 - k`, positive terms first."""
    parts: list[tuple[body.Expr, int]] = [(body.Index(name, span), factor) for name, factor in form.terms]
    parts += form.rest
    parts.sort(key=lambda part: part[1] < 0)
    offset, found = form.offset, None
    if offset > 0 and parts and parts[0][1] < 0:
        offset, found = 0, _number(offset, span)
    return _summed(parts, offset, found, span)


def _summed(parts: list[tuple[body.Expr, int]], offset: int, found: body.Expr | None, span: Span) -> body.Expr:
    for part, factor in parts:
        if found is None:
            found = _times(factor, part, span)
        else:
            found = _operation("+" if factor > 0 else "-", found, _times(abs(factor), part, span), span)
    if found is None or not offset:
        return found or _number(offset, span)
    return _operation("+" if offset > 0 else "-", found, _number(abs(offset), span), span)


def _times(factor: int, expr: body.Expr, span: Span) -> body.Expr:
    return expr if factor == 1 else _operation("*", _number(factor, span), expr, span)


def _number(value: int, span: Span) -> body.Constant:
    return body.Constant(value, Weak.INTEGER, span)


def _operation(operator: str, left: body.Expr, right: body.Expr, span: Span) -> body.Operation:
    return body.Operation(operator, (left, right), Weak.INTEGER, span)


def _chain(expr: body.Operation) -> LinearForm:
    """A chain of left operands by a loop, since it may be longer than any stack."""
    chain: list[body.Operation] = []
    left: body.Expr = expr
    while isinstance(left, body.Operation) and _is_exact(left):
        chain.append(left)
        left = left.operands[0]
    form = linear_form(left)
    for node in reversed(chain):
        form = _apply(node, form)
    return form


def _apply(node: body.Operation, left: LinearForm) -> LinearForm:
    if len(node.operands) == 1:
        return left.scaled(-1) if node.operator == "-" else LinearForm(rest=((node, 1),))
    right = linear_form(node.operands[1])
    match node.operator:
        case "+":
            return left + right
        case "-":
            return left + right.scaled(-1)
        case "*":
            return _product(node, left, right)
        case "//" | "%" if right.constant:
            return _rounded(node, left, right.constant)
        case _:
            return _opaque(node, left, right)


def _opaque(node: body.Operation, left: LinearForm, right: LinearForm) -> LinearForm:
    """Any other operation, of operands in their linear forms."""
    if node.type is not Weak.INTEGER or not _weak(left) or not _weak(right):
        return LinearForm(rest=((node, 1),))
    operands = (expression_of(left, node.span), expression_of(right, node.span))
    return LinearForm(rest=((replace(node, operands=operands), 1),))


def _product(node: body.Operation, left: LinearForm, right: LinearForm) -> LinearForm:
    for one, other in ((left, right), (right, left)):
        if one.constant is not None:
            return other.scaled(one.constant)
    if not _weak(left) or not _weak(right):
        return LinearForm(rest=((node, 1),))
    first, second = (expression_of(form.divided(form.content), node.span) for form in (left, right))
    return LinearForm(rest=((_operation("*", first, second, node.span), left.content * right.content),))


def _rounded(node: body.Operation, left: LinearForm, divisor: int) -> LinearForm:
    """What `//` and `%` leave of what the divisor divides, and the rest of them as it is."""
    terms = {True: LinearForm(), False: LinearForm(offset=left.offset)}
    for name, factor in left.terms:
        terms[factor % divisor == 0] += LinearForm(((name, factor),))
    for expr, factor in left.rest:
        terms[factor % divisor == 0] += LinearForm(rest=((expr, factor),))
    whole, part = terms[True], terms[False]
    if part.constant is not None:
        return (whole + part).divided(divisor) if node.operator == "//" else LinearForm(offset=part.offset % divisor)
    if not _weak(part):
        return LinearForm(rest=((node, 1),))
    kept = _operation(node.operator, expression_of(part, node.span), _number(divisor, node.span), node.span)
    return (whole.divided(divisor) if node.operator == "//" else LinearForm()) + LinearForm(rest=((kept, 1),))


def _weak(form: LinearForm) -> bool:
    return all(expr.type is Weak.INTEGER for expr, _ in form.rest)


def _is_exact(expr: body.Operation) -> bool:
    """Whether an operation on integers gives the integer of mathematics: always in the weak type."""
    if expr.type is Weak.INTEGER:
        return True
    span = _interval(expr)
    return span is not None and _holds(expr.type, span)


def _keeps_values(expr: body.Convert) -> bool:
    if not expr.type.is_integer:
        return False
    if expr.operand.type is Weak.INTEGER:
        return True  # what does not fit is an error
    span = _interval(expr.operand)
    return span is not None and _holds(expr.type, span)


def _holds(type_: object, span: tuple[int, int]) -> bool:
    if not isinstance(type_, ElementType) or not type_.is_integer:
        return False
    low, high = type_.integer_range
    return low <= span[0] and span[1] <= high


def _interval(expr: body.Expr) -> tuple[int, int] | None:
    """Least and greatest value that an expression of an integer type can take, if nothing in it can wrap."""
    if isinstance(expr, body.Constant):
        return int(expr.value), int(expr.value)
    if not isinstance(expr.type, ElementType) or not expr.type.is_integer:
        return None
    if isinstance(expr, body.Convert) and _keeps_values(expr):
        return _interval(expr.operand) or expr.type.integer_range
    if isinstance(expr, body.Operation) and len(expr.operands) == 2 and expr.operator in ("+", "-", "*"):
        return _combined(expr)
    return expr.type.integer_range


def _combined(expr: body.Operation) -> tuple[int, int] | None:
    spans = [_interval(operand) for operand in expr.operands]
    if spans[0] is None or spans[1] is None:
        return None
    (low, high), (other_low, other_high) = spans[0], spans[1]
    if expr.operator == "*":
        corners = [one * other for one in (low, high) for other in (other_low, other_high)]
    elif expr.operator == "+":
        corners = [low + other_low, high + other_high]
    else:
        corners = [low - other_high, high - other_low]
    found = min(corners), max(corners)
    return found if _holds(expr.type, found) else None
