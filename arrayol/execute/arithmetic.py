"""The arithmetic of bodies, type by type (docs/language.md, "Arithmetic"): NumPy's, where NumPy is exact.

The records of `arrayol/operators/` say which function of NumPy an operator is, and which it is of complex numbers,
where NumPy's own has other last bits. Elementary functions are given contiguous arguments: over long strides NumPy
takes another implementation of exp, log and tan, with other last bits, and the result would depend on the mapping.

Arrays hold the stored integers of a type (value x 2**fraction) in the narrowest type of NumPy that has its bits, and
always within its range. Sums, products and shifts are computed there and brought back into the range (`wrapping`): both
wrap around at powers of two.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrayol.execute.environment import DTYPES, Fault, Values
from arrayol.ir.types import ElementType, Kind, ValueType, Weak
from arrayol.operators.arithmetic import joined
from arrayol.operators.record import Fixed, Operator
from arrayol.operators.registry import FUNCTIONS, operator_of


def wrapped(values: Values, kind: ElementType) -> Values:
    """Integers of any type of NumPy that has at least the bits of `kind`, brought into its range by whole turns."""
    dtype = DTYPES[kind]
    values = np.asarray(values).astype(dtype, copy=False)
    spare = kind.stored_bits - kind.bits
    if not spare:
        return values
    if kind.is_signed:
        return np.right_shift(np.left_shift(values, spare), spare)
    return np.bitwise_and(values, dtype.type(kind.integer_range[1]))


def first_outside(values: Values, kind: ElementType) -> int | None:
    """The first of some integers that is no stored integer of a type, where NumPy's own type has more; else None."""
    if kind.is_numpys or not kind.wraps:
        return None
    low, high = kind.integer_range
    outside = (values < low) | (values > high)
    return int(values[outside].flat[0]) if np.any(outside) else None


def describe_range(kind: ElementType) -> str:
    """What the integers of files and arrays may be for a type."""
    low, high = kind.integer_range
    return f"{kind} {'is stored as' if kind.is_fixed else 'holds'} {low} to {high}"


def wrapping(apply: Apply, kind: ElementType | None) -> Apply:
    """A function whose result is brought into the range of a type, where NumPy's is wider."""
    if kind is None or not kind.wraps or kind.stored_bits == kind.bits:
        return apply
    return lambda *values: wrapped(apply(*values), kind)


def moved(values: Values, places: int, *, signed: bool) -> Values:
    """Integers times 2**places, rounded down, modulo 2**64."""
    values = np.asarray(values).astype("i8" if signed else "u8")
    if places >= 0:
        return np.left_shift(values, places) if places < 64 else np.zeros_like(values)
    return np.right_shift(np.right_shift(values, min(-places, 32)), min(max(-places - 32, 0), 63))


def stored_conversion(source: ElementType, target: ElementType) -> Apply:
    """Stored integers, or truth values, as those of another type: what is finer is dropped, what is too large wraps."""
    places, signed = target.fraction - source.fraction, source.is_signed
    if places == 0:
        return lambda values: wrapped(values, target)
    return lambda values: wrapped(moved(values, places, signed=signed), target)


def add_to(array: Values, values: Values, kind: ElementType) -> None:
    """Add to an array of stored integers, or of floats, in place."""
    np.add(array, values, out=array)
    settle(array, kind)


def settle(array: Values, kind: ElementType) -> None:
    """Bring sums in an array back into the range of their type."""
    if kind.wraps and kind.stored_bits != kind.bits:
        array[...] = wrapped(array, kind)


def combination(operator: Operator, kind: ElementType) -> Apply:
    """Products of stored integers, exact in a type that has their bits together; shifts of them by checked amounts."""
    dtype, apply = DTYPES[kind], operator.arrays(np)
    if operator.fixed is Fixed.PRODUCT:
        return lambda left, right: apply(np.asarray(left).astype(dtype), np.asarray(right).astype(dtype))
    return wrapping(lambda values, amount: apply(values, np.asarray(amount).astype(dtype)), kind)


def scaled_float(values: Values, kind: ElementType, dtype: np.dtype[Any]) -> Values:
    """Stored integers as floats or complex numbers: rounded once, then scaled, which is exact."""
    rounded = np.asarray(values).astype(dtype)
    return rounded * dtype.type(2.0**-kind.fraction) if kind.fraction else rounded


# Rounding to bits after the point.

