"""Blocks of repetitions and delays: exact, against brute force."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from arrayol.polyhedral.dependences import find_swapped_delay

AXES = st.lists(
    st.tuples(st.integers(1, 5), st.integers(-3, 3), st.integers(1, 4), st.sampled_from([1, 1, -1])),
    min_size=1,
    max_size=3,
)


@given(AXES)
def test_swapped_delays(axes: list[tuple[int, int, int, int]]) -> None:
    """By the order in which blocks and, inside them, copies are walked; a direction of -1 counts from the end."""
    extents, vector, factors, signs = zip(*axes, strict=True)

    def time(repetition: tuple[int, ...]) -> tuple[int, ...]:
        forward = [r if sign > 0 else size - 1 - r for r, sign, size in zip(repetition, signs, extents, strict=True)]
        parts = [divmod(place, factor) for place, factor in zip(forward, factors, strict=True)]
        return (*(block for block, _ in parts), *(copy for _, copy in parts))

    space = set(product(*map(range, extents)))
    moved = [(earlier, tuple(map(sum, zip(earlier, vector, strict=True)))) for earlier in space]
    pairs = [(earlier, later) for earlier, later in moved if later in space]
    wrong = [pair for pair in pairs if time(pair[0]) >= time(pair[1])]
    found = find_swapped_delay(extents, vector, factors, signs)
    assert found == (min(wrong) if wrong else None)


def test_an_endless_dimension() -> None:
    assert find_swapped_delay((None, 4), (1, 0), (2, 2), (1, 1)) is None
    earlier, later = find_swapped_delay((None, 4), (1, -1), (2, 2), (1, 1))
    assert (later[0] - earlier[0], later[1] - earlier[1]) == (1, -1)
    assert earlier[0] // 2 == later[0] // 2
    assert earlier[1] // 2 == later[1] // 2 + 1
