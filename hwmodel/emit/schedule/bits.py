"""Values of element types as bits, and the errors for parts of a design that have no hardware."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import ArrayolError, error
from arrayol.execute.environment import DTYPES
from arrayol.ir.types import ElementType

NOT_EMITTED = "not-emitted"


def not_emitted(what: str, hint: str) -> ArrayolError:
    """The error for a part of a design that has no hardware yet, with a hint for the user."""
    return error(NOT_EMITTED, f"{what}: no hardware is emitted for that", hint=hint)


FRAMES_HINT = (
    "every design of this specification has that; let a delay over frames of one task hand on what later frames need"
)


def bits_of_values(values: NDArray[Any], kind: ElementType) -> NDArray[Any]:
    """The bits of some values, as unsigned integers, of which NumPy has none of 128 bits: these are Python's.

    A complex number has its real part in the low half of its bits, and the imaginary part in the high half.
    """
    stored = np.ascontiguousarray(values)
    if kind.bits > 64:
        halves = stored.view("<u8").astype(object)
        return np.asarray(halves[..., ::2] | halves[..., 1::2] << 64)
    whole = stored.view(f"<u{stored.itemsize}")
    return np.asarray(whole & np.array((1 << kind.bits) - 1, whole.dtype))


def bits_of_constant(value: Any, kind: ElementType) -> int:
    """The bits of a constant, after it is converted to the element type."""
    return int(bits_of_values(np.array([kind.held(value)], DTYPES[kind]), kind)[0])
