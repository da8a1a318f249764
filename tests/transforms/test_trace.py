"""Where old names and indices went, in lines to read."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proof import transformed

from arrayol.checks.check import load_checked
from arrayol.cli.commands.transform import moved, old_index
from arrayol.files import shipped_folder
from arrayol.transforms.trace import IndexMap, IndexPart, IndexSplit, MatrixMap

SMALL = st.integers(-3, 3)


@st.composite
def affines(draw: st.DrawFn, rank: int) -> MatrixMap:
    """An affine map of indices of that rank onto one or two entries, rounded at times."""
    rows = draw(st.integers(1, 2))
    return MatrixMap(
        tuple(draw(SMALL) for _ in range(rows)),
        tuple(tuple(draw(SMALL) for _ in range(rank)) for _ in range(rows)),
        tuple(draw(st.sampled_from([1, 1, 2, 3])) for _ in range(rows)),
        tuple(draw(st.sampled_from([None, None, 2, 5])) for _ in range(rows)),
    )


@st.composite
def index_maps(draw: st.DrawFn) -> IndexMap:
    """One or two affine maps after each other, the first of them of two parts at times."""
    first: MatrixMap | IndexSplit = draw(affines(3))
    if draw(st.booleans()):
        parts = [IndexMap(("x",), (4, 4), (draw(affines(2)),)), IndexMap(("y",), (4,), (draw(affines(1)),))]
        first = IndexSplit((IndexPart(0, 2, parts[0]), IndexPart(2, 3, parts[1])))
    entries = len(IndexMap((), (), (first,)).old((0, 0, 0)))
    further = (draw(affines(entries)),) if draw(st.booleans()) else ()
    return IndexMap(("x", "y"), (4, 4, 4), (first, *further))


@given(index_maps())
def test_the_expressions_have_the_values_of_the_map(found: IndexMap) -> None:
    """`//` and `%` are written as in Python, so the text can be computed."""
    expressions = compile(old_index(found), "old", "eval")
    for index in product(range(4), repeat=3):
        values = eval(expressions, {f"i{place}": entry for place, entry in enumerate(index)})
        assert tuple(values) == found.old(index)


@pytest.mark.parametrize(
    ("origin", "row", "divisor", "modulus", "text"),
    [
        (0, (4, 1), 1, None, "[4 * i0 + i1]"),
        (7, (-2, 0), 1, None, "[7 - 2 * i0]"),
        (-1, (-1, 3), 1, None, "[3 * i1 - i0 - 1]"),
        (-1, (-1, 0), 1, None, "[-i0 - 1]"),
        (0, (0, 0), 1, None, "[0]"),
        (0, (1, 0), 4, None, "[i0 // 4]"),
        (-1, (9, 1), 1, 12, "[(9 * i0 + i1 - 1) % 12]"),
        (1, (1, 1), 2, 3, "[((i0 + i1 + 1) // 2) % 3]"),
    ],
)
def test_forms(origin: int, row: tuple[int, int], divisor: int, modulus: int | None, text: str) -> None:
    found = IndexMap(("t",), (8, 8), (MatrixMap((origin,), (row,), (divisor,), (modulus,)),))
    assert old_index(found) == text


def test_quotient_and_remainder_are_put_together_again() -> None:
    cut = MatrixMap((0, 0), ((1,), (1,)), (4, 1), (None, 4))
    joined = MatrixMap((3,), ((8, 2),), (1,), (None,))
    assert old_index(IndexMap(("t",), (8,), (cut, joined))) == "[2 * i0 + 3]"


def test_lines() -> None:
    spec = load_checked(shipped_folder() / "lpsf.aol", {"H": 8, "W": 16})
    assert moved(transformed(spec)) == ()
    assert moved(transformed(spec, "tile hflr 4,2", "collapse hflr")) == ()
    assert moved(transformed(spec, "fuse hflr vftd 4,1", "collapse hflr_vftd"))
    assert moved(transformed(spec, "fuse hflr vftd 4,1")) == (
        "hflr[4 * i1 + i2, i0 + i3] is now hflr_vftd[i0, i1] > hflr_block[i2, i3]",
        "vftd[4 * i0 + i2, i1 + i3] is now hflr_vftd[i0, i1] > vftd_block[i2, i3]",
        "p1 of lpsf now lies in y of hflr_vftd_body",
    )
