"""Conversions of whole arrays that change no value, or say which one they would change."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.execute.environment import DTYPES
from arrayol.ir.types import ElementType

_KINDS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}  # no kind holds the values of a later one


def type_name(dtype: np.dtype[Any]) -> str:
    """The element type's name in a specification, or NumPy's where there is none."""
    names = {kind: name for name, kind in DTYPES.items()}
    return str(names.get(dtype.newbyteorder("="), dtype.name))


def kinds_agree(dtype: np.dtype[Any], target: ElementType) -> bool:
    """Whether values of a NumPy type may be values of an element type: no fraction or imaginary part is dropped."""
    return dtype.kind in _KINDS and _KINDS[dtype.kind] <= _KINDS[DTYPES[target].kind]


def first_lost(values: NDArray[Any], target: ElementType) -> Any | None:
    """The first of the values (whose kind agrees) that is no value of `target`; None where all are."""
    if DTYPES[target] == values.dtype or values.dtype.kind == "b":
        return None
    with np.errstate(all="ignore"):
        kept = _in_range(values, target) if target.is_integer else _kept(values, values.astype(DTYPES[target]))
    return None if kept.all() else values[~kept].flat[0]


def _in_range(values: NDArray[Any], target: ElementType) -> NDArray[np.bool_]:
    low, high = target.integer_range
    info = np.iinfo(values.dtype)
    above = values >= low if low > info.min else np.ones(values.shape, bool)
    return above & (values <= high) if high < info.max else above


def _kept(values: NDArray[Any], converted: NDArray[Any]) -> NDArray[np.bool_]:
    """Where converting back gives the value again; NaN stays NaN."""
    if values.dtype.kind not in "ui":
        back = converted.real if values.dtype.kind == "f" else converted
        kept: NDArray[np.bool_] = (back.astype(values.dtype) == values) | np.isnan(values)
        return kept
    back = converted.real
    inside = back < float(int(np.iinfo(values.dtype).max) + 1)  # a power of two; beyond it a float does not cast back
    return np.asarray(inside & (np.where(inside, back, 0).astype(values.dtype) == values))
