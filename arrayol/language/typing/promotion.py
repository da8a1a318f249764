"""Promotion of operand types: NumPy's, without f16; of other widths the narrowest that holds both."""

from __future__ import annotations

from arrayol.ir.types import ElementType, Kind, ValueType, Weak, fixed_type

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


_U1 = ElementType("u1")
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
