"""The contents of a body's ports and locals during symbolic execution: nodes, by element."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from arrayol.ir.expressions import reads_by_data
from arrayol.ir.spec import ConstArray, Elementary
from arrayol.ir.types import ElementType, Kind
from hwmodel.datapath.graph.graph import ACCESS
from hwmodel.datapath.graph.nodes import Nodes
from hwmodel.datapath.numbers import BOOL, F32, F64, SIGNED, range_of

LEAST_LOOKED_UP = 32  # elements of an input from which on data do not choose by a multiplexer
MOST_CHOSEN = 1024  # elements of a part of an array up to which they do


def code_of(kind: ElementType) -> int:
    """The code of the number that holds a value of a type, or a part of a complex one."""
    if kind.kind is Kind.FLOAT:
        return F32 if kind.bits == 32 else F64
    if kind.kind is Kind.COMPLEX:
        return F32 if kind.bits == 64 else F64
    if kind is ElementType.BOOL:
        return BOOL
    return kind.bits + (SIGNED if kind.is_signed else 0)


class ElementNodes(dict[int, int]):
    """Nodes of the elements that have been written; others are 0, as `+=` needs. Element -1 is out of range."""

    def __init__(self, zero: int) -> None:
        super().__init__()
        self.zero = zero

    def __missing__(self, _: int) -> int:
        return self.zero


class InputCells(ElementNodes):
    """Nodes of an input's elements, created when they are first read; a complex element has `parts` places."""

    def __init__(self, zero: int, nodes: Nodes, layout: Layout, part: int) -> None:
        super().__init__(zero)
        self.nodes, self.layout, self.part = nodes, layout, part

    def __missing__(self, element: int) -> int:
        layout = self.layout
        if not 0 <= element < layout.size:
            return self.zero
        if layout.is_looked_up:
            node = access(self.nodes, layout, self.part, self.nodes.constant(element))
        else:
            node = self.nodes.input(layout.name, element * layout.parts + self.part, layout.code)
        self[element] = node
        return node


@dataclass(frozen=True, slots=True)
class Layout:
    """A port or local as an array in row-major order. A local has the loops around it as leading dimensions.

    An input that `is_looked_up` stays in its memory, which is asked for each element; of any other input all elements
    are there at once.
    """

    name: str
    type: ElementType
    code: int
    lows: tuple[int, ...]
    lengths: tuple[int, ...]
    is_input: bool
    is_looked_up: bool = False

    @property
    def size(self) -> int:
        return prod(self.lengths)

    @property
    def parts(self) -> int:
        return 2 if self.type.kind is Kind.COMPLEX else 1

    def flat(self, subscripts: Sequence[Any]) -> Any:
        """The element of subscripts, which are numbers or arrays; -1 if it is out of range."""
        flat: Any = 0
        inside: Any = True
        for subscript, low, length in zip(subscripts, self.lows, self.lengths, strict=True):
            place = subscript - low
            inside = inside & ((place >= 0) & (place < length))
            flat = flat * length + place
        if isinstance(flat, np.ndarray):
            return np.where(inside, flat, -1)
        return int(flat) if inside else -1


def access(nodes: Nodes, layout: Layout, part: int, index: int) -> int:
    """The read of an input's memory at the row-major index that a node has."""
    detail = (layout.name, part)
    if layout.code >= F32:
        return nodes.real(ACCESS, (index,), layout.code, detail=detail)
    return nodes.typed(ACCESS, (index,), layout.code, range_of(layout.code), detail)


@dataclass(slots=True)
class Arrays:
    """All ports and locals of a body. `cells` has the elements by name, one dictionary for each part."""

    layouts: dict[str, Layout] = field(default_factory=dict)
    cells: dict[str, list[ElementNodes]] = field(default_factory=dict)


def arrays_of(
    elementary: Elementary, nodes: Nodes, tables: dict[str, ConstArray], chosen: Collection[str] = ()
) -> Arrays:
    """The arrays of a body before it runs. Inputs named in `tables` hold constants.

    Data choose among the elements of `chosen` inputs, of parts of arrays and of small inputs by multiplexers. Others
    are looked up.
    """
    arrays, body = Arrays(), elementary.body or ()
    for port in elementary.inputs:
        shape = _finite(port.shape)
        least = MOST_CHOSEN + 1 if port.name in elementary.parts else LEAST_LOOKED_UP
        looked_up = port.name not in chosen and prod(shape) >= least and reads_by_data(body, port.name)
        layout = Layout(port.name, port.type, code_of(port.type), (0,) * len(shape), shape, True, looked_up)
        zero = zero_of(nodes, layout.code)
        arrays.layouts[port.name] = layout
        arrays.cells[port.name] = [InputCells(zero, nodes, layout, part) for part in range(layout.parts)]
        if port.name in tables:
            _fill(arrays.cells[port.name], tables[port.name], nodes)
    for port in elementary.outputs:
        shape = _finite(port.shape)
        _add(arrays, nodes, Layout(port.name, port.type, code_of(port.type), (0,) * len(shape), shape, False))
    for local in elementary.locals:
        lows = (*(outer.low for outer in local.around), *(0,) * len(local.shape))
        lengths = (*(max(0, outer.high - outer.low) for outer in local.around), *local.shape)
        _add(arrays, nodes, Layout(local.name, local.type, code_of(local.type), lows, lengths, False))
    return arrays


def _finite(shape: Sequence[int | None]) -> tuple[int, ...]:
    return tuple(length for length in shape if length is not None)  # elementaries have no infinite dimension


def _add(found: Arrays, nodes: Nodes, layout: Layout) -> None:
    found.layouts[layout.name] = layout
    found.cells[layout.name] = [ElementNodes(zero_of(nodes, layout.code)) for _ in range(layout.parts)]


def zero_of(nodes: Nodes, code: int) -> int:
    """The constant 0 of a number."""
    if code < F32:
        return nodes.constant(0)
    return nodes.real_constant(np.float32(0) if code == F32 else np.float64(0))


def _fill(cells: list[ElementNodes], table: ConstArray, nodes: Nodes) -> None:
    values = np.frombuffer(table.data, np.dtype(table.type.numpy_name).newbyteorder("<"))
    parts = [values.real, values.imag] if len(cells) == 2 else [values]
    for cell, part in zip(cells, parts, strict=True):
        cell.update(enumerate(constants(nodes, part)))


def constants(nodes: Nodes, values: Any) -> list[int]:
    """The constants of an array of numbers of one real type."""
    array = np.asarray(values).ravel()
    if array.dtype.kind == "f":
        kind = np.dtype(f"f{array.dtype.itemsize}").type
        return [nodes.real_constant(kind(value)) for value in array]
    return [nodes.constant(int(value)) for value in array.tolist()]
