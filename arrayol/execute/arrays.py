"""What arrays of inputs and outputs share: work part by part, conversions that change no value, and .npz files."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import Any
from zipfile import BadZipFile, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from arrayol.errors import error
from arrayol.execute.environment import DTYPES, Box, cut, whole
from arrayol.files import opened
from arrayol.ir.types import NUMPY_TYPES, ElementType
from arrayol.language.syntax.diagnose import did_you_mean

# Arrays worked on part by part, so that what is computed on the way stays small.

_VALUES = 1 << 18


def blocks(shape: tuple[int, ...]) -> Iterator[tuple[Box, tuple[Any, ...]]]:
    """Parts of an array in row-major order, each with the index that gives it as an array, of rank 0 too."""
    for box in cut(whole(shape), _VALUES):
        yield box, (*box.slices(), ...)


# Conversions that change no value, or say which one they would change.

_KINDS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}  # no kind holds the values of a later one


def type_name(dtype: np.dtype[Any]) -> str:
    """The element type's name in a specification, or NumPy's where there is none."""
    names = {DTYPES[kind]: kind for kind in NUMPY_TYPES}
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


# .npz files: several arrays under names.

_SUFFIX = ".npy"
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def read_member(path: Path, member: str | None, port: str, check: Callable[[tuple[int, ...]], None]) -> NDArray[Any]:
    """The array `member`; without one that named as the port, or the only one. `check` sees the shape before the data.

    Raises ArrayolError (`cannot-read`, `no-such-array`); OSError where the system refuses.
    """
    with _damage_reported(path), opened(path) as whole_file, ZipFile(whole_file) as archive:
        names = [name.removesuffix(_SUFFIX) for name in archive.namelist() if name.endswith(_SUFFIX)]
        name = _chosen(path, names, member, port)
        with archive.open(name + _SUFFIX) as file:
            header = _HEADERS[npy.read_magic(file)](file)
        check(header[0])
        with archive.open(name + _SUFFIX) as file:
            values: NDArray[Any] = npy.read_array(file, allow_pickle=False)
            if file.read(1):
                raise ValueError
    return values


def write_members(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays under their names; the same arrays give the same bytes."""
    with ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            with archive.open(ZipInfo(name + _SUFFIX), "w", force_zip64=True) as file:
                npy.write_array(file, array, allow_pickle=False)


def _chosen(path: Path, names: list[str], member: str | None, port: str) -> str:
    wanted = member if member is not None else port
    if wanted in names:
        return wanted
    if member is None and len(names) == 1:
        return names[0]
    hint = did_you_mean(member, names) if member is not None else None
    if hint is None:
        hint = f"it holds {', '.join(names) or 'no array'}"
        hint += f"; name one, as in {path.name}:{names[0]}" if names and member is None else ""
    raise error("no-such-array", f"there is no array '{wanted}' in this file", file=str(path), hint=hint)


@contextmanager
def _damage_reported(path: Path) -> Iterator[None]:
    """Whatever the readers of archives and headers trip over is a damaged file."""
    try:
        yield
    except (BadZipFile, EOFError, ValueError, KeyError, RuntimeError, SyntaxError, TypeError, TokenError, zlib.error):
        raise error("cannot-read", "this is damaged, or no .npz file of numbers", file=str(path)) from None
