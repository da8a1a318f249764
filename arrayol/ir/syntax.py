"""The syntax tree: an .aol file as written, every node with its span."""

from __future__ import annotations

from dataclasses import dataclass, field

from arrayol.source import Span


@dataclass(frozen=True, slots=True)
class Name:
    text: str
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Number:
    value: int | float
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Truth:
    value: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Unary:
    """`-x`, `~x`, `not x`."""

    operator: str
    operand: Expr
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Binary:
    """Arithmetic, bitwise, comparison, `and`, `or`."""

    operator: str
    left: Expr
    right: Expr
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Conditional:
    """`then if condition else otherwise`."""

    then: Expr
    condition: Expr
    otherwise: Expr
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Apply:
    """A function or a conversion: `min(a, b)`, `u8(e)`."""

    function: Name
    arguments: tuple[Expr, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Ref:
    """A name, with subscripts where it is an element of an array."""

    name: Name
    subscripts: tuple[Expr, ...]
    span: Span = field(compare=False, repr=False)


Expr = Number | Truth | Unary | Binary | Conditional | Apply | Ref


@dataclass(frozen=True, slots=True)
class Infinite:
    """The dimension `*`."""

    span: Span = field(compare=False, repr=False)


Dim = Expr | Infinite


@dataclass(frozen=True, slots=True)
class Vector:
    items: tuple[Expr, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Matrix:
    rows: tuple[tuple[Expr, ...], ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Tiler:
    origin: Vector
    paving: Matrix
    fitting: Matrix
    wrap: bool
    span: Span = field(compare=False, repr=False)


TilerRef = Name | Tiler


@dataclass(frozen=True, slots=True)
class Import:
    path: str
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Const:
    name: Name
    value: Expr
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Table:
    """`[1, 2; 3, 4]`, elements in row-major order; or `[formula for ranges]`, in the order of the ranges."""

    rows: tuple[tuple[Expr, ...], ...]
    ranges: tuple[Range, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class DataFile:
    """A .npy file that holds an array, by its path from the file that names it; `content` are its bytes, once read."""

    path: str
    content: bytes = field(repr=False)
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ConstArray:
    """`const name: type[dims] = value`."""

    name: Name
    type: Name
    dims: tuple[Dim, ...]
    value: Expr | Table | DataFile
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TilerDef:
    name: Name
    tiler: Tiler
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Port:
    name: Name
    type: Name
    dims: tuple[Dim, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Range:
    """`name in low .. high`, half open."""

    name: Name
    low: Expr
    high: Expr
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Assign:
    """`target = value for ranges where condition`; `accumulate` for `+=`."""

    target: Ref
    accumulate: bool
    value: Expr
    ranges: tuple[Range, ...]
    condition: Expr | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Loop:
    ranges: tuple[Range, ...]
    body: tuple[Statement, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Local:
    """`name: type[dims]`, a variable of a body; with `= initial` its first value."""

    name: Name
    type: Name
    dims: tuple[Dim, ...]
    initial: Expr | None
    span: Span = field(compare=False, repr=False)


Statement = Assign | Loop | Local


@dataclass(frozen=True, slots=True)
class Signature:
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Elementary:
    """A body, an extern callable, or neither (a black box)."""

    name: Name
    signature: Signature
    body: tuple[Statement, ...] | None
    extern: str | None
    span: Span = field(compare=False, repr=False)
    parameters: tuple[Name, ...] = ()


@dataclass(frozen=True, slots=True)
class BorderMode:
    """`nearest`, `reflect` or `mirror`: how an array goes on beyond its ends."""

    mode: str
    span: Span = field(compare=False, repr=False)


Border = BorderMode | Expr  # a constant value otherwise


@dataclass(frozen=True, slots=True)
class InputLink:
    """`port <- array at tiler else border`; without a tiler it is a plain link."""

    port: Name
    array: Name
    tiler: TilerRef | None
    span: Span = field(compare=False, repr=False)
    border: Border | None = None


@dataclass(frozen=True, slots=True)
class OutputLink:
    """`port -> array at tiler`; without a tiler it is a plain link.

    An exit, `port delay vector -> array`, writes where instance r + vector lies outside the repetition space.
    """

    port: Name
    array: Name
    tiler: TilerRef | None
    span: Span = field(compare=False, repr=False)
    delay: Vector | None = None


@dataclass(frozen=True, slots=True)
class TiledDefault:
    """`array at tiler`, read where a delay reaches outside the repetition space."""

    array: Name
    tiler: TilerRef
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class DelayLink:
    """`port <- output delay vector else default`."""

    port: Name
    output: Name
    vector: Vector
    default: Expr | TiledDefault
    span: Span = field(compare=False, repr=False)


Link = InputLink | OutputLink | DelayLink


@dataclass(frozen=True, slots=True)
class Repeat:
    shape: tuple[Dim, ...]
    callee: Name
    links: tuple[Link, ...]
    span: Span = field(compare=False, repr=False)
    values: tuple[Expr, ...] | None = None  # of the callee's parameters


@dataclass(frozen=True, slots=True)
class Strided:
    """`low .. high : step`, the elements of one dimension that a part takes; without a step each of them."""

    low: Expr
    high: Expr
    step: Expr | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Whole:
    """`..`, all elements of one dimension."""

    span: Span = field(compare=False, repr=False)


Slice = Expr | Strided | Whole  # an index takes one element and drops its dimension


@dataclass(frozen=True, slots=True)
class Part:
    """An array, or with slices, one for each dimension, a part of it."""

    name: Name
    slices: tuple[Slice, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Array:
    """`name: type[dims]`, an intermediate array of a compound task."""

    name: Name
    type: Name
    dims: tuple[Dim, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Call:
    """`results = callee[values](arguments)`."""

    results: tuple[Part, ...]
    callee: Name
    arguments: tuple[Part, ...]
    span: Span = field(compare=False, repr=False)
    values: tuple[Expr, ...] | None = None  # of the callee's parameters


@dataclass(frozen=True, slots=True)
class Task:
    """A repetition, or a composition of calls and declarations of arrays in textual order."""

    name: Name
    signature: Signature
    content: Repeat | tuple[Call | Array, ...]
    span: Span = field(compare=False, repr=False)
    parameters: tuple[Name, ...] = ()


Item = Import | Const | ConstArray | TilerDef | Elementary | Task


@dataclass(frozen=True, slots=True)
class File:
    items: tuple[Item, ...]
    span: Span = field(compare=False, repr=False)


def callees(task: Task) -> tuple[str, ...]:
    """Names of what a task repeats or calls, as they are written."""
    if isinstance(task.content, Repeat):
        return (task.content.callee.text,)
    return tuple(part.callee.text for part in task.content if isinstance(part, Call))
