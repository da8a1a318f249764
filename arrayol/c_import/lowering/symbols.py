"""Symbols that names of C stand for while a function is run, and contents that scalars have at one place of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, TypeAlias

from arrayol.c_import.arithmetic import RefusalError
from arrayol.c_import.lowering.ctypes import CType
from arrayol.c_import.model import COperation, Form
from arrayol.ir.affine import Affine
from arrayol.source import Span


class PoisonedError(Exception):
    """A value is not known because what made it was refused; that has been said where it happened."""


class RestartError(Exception):
    """A fact was found that must hold from the start: the function is run again."""


@dataclass(eq=False)
class Cell:
    """A scalar of C; `key` is the same whenever the function is run anew."""

    name: str
    type: str
    span: Span
    key: tuple[int, ...]


@dataclass(eq=False)
class CArray:
    """An array of C: the name of its variable, element type, extents (None: not given), fields of a struct."""

    name: str
    type: str
    dims: list[Form | None]
    local: bool
    span: Span
    fields: tuple[str, ...] = ()  # of a struct: its last dimension counts them
    table: list[str] | None = None
    state: bool = False
    hidden: bool = False  # static, and no other function sees it
    first: str = ""  # what a state starts with
    origin: str = ""  # the name in C
    key: tuple[int, ...] = ()  # of its declaration, the same whenever the function is run anew
    cells: Mapping[tuple[int, ...], Cell | PointerCell] | None = None  # of one that is a scalar for each element
    parts: dict[str, CArray] = field(default_factory=dict)  # of structs whose fields differ: an array for each field
    is_flat: bool = False  # pointers leave its rows: its elements have one subscript
    view: str = ""  # the type that a pointer makes of its integers, of the same width

    @property
    def is_struct(self) -> bool:
        """Whether its elements are structs."""
        return bool(self.fields or self.parts)

    @property
    def rank(self) -> int:
        """How many subscripts an element has."""
        return len(self.dims) - bool(self.fields)

    @property
    def extents(self) -> list[Form | None]:
        """The extents that the subscripts of its elements have."""
        if not self.is_flat:
            return self.dims
        return [None if None in self.dims else Affine(constant=prod(dim.number or 0 for dim in self.dims if dim))]

    def element(self, subscripts: tuple[Form, ...]) -> tuple[Form, ...]:
        """The subscripts of an element, of which a pointer may have moved the last one out of its row."""
        if not self.is_flat:
            return subscripts
        place: Form = Affine()
        for form, dim in zip(subscripts, self.dims, strict=True):
            place = place.scaled(dim.number or 0 if dim is not None else 0) + form
        return (place,)


@dataclass(frozen=True, slots=True, eq=False)
class Address:
    """Where a pointer points, or what an array decays to: subscripts of the first dimensions of an array."""

    array: CArray
    subscripts: tuple[Form, ...]

    def field(self, name: str) -> Address | None:
        """A field of the struct at this address; None where there is none."""
        array = self.array
        if name in array.parts:
            return Address(array.parts[name], self.subscripts)
        if name not in array.fields:
            return None
        inner = replace(array, fields=())
        return Address(inner, (*self.subscripts, Affine(constant=array.fields.index(name))))


@dataclass(frozen=True, slots=True, eq=False)
class CellAddress:
    """A pointer to a scalar or a struct."""

    cell: Cell | StructCell


@dataclass(frozen=True, slots=True, eq=False)
class ChosenCell:
    """The scalar that data choose among those of an array, each with the condition that it is that one."""

    choices: tuple[tuple[COperation, Cell], ...]


@dataclass(eq=False)
class PointerCell:
    """A variable that points somewhere."""

    name: str
    type: CType
    key: tuple[int, ...]


@dataclass(eq=False)
class StructCell:
    """A variable that is a struct: a symbol for each field."""

    name: str
    cells: dict[str, Cell | CArray | PointerCell | StructCell]


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A name that stands for a value: a macro, an enumerator."""

    value: COperation


@dataclass(frozen=True, slots=True)
class Refused:
    """A name whose declaration was refused."""


Symbol: TypeAlias = "Cell | CArray | PointerCell | StructCell | NamedValue | Refused"


@dataclass(frozen=True, slots=True)
class OpenLoop:
    """A loop that is being run, with its key, and how often it runs where that is a number."""

    node: Any
    key: tuple[int, ...]
    count: int | None


@dataclass(frozen=True, slots=True)
class Undefined:
    """A scalar without a value."""


@dataclass(frozen=True, slots=True)
class Poison:
    """A scalar whose value was refused."""


@dataclass(frozen=True, slots=True)
class Deferred:
    """A scalar after a loop that sets it in each iteration; `key` names both. A read makes the loop hand it on."""

    key: tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Unusable:
    """A scalar whose value is not tracked, with the reason."""

    message: str
    hint: str


@dataclass(frozen=True, slots=True, eq=False)
class Pending:
    """A scalar after a loop, computed only when it is read, since that may need the value of a const."""

    content: Callable[[], Content]


Content: TypeAlias = "COperation | Address | CellAddress | Undefined | Poison | Deferred | Unusable | Pending"


@dataclass
class Scopes:
    """Names in the blocks that are open, innermost last; one list for each call that is being inlined."""

    frames: list[list[dict[str, Symbol]]] = field(default_factory=lambda: [[{}]])

    def enter(self, name: str, symbol: Symbol) -> None:
        """Take a name into the innermost block."""
        self.frames[-1][-1][name] = symbol

    def find(self, name: str, node: Any) -> Symbol:
        """The symbol of a name. Raises RefusalError, and PoisonedError for a name whose declaration was refused."""
        scopes = [*reversed(self.frames[-1]), self.frames[0][0]]
        symbol = next((scope[name] for scope in scopes if name in scope), None)
        if isinstance(symbol, Refused):
            raise PoisonedError
        if symbol is not None:
            return symbol
        raise RefusalError(
            f"'{name}' names nothing that is known here", "declare it, or hand it over as a parameter", node
        )
