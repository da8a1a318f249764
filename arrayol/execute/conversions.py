"""Conversions between element types, and of constants to the type they meet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrayol.execute.arithmetic import Apply, unfit_for
from arrayol.execute.environment import DTYPES, Fault
from arrayol.ir.types import ElementType, Kind, ValueType, Weak

Unfit = Callable[[Any], Any]


def conversion(source: ValueType, target: ElementType) -> tuple[Apply, Unfit | None, Fault | None]:
    """How values of `source` become `target`, and what of them cannot, if anything.

    Integers wrap around; floats are truncated toward zero, and one that is NaN or then out of range is a fault. An
    integer constant must fit. A complex number keeps its real part, as in NumPy.
    """
    dtype = DTYPES[target]
    if target.is_integer and source is Weak.INTEGER:
        return _exactly(dtype), lambda values: _outside(values, target), _fault("constant-does-not-fit", target)
    if target.is_integer and (source is Weak.FLOAT or _kind(source) is Kind.FLOAT):
        return _truncated(dtype), lambda values: unfit_for(values, target), _fault("conversion-out-of-range", target)
    if isinstance(source, Weak):
        return _exactly(dtype), None, None
    if _kind(source) is Kind.COMPLEX and target.is_real:
        return (lambda values: values.real.astype(dtype)), None, None
    return (lambda values: values.astype(dtype, copy=False)), None, None


def _kind(kind: ValueType) -> Kind | None:
    return kind.kind if isinstance(kind, ElementType) else None


def _fault(code: str, target: ElementType) -> Fault:
    low, high = target.integer_range
    return Fault(code, f"{{value}} is not a value of {target}, {low} to {high}", "limit it first with min and max")


def _outside(values: Any, target: ElementType) -> Any:
    low, high = target.integer_range
    return np.logical_or(np.less(values, low), np.greater(values, high))


def _exactly(dtype: np.dtype[Any]) -> Apply:
    def convert(values: Any) -> Any:
        if isinstance(values, int) and dtype.kind in "fc":
            values = float(values)  # correctly rounded for integers of any size
        return np.asarray(values).astype(dtype)

    return convert


def _truncated(dtype: np.dtype[Any]) -> Apply:
    return lambda values: np.trunc(values).astype(dtype)
