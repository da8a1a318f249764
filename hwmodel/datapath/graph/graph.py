"""The dataflow graph of one repetition of an elementary task (docs/cost.md).

Nodes are numbered so that operands come before their users. A graph is a structure of arrays: what belongs to node i
stands at place i of each tuple, so that graphs of 100,000 nodes are built and walked quickly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from arrayol.source import Span

Kind = Literal["unsigned", "signed", "float"]

# Operators that are no hardware: data that come from outside, and wires.
INPUT, CONSTANT = "input", "constant"
SHIFT, RESIZE = "shift", "resize"  # by a constant, left where positive; to another number, keeping its low bits
FREE = frozenset({INPUT, CONSTANT, SHIFT, RESIZE})


@dataclass(frozen=True, slots=True)
class Number:
    """What a wire holds. A bool is unsigned of 1 bit; a fixed-point number is its stored integer."""

    kind: Kind
    bits: int

    @property
    def is_float(self) -> bool:
        return self.kind == "float"


@dataclass(frozen=True, slots=True)
class Operation:
    """What a technology prices: an operator, with its type where it is no integer, and the variables of formulas.

    `w` bits of the widest operand or result, `a` and `b` those of the first two operands, `n` those of the result, `k`
    the non-zero signed digits of a constant or the inputs of a selection.
    """

    operator: str
    w: int
    a: int
    b: int
    n: int
    k: int


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes, and where they meet the ports.

    `details` are for an input its (port, element), row-major; for a constant its bits as an integer (signed ones as
    their value); for SHIFT the distance; for `mulc`, `divc`, `modc` the constant; for `fscale` the exponent; for
    `access` the port that is read at a place that data decide; else None. `inputs` and `outputs` have for each port the
    node of each element, row-major; an input element that nothing reads has -1.
    """

    name: str
    operators: tuple[str, ...]
    operands: tuple[tuple[int, ...], ...]
    numbers: tuple[Number, ...]
    details: tuple[object, ...]
    spans: tuple[Span | None, ...] = field(repr=False)
    inputs: Mapping[str, tuple[int, ...]]
    outputs: Mapping[str, tuple[int, ...]]

    def __len__(self) -> int:
        return len(self.operators)
