"""How a step is refused: the reason, the place, and the nearest sizes that would do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice, product

from arrayol.errors import ArrayolError, error
from arrayol.ir.spec import Shape
from arrayol.language.shapes import shown_shape
from arrayol.source import Span

Sizes = tuple[int, ...]
_TRIED = 64  # other sizes looked at for a hint, nearest first


def refused(message: str, span: Span, hint: str | None = None) -> ArrayolError:
    """The error of a step that cannot be taken."""
    return error("step-refused", message, span, hint=hint)


def require_sizes(sizes: Sizes, space: Shape, what: str, task: str, span: Span) -> None:
    """Raises ArrayolError: `wrong-sizes` for another number of sizes or one below 1, `step-refused` for a remainder."""
    if len(sizes) != len(space) or any(size < 1 for size in sizes):
        message = (
            f"'{task}' repeats over {shown_shape(space)}: {what} {shown(sizes)} is not one size of at least 1 for each"
        )
        raise error("wrong-sizes", message, span, hint=f"give {_count(len(space))}, as in {shown((1,) * len(space))}")
    odd = [axis for axis, extent in enumerate(space) if extent is not None and extent % sizes[axis]]
    if odd:
        reasons = "; ".join(f"{sizes[axis]} does not divide {space[axis]}" for axis in odd)
        hint = f"the nearest that do: {' or '.join(map(shown, nearest_divisors(sizes, space)))}"
        message = (
            f"{what} {shown(sizes)} leaves a rest of the repetition space {shown_shape(space)} of '{task}': {reasons}"
        )
        raise refused(message, span, hint)


def nearest_divisors(sizes: Sizes, space: Shape) -> list[Sizes]:
    """Sizes that divide the space: each one the next below, and each one the next above."""
    below = tuple(
        max(one for one in divisors(extent, size) if one <= size) for size, extent in zip(sizes, space, strict=True)
    )
    above = tuple(
        min((one for one in divisors(extent, size) if one >= size), default=extent or size)
        for size, extent in zip(sizes, space, strict=True)
    )
    return [below] if below == above else [below, above]


def nearest_sizes(sizes: Sizes, space: Shape, serves: Callable[[Sizes], bool]) -> list[Sizes]:
    """The two nearest sizes that divide the space and serve, among the nearest few that divide it."""
    options = [
        sorted(divisors(extent, size), key=lambda one: abs(one - size))[:16]
        for size, extent in zip(sizes, space, strict=True)
    ]
    distance = lambda found: sum(abs(one - size) / size for one, size in zip(found, sizes, strict=True))  # noqa: E731
    ordered = sorted(product(*options), key=distance)[:_TRIED]
    return list(islice((found for found in ordered if serves(found)), 2))


def divisors(extent: int | None, size: int) -> list[int]:
    """What divides an extent; an infinite one is divided by everything, here by what is near `size`."""
    if extent is None:
        return list(range(1, 2 * size + 2))
    small = [one for one in range(1, int(extent**0.5) + 1) if extent % one == 0]
    return sorted({*small, *(extent // one for one in small)})


def shown(sizes: Sequence[int]) -> str:
    """Sizes as a step writes them."""
    return ",".join(map(str, sizes))


def _count(number: int) -> str:
    return f"{number} sizes" if number != 1 else "one size"
