"""Cases of several accesses, and of defaults at the border, that generated cases meet too seldom."""

from __future__ import annotations

import pytest
from strategies import NOWHERE

from arrayol.ir.spec import Tiler
from arrayol.polyhedral.accesses import Access, find_outside
from arrayol.polyhedral.single_write import find_clash, find_hole


def line(origin: int, *steps: tuple[int, int], array: int, wrap: bool = False) -> Access:
    """Scalars written along a line: each step is a factor and how often it is taken."""
    paving = (tuple(factor for factor, _ in steps),)
    return Access(Tiler((origin,), paving, ((),), wrap, NOWHERE), tuple(times for _, times in steps), (), (array,))


@pytest.mark.parametrize("turned", [False, True])
def test_one_of_two_links_wraps(turned: bool) -> None:
    """The first writes 3 and 0, the second 0 and 1, or 1 and 2."""
    wrapped, plain = line(3, (1, 2), array=4, wrap=True), line(0, (1, 2), array=4)
    pair = [plain, wrapped] if turned else [wrapped, plain]
    clash = find_clash(pair)
    assert clash is not None
    assert clash.element == (0,)
    assert {clash.first.access, clash.second.access} == {0, 1}
    apart = [line(1, (1, 2), array=4), wrapped]
    assert find_clash(apart[::-1] if turned else apart) is None
    assert find_hole(apart) is None


def test_a_hole_between_two_links() -> None:
    """Just behind the first link's elements lies one of the second's."""
    hole = find_hole([line(0, (1, 2), array=5), line(2, (1, 2), array=5)])
    assert hole is not None
    assert (hole.element, hole.missing) == ((4,), 1)


def test_a_hole_far_from_every_border() -> None:
    """Evens, and the odd elements but 701, by tens whose neighbours outside the space are never 701."""
    accesses = [line(0, (2, 501), array=1002), line(19, (-2, 10), (20, 35), array=1002),
                line(983, (2, 10), (-20, 15), array=1002)]  # fmt: skip
    assert find_clash(accesses) is None
    hole = find_hole(accesses)
    assert hole is not None
    assert (hole.element, hole.missing) == ((701,), 1)


@pytest.mark.parametrize(
    ("origin", "array", "delay", "place"),
    [
        (0, 3, -1, 3),  # r leaves the array at 3 alone, where r + 1 leaves the space
        (0, 3, -2, 3),
        (0, 3, 1, None),  # looks at r = 0
        (-1, 3, 1, 0),  # r - 1 leaves it at 0 alone
        (-1, 3, 2, 0),
        (-1, 3, -1, None),
        (0, 2, -1, 3),
        (1, 4, -2, 3),
        (1, 4, 3, None),
    ],
)
def test_defaults_are_looked_at_where_they_are_read(origin: int, array: int, delay: int, place: int | None) -> None:
    found = find_outside(line(origin, (1, 4), array=array), (delay,))
    assert (found.instance.repetition if found else None) == (None if place is None else (place,))
