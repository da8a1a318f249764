"""What a scop says: statements with affine loops and subscripts, and values as typed trees of C.

A scop is the part of a C function between `#pragma scop` and `#pragma endscop`. Loops count upwards by one: those that
count downwards are turned round when they are read. A condition is a form that is not negative where it holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from arrayol.ir.affine import Affine
from arrayol.source import Span

Form = Affine[str]  # of loops and consts by name

RANKS = ("i32", "u32", "i64", "u64", "f32", "f64")  # C's usual conversions go to the later one
BOOL = "bool"


@dataclass(frozen=True, slots=True)
class Variable:
    """An array or a scalar, of rank 0; `local` to the function or handed over."""

    name: str
    type: str
    dims: tuple[Form, ...]
    local: bool
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """One `for`, by identity: `name` counts from `low` to before `high`."""

    name: str
    low: Form
    high: Form
    span: Span


@dataclass(frozen=True, slots=True)
class Access:
    """An element that is read or written."""

    array: str
    subscripts: tuple[Form, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Value:
    """An operation of C and its operands; `type` is what C gives it.

    `kind` is `literal` (its `text`), `const`, `read` (of `access`), `form` (an integer of loops), `convert`, `choice`
    (condition, then, else), `call` of a function, or an operator of the language.
    """

    kind: str
    type: str
    operands: tuple[Value, ...] = ()
    text: str = ""
    access: Access | None = None
    form: Form | None = None

    def reads(self) -> Iterator[Access]:
        """All elements that it reads, from left to right."""
        if self.access is not None:
            yield self.access
        for operand in self.operands:
            yield from operand.reads()


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """An assignment in its loops; `position` are its textual places, one more than loops."""

    number: int
    loops: tuple[Loop, ...]
    position: tuple[int, ...]
    conditions: tuple[Form, ...]
    target: Access
    value: Value
    accumulate: bool

    @property
    def line(self) -> int:
        """Its line in the C file."""
        return self.target.span.place[1]

    @property
    def reads(self) -> list[Access]:
        """All elements that it reads, that of `+=` first."""
        return [*([self.target] if self.accumulate else []), *self.value.reads()]


@dataclass(frozen=True)
class Scop:
    """A function's scop: variables by name, consts with their text and their values, statements in order."""

    name: str
    variables: dict[str, Variable]
    consts: dict[str, str]
    values: dict[str, int | float]
    statements: tuple[Statement, ...]
