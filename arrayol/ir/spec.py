"""The resolved specification: names bound, constants evaluated, shapes and tilers as exact integers.

Where consts stay symbolic, entries of tilers, links, delays and spaces are expressions of them: Tiler[Expr].
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from math import prod
from typing import Any, Generic, TypeAlias, TypeGuard

from typing_extensions import TypeVar

from arrayol.ir import syntax
from arrayol.ir.borders import Border
from arrayol.ir.expressions import Assign, Expr, Statement
from arrayol.ir.types import ElementType, Kind
from arrayol.source import Span
from arrayol.text import counted, few

Entry = TypeVar("Entry", int, Expr, default=int)  # of a matrix or vector

Shape = tuple[int | None, ...]  # None is an infinite dimension
SymbolicShape: TypeAlias = tuple[Expr | None, ...]
IntMatrix = tuple[tuple[int, ...], ...]
ConstValue = int | float | bool

MAXIMUM_RANK = 32  # dimensions of an array or a space, ranges around a statement: exact decisions take time with them


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output, and any other array: its name, the type of its elements and its shape."""

    name: str
    type: ElementType
    shape: Shape
    span: Span = field(compare=False, repr=False)


_STRUCT = {"?": "?", "f4": "f", "f8": "d"} | {
    f"{sign}{size}": code.upper() if sign == "u" else code
    for sign in "iu"
    for size, code in {1: "b", 2: "h", 4: "i", 8: "q"}.items()
}


@dataclass(frozen=True, slots=True)
class ConstArray:
    """An array of constants, an input of every component that reads it or calls one that does.

    `data` has the elements in row-major order, each as NumPy's type of its own, the low byte first. `definition` is the
    definition with numbers for consts.
    """

    name: str
    type: ElementType
    shape: tuple[int, ...]
    data: bytes = field(repr=False)
    definition: syntax.ConstArray = field(compare=False, repr=False)

    @property
    def number(self) -> ConstValue | None:
        """What arrays hold of one that is a number in bodies: of rank 0, not complex, of at most 53 bits if fixed."""
        if self.shape or self.type.kind is Kind.COMPLEX:
            return None
        value: ConstValue = struct.unpack(f"<{_STRUCT[self.type.numpy_name]}", self.data)[0]
        if self.type.is_fixed and Fraction(self.type.value(int(value))) != Fraction(
            int(value), 1 << self.type.fraction
        ):
            return None  # no text has it
        return value

    @property
    def digest(self) -> str:
        """Hash of the elements, 32 hexadecimal digits: equal for equal tables."""
        return sha256(self.data).hexdigest()[:32]

    @property
    def rom_bits(self) -> int:
        """What a ROM of its elements takes, in bits: none where a counter makes them."""
        return 0 if self.is_affine else prod(self.shape) * self.type.bits

    @property
    def is_affine(self) -> bool:
        """Whether its elements are an affine function of the subscripts: integers; of other types all alike."""
        if self.type.kind in (Kind.FLOAT, Kind.COMPLEX):
            size = len(self.data) // prod(self.shape)
            return self.data == self.data[:size] * prod(self.shape)
        elements = array(_STRUCT[self.type.numpy_name].replace("?", "b"), self.data)
        if sys.byteorder == "big":
            elements.byteswap()
        return _is_affine(elements, self.shape)

    @property
    def port(self) -> Port:
        """The input of a component."""
        return Port(self.name, self.type, self.shape, self.definition.name.span)


def _is_affine(elements: Sequence[int], shape: tuple[int, ...]) -> bool:
    """Whether elements in row-major order are c + a . x for their subscripts x."""
    axis = len(shape) - 1
    if axis < 0:
        return True
    step = elements[1] - elements[0] if shape[axis] > 1 else 0
    for start in range(0, len(elements), shape[axis]):
        line = list(elements[start : start + shape[axis]])
        if line != [line[0] + step * place for place in range(shape[axis])]:
            return False
    return _is_affine(elements[:: shape[axis]], shape[:axis])


