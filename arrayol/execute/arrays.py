"""NumPy's .npz files: several arrays under names."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import Any
from zipfile import BadZipFile, ZipFile, ZipInfo

from numpy.lib import format as npy
from numpy.typing import NDArray

from arrayol.errors import error
from arrayol.language.hints import did_you_mean

_SUFFIX = ".npy"
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def read_member(path: Path, member: str | None, port: str, check: Callable[[tuple[int, ...]], None]) -> NDArray[Any]:
    """The array `member`; without one that named as the port, or the only one. `check` sees the shape before the data.

    Raises ArrayolError (`cannot-read`, `no-such-array`); OSError where the system refuses.
    """
    with _damage_told(path), ZipFile(path) as archive:
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
def _damage_told(path: Path) -> Iterator[None]:
    """Whatever the readers of archives and headers trip over is a damaged file."""
    try:
        yield
    except (BadZipFile, EOFError, ValueError, KeyError, RuntimeError, SyntaxError, TypeError, TokenError, zlib.error):
        raise error("cannot-read", "this is damaged, or no .npz file of numbers", file=str(path)) from None
