"""Element types of arrays, and the weak types of constants (docs/language.md, "Types of results")."""

from __future__ import annotations

import re
from enum import Enum, StrEnum
from fractions import Fraction
from typing import Any, ClassVar, TypeAlias

from arrayol.operators.record import Operands

MAXIMUM_WIDTH = 64  # bits of an integer or fixed-point number


class Kind(StrEnum):
    BOOL = "boolean"
    SIGNED = "signed integer"
    UNSIGNED = "unsigned integer"
    FLOAT = "float"
    COMPLEX = "complex"


class ElementType(str):
    """A type of array elements, by its name in a specification: one object for each, so `is` compares.

    The values of integer and fixed-point types are stored as integers: that of a value is value x 2**fraction. `bits`
    counts what one element takes in a local memory, `fraction` those of them after the point. Raises ValueError for a
    name that is none.
    """

    __slots__ = ("bits", "fraction", "kind")

    kind: Kind
    bits: int
    fraction: int

    BOOL: ClassVar[ElementType]
    I8: ClassVar[ElementType]
    I16: ClassVar[ElementType]
    I32: ClassVar[ElementType]
    I64: ClassVar[ElementType]
    U8: ClassVar[ElementType]
    U16: ClassVar[ElementType]
    U32: ClassVar[ElementType]
    U64: ClassVar[ElementType]
    F32: ClassVar[ElementType]
    F64: ClassVar[ElementType]
    C64: ClassVar[ElementType]
    C128: ClassVar[ElementType]

    def __new__(cls, name: str) -> ElementType:
        known = _KNOWN.get(name)
        if known is not None:
            return known
        parts = _parts(name)
        if parts is None:
            raise ValueError(name)
        made = super().__new__(cls, name)
        made.kind, made.bits, made.fraction = parts
        return _KNOWN.setdefault(name, made)

    def __reduce__(self) -> tuple[Any, ...]:
        return ElementType, (str(self),)

    def __str__(self) -> str:
        return str.__str__(self)

    @property
    def integer_bits(self) -> int:
        """Bits before the point, the sign included."""
        return self.bits - self.fraction

    @property
    def stored_bits(self) -> int:
        """Bits of the number that holds one element in C, in NumPy and outside the chip; of a bool one."""
        if self.wraps:
            return max(8, 1 << (self.bits - 1).bit_length())
        return self.bits

    @property
    def bytes(self) -> int:
        """Bytes that one element takes in the external memory and on its port; a bool takes one."""
        return -(-self.stored_bits // 8)

    @property
    def container(self) -> ElementType:
        """The type that NumPy and C hold its values in: the narrowest with all its bits, the point left out."""
        if self.wraps:
            return ElementType(f"{self[0]}{self.stored_bits}")
        return self

    @property
    def is_numpys(self) -> bool:
        """Whether NumPy has the type."""
        return self.container is self

    @property
    def numpy_name(self) -> str:
        """NumPy's name of the type that holds one element, as in files: `?`, `u1`, `f4`."""
        return "?" if self is ElementType.BOOL else f"{self[0]}{self.bytes}"

    @property
    def is_integer(self) -> bool:
        return self.wraps and not self.fraction

    @property
    def is_fixed(self) -> bool:
        """Whether it is a fixed-point type."""
        return self.fraction > 0

    @property
    def wraps(self) -> bool:
        """Whether values are stored as integers, which wrap around: those of integer and fixed-point types."""
        return self.kind in (Kind.SIGNED, Kind.UNSIGNED)

    @property
    def is_signed(self) -> bool:
        return self.kind is Kind.SIGNED

    @property
    def is_real(self) -> bool:
        return self.wraps or self.kind is Kind.FLOAT

    @property
    def integer_range(self) -> tuple[int, int]:
        """Least and greatest stored integer of a type that wraps: for integers that is the value."""
        if self.kind is Kind.SIGNED:
            return -(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1
        return 0, (1 << self.bits) - 1

    @property
    def value_range(self) -> tuple[int | float, int | float]:
        """Least and greatest value of a type that wraps; a fraction as the nearest float."""
        low, high = self.integer_range
        return self.value(low), self.value(high)

    @property
    def whole_range(self) -> tuple[int, int]:
        """Least and greatest integer among the values of a type that wraps."""
        low, high = self.integer_range
        return low >> self.fraction, high >> self.fraction

    def value(self, stored: int) -> int | float:
        """The value of a stored integer: an integer, or the nearest float, which is the value up to 53 bits."""
        whole, rest = divmod(stored, 1 << self.fraction)
        return float(Fraction(stored, 1 << self.fraction)) if rest else whole

    def stored(self, value: float) -> int | None:
        """The integer that stands for a number or truth value, in range or not; None where it has more bits."""
        exact = Fraction(value) * (1 << self.fraction)
        return exact.numerator if exact.denominator == 1 else None

    def held(self, value: float) -> int | float:
        """What arrays hold for a constant that fits the type: its stored integer where the type has one."""
        stored = self.stored(value) if self.wraps else None
        return value if stored is None else stored

    def wrapped(self, stored: int) -> int:
        """A stored integer brought into the range by whole turns."""
        low, _ = self.integer_range
        return (stored - low) % (1 << self.bits) + low


_KNOWN: dict[str, ElementType] = {}
_FORM = re.compile(r"([iu])([1-9][0-9]{0,2})")
_FIXED = re.compile(r"([iu])(0|[1-9][0-9]{0,2})\.([1-9][0-9]{0,2})")
_OTHERS = {
    "bool": (Kind.BOOL, 1, 0),
    "f32": (Kind.FLOAT, 32, 0),
    "f64": (Kind.FLOAT, 64, 0),
    "c64": (Kind.COMPLEX, 64, 0),
    "c128": (Kind.COMPLEX, 128, 0),
}
_WIDTH = re.compile(r"[iu][0-9]+(\.[0-9]+)?")


def _parts(name: str) -> tuple[Kind, int, int] | None:
    """Kind, bits and bits after the point."""
    if name in _OTHERS:
        return _OTHERS[name]
    found = _FORM.fullmatch(name) or _FIXED.fullmatch(name)
    if found is None:
        return None
    kind, before, after = Kind.SIGNED if found[1] == "i" else Kind.UNSIGNED, int(found[2]), 0
    if found.re is _FIXED:
        after = int(found[3])
    if before + after > MAXIMUM_WIDTH or (kind is Kind.SIGNED and not before):
        return None
    return kind, before + after, after


NUMPY_TYPES = tuple(
    ElementType(name)
    for name in "bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 c64 c128".split()  # noqa: SIM905  one line
)
for _type in NUMPY_TYPES:
    setattr(ElementType, _type.upper(), _type)


def is_type(name: str) -> bool:
    """Whether a name is that of an element type."""
    return name in _KNOWN or _parts(name) is not None


def is_width(name: str) -> bool:
    """Whether a name has the form of integers and fixed-point types, with any numbers."""
    return _WIDTH.fullmatch(name) is not None


def fixed_type(*, signed: bool, whole: int, fraction: int) -> ElementType | None:
    """The type with so many bits before the point, a sign among them, and after it; None where it has too many."""
    whole = max(whole, 1 if signed or not fraction else 0)
    if whole + fraction > MAXIMUM_WIDTH:
        return None
    return ElementType(f"{'i' if signed else 'u'}{whole}{f'.{fraction}' if fraction else ''}")


class Weak(Enum):
    """The type of a constant or range variable before it meets an element type."""

    INTEGER = "integer constant"
    FLOAT = "float constant"
    BOOL = "bool constant"


ValueType: TypeAlias = ElementType | Weak

_OPERANDS = {
    Kind.BOOL: Operands.TRUTH,
    Kind.SIGNED: Operands.INTEGER,
    Kind.UNSIGNED: Operands.INTEGER,
    Kind.FLOAT: Operands.FLOAT,
    Kind.COMPLEX: Operands.COMPLEX,
    Weak.INTEGER: Operands.INTEGER,
    Weak.FLOAT: Operands.FLOAT,
    Weak.BOOL: Operands.TRUTH,
}


def operands_of(kind: ValueType) -> Operands:
    """What the rules of operators tell a type apart by."""
    if isinstance(kind, Weak):
        return _OPERANDS[kind]
    return Operands.FIXED if kind.is_fixed else _OPERANDS[kind.kind]
