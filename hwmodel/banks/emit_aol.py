"""An elementary task on a custom layout, as a specification that computes the same arrays.

Three steps: one task splits the input arrays over the virtual memories (eq. 7 of paper B), the unrolled body works on
the memories with renamed accesses (fig. 5), one task joins the output memories to arrays again. A reference of a full
block goes to the memory of its partition; an access of a remainder to the one whose lattice holds its elements, of
which there is one, since lattices of different memories of an array are disjoint.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TypeAlias

from arrayol.checks.top import choose_top
from arrayol.errors import error
from arrayol.ir import expressions
from arrayol.ir.affine import Affine, AffineExpr, expression_of
from arrayol.ir.spec import Call, Component, CompoundTask, Elementary, Port, Spec, port_named, written_name
from arrayol.ir.types import ElementType, Weak
from arrayol.polyhedral.dependences import nest_of
from arrayol.source import Span
from arrayol.transforms.unroll import Unrolled, unroll
from arrayol.transforms.unroll_legality import no_nest
from hwmodel.banks.custom import Custom, VirtualMemory
from hwmodel.banks.partition import Lattice, independent
from hwmodel.banks.renaming import Seat, Seating, renamed_body

Fresh: TypeAlias = Callable[[str], str]  # a name that is asked for once, or with a number where it is taken


def own_ports(elementary: Elementary, custom: Custom, fresh: Fresh) -> Seating:
    """A port for each virtual memory, of its name where that is free."""
    inputs: list[Port] = []
    outputs: list[Port] = []
    seats = []
    for memory in custom.memories:
        origin, is_input = _origin(elementary, memory)
        shape = tuple(extent or 0 for extent in memory.shape)
        port = Port(fresh(memory.name), origin.type, shape, origin.span)
        (inputs if is_input else outputs).append(port)
        seats.append(Seat(port.name, shape, None))
    return Seating(tuple(seats), tuple(inputs), tuple(outputs))


def bank_ports(elementary: Elementary, custom: Custom, fresh: Fresh) -> Seating:
    """For each physical bank a port with what it holds of the inputs, and one of the outputs, per element type.

    The memories of a bank lie one after the other, each row by row.
    """
    kinds = [_origin(elementary, memory) for memory in custom.memories]
    keys = [(bank, origin.type, is_input) for bank, (origin, is_input) in zip(custom.bank, kinds, strict=True)]
    names = {key: fresh(f"bank{key[0]}_{key[1]}_{'in' if key[2] else 'out'}") for key in sorted(dict.fromkeys(keys))}
    used = dict.fromkeys(keys, 0)
    seats = []
    for memory, key in zip(custom.memories, keys, strict=True):
        shape = tuple(extent or 0 for extent in memory.shape)
        seats.append(Seat(names[key], shape, used[key]))
        used[key] += prod(shape)
    ports = {key: Port(name, key[1], (used[key],), elementary.span) for key, name in names.items()}
    inputs = tuple(port for key, port in ports.items() if key[2])
    return Seating(tuple(seats), inputs, tuple(port for key, port in ports.items() if not key[2]))


def fresh_names(taken: Iterable[str]) -> Fresh:
    """A function that gives each name it is asked for once, with a number where it is taken."""
    used = set(taken)

    def fresh(stem: str) -> str:
        name, number = stem, 2
        while name in used:
            name, number = f"{stem}_{number}", number + 1
        used.add(name)
        return name

    return fresh


def _origin(elementary: Elementary, memory: VirtualMemory) -> tuple[Port, bool]:
    is_input = any(port.name == memory.array for port in elementary.inputs)
    return port_named(elementary.inputs if is_input else elementary.outputs, memory.array), is_input


# Reorganisation in front of a nest and restoration behind it, as elementary tasks (eq. 7 and its inverse).


def split(elementary: Elementary, custom: Custom, seating: Seating, name: str) -> Elementary:
    """Copies the input arrays into their memories: A_s[v] = A[suffix + stride v], all of them."""
    arrays = _ports(elementary.inputs, custom)
    indices = index_names([*arrays, *seating.inputs])
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
    indices = index_names([*arrays, *seating.outputs])
    statements = tuple(
        _copy(seat, arrays[memory.array], lattice, memory, indices, into_memory=False)
        for memory, seat in zip(custom.memories, seating.seats, strict=True)
        if memory.array in arrays
        for lattice in _held(memory, custom)
    )
    return Elementary(name, seating.outputs, tuple(arrays.values()), statements, None, elementary.span)


def zeros(port: Port, names: Sequence[str]) -> expressions.Statement:
    """A port's elements all set to 0, for memories with room for elements that no statement writes."""
    indices = index_names(names)
    span = port.span
    extents = [extent or 0 for extent in port.shape]
    if port.type is ElementType.BOOL:
        value = expressions.Constant(value=False, type=port.type, span=span)
    else:
        value = expressions.Constant(0 if port.type.is_integer else 0.0, port.type, span)
    subscripts = tuple(expressions.Index(indices(axis), span) for axis in range(len(extents)))
    ranges = tuple(range_to(indices(axis), extent, span) for axis, extent in enumerate(extents))
    return expressions.Assign(port.name, subscripts, value, ranges, None, False, span, span)


def _ports(ports: Sequence[Port], custom: Custom) -> dict[str, Port]:
    used = {memory.array for memory in custom.memories}
    return {port.name: port for port in ports if port.name in used}