@dataclass(frozen=True, slots=True)
class Tiler(Generic[Entry]):
    """e(r, f) = origin + paving r + fitting f, modulo the array's shape where `wrap` says so.

    Beyond the ends of finite axes it reads what the `border` says, which only tilers of input links have.

    `origin` has one entry per array dimension; `paving` and `fitting` one row per array dimension and one column per
    repetition, respectively pattern, dimension.
    """

    origin: tuple[Entry, ...]
    paving: tuple[tuple[Entry, ...], ...]
    fitting: tuple[tuple[Entry, ...], ...]
    wrap: bool
    span: Span = field(compare=False, repr=False)
    border: Border | None = None


@dataclass(frozen=True, slots=True)
class Link(Generic[Entry]):
    """A port of the repeated task and the array it reads or writes through a tiler.

    An output with an `exit` writes from those instances r for which r + exit lies outside the repetition space.
    """

    port: str
    array: str
    tiler: Tiler[Entry]
    span: Span = field(compare=False, repr=False)
    exit: tuple[Entry, ...] | None = None


@dataclass(frozen=True, slots=True)
class TiledDefault(Generic[Entry]):
    """What a delayed port reads where r - d lies outside the repetition space."""

    array: str
    tiler: Tiler[Entry]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Delay(Generic[Entry]):
    """Input `port` of instance r is `output` of instance r - vector; outside the space it is `default`.

    A delay that never acts (as long as a finite dimension) has `acts` false: its port always takes the default.
    """

    port: str
    output: str
    vector: tuple[Entry, ...]
    default: ConstValue | TiledDefault[Entry]
    acts: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class OuterRange:
    """A range variable around a local; all its values lie in low <= value < high."""

    name: str
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Local:
    """A variable of a body: a new one, unwritten, for each value of the range variables around its declaration.

    So it is an array over those variables: accesses have them as leading subscripts, before those of its own `shape`.
    The name is unique in the body: of several locals with one name the later ones have a mark behind it.
    """

    name: str
    type: ElementType
    around: tuple[OuterRange, ...]
    shape: tuple[int, ...]
    span: Span = field(compare=False, repr=False)

    @property
    def rank(self) -> int:
        """The number of subscripts of an access."""
        return len(self.around) + len(self.shape)

    @property
    def bits(self) -> int:
        """What one processor holds of it, in bits."""
        return prod(self.shape) * self.type.bits


def written_name(name: str) -> str:
    """The name of a port or local as the specification has it."""
    return name.partition(LOCAL_MARK)[0]


LOCAL_MARK = "'"  # no name that is written has one


def is_initial(statement: Statement, local: Local) -> TypeGuard[Assign]:
    """Whether a statement that is the first to mention a local may be its first value, as `a: i32 = 0`."""
    return (
        isinstance(statement, Assign)
        and (statement.port, local.shape) == (local.name, ())
        and not (statement.ranges or statement.condition or statement.accumulate)
    )


@dataclass(frozen=True, slots=True)
class Elementary:
    """An atomic task: a body, an extern callable "pkg.mod:func", or neither (a black box).

    In a network `constants` are, by input port, the const arrays that every repetition reads as they are, and `parts`
    the inputs of which not every repetition has one array, whole and element by element.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    body: tuple[Statement, ...] | None
    extern: str | None
    span: Span = field(compare=False, repr=False)
    locals: tuple[Local, ...] = ()
    constants: tuple[tuple[str, ConstArray], ...] = ()
    parts: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        return f"Elementary({self.name!r}: {_ports(self)})"


@dataclass(frozen=True, slots=True)
class RepetitiveTask(Generic[Entry]):
    """`repeat repetition of callee`: one instance of `callee` for each index r of the repetition space."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    repetition: tuple[Entry | None, ...]
    callee: str
    input_links: tuple[Link[Entry], ...]
    output_links: tuple[Link[Entry], ...]
    delays: tuple[Delay[Entry], ...]
    span: Span = field(compare=False, repr=False)

    def __repr__(self) -> str:
        return f"RepetitiveTask({self.name!r}: {_ports(self)}, {_space(self.repetition)} of {self.callee})"


