"""Content hashes: what a job depends on as 32 bytes, the same in every process and Python run.

Values are encoded without ambiguity (each with a tag, and its length or number of parts), then hashed once.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from operator import attrgetter
from types import NoneType
from typing import Any

import numpy as np
from pydantic import BaseModel

from arrayol.plugins import plugin_versions

PACKAGES = ("arrayol", "hwmodel", "dse")
LIBRARIES = ("arrayol", "islpy", "moocore", "networkx", "numpy", "pydantic", "pymoo")  # what results are computed with
_INPUTS = "arrayol/specs"  # where the wheel has the shipped specifications, which are hashed where they are used

_Encoder = Callable[[Any], bytes]


def digest(*values: object) -> bytes:
    """A SHA-256 of the values' content, of 32 bytes.

    Values are None, bool, int, float, str, bytes, Fraction, members of enumerations, tuples and lists, mappings, sets,
    NumPy arrays and scalars, instances of dataclasses and pydantic models. Types count, so 1, True, 1.0, "1", (1,) and
    np.int64(1) all differ; but a tuple is as a list, a frozenset as a set, and all mappings are alike. The order of a
    mapping does not count: where it matters give `tuple(mapping.items())`. Of arrays element type, shape and elements
    count; of dataclasses and models the qualified name of the class and its fields, but for those without part in
    comparisons and private ones. Raises TypeError for any other type, inside of values too.
    """
    return sha256(_sequence(values)).digest()


@cache
def code_digest() -> bytes:
    """A hash of this program: the files of its packages as installed, and the versions of what it computes with.

    Plug-ins count by their versions; so does Python, whose `sum` of floats differs between 3.11 and 3.12.
    """
    sources = {name: text for package in PACKAGES for name, text in _sources(files(package), package)}
    libraries = {library: version(library) for library in LIBRARIES}
    return digest(sources, libraries, plugin_versions(), sys.version_info[:2])


def _sources(folder: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    """The files below a package's folder by their names in it, without what Python or an editor leaves there."""
    for entry in folder.iterdir():
        below = f"{name}/{entry.name}"
        if entry.name.startswith((".", "__pycache__")) or below == _INPUTS:
            continue
        if entry.is_dir():
            yield from _sources(entry, below)
        else:
            yield below, entry.read_bytes()


def _encoded(value: object) -> bytes:
    return _encoder_of(type(value))(value)  # type: ignore[arg-type]  # types are hashable


@cache
def _encoder_of(kind: type) -> _Encoder:
    """How values of a type are encoded: as of the first type of the table that they belong to, names of classes last.

    Raises TypeError where they belong to none.
    """
    if issubclass(kind, np.generic):  # before float and str, of which some are subclasses
        return _scalar
    if issubclass(kind, Enum):  # before the type that its members share
        return _member
    if is_dataclass(kind):
        return _object_encoder(kind, [field.name for field in fields(kind) if field.compare])
    if issubclass(kind, BaseModel):
        return _model_encoder(kind)
    if kind is np.ndarray:  # a subclass may hold more, as masked arrays do
        return _array
    for base, encoder in _ENCODERS.items():
        if issubclass(kind, base):
            return encoder
    raise TypeError(f"values of the type {_name(kind)} have no content hash")


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _frame(tag: bytes, content: bytes) -> bytes:
    return b"%b%b%b" % (tag, len(content).to_bytes(8), content)


def _frames(tag: bytes, parts: Iterable[bytes]) -> bytes:
    """Parts that each tell their own length."""
    listed = list(parts)
    return b"%b%b%b" % (tag, len(listed).to_bytes(8), b"".join(listed))


def _none(_: None) -> bytes:
    return b"n"


def _truth(value: bool) -> bytes:
    return b"t" if value else b"f"


def _integer(value: int) -> bytes:
    return _frame(b"i", value.to_bytes(value.bit_length() // 8 + 1, signed=True))


def _float(value: float) -> bytes:
    return _frame(b"d", struct.pack(">d", value))


def _text(value: str) -> bytes:
    return _frame(b"s", value.encode("utf-8", "surrogatepass"))


def _bytes(value: bytes) -> bytes:
    return _frame(b"b", value)


def _fraction(value: Fraction) -> bytes:
    return _frames(b"q", (_integer(value.numerator), _integer(value.denominator)))


def _member(value: Enum) -> bytes:
    return _frames(b"e", (_text(_name(type(value))), _encoded(value.value)))


def _sequence(value: Iterable[object]) -> bytes:
    return _frames(b"l", map(_encoded, value))


def _mapping(value: Mapping[Any, Any]) -> bytes:
    return _frames(b"m", sorted(_encoded(key) + _encoded(held) for key, held in value.items()))


def _set(value: Iterable[object]) -> bytes:
    return _frames(b"u", sorted(map(_encoded, value)))


def _scalar(value: np.generic) -> bytes:
    return _frame(b"g", _numbers(np.asarray(value)))


def _array(value: np.ndarray[Any, Any]) -> bytes:
    return _frame(b"a", _numbers(value))


def _numbers(value: np.ndarray[Any, Any]) -> bytes:
    """Element type with byte order and unit, shape, and elements in row-major order."""
    kind = value.dtype
    if kind.kind not in "biufcSUmM" or kind.char in "gG":  # pointers; padding between fields or inside of long doubles
        raise TypeError(f"arrays of the type {kind} have no content hash")
    return _text(kind.str) + _sequence(value.shape) + value.tobytes()


def _object_encoder(kind: type, names: list[str]) -> _Encoder:
    """For instances of a class, by the fields of these names."""
    head = _text(_name(kind)) + _sequence(names)
    if not names:
        return lambda _: _frames(b"o", (head,))
    if len(names) == 1:
        get = attrgetter(names[0])
        return lambda value: _frames(b"o", (head, _encoded(get(value))))
    get = attrgetter(*names)
    return lambda value: _frames(b"o", (head, *map(_encoded, get(value))))


def _model_encoder(kind: type[BaseModel]) -> _Encoder:
    declared = _object_encoder(kind, list(kind.model_fields))
    if kind.model_config.get("extra") != "allow":
        return declared
    return lambda value: declared(value) + _mapping(value.model_extra)


_ENCODERS: dict[type, _Encoder] = {
    NoneType: _none,
    bool: _truth,  # before int
    int: _integer,
    float: _float,
    str: _text,
    bytes: _bytes,
    Fraction: _fraction,
    tuple: _sequence,
    list: _sequence,
    set: _set,
    frozenset: _set,
    Mapping: _mapping,
}
