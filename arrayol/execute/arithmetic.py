"""The arithmetic of bodies, type by type (docs/language.md, "Arithmetic"): NumPy's, where NumPy is exact.

Two things differ from plain ufuncs. A complex product and quotient are written out, each real operation rounded
(NumPy's array product may use FMA):
    (a + bi) (c + di) = (ac - bd) + (ad + bc) i
    (a + bi) / (c + di) = (ac + bd) / (cc + dd) + ((bc - ad) / (cc + dd)) i
The magnitude of a complex number is hypot's: NumPy's own has other last bits where its vector loop runs.
And elementary functions are given contiguous arguments: over long strides NumPy takes another implementation of exp,
log and tan, with other last bits, and then the result would depend on the mapping.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from arrayol.execute.environment import DTYPES, Fault, Values
from arrayol.execute.stored import moved, scaled_float, stored_conversion, wrapping
from arrayol.ir.types import ElementType, Kind, ValueType, Weak

Apply = Callable[..., Values]


def _product(left: Values, right: Values) -> Values:
    a, b, c, d = left.real, left.imag, right.real, right.imag
    return _complex(a * c - b * d, a * d + b * c)


def _quotient(left: Values, right: Values) -> Values:
    a, b, c, d = left.real, left.imag, right.real, right.imag
    norm = c * c + d * d
    return _complex((a * c + b * d) / norm, (b * c - a * d) / norm)


def _complex(real: Values, imaginary: Values) -> Values:
    result = np.empty(np.shape(real), np.result_type(real, np.complex64))
    result.real, result.imag = real, imaginary
    return result


def _joined(real: Values, imaginary: Values) -> Values:
    return _complex(*np.broadcast_arrays(real, imaginary))


_BINARY: dict[str, Apply] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.true_divide,
    "//": np.floor_divide,
    "%": np.remainder,
    "<<": np.left_shift,
    ">>": np.right_shift,
    "&": np.bitwise_and,
    "^": np.bitwise_xor,
    "|": np.bitwise_or,
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "and": np.logical_and,
    "or": np.logical_or,
}
_LEAVING = {"+", "-", "*", "//", "<<", "~"}  # the results may lie outside the range of an odd width
_UNARY: dict[str, Apply] = {"-": np.negative, "~": np.invert, "not": np.logical_not}

# Integers of no type yet: exact, Python's own or int64 where a range is computed at once (vectorise.py).
_WEAK: dict[str, Apply] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "^": operator.xor,
    "|": operator.or_,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "and": np.logical_and,
    "or": np.logical_or,
}
_WEAK_UNARY: dict[str, Apply] = {"-": operator.neg, "~": operator.invert, "not": np.logical_not}


def operation(name: str, operands: int, operand_type: ElementType | None) -> Apply:
    """The function of an operator on operands of one element type; None stands for weak operands."""
    if operand_type is None:
        return (_WEAK_UNARY if operands == 1 else _WEAK)[name]
    if operand_type.kind is Kind.COMPLEX and name in ("*", "/"):
        return _product if name == "*" else _quotient
    apply = (_UNARY if operands == 1 else _BINARY)[name]
    return wrapping(apply, operand_type) if name in _LEAVING else apply


_STEADY: dict[str, Apply] = {
    "abs": np.absolute,
    "min": np.minimum,
    "max": np.maximum,
    "floor": np.floor,
    "ceil": np.ceil,
    "real": np.real,
    "imag": np.imag,
    "conj": np.conjugate,
    "c64": _joined,
    "c128": _joined,
}
_LAID_OUT: dict[str, Apply] = {
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
}


def _magnitude(values: Values) -> Values:
    return np.hypot(values.real, values.imag)


def function(name: str, kind: ValueType, *, exact: bool) -> Apply:
    """The function of a name; min and max take their arguments from the left.

    `kind` is the type of the arguments. `exact`: of integers of no type.
    """
    if name == "abs" and isinstance(kind, ElementType) and not exact:
        return _magnitude if kind.kind is Kind.COMPLEX else wrapping(np.absolute, kind)
    if exact and name in _EXACT:
        return _EXACT[name]
    if name in _LAID_OUT:
        return _contiguous(_LAID_OUT[name])
    apply = _STEADY[name]
    return apply if name not in ("min", "max") else _folded(apply)


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


_EXACT: dict[str, Apply] = {
    "abs": abs,
    "min": _numbers_or_arrays(min, _folded(np.minimum)),
    "max": _numbers_or_arrays(max, _folded(np.maximum)),
}


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
