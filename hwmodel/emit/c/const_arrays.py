"""Const arrays in C: numbers, so that no library has a say in them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from arrayol.execute.run import table_array
from arrayol.ir.spec import ConstArray
from arrayol.ir.types import ElementType, Kind
from hwmodel.emit.c.helpers import literal
from hwmodel.emit.c.lines import Lines, declared, indented
from hwmodel.emit.c.names import Named

_WIDTH = 90  # columns of the numbers, about


def const_array(table: ConstArray) -> Lines:
    """The definition of a const array, exact to the last bit."""
    head = f"static const {declared(Named.TABLE.of(table.name), table.type, table.shape)} ="
    numbers = ", ".join(_nested(table_array(table).reshape(table.shape or (1,)).tolist(), table.type))
    return [f"{head} {{", *indented(_in_lines(numbers)), "};"]


def _in_lines(text: str) -> Iterator[str]:
    """Lines of about that width, broken at blanks; there may be millions of words."""
    begin = 0
    while len(text) - begin > _WIDTH:
        end = text.find(" ", begin + _WIDTH)
        if end < 0:
            break
        yield text[begin:end]
        begin = end + 1
    yield text[begin:]


def _nested(values: Sequence[Any], kind: ElementType) -> Iterator[str]:
    """The elements, each inner dimension in braces, as -Wmissing-braces asks."""
    for value in values:
        yield f"{{{', '.join(_nested(value, kind))}}}" if isinstance(value, list) else number(value, kind)


def number(value: complex, kind: ElementType) -> str:
    """A number of a type, also one that is infinite or none."""
    if kind.kind is Kind.COMPLEX:
        part, named = (ElementType.F32, "float") if kind is ElementType.C64 else (ElementType.F64, "double")
        real, imaginary = (number(each, part) for each in (value.real, value.imag))
        return f"__builtin_complex(({named})({real}), ({named})({imaginary}))"
    assert not isinstance(value, complex)
    if math.isfinite(value):
        return literal(value, kind)
    return "NAN" if math.isnan(value) else "INFINITY" if value > 0 else "-INFINITY"
