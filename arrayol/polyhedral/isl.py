"""isl's sets and our integers, and a bound on its work, so that a check never hangs.

Quasi-affine sets with large moduli can take isl hours: what it gives up at the bound, TooHardError says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import islpy as isl

from arrayol.ir.spec import Shape

OPERATIONS = 10_000  # as isl counts them; the bodies and tilers that people write take about a thousand
TIDIED_AT_MOST = 100  # pieces; more take too long without a bound

Pieces = TypeVar("Pieces", isl.Set, isl.Map)


class TooHardError(Exception):
    """A question was given up at the bound."""


@contextmanager
def bounded_effort(operations: int | None = None) -> Iterator[None]:
    """Raise TooHardError where isl would work longer than the bound. The count is isl's own, the same in every run.

    Inside another bound that one counts.
    """
    context = isl.DEFAULT_CONTEXT
    outermost = not context.get_max_operations()
    if outermost:
        context.reset_operations()
        context.set_max_operations(OPERATIONS if operations is None else operations)
    try:
        yield
    except isl.Error:
        if not _at_bound():
            raise
        raise TooHardError from None
    finally:
        if outermost:
            context.set_max_operations(0)
            context.reset_operations()


def _at_bound() -> bool:
    """Whether isl refuses any further work. What it says differs: its reader calls the bound a mistake of syntax."""
    try:
        isl.Val(1)
    except isl.Error:
        return True
    return False


def tidied(whole: Pieces) -> Pieces:
    """The set or relation in fewer pieces, where it has not too many.

    Not for use inside a bound: isl may end the program where that stops it in here.
    """
    pieces = whole.n_basic_map() if isinstance(whole, isl.Map) else whole.n_basic_set()
    return whole.coalesce() if pieces <= TIDIED_AT_MOST else whole


# Points and boxes of integers, from isl and to it.

Point = tuple[int, ...]


def coordinates(point: isl.Point) -> Point:
    """A point of isl as plain integers."""
    rank = point.get_space().dim(isl.dim_type.set)
    return tuple(int(point.get_coordinate_val(isl.dim_type.set, axis).to_python()) for axis in range(rank))


def box(shape: Shape) -> isl.Set:
    """All indices of an array; an infinite dimension has no end."""
    names = [f"e{axis}" for axis in range(len(shape))]
    return isl.Set(f"{{ [{', '.join(names)}] : {' and '.join(box_conditions(names, shape)) or 'true'} }}")


def box_conditions(names: Sequence[str], shape: Shape) -> list[str]:
    """The bounds of each index, as isl's text."""
    return [
        f"0 <= {name}" if extent is None else f"0 <= {name} < {extent}"
        for name, extent in zip(names, shape, strict=True)
    ]
