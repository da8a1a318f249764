"""The syntax tree: a specification as written, every node with its span.

It is the model of a specification: built in Python (`syntax.Port("x", "u8", [3, 3])`), nodes are validated, and take
numbers, names and lists in the place of nodes. See `arrayol.ir.checked`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, TypeAlias

from arrayol.ir.checked import Form, checked
from arrayol.operators.registry import WORDS
from arrayol.source import SourceFile, Span

NOWHERE = Span(SourceFile("", ""), 0, 0)  # the place of what was never written
Place: TypeAlias = Annotated[Span, Form("place")]
Text: TypeAlias = Annotated[str, Form("text")]  # between quotation marks
Flag: TypeAlias = Annotated[bool, Form("flag")]

ITEM_KEYWORDS = {"IMPORT": "import", "CONST": "const", "TILER": "tiler", "ELEMENTARY": "elementary", "TASK": "task"}

KEYWORDS = {
    "extern", "for", "where", "loop", "in", "repeat", "of", "at", "delay", "else", "origin", "paving", "fitting",
    "wrap", "if", "true", "false", *WORDS, *ITEM_KEYWORDS.values(),
}  # fmt: skip


@checked
@dataclass(frozen=True, slots=True)
class Name:
    text: Annotated[str, Form("word")]
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class Number:
    value: Annotated[int | float, Form("amount")]
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class Truth:
    value: Flag
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class Unary:
    """`-x`, `~x`, `not x`."""

    operator: Annotated[str, Form("unary")]
    operand: Expr
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class Binary:
    """Arithmetic, bitwise, comparison, `and`, `or`."""

    operator: Annotated[str, Form("binary")]
    left: Expr
    right: Expr
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class Conditional:
    """`then if condition else otherwise`."""

    then: Expr
    condition: Expr
    otherwise: Expr
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class Apply:
    """A function or a conversion: `min(a, b)`, `u8(e)`."""

    function: Name
    arguments: tuple[Expr, ...]
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class Ref:
    """A name, with subscripts where it is an element of an array."""

    name: Name
    subscripts: tuple[Expr, ...] = ()
    span: Place = field(default=NOWHERE, compare=False, repr=False)


Expr: TypeAlias = Annotated[Number | Truth | Unary | Binary | Conditional | Apply | Ref, Form("expression")]


@checked
@dataclass(frozen=True, slots=True)
class Infinite:
    """The dimension `*`."""

    span: Place = field(default=NOWHERE, compare=False, repr=False)


Dim: TypeAlias = Annotated[Infinite | Expr, Form("extent")]


@checked
@dataclass(frozen=True, slots=True)
class Vector:
    items: tuple[Expr, ...]
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class Matrix:
    rows: tuple[tuple[Expr, ...], ...]
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class Tiler:
    origin: Vector
    paving: Matrix
    fitting: Matrix
    wrap: Flag = False
    span: Place = field(default=NOWHERE, compare=False, repr=False)


TilerRef: TypeAlias = Annotated[Name | Tiler, Form("tiler")]


@checked
@dataclass(frozen=True, slots=True)
class Import:
    path: Text
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class Const:
    name: Name
    value: Expr
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class Table:
    """`[1, 2; 3, 4]`, elements in row-major order; or `[formula for ranges]`, in the order of the ranges."""

    rows: tuple[tuple[Expr, ...], ...]
    ranges: tuple[Range, ...] = ()
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class DataFile:
    """A .npy file that holds an array, by its path from the file that names it; `content` are its bytes, once read."""

    path: Text
    content: Annotated[bytes, Form("bytes")] = field(default=b"", repr=False)
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class ConstArray:
    """`const name: type[shape] = value`."""

    name: Name
    type: Name
    shape: tuple[Dim, ...]
    value: Annotated[Table | DataFile | Expr, Form("elements")]
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class TilerDef:
    name: Name
    tiler: Tiler
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class Port:
    name: Name
    type: Name
    shape: tuple[Dim, ...] = ()
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class Range:
    """`name in low .. high`, half open."""

    name: Name
    low: Expr
    high: Expr
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class Assign:
    """`target = value for ranges where condition`; `accumulate` for `+=`."""

    target: Ref
    value: Expr
    accumulate: Flag = False
    ranges: tuple[Range, ...] = ()
    condition: Expr | None = None
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class Loop:
    ranges: tuple[Range, ...]
    body: tuple[Statement, ...]
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class Local:
    """`name: type[shape]`, a variable of a body; with `= initial` its first value."""

    name: Name
    type: Name
    shape: tuple[Dim, ...] = ()
    initial: Expr | None = None
    span: Place = field(default=NOWHERE, compare=False, repr=False)


Statement: TypeAlias = Annotated[Assign | Loop | Local, Form("kinds")]


@checked
@dataclass(frozen=True, slots=True)
class Signature:
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class Elementary:
    """A body, an extern callable, or neither (a black box)."""

    name: Name
    signature: Signature
    body: tuple[Statement, ...] | None = None
    extern: Text | None = None
    span: Place = field(default=NOWHERE, compare=False, repr=False)
    parameters: tuple[Name, ...] = ()


@checked
@dataclass(frozen=True, slots=True)
class BorderMode:
    """`nearest`, `reflect` or `mirror`: how an array goes on beyond its ends."""

    mode: Annotated[str, Form("mode")]
    span: Place = field(default=NOWHERE, compare=False, repr=False)


Border: TypeAlias = Annotated[BorderMode | Expr, Form("border")]  # a constant value otherwise


@checked
@dataclass(frozen=True, slots=True)
class InputLink:
    """`port <- array at tiler else border`; without a tiler it is a plain link."""

    port: Name
    array: Name
    tiler: TilerRef | None = None
    span: Place = field(default=NOWHERE, compare=False, repr=False)
    border: Border | None = None


@checked
@dataclass(frozen=True, slots=True)
class OutputLink:
    """`port -> array at tiler`; without a tiler it is a plain link.

    An exit, `port delay vector -> array`, writes where instance r + vector lies outside the repetition space.
    """

    port: Name
    array: Name
    tiler: TilerRef | None = None
    span: Place = field(default=NOWHERE, compare=False, repr=False)
    delay: Vector | None = None


@checked
@dataclass(frozen=True, slots=True)
class TiledDefault:
    """`array at tiler`, read where a delay reaches outside the repetition space."""

    array: Name
    tiler: TilerRef
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class DelayLink:
    """`port <- output delay vector else default`."""

    port: Name
    output: Name
    vector: Vector
    default: Annotated[TiledDefault | Expr, Form("default")]
    span: Place = field(default=NOWHERE, compare=False, repr=False)


Link: TypeAlias = Annotated[InputLink | OutputLink | DelayLink, Form("kinds")]


@checked
@dataclass(frozen=True, slots=True)
class Repeat:
    shape: tuple[Dim, ...]
    callee: Name
    links: tuple[Link, ...] = ()
    span: Place = field(default=NOWHERE, compare=False, repr=False)
    values: tuple[Expr, ...] | None = None  # of the callee's parameters


@checked
@dataclass(frozen=True, slots=True)
class Strided:
    """`low .. high : step`, the elements of one dimension that a part takes; without a step each of them."""

    low: Expr
    high: Expr
    step: Expr | None = None
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class Whole:
    """`..`, all elements of one dimension."""

    span: Place = field(default=NOWHERE, compare=False, repr=False)


Slice: TypeAlias = Annotated[
    Strided | Whole | Expr, Form("slice")
]  # an index takes one element and drops its dimension


@checked
@dataclass(frozen=True, slots=True)
class Part:
    """An array, or with slices, one for each dimension, a part of it."""

    name: Name
    slices: tuple[Slice, ...] = ()
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class Array:
    """`name: type[shape]`, an intermediate array of a compound task."""

    name: Name
    type: Name
    shape: tuple[Dim, ...]
    span: Place = field(default=NOWHERE, compare=False, repr=False)


@checked
@dataclass(frozen=True, slots=True)
class Call:
    """`results = callee[values](arguments)`."""

    results: tuple[Part, ...]
    callee: Name
    arguments: tuple[Part, ...]
    span: Place = field(default=NOWHERE, compare=False, repr=False)
    values: tuple[Expr, ...] | None = None  # of the callee's parameters


Member: TypeAlias = Annotated[Call | Array, Form("kinds")]


@checked
@dataclass(frozen=True, slots=True)
class Task:
    """A repetition, or a composition of calls and declarations of arrays in textual order."""

    name: Name
    signature: Signature
    content: Annotated[Repeat | tuple[Member, ...], Form("content")]
    span: Place = field(default=NOWHERE, compare=False, repr=False)
    parameters: tuple[Name, ...] = ()


Item: TypeAlias = Annotated[Import | Const | ConstArray | TilerDef | Elementary | Task, Form("kinds")]


@checked
@dataclass(frozen=True, slots=True)
class Specification:
    """A file: its definitions in textual order."""

    definitions: tuple[Item, ...]
    span: Place = field(default=NOWHERE, compare=False, repr=False)


def callees(task: Task) -> tuple[str, ...]:
    """Names of what a task repeats or calls, as they are written."""
    if isinstance(task.content, Repeat):
        return (task.content.callee.text,)
    return tuple(part.callee.text for part in task.content if isinstance(part, Call))
