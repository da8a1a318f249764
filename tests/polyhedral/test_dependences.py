"""Which levels of a body carry a dependence, which outputs are settled, and which delays blocks would swap."""

from __future__ import annotations

from contextlib import chdir
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrayol.ir.expressions import Loop, Statement
from arrayol.language.loader import load
from arrayol.polyhedral.dependences import Level, Nest, find_swapped_delay, nest_of


def nest(tmp_path: Path, body: str) -> Nest:
    with chdir(tmp_path):
        Path("t.aol").write_text(f"elementary e(x: i64[8, 8], p: i64) -> (y: i64[8, 8], z: i64) {{ {body} }}")
        return nest_of(load(Path("t.aol")).spec.elementaries["e"])


def levels(statements: tuple[Statement, ...], places: tuple[int, ...] = ()) -> dict[str, Level]:
    """The level of each range variable."""
    by_name: dict[str, Level] = {}
    for place, statement in enumerate(statements):
        for number, item in enumerate(statement.ranges):
            by_name[item.name] = Level((*places, place), number)
        if isinstance(statement, Loop):
            by_name |= levels(statement.body, (*places, place))
    return by_name


@pytest.mark.parametrize(
    ("body", "carried"),
    [
        ("y[i, j] = x[j, i] for i in 0..8, j in 0..8", ""),
        ("y[i, j] = y[i - 1, j] for i in 1..8, j in 0..8", "i"),
        ("y[i, j] = y[i, j - 1] for i in 0..8, j in 1..8", "j"),
        ("y[i, j] = y[i - 1, j] + y[i, j - 1] for i in 1..8, j in 1..8", "ij"),
        ("y[i, j] = y[i - 1, j + 1] for j in 0..7, i in 1..8", "j"),
        ("y[i, j] = y[i + 4, j] for i in 0..4, j in 0..8", ""),
        ("y[i, j] += x[i, k] * x[k, j] for i in 0..8, j in 0..8, k in 0..8", "k"),
        ("y[0, i // 2] = x[0, i] for i in 0..8", "i"),
        ("y[0, i // 2] = x[0, i] for i in 0..8 where i % 2 == 0", ""),
        ("y[0, 0] = x[0, i] for i in 0..8 where i == p", "i"),
        ("y[0, x[0, i]] = 1 for i in 0..8", "i"),
        ("loop i in 0..8 { y[i, j] = x[i, j] for j in 0..8 y[i, 0] = y[i, 7] }", ""),
        ("loop i in 0..7 { y[i, 0] = x[i, 0] y[i + 1, 0] = y[i, 0] }", "i"),
        ("loop k in 0..7 { y[i, j] += y[i, k] * y[k, j] for i in k + 1..8, j in k + 1..8 }", "k"),
        ("y[i, j] = y[7 - i, j] for i in 0..4, j in 0..8", ""),
        ("y[i, j] = y[7 - i, j] for i in 0..8, j in 0..8", "i"),
    ],
)
def test_carried_levels(tmp_path: Path, body: str, carried: str) -> None:
    body_nest = nest(tmp_path, body)
    assert {name for name, level in levels(body_nest.elementary.body or ()).items() if body_nest.carries(level)} == set(
        carried
    )


@pytest.mark.parametrize(
    ("body", "only"),
    [
        ("z += x[0, k] for k in 0..8", True),
        ("z += x[0, k] * z for k in 0..8", False),
        ("y[7, 0] += y[k, 0] for k in 0..7", True),
        ("y[7, 0] += y[k, 0] for k in 0..8", False),
    ],
)
def test_levels_that_only_sum(tmp_path: Path, body: str, *, only: bool) -> None:
    body_nest = nest(tmp_path, body)
    assert body_nest.only_sums(levels(body_nest.elementary.body or ())["k"]) is only


WHOLE = "y[i, j] = 1 for i in 0..8, j in 0..8 "


@pytest.mark.parametrize(
    ("body", "settled"),
    [
        (f"{WHOLE} z = y[7, 7]", {"y", "z"}),
        (f"z = 1 {WHOLE} where i != 3", {"z"}),
        (f"{WHOLE} z = 1 z = z where p > 0", {"y", "z"}),
        (f"{WHOLE} z = 1 where p > 0", {"y"}),
        (f"z = y[0, 0] {WHOLE}", {"z"}),
        (f"{WHOLE} z = y[p, 0]", {"y", "z"}),
        (f"y[0, 0] = 1 z = y[p, 0] {WHOLE}", {"z"}),
        ("y[p, j] = 1 for j in 0..8", set()),
        ("loop i in 0..8 { y[i, j] = 1 if i == 0 else y[i - 1, j] for j in 0..8 } z = 0", {"y", "z"}),
        ("loop i in 0..8 { y[i, j] = 1 if i == 0 else y[i, 7 - j] for j in 0..8 } z = 0", {"z"}),
    ],
)
def test_settled_outputs(tmp_path: Path, body: str, settled: set[str]) -> None:
    assert nest(tmp_path, body).settled() == settled


# Blocks of repetitions and delays: exact, against brute force.

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
    assert find_swapped_delay(extents, vector, factors, signs) == (min(wrong) if wrong else None)


def test_an_endless_dimension() -> None:
    assert find_swapped_delay((None, 4), (1, 0), (2, 2), (1, 1)) is None
    earlier, later = find_swapped_delay((None, 4), (1, -1), (2, 2), (1, 1))
    assert (later[0] - earlier[0], later[1] - earlier[1]) == (1, -1)
    assert earlier[0] // 2 == later[0] // 2
    assert earlier[1] // 2 == later[1] // 2 + 1
