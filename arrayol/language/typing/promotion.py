"""Promotion of operands: of integers and floats as NumPy does it, of fixed-point numbers without a loss."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from arrayol.ir import expressions
from arrayol.ir.types import MAXIMUM_WIDTH, ElementType, Kind, ValueType, Weak, fixed_type
from arrayol.language.syntax.diagnose import mistake
from arrayol.operators.record import Fixed, Operator
from arrayol.source import Span

_U1 = ElementType("u1")


def fixed_operation(
    operator: Operator, left: expressions.Expr, right: expressions.Expr, span: Span
) -> expressions.Operation | None:
    """A product or shift that fixed-point operands make a special one; None for all else. Raises Mistake."""
    if operator.fixed is Fixed.PRODUCT and (_is_fixed(left.type) or _is_fixed(right.type)):
        return _product(operator.name, left, right, span)
    if operator.fixed is Fixed.SHIFT and _is_fixed(left.type):
        return _shift(operator.name, left, right, span)
    return None


def _is_fixed(kind: ValueType) -> bool:
    return isinstance(kind, ElementType) and kind.is_fixed


def _product(sign: str, left: expressions.Expr, right: expressions.Expr, span: Span) -> expressions.Operation | None:
    """The exact product: bits before the point and after it add up. None where an operand is no such number."""
    factors = [_factor(operand) for operand in (left, right)]
    if None in factors:
        return None
    first, second = (factor for factor in factors if factor is not None)
    kinds = [kind for kind in (first.type, second.type) if isinstance(kind, ElementType)]
    whole, fraction = sum(kind.integer_bits for kind in kinds), sum(kind.fraction for kind in kinds)
    result = fixed_type(signed=any(kind.is_signed for kind in kinds), whole=whole, fraction=fraction)
    if result is None:
        message = (
            f"the product of {kinds[0]} and {kinds[1]} has {whole + fraction} bits; there are at most {MAXIMUM_WIDTH}"
        )
        fine = next((each for each in (left, right) if each.type is Weak.FLOAT), None)
        hint = "convert a factor to fewer bits first"
        if isinstance(fine, expressions.Constant):
            hint = f"round the constant, as in round({fine.value}, 15)"
        raise mistake("too-wide", message, span, hint)
    return expressions.Operation(sign, (first, second), result, span)


def _factor(operand: expressions.Expr) -> expressions.Expr | None:
    kind = operand.type
    if kind is ElementType.BOOL:
        return expressions.Convert(operand, _U1, operand.span)
    if isinstance(kind, ElementType):
        return operand if kind.wraps else None
    if kind is Weak.BOOL:
        return None
    if not isinstance(operand, expressions.Constant):
        what = "a range variable has no format" if kind is Weak.INTEGER else "this float has no exact format"
        hint = f"convert it, as in {'i16' if kind is Weak.INTEGER else 'i4.12'}(...)"
        raise mistake("wrong-operand", f"{what} in a product of fixed-point numbers", operand.span, hint)
    narrow = narrowest(operand.value)
    if narrow is None:
        message = f"{operand.value} has more than {MAXIMUM_WIDTH} bits, and products of fixed-point numbers are exact"
        raise mistake("too-wide", message, operand.span, f"round it, as in round({operand.value}, 15)")
    return replace(operand, value=narrow.held(operand.value), type=narrow)


def narrowest(value: float) -> ElementType | None:
    """The integer or fixed-point type of the fewest bits that has a number as a value; None where 64 do not do."""
    exact = Fraction(value)
    fraction = exact.denominator.bit_length() - 1
    stored, signed = exact.numerator, exact < 0
    bits = (-stored - 1).bit_length() + 1 if signed else stored.bit_length()
    return fixed_type(signed=signed, whole=max(0, bits - fraction), fraction=fraction)


def _shift(sign: str, left: expressions.Expr, right: expressions.Expr, span: Span) -> expressions.Operation:
    """A shift by an integer, which keeps the format."""
    amount = right
    if isinstance(right, expressions.Constant) and right.type is Weak.INTEGER:
        amount = replace(right, type=ElementType.I64)
    elif right.type is Weak.INTEGER:
        amount = expressions.Convert(right, ElementType.I64, right.span)
    elif not (isinstance(right.type, ElementType) and right.type.is_integer):
        raise mistake("wrong-operand", f"'{sign}' shifts by integers", right.span, "convert the amount: u8(...)")
    return expressions.Operation(sign, (left, amount), left.type, span)


def rounded(kind: ElementType, bits: int, span: Span) -> ElementType:
    """The type of `round` of an integer or fixed-point type to so many bits after the point. Raises Mistake."""
    result = fixed_type(signed=kind.is_signed, whole=kind.integer_bits + 1, fraction=bits)
    if result is None:
        message = (
            f"round(e, {bits}) of {kind} has {kind.integer_bits + 1 + bits} bits; there are at most {MAXIMUM_WIDTH}"
        )
        raise mistake("too-wide", message, span, "convert it to fewer bits first")
    return result


_RANK = (Kind.BOOL, Kind.UNSIGNED, Kind.SIGNED, Kind.FLOAT, Kind.COMPLEX)


def promote(left: ElementType, right: ElementType) -> ElementType | None:
    """The type of both operands and the result: the narrowest that holds both, of NumPy's what NumPy says.

    None where there is none of 64 bits at most, and for u64 with a signed type.
    """
    low, high = sorted((left, right), key=lambda member: (_RANK.index(member.kind), member.bits))
    if high.wraps and not (low.is_numpys and high.is_numpys):
        return _narrowest(_U1 if low.kind is Kind.BOOL else low, high)
    if low.kind in (high.kind, Kind.BOOL):
        return high
    if high.wraps:
        return _integers(low, high)
    component = high.bits // 2 if high.kind is Kind.COMPLEX else high.bits
    needed = component if low.kind is Kind.FLOAT and low.bits <= component else 64
    if low.wraps and low.bits <= (16 if low.is_numpys else _EXACT_IN_F32 + low.is_signed):
        needed = component
    return {
        (Kind.FLOAT, 32): ElementType.F32,
        (Kind.FLOAT, 64): ElementType.F64,
        (Kind.COMPLEX, 32): ElementType.C64,
        (Kind.COMPLEX, 64): ElementType.C128,
    }[high.kind, needed]


_EXACT_IN_F32 = 24  # bits of an integer


def _integers(unsigned: ElementType, signed: ElementType) -> ElementType | None:
    bits = max(2 * unsigned.bits, signed.bits)
    return ElementType(f"i{bits}") if bits <= 64 else None


def _narrowest(left: ElementType, right: ElementType) -> ElementType | None:
    signed = left.is_signed or right.is_signed
    whole = max(kind.integer_bits + (signed and not kind.is_signed) for kind in (left, right))
    return fixed_type(signed=signed, whole=whole, fraction=max(left.fraction, right.fraction))


def meet(left: ValueType, right: ValueType) -> ValueType | None:
    """The common type of two operands, constants among them; None where there is none."""
    if isinstance(left, ElementType) and isinstance(right, ElementType):
        return promote(left, right)
    if isinstance(left, Weak) and isinstance(right, Weak):
        if Weak.BOOL in (left, right):
            return Weak.BOOL if left is right else None
        return Weak.FLOAT if Weak.FLOAT in (left, right) else Weak.INTEGER
    weak, strong = (left, right) if isinstance(left, Weak) else (right, left)
    assert isinstance(weak, Weak)
    assert isinstance(strong, ElementType)
    return _weak_meets(weak, strong)


def _weak_meets(weak: Weak, strong: ElementType) -> ElementType | None:
    if (weak is Weak.BOOL) != (strong is ElementType.BOOL):
        return None
    return ElementType.F64 if weak is Weak.FLOAT and strong.is_integer else strong
