"""The record of an operator or a function: what every room that reads, types, computes or prints it asks for.

A record needs nothing of the rooms above: types are told apart by `Operands`, NumPy comes as an argument, and texts of
C and isl are made of texts. So a new operator is a record in this folder (CONTRIBUTING.md, "An operator or a
function of the language").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from arrayol.operators.words import Definition

Interval = tuple[int, int]  # least and greatest value
Number = int | float | bool
Apply = Callable[..., Any]


class Operands(Enum):
    """The types of operands that rules tell apart."""

    TRUTH = auto()
    INTEGER = auto()
    FIXED = auto()
    FLOAT = auto()
    COMPLEX = auto()


REAL = frozenset({Operands.INTEGER, Operands.FIXED, Operands.FLOAT})
NUMBERS = REAL | {Operands.COMPLEX}


@dataclass(frozen=True, slots=True)
class Domain:
    """The types that an operator is defined on; for others a hint what to write, for some types one of their own."""

    defined: frozenset[Operands]
    hint: str | None = None
    hints: Mapping[Operands, str] = field(default_factory=dict)

    def hint_for(self, operands: Operands) -> str | None:
        """What to write instead, where the operator is not defined on a type."""
        return self.hints.get(operands, self.hint)


class Gives(Enum):
    """The type of a result, by the one type of the operands."""

    SAME = auto()
    TRUTH = auto()
    FLOAT = auto()  # of integers and fixed-point numbers f64, else the same
    MAGNITUDE = auto()  # of complex numbers that of their parts, else the same
    PART = auto()  # of complex numbers that of their parts
    ROUNDED = auto()  # with so many bits after the point as the second argument says
    NAMED = auto()  # the type that is the first argument


class Fixed(Enum):
    """How an operator takes fixed-point numbers."""

    ALIKE = auto()  # of one format, which the result has too
    PRODUCT = auto()  # of any formats: the bits before the point and after it add up
    SHIFT = auto()  # the left operand has the result's format, the right one is an integer


class Guard(Enum):
    """What the right operand must not be."""

    NONE = auto()
    DIVISOR = auto()  # the integer 0
    EXACT = auto()  # the integer 0, or one that does not divide the left operand; of constants
    AMOUNT = auto()  # negative, or not below the width


@dataclass(frozen=True, slots=True)
class CType:
    """A type as the text of a C function needs it: its name, its bits, and the suffix of functions of `math.h`."""

    name: str
    bits: int
    signed: bool
    floating: bool
    suffix: str

    @property
    def part(self) -> str:
        """The type of a part of a complex number."""
        return self.name.split(maxsplit=1)[0]


@dataclass(frozen=True, slots=True)
class CHelper:
    """A C function for what C's own operators do otherwise: `floor_divide_i32` of two numbers of one type.

    `lines` are its body for a type. `gives_part`: of complex numbers it gives a real one; else it calls `join`.
    """

    name: str
    parameters: tuple[str, ...]
    lines: Callable[[CType], Sequence[str]]
    gives_part: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CForm:
    """How C writes an operator.

    `sign` is C's own operator, which binds at `level`; `bare` operands of it that bind tighter need no parentheses,
    `confusing` ones have them for readers, and gcc. `modular`: of integers a result is right modulo the range of the
    type where the operands are. A `helper` stands in its place, of complex numbers `of_complex`. `call` is the function
    of `math.h` for floats, `complex_call` that of `complex.h`. Of unsigned numbers the result is the operand where
    `same_unsigned`. `read_from` are the functions of `math.h` that become this one when C is imported. `single` is the
    helper of f32, where the language defines it.
    """

    sign: str = ""
    level: int = 0
    bare: bool = False
    confusing: bool = False
    modular: bool = False
    helper: CHelper | None = None
    of_complex: CHelper | None = None
    call: str = ""
    complex_call: str = ""
    same_unsigned: bool = False
    read_from: tuple[str, ...] = ()
    single: CHelper | None = None


class Notation(Enum):
    PREFIX = auto()
    INFIX = auto()
    CALL = auto()


CALLED = 12  # how tightly a call binds


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """An operator or a function of the language.

    - `name`, as written, and `notation`; `binding` says how tightly it binds, from 1 for `or`. `arguments` are the
      least and the greatest number of operands, None for any; those of any number are taken from the left.
    - `domain`, `gives`, `fixed`: the types that it takes and gives, of operands that promotion has brought to one type.
    - `exact`: the value for Python's numbers, integers exact; that of an infix or prefix operator also takes arrays of
      int64. ValueError and OverflowError say that there is none. `guard` says of which right operands there is none;
      `decides` is the left truth value that leaves the right operand out.
    - `numpy`: the function on arrays, of NumPy's module; None for those that need formats (execute/arithmetic.py).
      `leaves`: its result may be beyond the range of a type that has fewer bits than NumPy's own, and wraps.
      `selects`: the result is one of the operands, of equal ones the first, but for zeros of two signs on arrays.
      `by_library`: a function of the mathematical library, whose last bits depend on who computes it; `contiguous`:
      they depend on the strides of its argument, unless it is made contiguous. `single`: its definition on f32, which
      gives the same bits everywhere.
    - `exact_complex`, `numpy_complex`: the same of complex numbers, where they differ.
    - `bounds`: an interval of integer results, from those of the operands; None where there is none. Of operands of
      element types they are used where it is a `ring` operation, whose exact result is compared with the type's range.
    - `c`, `isl`: its texts, that of isl from the operands' texts; of those that are affine where one operand is a
      number, `isl_by_number` from the other's text and the number.
    """

    name: str
    notation: Notation
    domain: Domain
    exact: Apply
    numpy: Callable[[Any], Apply] | None
    c: CForm
    binding: int = CALLED
    arguments: tuple[int, int | None] = (1, 1)
    gives: Gives = Gives.SAME
    fixed: Fixed = Fixed.ALIKE
    guard: Guard = Guard.NONE
    decides: bool | None = None
    leaves: bool = False
    by_library: bool = False
    contiguous: bool = False
    single: Definition | None = None
    selects: bool = False
    exact_complex: Apply | None = None
    numpy_complex: Callable[[Any], Apply] | None = None
    bounds: Callable[..., Interval | None] | None = None
    ring: bool = False
    isl: Callable[..., str] | None = None
    isl_by_number: Callable[[str, int], str] | None = None

    def arrays(self, numpy: Any) -> Apply:
        """The function on arrays, of NumPy's module."""
        assert self.numpy is not None
        return self.numpy(numpy)

    @property
    def is_comparison(self) -> bool:
        """Whether it compares numbers: the result is a truth value, whatever the operands are."""
        return self.gives is Gives.TRUTH

    @property
    def is_connective(self) -> bool:
        """Whether it joins or negates conditions."""
        return self.domain.defined == {Operands.TRUTH}