@dataclass(frozen=True, slots=True)
class Part:
    """What slices take of an array, by its dimensions: the first index, the step and how many; None has no end.

    A dimension that is not `kept` is dropped: the part has one index of it.
    """

    origin: tuple[int, ...]
    step: tuple[int, ...]
    extents: Shape
    kept: tuple[bool, ...]
    span: Span = field(compare=False, repr=False)

    @property
    def shape(self) -> Shape:
        """The part as an array."""
        return tuple(extent for extent, kept in zip(self.extents, self.kept, strict=True) if kept)


def whole_part(shape: Shape, span: Span) -> Part:
    """The part that is all of an array."""
    rank = len(shape)
    return Part((0,) * rank, (1,) * rank, shape, (True,) * rank, span)


@dataclass(frozen=True, slots=True)
class Call:
    """`results = callee(arguments)`, by array names.

    `parts` has the parts by the ports of the callee that they are bound to, in the order of its ports; at other ports
    arrays are whole.
    """

    results: tuple[str, ...]
    callee: str
    arguments: tuple[str, ...]
    span: Span = field(compare=False, repr=False)
    parts: tuple[tuple[str, Part], ...] = ()

    def part_at(self, port: str) -> Part | None:
        """What a port of the callee is bound to of its array; None is all."""
        return next((part for name, part in self.parts if name == port), None)


@dataclass(frozen=True, slots=True)
class CompoundTask:
    """Calls in an order of the dataflow; `arrays` types every name: ports and intermediate arrays."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    calls: tuple[Call, ...]
    arrays: Mapping[str, Port]
    span: Span = field(compare=False, repr=False)

    def __repr__(self) -> str:
        return f"CompoundTask({self.name!r}: {_ports(self)}, {counted(len(self.calls), 'call')})"


Task = RepetitiveTask | CompoundTask
Component = Elementary | RepetitiveTask | CompoundTask


def _ports(component: Elementary | RepetitiveTask[Any] | CompoundTask) -> str:
    """Names, for the short texts by which values show themselves."""
    inputs, outputs = ([port.name for port in ports] for ports in (component.inputs, component.outputs))
    return f"{few(inputs)} -> {few(outputs)}"


def _space(repetition: Sequence[object]) -> str:
    return f"[{', '.join('*' if extent is None else str(extent) for extent in repetition)}]"


@dataclass(frozen=True, slots=True)
class Copy:
    """What a component was made from: the definition with parameters of that name, and their values as written.

    `uses` has the values by consts of the file, for each use that differs; None for one that is too long to keep.
    """

    definition: str
    values: tuple[str, ...]
    uses: tuple[tuple[syntax.Expr, ...] | None, ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.definition}[{', '.join(self.values)}]"


@dataclass(frozen=True, slots=True)
class Spec:
    """A whole resolved specification: the file and its imports in one namespace.

    `constants` holds the consts' values after `--set`, `components` every elementary and task by name in textual
    order, `tables` the const arrays, `settings` what was set. `items` are the definitions as written, imports inlined,
    to be evaluated anew with other constants; one that steps made has none. `copies` says of the components that were
    made of definitions with parameters which ones those are.
    """

    name: str
    constants: Mapping[str, ConstValue]
    components: Mapping[str, Component]
    settings: Mapping[str, ConstValue | str] = field(default_factory=dict, compare=False, repr=False)
    items: tuple[syntax.Item, ...] = field(default=(), compare=False, repr=False)
    tables: Mapping[str, ConstArray] = field(default_factory=dict)
    copies: Mapping[str, Copy] = field(default_factory=dict, compare=False, repr=False)

    def __repr__(self) -> str:
        tasks, elementaries = few(list(self.tasks)), few(list(self.elementaries))
        consts = "; " + few([f"{name} = {value}" for name, value in self.constants.items()]) if self.constants else ""
        return f"Spec({self.name!r}: tasks {tasks or 'none'}; elementaries {elementaries or 'none'}{consts})"

    def definition_of(self, name: str) -> str:
        """The name under which a component is written: a copy's is that of its definition."""
        return self.copies[name].definition if name in self.copies else name

    @property
    def elementaries(self) -> dict[str, Elementary]:
        return {name: item for name, item in self.components.items() if isinstance(item, Elementary)}

    @property
    def tasks(self) -> dict[str, Task]:
        return {name: item for name, item in self.components.items() if not isinstance(item, Elementary)}

    def given_inputs(self, component: Component) -> tuple[Port, ...]:
        """The inputs of a component whose data come from outside: const arrays are there."""
        return tuple(port for port in component.inputs if port.name not in self.tables)

    def components_under(self, name: str) -> set[str]:
        """A component and all that it is made of, by name."""
        waiting, found = [name], {name}
        while waiting:
            component = self.components[waiting.pop()]
            more = set() if isinstance(component, Elementary) else {*callees(component)} - found
            found |= more
            waiting.extend(more)
        return found

    @property
    def files_set(self) -> dict[str, ConstValue | str]:
        """What was set for const arrays: names of files; numbers for those of rank 0."""
        return {name: value for name, value in self.settings.items() if name in self.tables}

    @property
    def recorded(self) -> dict[str, ConstValue | str]:
        """What a result says of the consts: their values, and what was set for const arrays."""
        return {**self.constants, **self.files_set}

    @property
    def tops(self) -> tuple[str, ...]:
        """Names of the tasks that nothing calls, in textual order; what has parameters calls too, used or not."""
        called = {name for task in self.tasks.values() for name in callees(task)}
        called |= {name for item in self.items if isinstance(item, syntax.Task) for name in syntax.callees(item)}
        return tuple(name for name in self.tasks if name not in called)


