"""Control and interconnect of units and memories, in LUT and FF: programs, ways to banks, port (docs/technologies.md).

All of it is computed memory by memory: each reader or writer of one has a program for it, and lanes to its banks. It is
a sum of features, numbers that are known before anything is emitted, each times a coefficient of the technology's
`[overhead]`. `arrayol calibrate` fits these to designs that were synthesised.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import Field

from hwmodel.toml_model import Amount, Table

STEERED = ("lut", "ff")  # the costs that it adds to


class Coefficients(Table):
    """The resources that one unit of each feature takes, by the feature."""

    memory: Amount = 0
    port: Amount = 0
    lane: Amount = 0
    ways: Amount = 0
    bent: Amount = 0
    across: Amount = 0
    uneven: Amount = 0
    waiting: Amount = 0
    chosen: Amount = 0
    named: Amount = 0
    held: Amount = 0
    bank: Amount = 0


FEATURES = tuple(Coefficients.model_fields)


class OverheadTable(Table):
    """`[overhead]`: coefficients of LUT and of FF."""

    lut: Coefficients = Field(default=Coefficients(), description="a table of numbers by feature")
    ff: Coefficients = Field(default=Coefficients(), description="a table of numbers by feature")

    @property
    def is_empty(self) -> bool:
        """Whether nothing is added."""
        return not any(getattr(coefficients, name) for coefficients in (self.lut, self.ff) for name in FEATURES)

    def of(self, features: Mapping[str, Any]) -> list[Any]:
        """LUT and FF of features, which are numbers or arrays: whole numbers each."""
        return [
            np.rint(sum((getattr(coefficients, name) * number for name, number in features.items()), 0.0))
            for coefficients in (self.lut, self.ff)
        ]


@dataclass(frozen=True, slots=True)
class Routes:
    """The lanes of a memory that read and write in a cycle.

    - `reads`, `writes`: their numbers. Of the reading lanes, `stored` bring words for the port, and `moving` others do
      not always read one word. Of the writing lanes, `loaded` are of the port.
    - `port`: the bits of a word of the external memory, if words are stored from this memory.
    - `read_reach`, `write_reach`: the average number of banks that a lane reaches in all its cycles.
    - `read_step`, `write_step`: the greatest common divisor of the moves of tasks in row-major order, 0 without any.
    - `in_rows`: blocks move along rows of the array; `pieces`: the parts into which writers write.
    - `stored_rows`: the rows that a repetition writes of stored data.
    - `bent`: for each reader whose pattern borders bend, the square root of its cycles, summed.
    """

    reads: int = 0
    writes: int = 0
    moving: int = 0
    port: int = 0
    stored: int = 0
    loaded: int = 0
    read_reach: float = 1.0
    write_reach: float = 1.0
    read_step: int = 1
    write_step: int = 1
    in_rows: bool = True
    pieces: int = 1
    stored_rows: int = 1
    bent: float = 0.0


NO_ROUTES = Routes()


def memory_features(
    routes: Routes, banks: int, copies: int, width: int, deep: Any, *, registers: bool = False
) -> dict[str, Any]:
    """The features of a memory whose banks have words of `width` bits.

    `deep` is their number, or an array of numbers.
    """
    if routes == NO_ROUTES:
        return {}
    if registers:
        return _of_registers(routes, width, np.asarray(deep))
    address, code, lanes = _address_bits(deep), (banks - 1).bit_length(), routes.reads + routes.writes
    writing, reading = (routes.writes, routes.write_reach), (routes.reads / copies, routes.read_reach)
    written = lut_of_matches(*writing, banks) + banks * _joined(*writing, banks) * (
        width + address
    )  # once for all copies
    addressed = lut_of_matches(*reading, banks) + banks * _joined(*reading, banks) * address
    chosen = routes.reads * width * lut_of_one_of(routes.read_reach)
    return {
        "memory": 1,
        "port": routes.port,
        "lane": lanes * (address + code),
        "ways": written + copies * addressed + chosen,
        "bent": routes.bent,
        "across": float(not routes.in_rows),
        "uneven": _is_uneven(deep),
        "named": routes.reads * routes.read_reach * (routes.read_reach > 1),
        "held": routes.writes * (width + address + code + 1),
        "bank": copies * banks * (width + address),
    }


def _of_registers(routes: Routes, width: int, words: Any) -> dict[str, Any]:
    """The features of a memory of registers, each a bank of its own.

    A register that only one lane reaches takes its word without a multiplexer.
    """
    address, own = _address_bits(words), routes.writes - routes.loaded
    piece = np.maximum(1, words // routes.pieces)
    written, loaded = values_seen(piece, routes.write_step), _words_of_port(routes.loaded, piece, piece, routes)
    matched = lut_of_matches(own, written, words) + lut_of_matches(routes.loaded, loaded, words)
    joined = words * lut_of_one_of((own * written + routes.loaded * loaded) / np.maximum(1, words))
    chosen = routes.moving * lut_of_choice(values_seen(words, routes.read_step))
    # One block is stored while the next one is made. Blocks of one row lie one behind the other.
    run = words if routes.stored_rows == 1 else np.maximum(1, words // (2 * routes.stored_rows))
    chosen = chosen + routes.stored * lut_of_choice(_words_of_port(routes.stored, words, run, routes))
    return {
        "memory": 1,
        "port": routes.port,
        "lane": (routes.reads + routes.writes) * address,
        "ways": matched + width * (joined + chosen),
        "bent": routes.bent,
        "across": float(not routes.in_rows),
        "uneven": _is_uneven(words),
        "held": routes.writes * (width + address + 1),
    }


def lut_of_matches(lanes: float, reach: Any, banks: Any) -> Any:
    """LUTs of four inputs that decide whether a lane addresses a bank.

    The decision takes the bits that distinguish the banks that the lane reaches.
    """
    each = reach * np.maximum(1.0, np.ceil(np.ceil(np.log2(np.maximum(1.0, reach))) / 3))
    return np.where((np.asarray(banks) > 1) | (lanes > 1), lanes * each, 0.0)


def _joined(lanes: float, reach: Any, banks: Any) -> Any:
    """LUTs of a bit before a bank, at least one for several lanes."""
    return np.where(lanes > 1, np.maximum(1.0, lut_of_one_of(lanes * reach / banks)), 0.0)


def lut_of_one_of(inputs: Any) -> Any:
    """LUTs of four inputs for a bit that is one of several: an AND for each, and an OR of them."""
    inputs = np.asarray(inputs, dtype=float)
    return np.where(inputs <= 1, 0.0, np.maximum(1.0, (2 * inputs - 1) / 3))


def lut_of_choice(inputs: Any) -> Any:
    """LUTs of a bit that comes from one of several registers: multiplexers of four-input LUTs."""
    inputs = np.asarray(inputs, dtype=float)
    return np.where(inputs <= 1, 0.0, np.maximum(1.0, 0.875 * inputs - 1))


def values_seen(modulus: Any, step: Any) -> Any:
    """The values of a number below a modulus that changes by some steps, as tools see them.

    They see that it never changes, or that its low bits never do: those of the greatest power of two that divides all
    steps.
    """
    between = np.gcd(modulus, step)
    return np.where(between == modulus, 1, modulus // np.maximum(1, between & -between))


def _words_of_port(lanes: int, words: Any, run: Any, routes: Routes) -> Any:
    """The number of words that a lane of the port reaches, of memories whose rows have a `run` of words.

    Where blocks move along rows, these are the words that lie a word of the port apart, as far as that divides a run.
    Otherwise blocks begin anywhere in words of the port, so it reaches all.
    """
    return words // np.gcd(run, max(1, lanes)) if routes.in_rows else words


def total_features(parts: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """The sums of features, with all names."""
    totals = dict.fromkeys(FEATURES, 0.0)
    for part in parts:
        for name, number in part.items():
            totals[name] += float(number)
    return totals


def _address_bits(words: Any) -> Any:
    """The bits of an address below so many words, at least 1."""
    return np.ceil(np.log2(np.maximum(words, 2)))


def _is_uneven(words: Any) -> Any:
    """1 for numbers of words that are no power of two, so that an address must be compared to wrap; else 0."""
    words = np.asarray(words, np.int64)
    return ((words & (words - 1)) != 0).astype(float)
