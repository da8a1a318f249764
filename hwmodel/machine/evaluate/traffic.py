"""Bytes of structures in a frame, from their tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.machine.port import Port
from hwmodel.machine.tables.group_tables import GroupTables


@dataclass(frozen=True, eq=False)
class Traffic:
    """What the port moves for S structures."""

    tables: GroupTables
    _port: Port

    @staticmethod
    def of(tables: GroupTables) -> Traffic:
        """Of tables."""
        return Traffic(tables, Port(tables.group.accesses, tables.platform))

    @cached_property
    def data(self) -> IntArray:
        """Bytes of the data that are loaded and stored, (S,)."""
        total = np.zeros(self.tables.structures, np.int64)
        for name, data in self.tables.accesses.moved.items():
            total += data * self._port.element_bytes(name)
        return total

    @cached_property
    def port(self) -> IntArray:
        """Bytes of the whole words that bring them, (S,)."""
        total = np.zeros(self.tables.structures, np.int64)
        for name, words in self.tables.accesses.port_words.items():
            total += self._port.bytes_of_words(name, words)
        return total

    @cached_property
    def bits(self) -> dict[str, IntArray]:
        """Bits of these words by array, (S,)."""
        return {name: words * self._port.word_bits(name) for name, words in self.tables.accesses.port_words.items()}
