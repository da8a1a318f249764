"""Parts of arrays in calls: slices as exact numbers, and what they leave of an array's shape."""

from __future__ import annotations

from dataclasses import replace

from arrayol.ir import syntax
from arrayol.ir.spec import Part, Port
from arrayol.language.namespace import Definitions
from arrayol.language.syntax.diagnose import mistake, shown_shape
from arrayol.language.syntax.printer import part as part_text
from arrayol.source import Span
from arrayol.text import counted

Taken = tuple[int, int, int | None, bool]  # of one dimension: the first index, the step, how many, whether it is kept


def resolve_part(written: syntax.Part, array: Port, definitions: Definitions) -> tuple[Part | None, Port]:
    """The part of an array that is written, None for all of it; and the part as an array, under the written text.

    Raises Mistake: `rank-mismatch`, `subscript-out-of-range`, `empty-dimension`, `bad-step`, `infinite-slice`, or what
    the numbers have.
    """
    if not written.slices:
        return None, array
    if len(written.slices) != len(array.shape):
        raise mistake(
            "rank-mismatch",
            f"the part has {counted(len(written.slices), 'slice')}; '{array.name}' is "
            f"{shown_shape(array.shape) or 'scalar'}",
            written.span,
            "give one slice for each dimension: '..' for all of it, 'lo..hi', or an index, which drops it",
        )
    taken = [_part_of(piece, array, axis, definitions) for axis, piece in enumerate(written.slices)]
    first, step, extents, kept = zip(*taken, strict=True)
    part = Part(first, step, extents, kept, written.span)
    whole = all(kept) and extents == array.shape
    seen = replace(array, name=part_text(written), shape=part.shape, span=written.span)
    return None if whole else part, seen


def _part_of(piece: syntax.Slice, array: Port, axis: int, definitions: Definitions) -> Taken:
    extent, integer = array.shape[axis], definitions.constants.integer
    if isinstance(piece, syntax.Whole):
        return 0, 1, extent, True
    if extent is None:
        raise mistake(
            "infinite-slice",
            f"dimension {axis} of '{array.name}' is infinite, and a part has all of it",
            piece.span,
            "write '..'; what came earlier is had by a delay",
        )
    if not isinstance(piece, syntax.Strided):
        index = integer(piece, "an index")
        _require_inside((index,), array, axis, piece.span)
        return index, 1, 1, False
    low, high = integer(piece.low, "a bound"), integer(piece.high, "a bound")
    step = 1 if piece.step is None else integer(piece.step, "a step")
    if step < 1:
        hint = "a part has its elements in the order of the array"
        raise mistake("bad-step", f"a step is at least 1, not {step}", piece.span, hint)
    count = -((low - high) // step)
    if count < 1:
        message = f"{low}..{high} has no element: a part is never empty"
        raise mistake("empty-dimension", message, piece.span, "the lower bound is in, the upper one is not")
    _require_inside((low, low + step * (count - 1)), array, axis, piece.span)
    return low, step, count, True


def _require_inside(indices: tuple[int, ...], array: Port, axis: int, span: Span) -> None:
    extent = array.shape[axis]
    assert extent is not None, "of an infinite dimension a part takes all"
    outside = next((index for index in indices if not 0 <= index < extent), None)
    if outside is not None:
        message = f"the part takes index {outside} of dimension {axis} of '{array.name}', which has 0 to {extent - 1}"
        raise mistake("subscript-out-of-range", message, span, "subscripts count from 0, and the upper bound is not in")
