"""Promotion of operand types: NumPy's, without f16 (docs/language.md, "Types of results")."""

from __future__ import annotations

from arrayol.ir.types import ElementType, Kind, ValueType, Weak

_RANK = (Kind.BOOL, Kind.UNSIGNED, Kind.SIGNED, Kind.FLOAT, Kind.COMPLEX)


def promote(left: ElementType, right: ElementType) -> ElementType | None:
    """The type of both operands and the result, or None where there is none (u64 with a signed type)."""
    low, high = sorted((left, right), key=lambda member: (_RANK.index(member.kind), member.bits))
    if low.kind in (high.kind, Kind.BOOL):
        return high
    if high.is_integer:
        return _integers(low, high)
    component = high.bits // 2 if high.kind is Kind.COMPLEX else high.bits
    needed = component if low.kind is Kind.FLOAT and low.bits <= component else 64
    if low.is_integer and low.bits <= 16:
        needed = component
    return {
        (Kind.FLOAT, 32): ElementType.F32,
        (Kind.FLOAT, 64): ElementType.F64,
        (Kind.COMPLEX, 32): ElementType.C64,
        (Kind.COMPLEX, 64): ElementType.C128,
    }[high.kind, needed]


def _integers(unsigned: ElementType, signed: ElementType) -> ElementType | None:
    bits = max(2 * unsigned.bits, signed.bits)
    return ElementType(f"i{bits}") if bits <= 64 else None


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
