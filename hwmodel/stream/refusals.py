"""Why a group cannot stream: errors `not-streamed`."""

from __future__ import annotations

from arrayol.errors import ArrayolError, error
from arrayol.source import Span
from hwmodel.accesses import Touch

_WALKED = ("rows", "columns")


def not_streamed(message: str, span: Span | None = None, *, hint: str | None = None) -> ArrayolError:
    """The error of a group that cannot stream."""
    return error("not-streamed", message, span, hint=hint or "a group of blocks takes it")


def axis_name(axis: int, rank: int) -> str:
    """An axis of an array in words: rows and columns of a picture, else by number."""
    return _WALKED[axis] if rank == 2 else f"axis {axis}"


def require_forward(touch: Touch) -> None:
    """Raises ArrayolError where a tiler moves backwards, or along two axes with one dimension."""
    for axis, row in enumerate(touch.tiler.paving):
        if any(step < 0 for step in row):
            text = f"'{touch.process}' moves against the scan along axis {axis} of '{touch.array}'"
            raise not_streamed(text, touch.tiler.span)
    if any(sum(map(bool, column)) > 1 for column in zip(*touch.tiler.paving, strict=True)):
        text = f"'{touch.process}' moves along two axes of '{touch.array}' with one dimension"
        raise not_streamed(text, touch.tiler.span)
