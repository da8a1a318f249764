"""Outputs of a body that lie in a memory of the unit: data say to which of their elements a number is added.

A histogram is one: `bins[i] = 0 for i in 0..256`, then `bins[x[k]] += 1 for k in 0..1920`. Such a memory takes one sum
in a cycle. When all of a repetition are in it, its words are read, one after another, while the next repetition adds to
another memory (docs/cost.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from math import prod

from arrayol.ir.expressions import (
    Assign,
    Constant,
    Convert,
    Expr,
    Index,
    Range,
    Statement,
    arrays,
    arrays_read,
    assigns,
    depends_on_data,
    mentioned,
)
from arrayol.ir.spec import Elementary, Port
from hwmodel.datapath.graph.arrays import Arrays, ElementNodes, Layout, zero_of
from hwmodel.datapath.graph.nodes import Nodes
from hwmodel.datapath.numbers import BOOL, range_of
from hwmodel.datapath.operators.bins import BIN_ADD, BIN_READ, BINS_FULL, Bins

LEAST = 32  # elements from which on an output is a memory, and data do not choose among registers
_TOKEN = (0, 1)  # the result of a sum says only that it is in the memory


class BinCells(ElementNodes):
    """Nodes of an output in a memory: of the sums so far, and of the words, created when they are first read."""

    def __init__(self, zero: int, nodes: Nodes, layout: Layout) -> None:
        super().__init__(zero)
        self.nodes, self.layout = nodes, layout
        self.start = 0
        self.sums: list[int] = []

    def add(self, index: int, value: int, condition: int) -> None:
        """Add a value to the word at an index, if a condition holds."""
        node = self.nodes.typed(BIN_ADD, (index, value, condition), BOOL, _TOKEN, (self.bins, len(self.sums)))
        self.sums.append(node)

    @property
    def bins(self) -> Bins:
        """The memory."""
        return Bins(self.layout.name, self.layout.size, self.layout.type.bits, self.start)

    def __missing__(self, element: int) -> int:
        if not 0 <= element < self.layout.size:
            return self.zero
        if not self.sums:
            return self.nodes.constant(self.start)
        full = self.nodes.typed(BINS_FULL, tuple(self.sums), BOOL, _TOKEN, self.bins)
        code = self.layout.code
        node = self[element] = self.nodes.typed(BIN_READ, (full,), code, range_of(code), (self.bins, element))
        return node


def put_in_memories(elementary: Elementary, nodes: Nodes, arrays: Arrays) -> None:
    """Replace the elements of outputs that lie in memories."""
    for port in binned(elementary):
        layout = arrays.layouts[port]
        arrays.cells[port] = [BinCells(zero_of(nodes, layout.code), nodes, layout)]


def binned(elementary: Elementary) -> frozenset[str]:
    """The outputs in memories.

    They are integers. First all their elements become one constant. Then data say to which elements numbers are added.
    Only after all sums the body may read them.
    """
    return frozenset(port.name for port in elementary.outputs if _is_binned(port, elementary.body or ()))


def _is_binned(port: Port, body: Sequence[Statement]) -> bool:
    if not port.type.is_integer or port.type.bits == 1 or prod(length or 1 for length in port.shape) < LEAST:
        return False
    touching = [own for own in body if port.name in mentioned([own])]
    if not touching or not _is_start(touching[0], port):
        return False
    sums = list(takewhile(lambda own: _is_sum(own, port.name), touching[1:]))
    written = any(one.port == port.name for one in assigns(touching[1 + len(sums) :]))
    own = [one for one in assigns(sums) if one.port == port.name]
    return not written and any(depends_on_data(place) for one in own for place in one.subscripts)


def _is_start(statement: Statement, port: Port) -> bool:
    """Whether it gives all elements one number."""
    if not isinstance(statement, Assign) or statement.accumulate or statement.condition is not None:
        return False
    if statement.port != port.name or not isinstance(statement.value, Constant | Convert):
        return False
    names = [own.name for own in statement.subscripts if isinstance(own, Index)]
    lengths = {own.name: _length(own) for own in statement.ranges}
    return (
        _number(statement.value) is not None
        and len(names) == len(statement.subscripts) == len(lengths)
        and [lengths.get(name) for name in names] == list(port.shape)
    )


def _is_sum(statement: Statement, port: str) -> bool:
    """Whether it adds to elements of an output, and reads none."""
    own = [one for one in assigns([statement]) if port in arrays(one)]
    return all(one.port == port and one.accumulate and port not in arrays_read(one) for one in own)


def _length(own: Range) -> int | None:
    """The length of a range from 0 on; None for any other."""
    low, high = _number(own.low), _number(own.high)
    return high if low == 0 else None


def _number(value: Expr) -> int | None:
    """The integer that a constant is; None for anything else."""
    while isinstance(value, Convert):
        value = value.operand
    return value.value if isinstance(value, Constant) and type(value.value) is int else None
