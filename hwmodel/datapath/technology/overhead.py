"""What steers units and memories, in LUT and FF: programs, ways to banks, the port (docs/technologies.md).

All of it is told memory by memory: whoever reads or writes one has a program for it, and lanes to its banks. It is a
sum of features, numbers that are known before anything is emitted, each times a coefficient of the technology's
`[overhead]`. `arrayol calibrate` finds these from designs that were synthesised.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import Field

from hwmodel.toml_values import Amount, Table

STEERED = ("lut", "ff")  # the costs that it adds to


class Coefficients(Table):
    """What one of each feature takes."""

    memory: Amount = 0
    port: Amount = 0
    lane: Amount = 0
    read: Amount = 0
    choose: Amount = 0
    write: Amount = 0
    held: Amount = 0
    bank: Amount = 0
    into: Amount = 0
    out: Amount = 0


FEATURES = tuple(Coefficients.model_fields)


class OverheadTable(Table):
    """`[overhead]`: coefficients of LUT and of FF."""

    lut: Coefficients = Field(default=Coefficients(), description="a table of numbers by feature")
    ff: Coefficients = Field(default=Coefficients(), description="a table of numbers by feature")

    @property
    def is_empty(self) -> bool:
        """Whether nothing is added."""
        return not any(getattr(own, name) for own in (self.lut, self.ff) for name in FEATURES)

    def of(self, features: Mapping[str, Any]) -> list[Any]:
        """LUT and FF of features, numbers or arrays of them: whole numbers each."""
        return [
            np.rint(sum((getattr(own, name) * number for name, number in features.items()), 0.0))
            for own in (self.lut, self.ff)
        ]


@dataclass(frozen=True, slots=True)
class Routes:
    """The lanes of a memory that read and write in a cycle.

    Of those that read `stored` bring words for the port, and `moving` others do not always read one word. `port` are
    the bits of a word of the external memory where such are stored.
    """

    reads: int = 0
    writes: int = 0
    moving: int = 0
    port: int = 0
    stored: int = 0


NO_ROUTES = Routes()


def memory_features(
    routes: Routes, banks: int, copies: int, width: int, deep: Any, *, registers: bool = False
) -> dict[str, Any]:
    """The features of a memory whose banks have so many words (a number, or an array of such) of so many bits."""
    if routes == NO_ROUTES:
        return {}
    address, code, lanes = _address_bits(deep), (banks - 1).bit_length(), routes.reads + routes.writes
    whole = {"memory": 1, "port": routes.port}
    if registers:
        words = np.asarray(deep)
        bits, held = words * width, routes.writes * (width + address + 1)
        out = routes.moving + _each(routes.stored, words)
        ways = {"into": _each(routes.writes, words) * bits, "out": out * bits}
        return {**whole, "lane": lanes * address, "held": held, **ways}
    several = banks if banks > 1 else 0
    written = copies * banks * routes.writes if banks > 1 or routes.writes > 1 else 0
    return {
        **whole,
        "lane": lanes * (address + code),
        "read": several * routes.reads * (address + 1),
        "choose": several * routes.reads * width,
        "write": written * (width + address + 1),
        "held": routes.writes * (width + address + code + 1),
        "bank": copies * banks * (width + address),
    }


def total_features(parts: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """The sums of features, each there."""
    found = dict.fromkeys(FEATURES, 0.0)
    for part in parts:
        for name, number in part.items():
            found[name] += float(number)
    return found


def _each(lanes: int, words: Any) -> Any:
    """How many lanes reach a word: one where they go up in each other, so that each has its own, else all."""
    several, words = max(1, lanes), np.maximum(words, 1)
    return np.where((several % words == 0) | (words % several == 0), min(1, lanes), lanes)


def _address_bits(words: Any) -> Any:
    """The bits of an address below so many words, 1 at least."""
    return np.ceil(np.log2(np.maximum(words, 2)))