_MANTISSA = {np.dtype("f4"): 24, np.dtype("f8"): 53}


def rounding(source: ValueType, target: ValueType, bits: int) -> Apply:
    """Numbers to so many bits after the point: floor(value 2**bits + 1/2) / 2**bits, the exact one."""
    if isinstance(source, ElementType) and source.wraps:
        assert isinstance(target, ElementType)
        places, dtype, signed = bits - source.fraction, DTYPES[target], source.is_signed
        if places >= 0:
            return lambda values: moved(values, places, signed=signed).astype(dtype)
        return lambda values: (
            moved(values, places, signed=signed) + (moved(values, places + 1, signed=signed) & 1)
        ).astype(dtype)
    return lambda values: _rounded(np.asarray(values, "f8") if source is Weak.FLOAT else values, bits)


def _rounded(values: Values, bits: int) -> Values:
    with np.errstate(all="ignore"):
        scaled = np.ldexp(values, bits)
        whole = np.floor(scaled)
        nearest = np.ldexp(whole + (scaled - whole >= 0.5), -bits)  # the difference is as exact as it must be
    # From 2**mantissa on each float is an integer; infinities stay, and NaN.
    return np.where(np.abs(values) < 2.0 ** _MANTISSA[values.dtype], nearest, values)


# The nearest value that a type has.


def saturation(source: ValueType, target: ElementType) -> Apply:
    """Numbers to the nearest value of `target`; fractions are cut off first, as a conversion does. NaN has none."""
    low, high = target.integer_range
    dtype = DTYPES[target]
    if source is Weak.FLOAT or (isinstance(source, ElementType) and source.kind is Kind.FLOAT):
        return lambda values: _nearest_to_floats(np.asarray(values).astype("f8"), target)
    places = target.fraction - (source.fraction if isinstance(source, ElementType) else 0)
    least, most = (low, high) if places <= 0 else (-(-low >> places), high >> places)

    def apply(values: Values) -> Values:
        if source is Weak.INTEGER and isinstance(values, int):
            return np.asarray(min(max(values << places, low), high)).astype(dtype)
        signed = not (isinstance(source, ElementType) and source.kind is Kind.UNSIGNED)
        values = np.asarray(values).astype("i8" if signed else "u8")
        kept = moved(values, places, signed=signed)
        judged = kept if places <= 0 else values
        below, above = np.less(judged, least), np.greater(judged, most)
        inside = np.where(below | above, 0, kept).astype(dtype)
        return np.where(below, dtype.type(low), np.where(above, dtype.type(high), inside))

    return apply


def _nearest_to_floats(values: Values, target: ElementType) -> Values:
    low, high = target.integer_range
    dtype = DTYPES[target]
    whole = np.trunc(np.ldexp(values, target.fraction))
    below, above = whole < float(low), whole >= float(high + 1)
    inside = np.where(below | above, 0, whole).astype(dtype)
    return np.where(below, dtype.type(low), np.where(above, dtype.type(high), inside))


Apply = Callable[..., Values]


def operation(name: str, operands: int, operand_type: ElementType | None) -> Apply:
    """The function of an operator on operands of one element type; None stands for weak operands."""
    operator = operator_of(name, operands)
    if operand_type is None:
        return operator.exact  # Python's own, or int64 where a range is computed at once (vectorise.py)
    apply = _of_type(operator, operand_type)
    return wrapping(apply, operand_type) if operator.leaves else apply


def _of_type(operator: Operator, kind: ElementType) -> Apply:
    if kind.kind is Kind.COMPLEX and operator.numpy_complex is not None:
        return operator.numpy_complex(np)
    return operator.arrays(np)


def function(name: str, kind: ValueType, *, exact: bool) -> Apply:
    """The function of a name; those of any number of arguments take them from the left.

    `kind` is the type of the arguments. `exact`: of integers of no type.
    """
    if name not in FUNCTIONS:  # c64 and c128 of their parts
        return lambda real, imaginary: joined(np, *np.broadcast_arrays(real, imaginary))
    operator = FUNCTIONS[name]
    apply = operator.arrays(np)
    if operator.arguments[1] is None:
        apply = _folded(apply)
    if exact and operator.bounds is not None:
        return _numbers_or_arrays(operator.exact, apply)
    if operator.contiguous:
        return _contiguous(apply)
    if not isinstance(kind, ElementType):
        return apply
    if kind.kind is Kind.COMPLEX:
        return _of_type(operator, kind)
    return wrapping(apply, kind) if operator.leaves else apply


