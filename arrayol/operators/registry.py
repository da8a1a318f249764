"""All operators and functions by their names: the one list that parser, typer, executors and printers read."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from arrayol.operators.arithmetic import ARITHMETIC
from arrayol.operators.functions import FUNCTIONS as _FUNCTIONS
from arrayol.operators.logic import BITS, CONDITIONS
from arrayol.operators.record import CHelper, Notation, Operator

OPERATORS = (*ARITHMETIC, *BITS, *CONDITIONS, *_FUNCTIONS)


def _by_name(notation: Notation) -> Mapping[str, Operator]:
    return MappingProxyType({each.name: each for each in OPERATORS if each.notation is notation})


PREFIX = _by_name(Notation.PREFIX)
INFIX = _by_name(Notation.INFIX)
FUNCTIONS = _by_name(Notation.CALL)

WORDS = frozenset(name for name in (*PREFIX, *INFIX) if name.isalpha())  # operators that are words

C_HELPERS: Mapping[str, CHelper] = MappingProxyType(
    {
        helper.name: helper
        for each in OPERATORS
        for helper in (each.c.helper, each.c.of_complex, each.c.single)
        if helper is not None
    }
)


def operator_of(name: str, operands: int) -> Operator:
    """The prefix or infix operator of a name with so many operands."""
    return (PREFIX if operands == 1 else INFIX)[name]
