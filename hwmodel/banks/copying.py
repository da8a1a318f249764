"""Reorganisation in front of a nest and restoration behind it, as elementary tasks (eq. 7 and its inverse)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from arrayol.ir import expressions
from arrayol.ir.affine import Affine, AffineExpr, expression_of
from arrayol.ir.spec import Elementary, Port, port_named
from arrayol.ir.types import ElementType, Weak
from arrayol.source import Span
from hwmodel.banks.custom import Custom
from hwmodel.banks.partition import Lattice, independent
from hwmodel.banks.renaming import VirtualMemory
from hwmodel.banks.seats import Seat, Seating


def split(elementary: Elementary, custom: Custom, seating: Seating, name: str) -> Elementary:
    """Copies the input arrays into their memories: A_s[v] = A[suffix + stride v], all of them."""
    arrays = _ports(elementary.inputs, custom)
    indices = _indices([*arrays, *seating.inputs])
    statements = tuple(
        _copy(seat, arrays[memory.array], _box(memory), memory, indices, into_memory=True)
        for memory, seat in zip(custom.memories, seating.seats, strict=True)
        if memory.array in arrays
    )
    return Elementary(name, tuple(arrays.values()), seating.inputs, statements, None, elementary.span)


def join(elementary: Elementary, custom: Custom, seating: Seating, name: str) -> Elementary:
    """Copies the memories of the output arrays back.

    Where a memory has room for elements that another one holds, only those that its own references name are copied.
    """
    arrays = _ports(elementary.outputs, custom)
    indices = _indices([*arrays, *seating.outputs])
    statements = tuple(
        _copy(seat, arrays[memory.array], lattice, memory, indices, into_memory=False)
        for memory, seat in zip(custom.memories, seating.seats, strict=True)
        if memory.array in arrays
        for lattice in _held(memory, custom)
    )
    return Elementary(name, seating.outputs, tuple(arrays.values()), statements, None, elementary.span)


def zeros(port: Port, names: Sequence[str]) -> expressions.Statement:
    """A port's elements all set to 0, for memories with room for elements that no statement writes."""
    indices = _indices(names)
    span = port.span
    extents = [extent or 0 for extent in port.shape]
    if port.type is ElementType.BOOL:
        value = expressions.Constant(value=False, type=port.type, span=span)
    else:
        value = expressions.Constant(0 if port.type.is_integer else 0.0, port.type, span)
    subscripts = tuple(expressions.Index(indices(axis), span) for axis in range(len(extents)))
    ranges = tuple(_range(indices(axis), extent, span) for axis, extent in enumerate(extents))
    return expressions.Assign(port.name, subscripts, value, ranges, None, False, span, span)


def _ports(ports: Sequence[Port], custom: Custom) -> dict[str, Port]:
    used = {memory.array for memory in custom.memories}
    return {port.name: port for port in ports if port.name in used}


def _indices(ports: Sequence[Port | str]) -> Callable[[int], str]:
    """Names v0, v1, ... for the dimensions of a memory, or others where a port has one of them."""
    names = {port if isinstance(port, str) else port.name for port in ports}
    stem = next(stem for stem in _stems() if not any(name.startswith(stem) for name in names))
    return lambda axis: f"{stem}{axis}"


def _stems() -> Iterator[str]:
    stem = "v"
    while True:
        yield stem
        stem += "v"


def _box(memory: VirtualMemory) -> Lattice:
    return tuple(zip(memory.strides, memory.suffix, strict=True))


def _held(memory: VirtualMemory, custom: Custom) -> list[Lattice]:
    """The memory's whole box, or the lattices of its references where the box has elements of other memories."""
    box = _box(memory)
    others = [other for other in custom.of_array(memory.array) if other is not memory]
    if all(independent(box, lattice) for other in others for lattice in other.lattices):
        return [box]
    return sorted(memory.lattices)


def _copy(
    seat: Seat,
    array: Port,
    lattice: Lattice,
    memory: VirtualMemory,
    indices: Callable[[int], str],
    *,
    into_memory: bool,
) -> expressions.Assign:
    """Elements first + step w of an array for all w, to or from their places (element - suffix) / stride."""
    span = array.span
    elements: list[expressions.Expr] = []
    places: list[expressions.Expr] = []
    ranges: list[expressions.Range] = []
    for axis, ((step, first), suffix, stride) in enumerate(zip(lattice, memory.suffix, memory.strides, strict=True)):
        element: AffineExpr = Affine(((indices(axis), step),) if step else (), first)
        elements.append(expression_of(element, span))
        place = (element - suffix).divided(stride) if stride else Affine()
        places.append(expression_of(place, span))
        if step:
            ranges.append(_range(indices(axis), -((first - (array.shape[axis] or 0)) // step), span))
    subscripts = seat.subscripts(places, span)
    if into_memory:
        value = expressions.Read(array.name, tuple(elements), array.type, span)
        return expressions.Assign(seat.port, subscripts, value, tuple(ranges), None, False, span, span)
    value = expressions.Read(seat.port, subscripts, array.type, span)
    return expressions.Assign(array.name, tuple(elements), value, tuple(ranges), None, False, span, span)


def _range(name: str, extent: int, span: Span) -> expressions.Range:
    low, high = (expressions.Constant(value, Weak.INTEGER, span) for value in (0, extent))
    return expressions.Range(name, low, high, span)


def ports_used(elementary: Elementary, custom: Custom) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """The input and the output arrays that have memories."""
    inputs, outputs = _ports(elementary.inputs, custom), _ports(elementary.outputs, custom)
    return tuple(inputs.values()), tuple(port_named(elementary.outputs, name) for name in outputs)