def _numbers_or_arrays(numbers: Apply, arrays: Apply) -> Apply:
    """Python's function while all are numbers, of any size; NumPy's where a range is computed at once."""
    return lambda *values: (numbers if all(isinstance(value, int) for value in values) else arrays)(*values)


def _contiguous(apply: Apply) -> Apply:
    return lambda argument: apply(np.ascontiguousarray(argument)).reshape(np.shape(argument))


def _folded(apply: Apply) -> Apply:
    def fold(first: Values, *others: Values) -> Values:
        for other in others:
            first = apply(first, other)
        return first

    return fold


def unfit_for(values: Values, target: ElementType) -> Values:
    """Where a float, truncated toward zero, is not a value of the integer type `target` (NaN included)."""
    low, high = target.integer_range
    whole = np.trunc(_scaled(values, target))
    # high + 1 is a power of two, exact in every float type; high itself need not be.
    return np.logical_not((whole >= float(low)) & (whole < float(high + 1)))


def _scaled(values: Values, target: ElementType) -> Values:
    """Floats times 2**fraction, exactly."""
    return np.ldexp(np.asarray(values, "f8"), target.fraction) if target.fraction else values


def unfit_amount(values: Values, target: ElementType) -> Values:
    """Where a shift of a value of `target` is negative or not below its width."""
    return np.logical_or(np.less(values, 0), np.greater_equal(values, target.bits))


# Conversions between element types, and of constants to the type they meet.

Unfit = Callable[[Any], Any]


def conversion(source: ValueType, target: ElementType) -> tuple[Apply, Unfit | None, Fault | None]:
    """How values of `source` become `target`, and what of them cannot, if anything.

    Integers wrap around; floats are truncated toward zero, and one that is NaN or then out of range is a fault. An
    integer constant must fit. A complex number keeps its real part, as in NumPy.
    """
    if target.wraps and source is Weak.INTEGER:
        exactly = _exactly(DTYPES[target]) if target.is_integer else _moved(target)
        return exactly, lambda values: _outside(values, target), _fault("constant-does-not-fit", target)
    if target.wraps and (source is Weak.FLOAT or _kind(source) is Kind.FLOAT):
        return _truncated(target), lambda values: unfit_for(values, target), no_value(target)
    return _harmless(source, target), None, None


def _harmless(source: ValueType, target: ElementType) -> Apply:
    """A conversion that every value survives in some way."""
    dtype = DTYPES[target]
    if isinstance(source, Weak):
        return _exactly(dtype)
    if source.kind is Kind.COMPLEX and target.is_real:
        return lambda values: values.real.astype(dtype)
    if target.wraps:
        return stored_conversion(source, target)
    if source.is_fixed and target is not ElementType.BOOL:
        return lambda values: scaled_float(values, source, dtype)
    return lambda values: values.astype(dtype, copy=False)


def _kind(kind: ValueType) -> Kind | None:
    return kind.kind if isinstance(kind, ElementType) else None


def no_value(target: ElementType) -> Fault:
    """A float that stands for no value of a type."""
    return _fault("conversion-out-of-range", target)


def _fault(code: str, target: ElementType) -> Fault:
    low, high = target.value_range
    return Fault(code, f"{{value}} is not a value of {target}, {low} to {high}", "limit it first with min and max")


def _outside(values: Any, target: ElementType) -> Any:
    low, high = target.whole_range
    return np.logical_or(np.less(values, low), np.greater(values, high))


def _exactly(dtype: np.dtype[Any]) -> Apply:
    def convert(values: Any) -> Any:
        if isinstance(values, int) and dtype.kind in "fc":
            values = float(values)  # correctly rounded for integers of any size
        return np.asarray(values).astype(dtype)

    return convert


def _moved(target: ElementType) -> Apply:
    """Integers of no type, which fit, as stored integers of a fixed-point type."""

    def convert(values: Any) -> Any:
        if isinstance(values, int):
            return np.asarray(values << target.fraction).astype(DTYPES[target])
        return moved(values, target.fraction, signed=True).astype(DTYPES[target])

    return convert


def _truncated(target: ElementType) -> Apply:
    return lambda values: np.trunc(_scaled(values, target)).astype(DTYPES[target])
