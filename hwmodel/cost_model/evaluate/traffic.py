"""Data and words that the port moves in a frame, and how long that takes, for S structures, from their tables."""

from __future__ import annotations

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.memory_port.port import MemoryPort
from hwmodel.cost_model.tables.group_tables import GroupTables


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
