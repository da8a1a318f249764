"""Element types of arrays, and the weak types of constants (docs/language.md, "Types of results")."""

from __future__ import annotations

from enum import Enum, StrEnum


class Kind(StrEnum):
    BOOL = "boolean"
    SIGNED = "signed integer"
    UNSIGNED = "unsigned integer"
    FLOAT = "float"
    COMPLEX = "complex"


class ElementType(StrEnum):
    """A type of array elements; its value is its name in a specification."""

    BOOL = "bool"
    I8 = "i8"
    I16 = "i16"
    I32 = "i32"
    I64 = "i64"
    U8 = "u8"
    U16 = "u16"
    U32 = "u32"
    U64 = "u64"
    F32 = "f32"
    F64 = "f64"
    C64 = "c64"
    C128 = "c128"

    @property
    def kind(self) -> Kind:
        return _KINDS[self.value[0]]

    @property
    def bits(self) -> int:
        """Bits that one element has, and takes in a local memory; a bool takes one."""
        return 1 if self is ElementType.BOOL else int(self.value[1:])

    @property
    def bytes(self) -> int:
        """Bytes that one element takes in the external memory and on its port; a bool takes one."""
        return -(-self.bits // 8)

    @property
    def numpy_name(self) -> str:
        """NumPy's name of the type that holds one element, as in files: `?`, `u1`, `f4`."""
        return "?" if self is ElementType.BOOL else f"{self.value[0]}{self.bits // 8}"

    @property
    def is_integer(self) -> bool:
        return self.kind in (Kind.SIGNED, Kind.UNSIGNED)

    @property
    def is_real(self) -> bool:
        return self.is_integer or self.kind is Kind.FLOAT

    @property
    def integer_range(self) -> tuple[int, int]:
        """Least and greatest value of an integer type."""
        if self.kind is Kind.SIGNED:
            return -(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1
        return 0, (1 << self.bits) - 1


_KINDS = {"b": Kind.BOOL, "i": Kind.SIGNED, "u": Kind.UNSIGNED, "f": Kind.FLOAT, "c": Kind.COMPLEX}


class Weak(Enum):
    """The type of a constant or range variable before it meets an element type."""

    INTEGER = "integer constant"
    FLOAT = "float constant"
    BOOL = "bool constant"


ValueType = ElementType | Weak
