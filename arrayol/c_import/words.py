"""Names that a C program may use and a specification may not, and new names."""

from __future__ import annotations

from collections.abc import Container

from arrayol.ir.syntax import KEYWORDS

TAKEN = frozenset(KEYWORDS) | {  # words of the language and of isl's texts
    *("abs", "sqrt", "exp", "log", "floor", "ceil", "sin", "cos", "tan", "min", "max", "sat", "round", "real", "imag"),
    *("conj", "bool", "exists", "implies", "mod", "floord", "ceild", "infty", "NaN"),
}


def free_name(name: str, taken: Container[str]) -> str:
    """The name, with as many `_` behind it as it takes to be new."""
    while name in taken:
        name += "_"
    return name
