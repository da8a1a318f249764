"""The range of 64-bit integers in arrays, and the error for figures that could leave it."""

from __future__ import annotations

import math

from arrayol.errors import ArrayolError, error
from arrayol.text import rounded

LIMIT = 1 << 62  # half of what 64 bits hold
EXACT_LIMIT = 1 << 50  # of what is a float on its way: all its units are told apart
SMALLER = "make arrays and repetitions smaller, as by --set"


def too_large(what: str, hint: str, limit: int = LIMIT) -> ArrayolError:
    """The error `figure-too-large`."""
    message = f"{what}; the machine model is exact below 2^{limit.bit_length() - 1}, {rounded(limit)}"
    return error("figure-too-large", message, hint=hint)


def require_numbers(*factors: int) -> None:
    """Raises ArrayolError (`figure-too-large`) if so many combinations cannot be numbered in 64 bits."""
    if math.prod(factors) >= LIMIT:
        shown = " x ".join(rounded(factor) for factor in factors)
        raise too_large(f"the model would tell {shown} accesses apart", SMALLER)


def require_energy(femtojoules: float) -> None:
    """Raises ArrayolError (`figure-too-large`) for an energy that 64 bits do not hold."""
    if femtojoules >= LIMIT:
        raise too_large(f"energy may come to {rounded(int(femtojoules))} fJ per frame", SMALLER)
