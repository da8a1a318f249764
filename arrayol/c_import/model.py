"""What a function of C says: statements with affine loops and subscripts, and values as typed graphs.

Loops count upwards by one. A condition decides which iterations run a statement, or read an element. Values are graphs:
what C names once and uses twice is one node with two users.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from arrayol.c_import.pragmas import Request
from arrayol.ir.affine import Affine
from arrayol.source import Span

BOOL = "bool"


@dataclass(frozen=True, slots=True)
class Rounded:
    """`form // divisor` or `form % divisor`, rounded down; both as C has them where the form is not negative."""

    operator: str
    form: Form
    divisor: int


@dataclass(frozen=True, slots=True)
class Bordered:
    """A subscript of `extent` elements that `form` would leave, continued as the border of a link is.

    `mode` is `nearest`, `mirror` or `reflect`; a subscript that wraps is a `Rounded`.
    """

    mode: str
    form: Form
    extent: Form


@dataclass(frozen=True, slots=True, eq=False)
class Dynamic:
    """A subscript that depends on data."""

    value: COperation


Term: TypeAlias = "str | Rounded | Bordered | Dynamic"
Form: TypeAlias = "Affine[Term]"  # of loops and consts by name, of what is rounded or bordered


@dataclass(frozen=True, slots=True)
class ElementGuard:
    """`form` compared with 0 by `kind` (`>=`, `==`, `!=`), or `and` / `or` of parts."""

    kind: str
    form: Form | None = None
    parts: tuple[ElementGuard, ...] = ()

    def negated(self) -> ElementGuard:
        """What holds where it does not."""
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
    """That a form is at least 0."""
    return ElementGuard(">=", form)


@dataclass(frozen=True, slots=True)
class Variable:
    """An array or a scalar, of rank 0; `local` to the function or handed over.

    `table` are the values of a const array, in the order of its elements, or `formula` says them. A `state` keeps its
    value from call to call.
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

    @property
    def is_const(self) -> bool:
        """Whether it is a const array of the specification."""
        return bool(self.table or self.formula)


@dataclass(frozen=True, slots=True, eq=False)
class ForLoop:
    """One `for`, by identity: `name` counts from `low` to before `high`."""

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

    `kind` is `literal` (its `text`), `const`, `read` (of `access`), `form` (an integer of loops), `convert`, `choice`
    (condition, then, else), `call` of a function, or an operator of the language. Where the value is an affine integer
    for certain, `form` says which.
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
    """An assignment in its loops; `position` are its textual places, one more than loops."""

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
    """A function: variables by name, consts with text and values, statements in order, remarks, and pragmas HLS.

    `has_registers` says that elements of small arrays were tried as scalars, since a loop hands them on.
    """

    name: str
    variables: dict[str, Variable]
    consts: dict[str, str]
    values: Mapping[str, int | float]
    statements: tuple[Statement, ...]
    remarks: tuple[tuple[Span, str], ...] = field(default=())
    has_registers: bool = False
    requests: tuple[Request, ...] = ()
