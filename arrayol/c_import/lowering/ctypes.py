"""Types of C as they are declared: numbers, arrays, pointers, structs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from pycparser import c_ast

from arrayol.c_import.arithmetic import RefusalError

NUMBERS = {  # by their words in alphabetical order; LP64, char is signed
    "_Bool": "bool",
    "char": "i8",
    "char signed": "i8",
    "char unsigned": "u8",
    "short": "i16",
    "int short": "i16",
    "short signed": "i16",
    "int short signed": "i16",
    "short unsigned": "u16",
    "int short unsigned": "u16",
    "int": "i32",
    "signed": "i32",
    "int signed": "i32",
    "unsigned": "u32",
    "int unsigned": "u32",
    "long": "i64",
    "int long": "i64",
    "long signed": "i64",
    "int long signed": "i64",
    "long unsigned": "u64",
    "int long unsigned": "u64",
    "long long": "i64",
    "int long long": "i64",
    "long long signed": "i64",
    "int long long signed": "i64",
    "long long unsigned": "u64",
    "int long long unsigned": "u64",
    "float": "f32",
    "double": "f64",
    "_Complex float": "c64",
    "_Complex double": "c128",
}
BYTES = {
    "bool": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "f32": 4, "i64": 8, "u64": 8, "f64": 8,
    "c64": 8, "c128": 16,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class NumberType:
    """A type of numbers, by its name in the language."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """An array; `size` is the node of its extent, None where there is none."""

    element: CType
    size: Any


@dataclass(frozen=True, slots=True)
class Pointer:
    """A pointer."""

    target: CType


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct: its fields by name."""

    name: str
    fields: tuple[tuple[str, CType], ...]

    @property
    def common(self) -> str | None:
        """The one type of numbers that all fields have; None where they differ."""
        kinds = {kind.name if isinstance(kind, NumberType) else None for _, kind in self.fields}
        return kinds.pop() if len(kinds) == 1 else None


@dataclass(frozen=True, slots=True)
class Void:
    """No value."""


CType: TypeAlias = "NumberType | Sequence | Pointer | Struct | Void"


class Types:
    """The types of one file, by their names."""

    def __init__(self, widths: dict[str, tuple[int, bool]]) -> None:
        self.named: dict[str, CType] = {"__builtin_va_list": Void()}
        self.odd = {name for name, (bits, _) in widths.items() if bits not in {8, 16, 32, 64}}
        for name, (bits, signed) in widths.items():
            self.named[name] = NumberType(f"{'i' if signed else 'u'}{bits}")
        self.structs: dict[str, Struct] = {}
        self.refused: dict[str, RefusalError] = {}  # names of types and structs whose declaration was refused

    def of(self, node: Any) -> CType:
        """The type that a declaration's tree says. Raises RefusalError."""
        match node:
            case c_ast.ArrayDecl():
                return Sequence(self.of(node.type), node.dim)
            case c_ast.PtrDecl():
                return Pointer(self.of(node.type))
            case c_ast.TypeDecl() | c_ast.Typename() | c_ast.Decl():
                return self.of(node.type)
            case c_ast.IdentifierType():
                return self._named(node)
            case c_ast.Struct():
                return self._struct(node)
            case c_ast.Enum():
                return NumberType("u32" if self._never_negative(node) else "i32")
            case c_ast.FuncDecl():
                hint = "call the function by its name; choose by a switch between calls"
                raise RefusalError("a pointer to a function is not read", hint, node)
            case c_ast.Union():
                raise RefusalError("a union is not read", "use an array for each view of the data", node)
            case _:
                raise RefusalError("this type is not read", "use numbers, arrays and structs of numbers", node)

    def _never_negative(self, node: Any) -> bool:
        """Gcc's type of an enum is unsigned where no constant of it is negative."""
        return not any(isinstance(one.value, c_ast.UnaryOp) for one in (node.values.enumerators if node.values else []))

    def _named(self, node: Any) -> CType:
        words = list(node.names)
        if words[0] in self.odd:
            hint = "use 8, 16, 32 or 64 bits; write odd widths in the specification"
            raise RefusalError(
                f"'{words[0].replace('_', '<', 2).replace('<', '_', 1)}>' has a width that C does not have", hint, node
            )
        if len(words) == 1 and words[0] in self.named:
            return self.named[words[0]]
        if len(words) == 1 and words[0] in self.refused:
            raise self.refused[words[0]]
        if words == ["void"]:
            return Void()
        name = NUMBERS.get(" ".join(sorted(words)))
        if name is None:
            text = " ".join(words)
            hint = (
                "use double or float"
                if "double" in words or "_Complex" in words
                else "use int, float, double or the like"
            )
            raise RefusalError(f"'{text}' is no type of numbers that is read", hint, node)
        return NumberType(name)

    def _struct(self, node: Any) -> Struct:
        if node.decls is None:
            if node.name in self.refused:
                raise self.refused[node.name]
            if node.name not in self.structs:
                raise RefusalError(
                    f"struct {node.name} has no fields here", "declare its fields before the function", node
                )
            return self.structs[node.name]
        if any(one.bitsize is not None for one in node.decls):
            raise RefusalError("a bit-field is not read", "use a whole integer, and masks where it must wrap", node)
        struct = Struct(node.name or "struct", tuple((one.name, self.of(one.type)) for one in node.decls))
        for name, kind in struct.fields:
            inner = kind.target if isinstance(kind, Pointer) else None
            if not isinstance(kind, NumberType | Sequence | Struct) and not isinstance(inner, NumberType | Sequence):
                hint = "hand over the array beside the struct"
                raise RefusalError(f"field '{name}' is no number, array or pointer to numbers", hint, node)
        if node.name:
            self.structs[node.name] = struct
        return struct
