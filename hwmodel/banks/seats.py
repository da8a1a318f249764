"""Where the rewritten elementary keeps virtual memories: one port each, or one per physical bank."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import prod

from arrayol.ir import expressions
from arrayol.ir.affine import Affine, AffineExpr, affine, expression_of
from arrayol.ir.spec import Elementary, Port, port_named
from arrayol.ir.types import ElementType, Weak
from arrayol.source import Span
from hwmodel.banks.custom import Custom
from hwmodel.banks.renaming import VirtualMemory


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
