"""Names that a C program may use and a specification may not."""

from __future__ import annotations

from arrayol.ir.syntax import KEYWORDS

TAKEN = frozenset(KEYWORDS) | {  # words of the language and of isl's texts
    *("abs", "sqrt", "exp", "log", "floor", "ceil", "sin", "cos", "tan", "min", "max", "sat", "round", "real", "imag"),
    *("conj", "bool", "exists", "implies", "mod", "floord", "ceild", "infty", "NaN"),
}