def index_names(ports: Sequence[Port | str]) -> Callable[[int], str]:
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
            ranges.append(range_to(indices(axis), -((first - (array.shape[axis] or 0)) // step), span))
    subscripts = seat.subscripts(places, span)
    if into_memory:
        value = expressions.Read(array.name, tuple(elements), array.type, span)
        return expressions.Assign(seat.port, subscripts, value, tuple(ranges), None, False, span, span)
    value = expressions.Read(seat.port, subscripts, array.type, span)
    return expressions.Assign(array.name, tuple(elements), value, tuple(ranges), None, False, span, span)


def range_to(name: str, extent: int, span: Span) -> expressions.Range:
    """The range of a variable from 0 to before an extent."""
    low, high = (expressions.Constant(value, Weak.INTEGER, span) for value in (0, extent))
    return expressions.Range(name, low, high, span)


def rewritten(spec: Spec, name: str, factors: Sequence[int], custom: Custom, *, physical: bool = False) -> Spec:
    """A specification of NAME unrolled and on its custom layout, reorganised in front and restored behind.

    `custom` is the layout of `unrolled_nest(spec, name, factors)`. Task NAME_laid_out has the ports of NAME and calls
    NAME_split, NAME_banked and NAME_join. Each virtual memory is a port of NAME_banked, with the name it has in the
    layout; with `physical` each bank is one (one of inputs, one of outputs, per element type), in which its memories
    follow one another. Scalar ports stay as they are. Raises ArrayolError: `no-nest` where NAME is no elementary with a
    body, and what `unroll` raises.
    """

    def lay(component: Elementary, unrolled: Unrolled, fresh: Fresh, parts: tuple[str, str]) -> LaidOut:
        seating = (bank_ports if physical else own_ports)(component, custom, fresh)
        return LaidOut(
            seating,
            renamed_body(unrolled, custom, seating),
            split(component, custom, seating, parts[0]),
            join(component, custom, seating, parts[1]),
        )

    return emitted(spec, name, factors, lay)


@dataclass(frozen=True, slots=True)
class LaidOut:
    """An elementary on memories: their ports, what its body becomes, what fills them and what restores the arrays."""

    seating: Seating
    body: tuple[expressions.Statement, ...]
    split: Elementary
    join: Elementary


def emitted(
    spec: Spec,
    name: str,
    factors: Sequence[int],
    lay: Callable[[Elementary, Unrolled, Fresh, tuple[str, str]], LaidOut],
) -> Spec:
    """A specification of NAME, unrolled and on memories: `lay` takes free names, and those of what splits and joins.

    Raises ArrayolError: `no-nest` where NAME is no elementary with a body, and what `unroll` and `lay` raise.
    """
    name = choose_top(spec, name)
    component = spec.components[name]
    if not isinstance(component, Elementary):
        hint = "name the elementary that it repeats; its body is what can be rewritten"
        raise error("no-nest", f"'{name}' is a task: it has no body to rewrite", component.span, hint=hint)
    if component.body is None:
        raise no_nest(component)
    unrolled = unroll(component, factors)
    names = [f"{name}_{part}" for part in ("split", "banked", "join", "laid_out")]
    fresh = fresh_names([*names, *_names_in(unrolled.elementary)])
    made = lay(component, unrolled, fresh, (names[0], names[2]))
    banked = _banked(unrolled.elementary, made.body, made.seating, names[1], spec.tables)
    parts = [part for part in (made.split, banked, made.join) if part.body]
    components: list[Component] = [*parts, _task(component, parts, made.seating, names[3])]
    return Spec(spec.name, {}, {part.name: part for part in components}, tables=spec.tables)


def cleared(task: Elementary, ports: Sequence[Port]) -> Elementary:
    """A task of which those of the ports that it does not surely write whole start with zeros."""
    whole = nest_of(task).settled()
    names = [port.name for port in (*task.inputs, *task.outputs)]
    first = tuple(zeros(port, names) for port in ports if port.name not in whole)
    return replace(task, body=(*first, *(task.body or ())))


def _banked(
    unrolled: Elementary,
    statements: tuple[expressions.Statement, ...],
    seating: Seating,
    name: str,
    tables: Collection[str],
) -> Elementary:
    """The body on its memories; those that it does not surely write whole start with zeros, which nothing uses."""
    scalars = [
        tuple(port for port in ports if not port.shape or port.name in tables)
        for ports in (unrolled.inputs, unrolled.outputs)
    ]
    task = Elementary(
        name,
        (*seating.inputs, *scalars[0]),
        (*seating.outputs, *scalars[1]),
        statements,
        None,
        unrolled.span,
        unrolled.locals,
    )
    return cleared(task, seating.outputs)


def _task(component: Elementary, parts: Sequence[Elementary], seating: Seating, name: str) -> CompoundTask:
    calls = tuple(
        Call(tuple(port.name for port in part.outputs), part.name, tuple(port.name for port in part.inputs), part.span)
        for part in parts
    )
    ports: tuple[Port, ...] = (*component.inputs, *seating.inputs, *seating.outputs, *component.outputs)
    arrays = {port.name: port for port in ports}
    return CompoundTask(name, component.inputs, component.outputs, calls, arrays, component.span)


def _names_in(elementary: Elementary) -> set[str]:
    """Names of ports, locals and range variables."""
    ports = (*elementary.inputs, *elementary.outputs)
    names = {port.name for port in ports} | {written_name(local.name) for local in elementary.locals}
    return names | {item.name for item in expressions.ranges(elementary.body or ())}
