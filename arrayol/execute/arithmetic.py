"""The arithmetic of bodies, type by type (docs/language.md, "Arithmetic"): NumPy's, where NumPy is exact.

The records of `arrayol/operators/` say which function of NumPy an operator is, and which it is of complex numbers,
where NumPy's own has other last bits. Elementary functions are given contiguous arguments: over long strides NumPy
takes another implementation of exp, log and tan, with other last bits, and the result would depend on the mapping.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrayol.execute.environment import DTYPES, Fault, Values
from arrayol.execute.stored import moved, scaled_float, stored_conversion, wrapping
from arrayol.ir.types import ElementType, Kind, ValueType, Weak
from arrayol.operators.arithmetic import joined
from arrayol.operators.record import Operator
from arrayol.operators.registry import FUNCTIONS, operator_of

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
