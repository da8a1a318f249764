"""Components some of whose consts stay symbolic: numbers become expressions of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arrayol.ir.body import Expr, Statement
from arrayol.ir.model import Port, Shape
from arrayol.source import Span

OpenShape = tuple[Expr | None, ...]  # None is an infinite dimension


@dataclass(frozen=True, slots=True)
class OpenTiler:
    """A tiler whose entries are expressions of the symbols: e(r, f) = origin + paving r + fitting f, modulo if `wrap`.

    `array` and `pattern` are the shapes that it lies between.
    """

    origin: tuple[Expr, ...]
    paving: tuple[tuple[Expr, ...], ...]
    fitting: tuple[tuple[Expr, ...], ...]
    wrap: bool
    array: OpenShape
    pattern: OpenShape
    span: Span


@dataclass(frozen=True, slots=True)
class OpenLink:
    """An array of a repetitive task and how the repetitions touch it."""

    array: str
    tiler: OpenTiler


@dataclass(frozen=True, slots=True)
class OpenDelay:
    """An output of the repeated task that repetition r reads of r - vector, and what it reads outside the space."""

    output: Port
    pattern: OpenShape
    vector: tuple[Expr, ...]
    default: OpenLink | None


@dataclass(frozen=True, slots=True)
class OpenBody:
    """The body of an elementary."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class OpenRepetition:
    """The links and delays of a repetitive task."""

    space: OpenShape
    shape: Shape
    reads: tuple[OpenLink, ...]
    writes: tuple[OpenLink, ...]
    delays: tuple[OpenDelay, ...]


@dataclass(frozen=True, slots=True)
class OpenComponent:
    """An elementary with a body, or a repetitive task, in which the consts `symbols` have no value.

    In expressions a symbol is an `Index` of its name. `extents` gives the shape of each port; `inputs` and `outputs`
    hold it under the consts' values, `values` those of the symbols. Where the specification divides exactly by `/`,
    the expressions round down, and `divisible` names the dividend and the divisor.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    extents: Mapping[str, OpenShape]
    content: OpenBody | OpenRepetition
    symbols: tuple[str, ...]
    values: Mapping[str, int]
    divisible: tuple[tuple[Expr, int], ...]
    span: Span
