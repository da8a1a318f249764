"""The nodes of a graph under construction: equal nodes are one, and each has bounds of its value.

`low` and `high` bound an integer node; if they are equal it is a constant, whatever operation made it. `positive_zero`
says that a float node is never -0. Rules (integers.py, operations.py) decide which node an operation becomes; here
they are stored. A node's record is (operator, operands, code of its number, detail, span).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from arrayol.source import Span
from hwmodel.datapath.graph.graph import CONSTANT, INPUT
from hwmodel.datapath.numbers import F32, number_of, range_of

Outputs = Mapping[str, list[int]]  # by port, the nodes of its elements and their parts
Record = tuple[str, tuple[int, ...], int, object, Span | None]


@dataclass(slots=True)
class Nodes:
    """The nodes so far; `span` is the source position of the operation that is built.

    `wrapping` are integer nodes whose operation may leave the range of its type. `floats` has the float constants, as
    NumPy scalars.
    """

    table: dict[tuple[object, ...], int] = field(default_factory=dict)
    records: list[Record] = field(default_factory=list)
    low: list[int] = field(default_factory=list)
    high: list[int] = field(default_factory=list)
    positive_zero: list[bool] = field(default_factory=list)
    wrapping: set[int] = field(default_factory=set)
    floats: dict[int, Any] = field(default_factory=dict)
    span: Span | None = None

    def integer(
        self, operator: str, operands: tuple[int, ...], interval: tuple[int, int], detail: object = None
    ) -> int:
        """The node of an operation whose result lies in an interval, in the least number for it."""
        low, high = interval
        if low == high:
            return self.constant(low)
        return self.typed(operator, operands, number_of(low, high), interval, detail)

    def typed(
        self, operator: str, operands: tuple[int, ...], code: int, interval: tuple[int, int], detail: object = None
    ) -> int:
        """The node of an operation with a given number."""
        key = (operator, code, operands, detail)
        known = self.table.get(key)
        if known is None:
            known = self.table[key] = len(self.records)
            self.records.append((operator, operands, code, detail, self.span))
            self.low.append(interval[0])
            self.high.append(interval[1])
            self.positive_zero.append(False)
        return known

    def real(
        self, operator: str, operands: tuple[int, ...], code: int, *, positive: bool = False, detail: object = None
    ) -> int:
        """The node of an operation with a float as its result."""
        key = (operator, code, operands, detail)
        known = self.table.get(key)
        if known is None:
            known = self.table[key] = len(self.records)
            self.records.append((operator, operands, code, detail, self.span))
            self.low.append(0)
            self.high.append(1)
            self.positive_zero.append(positive)
        return known

    def constant(self, value: int) -> int:
        """An integer constant."""
        known = self.table.get((CONSTANT, value))
        if known is None:
            known = self.table[CONSTANT, value] = len(self.records)
            self.records.append((CONSTANT, (), number_of(value, value), value, None))
            self.low.append(value)
            self.high.append(value)
            self.positive_zero.append(False)
        return known

    def real_constant(self, value: Any) -> int:
        """A float constant, a NumPy scalar of its type."""
        code = F32 if value.dtype.itemsize == 4 else F32 + 1
        bits = int(value.view(f"u{value.dtype.itemsize}"))
        positive = not (value == 0 and bits)
        node = self.real(CONSTANT, (), code, positive=positive, detail=bits)
        self.floats[node] = value
        return node

    def input(self, port: str, place: int, code: int) -> int:
        """An element of an input, or a part of it."""
        interval = (0, 1) if code >= F32 else range_of(code)
        return self.typed(INPUT, (), code, interval, (port, place))

    def first(self, count: int) -> Nodes:
        """A copy of the first `count` nodes."""
        return Nodes(
            {key: node for key, node in self.table.items() if node < count},
            self.records[:count],
            self.low[:count],
            self.high[:count],
            self.positive_zero[:count],
            {node for node in self.wrapping if node < count},
            {node: value for node, value in self.floats.items() if node < count},
        )

    def live(self, outputs: Outputs) -> list[bool]:
        """Which nodes some output needs."""
        records = self.records
        live = [False] * len(records)
        for listed in outputs.values():
            for node in listed:
                live[node] = True
        for node in range(len(records) - 1, -1, -1):
            if live[node]:
                for operand in records[node][1]:
                    live[operand] = True
        return live

    def is_constant(self, node: int) -> bool:
        """Whether a node's value is known."""
        if self.records[node][2] >= F32:
            return node in self.floats
        return self.low[node] == self.high[node]

    def value(self, node: int) -> Any:
        """The value of a constant."""
        return self.floats[node] if node in self.floats else self.low[node]

    def code(self, node: int) -> int:
        """The code of a node's number."""
        return self.records[node][2]

    def is_float(self, node: int) -> bool:
        return self.records[node][2] >= F32


def scalar(value: Any, code: int) -> Any:
    """A number as a NumPy scalar of a float type."""
    return np.float32(value) if code == F32 else np.float64(value)
