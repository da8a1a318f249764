"""Values that have a content hash, and what tells two of them apart."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from enum import Enum, IntEnum, StrEnum
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st
from strategies import NOWHERE

from arrayol.ir.borders import Border
from arrayol.ir.spec import Tiler
from arrayol.ir.types import ElementType
from hwmodel.datapath.entry import ElementaryEntry
from hwmodel.design import Blocks, Scan


class Level(IntEnum):
    """As 1 and 2, but for the type."""

    LOW = 1
    HIGH = 2


class Grade(IntEnum):
    """As Level, but for the class."""

    LOW = 1


class Word(StrEnum):
    """As texts, but for the type."""

    ONE = "a"
    OTHER = "b"


ATOMS: list[Any] = [
    *(None, False, True, 0, 1, -1, 255, 256, -256, 1 << 64, 0.0, -0.0, 1.0, 255.0, float("inf")),
    *("", "a", "b", "ab", "1", "\0", "\udc80", b"", b"a", b"ab", b"1", b"\0"),
    *(
        Fraction(1),
        Fraction(1, 2),
        Fraction(-1, 2),
        Level.LOW,
        Level.HIGH,
        Grade.LOW,
        Word.ONE,
        Word.OTHER,
        ElementType.U8,
    ),
    *(
        np.int64(1),
        np.int32(1),
        np.uint8(1),
        np.float64(1),
        np.float32(1),
        np.bool_(True),
        np.str_("a"),
        np.bytes_(b"a"),
    ),
    *(np.array(1), np.array([1]), np.array([[1]]), np.array([1], ">i8"), np.zeros(0), np.zeros((0, 1))),
    *(np.array(["a"]), np.array(["a", ""]), np.array([b"a"]), np.array([1], "M8[s]"), np.array([1], "M8[ms]")),
    *(Scan((0,), (False,)), Scan((0, 1), (False, True)), Tiler((), (), (), wrap=True, span=NOWHERE)),
    *(
        Tiler((), (), (), False, NOWHERE, border)
        for border in (Border("nearest"), Border("constant"), Border("constant", 1))
    ),
    *(
        ElementaryEntry(),
        ElementaryEntry(latency=1),
        ElementaryEntry(cost={"lut": 1}),
        ElementaryEntry(cost={"lut": 1.0}),
    ),
]


def content_values() -> st.SearchStrategy[Any]:
    """Nested values of few different parts, so that two of them are often close."""
    return st.recursive(st.sampled_from(ATOMS), _nested, max_leaves=8)


def _nested(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(parts, max_size=3)
    keys = st.sampled_from([None, True, 0, "", "a", "b", b"a", (), (1, "a"), Word.ONE])
    return st.one_of(
        lists,
        lists.map(tuple),
        st.dictionaries(keys, parts, max_size=3),
        st.frozensets(keys, max_size=3),
        st.sets(keys, max_size=3),
        st.builds(Blocks, lists.map(tuple), parts),
    )


def told_apart(value: Any) -> Any:
    """A hashable value, equal for two values just where their content is: types count, as `digest` says."""
    if isinstance(value, Mapping):
        return "mapping", frozenset((told_apart(key), told_apart(held)) for key, held in value.items())
    if isinstance(value, set | frozenset):
        return "set", frozenset(map(told_apart, value))
    if isinstance(value, tuple | list):
        return "sequence", tuple(map(told_apart, value))
    kind = type(value)
    return f"{kind.__module__}.{kind.__qualname__}", _content(value)


def _content(value: Any) -> Any:
    """What counts of a value that is no container, beside its type."""
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.str, value.shape, repr(value.tolist())
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, Scan | Blocks | Tiler):
        return tuple(told_apart(getattr(value, field)) for field in value.__slots__ if field != "span")
    if isinstance(value, ElementaryEntry):
        return told_apart(dict(value))
    return struct.pack("d", value) if isinstance(value, float) else value
