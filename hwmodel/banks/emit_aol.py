"""An elementary task on a custom layout, as a specification that computes the same arrays.

Three steps: one task splits the input arrays over the virtual memories (eq. 7 of paper B), the unrolled body works on
the memories with renamed accesses (fig. 5), one task joins the output memories to arrays again. A reference of a full
block goes to the memory of its partition; an access of a remainder to the one whose lattice holds its elements, of
which there is one, since lattices of different memories of an array are disjoint.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import count
from math import prod

from arrayol.checks.top import choose_top
from arrayol.errors import error
from arrayol.ir import expressions
from arrayol.ir.affine import Affine, AffineExpr, affine, expression_of
from arrayol.ir.spec import Call, Component, CompoundTask, Elementary, Port, Spec, port_named, written_name
from arrayol.ir.types import ElementType, Weak
from arrayol.polyhedral.dependences import nest_of
from arrayol.source import Span
from arrayol.transforms.unroll import Copy, Unrolled, unroll
from arrayol.transforms.unroll_legality import no_nest
from hwmodel.banks.custom import Custom, VirtualMemory
from hwmodel.banks.partition import Lattice, independent, residue


@dataclass(frozen=True, slots=True)
class Seat:
    """A virtual memory in a port: in one of its own, or row by row from address `base` on (None: its own port)."""

    port: str
    shape: tuple[int, ...]
    base: int | None

    def subscripts(self, place: Sequence[expressions.Expr], span: Span) -> tuple[expressions.Expr, ...]:
        """The subscripts of the port for a place in the memory."""
        if self.base is None:
            return tuple(place)
        strides = [prod(self.shape[axis + 1 :]) for axis in range(len(self.shape))]
        if all(item.type is Weak.INTEGER for item in place):
            address: AffineExpr = Affine(constant=self.base)
            for item, stride in zip(place, strides, strict=True):
                address += affine(item).scaled(stride)
            return (expression_of(address, span),)
        total: expressions.Expr = expressions.Constant(self.base, ElementType.I64, span)
        for item, stride in zip(place, strides, strict=True):
            scaled = expressions.Operation(
                "*", (wide(item), expressions.Constant(stride, ElementType.I64, span)), ElementType.I64, span
            )
            total = expressions.Operation("+", (total, scaled), ElementType.I64, span)
        return (total,)


@dataclass(frozen=True, slots=True)
class Seating:
    """The seats of all memories by their number, and the ports that hold those of inputs and of outputs."""

    seats: tuple[Seat, ...]
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]


def wide(expr: expressions.Expr) -> expressions.Expr:
    """An integer expression as i64, in which no address wraps."""
    if expr.type is ElementType.I64:
        return expr
    if isinstance(expr, expressions.Constant):
        return expressions.Constant(int(expr.value), ElementType.I64, expr.span)
    return expressions.Convert(expr, ElementType.I64, expr.span)


def own_ports(elementary: Elementary, custom: Custom, fresh: Callable[[str], str]) -> Seating:
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


def bank_ports(elementary: Elementary, custom: Custom, fresh: Callable[[str], str]) -> Seating:
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


def fresh_names(taken: Iterable[str]) -> Callable[[str], str]:
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


_Key = tuple[str, int, int, tuple[int, ...], int]  # array, body, statement, copy, number


def renamed_body(unrolled: Unrolled, custom: Custom, seating: Seating) -> tuple[expressions.Statement, ...]:
    """The statements of an unrolled body on the memories of its references (fig. 5).

    A remainder's accesses go to the memory whose elements they name: that of the same copy in a full block.
    """
    keys = {
        (each.array, each.body, each.statement, each.copy, each.number): number
        for number, memory in enumerate(custom.memories)
        for each in memory.references
    }
    copies = iter(unrolled.copies)
    laid_out = {memory.array for memory in custom.memories}

    def renamed(statements: Sequence[expressions.Statement]) -> tuple[expressions.Statement, ...]:
        return tuple(
            replace(statement, body=renamed(statement.body))
            if isinstance(statement, expressions.Loop)
            else _Renaming(next(copies), keys, custom.memories, seating, laid_out).assign(statement)
            for statement in statements
        )

    return renamed(unrolled.elementary.body or ())


class _Renaming:
    """Renames the accesses of one assignment in the order of their numbers."""

    def __init__(
        self,
        copy: Copy,
        keys: Mapping[_Key, int],
        memories: Sequence[VirtualMemory],
        seating: Seating,
        laid_out: Set[str],
    ) -> None:
        self.copy = copy
        self.keys = keys
        self.memories = memories
        self.seating = seating
        self.laid_out = laid_out
        self.numbers = count()

    def assign(self, assign: expressions.Assign) -> expressions.Assign:
        """The assignment on the memories; arrays that are written have no replicas, so `+=` works in one memory."""
        if assign.accumulate and assign.subscripts:
            next(self.numbers)
        value = self.expr(assign.value)
        inner = tuple(self.expr(item) for item in assign.subscripts)
        condition = None if assign.condition is None else self.expr(assign.condition)
        if not assign.subscripts:
            return replace(assign, value=value, condition=condition)
        number = next(self.numbers)
        port, subscripts = self._access(assign.port, assign.subscripts, inner, number, assign.target_span)
        return replace(assign, port=port, subscripts=subscripts, value=value, condition=condition)

    def expr(self, expr: expressions.Expr) -> expressions.Expr:
        match expr:
            case expressions.Read() if expr.subscripts:
                number = next(self.numbers)
                inner = tuple(self.expr(item) for item in expr.subscripts)
                port, subscripts = self._access(expr.port, expr.subscripts, inner, number, expr.span)
                return replace(expr, port=port, subscripts=subscripts)
            case expressions.Operation():
                return self._chain(expr)
            case expressions.Function():
                return replace(expr, arguments=tuple(self.expr(item) for item in expr.arguments))
            case expressions.Convert():
                return replace(expr, operand=self.expr(expr.operand))
            case expressions.Select():
                then, condition, otherwise = (self.expr(item) for item in expressions.operands_of(expr))
                return replace(expr, then=then, condition=condition, otherwise=otherwise)
            case _:
                return expr

    def _chain(self, expr: expressions.Operation) -> expressions.Expr:
        """A chain of left operands by a loop, since it may be longer than any stack."""
        left, chain = expressions.chain_of(expr)
        value = self.expr(left)
        for node in chain:
            value = replace(node, operands=(value, *(self.expr(item) for item in node.operands[1:])))
        return value

    def _access(
        self,
        array: str,
        written: Sequence[expressions.Expr],
        inner: Sequence[expressions.Expr],
        number: int,
        span: Span,
    ) -> tuple[str, tuple[expressions.Expr, ...]]:
        """The port and subscripts for an access; `inner` are its subscripts, the reads in them renamed."""
        if array not in self.laid_out:
            return array, tuple(inner)
        chosen = self._memory(array, written, number)
        memory, seat = self.memories[chosen], self.seating.seats[chosen]
        dimensions = zip(inner, memory.suffix, memory.strides, strict=True)
        place = [_place(item, suffix, stride) for item, suffix, stride in dimensions]
        return seat.port, seat.subscripts(place, span)

    def _memory(self, array: str, written: Sequence[expressions.Expr], number: int) -> int:
        copy = self.copy
        if copy.full:
            return self.keys[array, copy.body, copy.statement, copy.copy, number]
        lattice = tuple(_residues(item) for item in written)
        return next(
            place
            for place, memory in enumerate(self.memories)
            if memory.array == array and any(_within(lattice, whole) for whole in memory.lattices)
        )


def _place(expr: expressions.Expr, suffix: int, stride: int) -> expressions.Expr:
    """(e - suffix) / stride, which is exact; 0 where all references share the coordinate."""
    span = expr.span
    if stride == 0:
        return expressions.Constant(0, Weak.INTEGER, span)
    if stride == 1:
        return expr
    if expr.type is Weak.INTEGER:
        form = affine(expr) - suffix
        if form.step % stride == 0:
            return expression_of(form.divided(stride), span)
        return _quotient(expression_of(form, span), stride, Weak.INTEGER)
    if expr.type is ElementType.U64:
        return _quotient(_minus(expr, suffix, ElementType.U64), stride, ElementType.U64)
    return _quotient(_minus(wide(expr), suffix, ElementType.I64), stride, ElementType.I64)


def _minus(expr: expressions.Expr, suffix: int, type_: ElementType) -> expressions.Expr:
    if not suffix:
        return expr
    return expressions.Operation("-", (expr, expressions.Constant(suffix, type_, expr.span)), type_, expr.span)


def _quotient(expr: expressions.Expr, stride: int, type_: ElementType | Weak) -> expressions.Expr:
    return expressions.Operation("//", (expr, expressions.Constant(stride, type_, expr.span)), type_, expr.span)


def _residues(expr: expressions.Expr) -> tuple[int, int]:
    form = affine(expr)
    return form.step, residue(form.constant, form.step)


def _within(lattice: Lattice, whole: Lattice) -> bool:
    """Whether all elements of a lattice belong to another one."""
    return all(
        (stride % step == 0 if step else stride == 0) and residue(offset, step) == first
        for (stride, offset), (step, first) in zip(lattice, whole, strict=True)
    )


# Reorganisation in front of a nest and restoration behind it, as elementary tasks (eq. 7 and its inverse).


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


def rewritten(spec: Spec, name: str, factors: Sequence[int], custom: Custom, *, physical: bool = False) -> Spec:
    """A specification of NAME unrolled and on its custom layout, reorganised in front and restored behind.

    `custom` is the layout of `unrolled_nest(spec, name, factors)`. Task NAME_laid_out has the ports of NAME and calls
    NAME_split, NAME_banked and NAME_join. Each virtual memory is a port of NAME_banked, with the name it has in the
    layout; with `physical` each bank is one (one of inputs, one of outputs, per element type), in which its memories
    follow one another. Scalar ports stay as they are. Raises ArrayolError: `no-nest` where NAME is no elementary with a
    body, and what `unroll` raises.
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
    seating = (bank_ports if physical else own_ports)(component, custom, fresh)
    banked = _banked(unrolled.elementary, renamed_body(unrolled, custom, seating), seating, names[1], spec.tables)
    parts: list[Elementary] = [banked]
    if _ports(component.inputs, custom):
        parts.insert(0, split(component, custom, seating, names[0]))
    if _ports(component.outputs, custom):
        parts.append(join(component, custom, seating, names[2]))
    components: list[Component] = [*parts, _task(component, parts, seating, names[3])]
    return Spec(spec.name, {}, {part.name: part for part in components}, tables=spec.tables)


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
    whole = nest_of(task).settled()
    ports = [port.name for port in (*task.inputs, *task.outputs)]
    cleared = tuple(zeros(port, ports) for port in seating.outputs if port.name not in whole)
    return replace(task, body=(*cleared, *statements))


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
