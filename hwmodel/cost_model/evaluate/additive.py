"""Figures that add up over the groups of a design, and how each is computed from the tables of a group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.memory_port.port import MemoryPort
from hwmodel.cost_model.metrics import Figures
from hwmodel.cost_model.tables.group_tables import GroupTables
from hwmodel.cost_model.together import PORT, SERVICE


def traffic_bytes(tables: GroupTables) -> IntArray:
    """Bytes of the data that are loaded and stored in a frame, (S,)."""
    port, total = MemoryPort(tables.group.accesses, tables.platform), np.zeros(tables.structures, np.int64)
    for name, data in tables.accesses.moved.items():
        total += data * port.element_bytes(name)
    return total


def port_bytes(tables: GroupTables) -> IntArray:
    """Bytes of the whole words that the port moves in a frame, (S,)."""
    port, total = MemoryPort(tables.group.accesses, tables.platform), np.zeros(tables.structures, np.int64)
    for name, words in tables.accesses.port_words.items():
        total += port.bytes_of_words(name, words)
    return total


def port_bits(tables: GroupTables) -> dict[str, IntArray]:
    """Bits of the whole words that the port moves in a frame, by array, (S,)."""
    port = MemoryPort(tables.group.accesses, tables.platform)
    return {name: words * port.word_bits(name) for name, words in tables.accesses.port_words.items()}


def port_cycles(tables: GroupTables) -> IntArray:
    """Cycles in which the port serves a frame, (S,): the sum over steps, of structures without single buffers."""
    total = np.zeros(tables.structures, np.int64)
    for part in tables.steps.parts(cyclic=False):
        total[part.rows] = part.summed(part.port.busy)
    return total


def longest_service(tables: GroupTables) -> IntArray:
    """The most cycles in which the port serves a step, (S,), of structures without single buffers."""
    longest = np.zeros(tables.structures, np.int64)
    for part in tables.steps.parts(cyclic=False):
        longest[part.rows] = np.where(part.times > 0, part.port.busy, 0).max(axis=1)
    return longest


@dataclass(frozen=True, slots=True)
class Additive:
    """A figure by its `name` in results.

    `evaluate` computes it for S structures under combinations of rates, (1, U, tasks) for all structures or (S, U,
    tasks): the result is (S, U), or (S, 1) if rates do not matter. `least` computes lower bounds (S, 1) over all rates.
    """

    name: str
    evaluate: Callable[[GroupTables, IntArray], IntArray]
    least: Callable[[GroupTables], IntArray]


def _of_structures(name: str, figure: Callable[[GroupTables], IntArray]) -> Additive:
    """A figure (S,) that does not depend on rates."""
    return Additive(name, lambda tables, _: figure(tables)[:, None], lambda tables: figure(tables)[:, None])


ADDITIVE = (
    _of_structures("traffic_bytes", traffic_bytes),
    _of_structures("port_bytes", port_bytes),
    _of_structures(PORT, port_cycles),
    _of_structures(SERVICE, longest_service),
)


def additive_figures(tables: GroupTables, combinations: IntArray) -> Mapping[str, Callable[[], Figures]]:
    """All additive figures by name, under combinations of rates; each is computed when it is first read."""
    return {figure.name: cache(partial(figure.evaluate, tables, combinations)) for figure in ADDITIVE}


def least_additive(tables: GroupTables) -> Mapping[str, Callable[[], Figures]]:
    """Lower bounds of the additive figures over all rates, by name."""
    return {figure.name: cache(partial(figure.least, tables)) for figure in ADDITIVE}
