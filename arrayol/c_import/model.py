"""A function of C as data: statements with affine loops and subscripts, and values as typed graphs.

An integer that is affine in iterators and consts is a `Form`, such as `2 * i - j + N + 3`. A term of a form is a name,
or what sums of names cannot say: a quotient or rest (`Rounded`), a subscript that is clamped or mirrored (`Bordered`),
an integer that depends on data (`Dynamic`).

Loops count upwards by one. A condition (`ElementGuard`) decides which iterations run a statement, or read an element.
Values are graphs of `COperation`: what C names once and uses twice is one node with two users.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from arrayol.c_import.pragmas import Request
from arrayol.ir.affine import Affine
from arrayol.source import Span

BOOL = "bool"
UNKNOWN = "?"  # names of symbols for what is not known in the trial of a loop begin with it


@dataclass(frozen=True, slots=True)
class Rounded:
    """`form // divisor` or `form % divisor`, rounded down; C gives the same where the form is not negative."""

    operator: str
    form: Form
    divisor: int


@dataclass(frozen=True, slots=True)
class Bordered:
    """A subscript `form` that would leave the `extent` elements of its dimension, continued as the border of a link is.

    `mode` is `nearest`, `mirror` or `reflect`; a subscript that wraps is a `Rounded`.
    """

    mode: str
    form: Form
    extent: Form


@dataclass(frozen=True, slots=True, eq=False)
class Dynamic:
    """A term of a subscript that depends on data: the integer that `value` computes."""

    value: COperation


Term: TypeAlias = "str | Rounded | Bordered | Dynamic"
Form: TypeAlias = "Affine[Term]"  # names are those of loops and consts


@dataclass(frozen=True, slots=True)
class ElementGuard:
    """A condition: `form` compared with 0 by `kind` (`>=`, `==`, `!=`), or `and` / `or` of `parts`."""

    kind: str
    form: Form | None = None
    parts: tuple[ElementGuard, ...] = ()

    def negated(self) -> ElementGuard:
        """The opposite condition."""
        if self.form is None:
            return ElementGuard("or" if self.kind == "and" else "and", parts=tuple(one.negated() for one in self.parts))
        if self.kind == ">=":
            return ElementGuard(">=", self.form.scaled(-1) - 1)
        return ElementGuard("!=" if self.kind == "==" else "==", self.form)

    def forms(self) -> Iterator[Form]:
        """All forms that it compares."""
        if self.form is not None:
            yield self.form
        for part in self.parts:
            yield from part.forms()


def not_negative(form: Form) -> ElementGuard:
    """The condition that a form is at least 0."""
    return ElementGuard(">=", form)


@dataclass(frozen=True, slots=True)
class Variable:
    """An array, or a scalar as an array of rank 0. A `local` one lives in the function, others are handed over.

    A const array has its values in `table`, in the order of its elements, or a `formula` that computes them. A `state`
    keeps its value from call to call, and starts with `first`; no other function sees a `hidden` one.
    """

    name: str
    type: str
    dims: tuple[Form, ...]
    local: bool
    span: Span
    table: tuple[str, ...] = ()
    state: bool = False
    origin: str = ""  # the name in C
    formula: str = ""
    hidden: bool = False
    first: str = ""

    @property
    def is_const(self) -> bool:
        """Whether it is a const array of the specification."""
        return bool(self.table or self.formula)


@dataclass(frozen=True, slots=True, eq=False)
class ForLoop:
    """One `for`: `name` counts from `low` up to, but not including, `high`. It is equal to itself only."""

    name: str
    low: Form
    high: Form
    span: Span


@dataclass(frozen=True, slots=True)
class ElementAccess:
    """An element that is read or written; a read happens where `guards` hold."""

    array: str
    subscripts: tuple[Form, ...]
    span: Span
    guards: tuple[ElementGuard, ...] = ()


def data_of(access: ElementAccess) -> tuple[COperation, ...]:
    """The values that its subscripts depend on."""
    return tuple(term.value for form in access.subscripts for term, _ in form.terms if isinstance(term, Dynamic))


@dataclass(frozen=True, slots=True, eq=False)
class COperation:
    """An operation of C and its operands; `type` is what C gives it.

    `kind` is `literal` (its `text`), `const`, `read` (of `access`), `form` (an integer of loops), `convert`, `join` (a
    complex number of its parts), `choice` (condition, then, else), `call` of a function, `negative`, `nearest`
    (rounded, halves upwards), `unknown` (a symbol of a loop's trial run), or an operator of the language. Where the
    value is an affine integer for certain, `form` is that integer.
    """

    kind: str
    type: str
    operands: tuple[COperation, ...] = ()
    text: str = ""
    access: ElementAccess | None = None
    form: Form | None = None

    def nodes(self) -> Iterator[COperation]:
        """It and all below it, operands first and from left to right, each once."""
        seen: set[int] = set()
        waiting: list[tuple[COperation, bool]] = [(self, False)]
        while waiting:
            node, is_done = waiting.pop()
            if is_done:
                yield node
            elif id(node) not in seen:
                seen.add(id(node))
                waiting.append((node, True))
                waiting += [(operand, False) for operand in reversed(node.below())]

    def below(self) -> tuple[COperation, ...]:
        """Its operands, and values that its subscripts depend on."""
        if self.access is None:
            return self.operands
        return data_of(self.access)

    def reads(self) -> Iterator[ElementAccess]:
        """All elements that it reads."""
        return (node.access for node in self.nodes() if node.access is not None)


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """An assignment in its loops; with `accumulate` it is a `+=`.

    `position` has its place in the text of the function and of each loop around it, outermost first: one more than
    loops. In turn with the iterators they are its time, as in a schedule of 2d + 1 dimensions.
    """

    number: int
    loops: tuple[ForLoop, ...]
    position: tuple[int, ...]
    conditions: tuple[ElementGuard, ...]
    target: ElementAccess
    value: COperation
    accumulate: bool

    @property
    def line(self) -> int:
        """Its line in the C file."""
        return self.target.span.place[1]

    @property
    def reads(self) -> list[ElementAccess]:
        """All elements that it reads, that of `+=` first."""
        inside = [access for value in (*data_of(self.target), self.value) for access in value.reads()]
        return [*([self.target] if self.accumulate else []), *inside]


@dataclass(frozen=True)
class Scop:
    """A C function as a static control part; statements are in order, `consts` has texts and `values` the numbers.

    `has_registers` says that elements of small arrays were tried as scalars, since a loop hands them on. `requests`
    are its pragmas HLS.
    """

    name: str
    variables: dict[str, Variable]
    consts: dict[str, str]
    values: Mapping[str, int | float]
    statements: tuple[Statement, ...]
    remarks: tuple[tuple[Span, str], ...] = field(default=())
    has_registers: bool = False
    requests: tuple[Request, ...] = ()