@dataclass(frozen=True, slots=True)
class SymbolicComponent:
    """An elementary with a body, or a repetitive task, in which the consts `symbols` have no value.

    In expressions a symbol is an `Index` of its name. Ports are those under the consts' `values`, which has the
    symbols' own; `shapes` has their shapes by symbols, and those of locals without the loops around; `patterns` has
    those of the repeated task's ports, `carried` the array over the repetitions that holds an output for delays,
    `tables` names the const arrays. Where the specification divides exactly by `/`, the expressions round down, and
    `divisible` names the dividend and the divisor.
    """

    component: Elementary | RepetitiveTask[Expr]
    shapes: Mapping[str, SymbolicShape]
    patterns: Mapping[str, SymbolicShape]
    carried: Mapping[str, Port]
    values: Mapping[str, int]
    divisible: tuple[tuple[Expr, int], ...]
    tables: frozenset[str] = frozenset()

    @property
    def symbols(self) -> tuple[str, ...]:
        return tuple(self.values)


def callees(task: Task) -> tuple[str, ...]:
    """Names of what a task calls, in dataflow order, repeated where it calls one twice."""
    return (task.callee,) if isinstance(task, RepetitiveTask) else tuple(call.callee for call in task.calls)


def port_named(ports: tuple[Port, ...], name: str) -> Port:
    """The port of that name; the resolver has checked that there is one."""
    return next(port for port in ports if port.name == name)


# Tilers that many constructions need.


def identity(size: int) -> IntMatrix:
    """The identity matrix, row by row."""
    return tuple(tuple(int(row == column) for column in range(size)) for row in range(size))


def zeros(rows: int, columns: int) -> IntMatrix:
    """A matrix of zeros, row by row."""
    return ((0,) * columns,) * rows


def whole_array_tiler(rank: int, span: Span, steps: int = 0) -> Tiler:
    """e(r, f) = f: each repetition, of so many dimensions, has the array of that rank itself as its pattern."""
    return Tiler((0,) * rank, zeros(rank, steps), identity(rank), False, span)


def own_part_tiler(steps: int, rank: int, span: Span) -> Tiler:
    """e(r, f) = (r, f): each repetition, of so many dimensions, has a part of the array for itself, of that rank."""
    paving = identity(steps) + zeros(rank, steps)
    return Tiler((0,) * (steps + rank), paving, zeros(steps, rank) + identity(rank), False, span)
