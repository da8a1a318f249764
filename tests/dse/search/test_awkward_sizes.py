"""Images of prime sides and the like: blocks need not divide them, so that larger images are not faster."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from many_cases import case_count

from arrayol import api
from dse.space.rates import FINE, finest_ladder, gap, has_coarse_divisors

FILTER = """
const H = {rows}
const W = {columns}
elementary mean(x: u8[3, {wide}]) -> (y: u8) {{
  s: u16 = 0
  s += x[i, j]  for i in 0..3, j in 0..{wide}
  y = u8(s >> 4)
}}
task filter(x: u8[H + 2, W + {wide} - 1]) -> (y: u8[H, W]) {{
  repeat [H, W] of mean {{
    x <- x at origin [0, 0] paving [1, 0; 0, 1] fitting [1, 0; 0, 1]
    y -> y
  }}
}}
"""
NO_GAPS = "59 and 101 have few divisors, so that blocks have other sides too: each at most 2 times the next smaller one"


def explored(rows: int, columns: int, wide: int = 3, *, method: str = "exact", **study: object) -> api.Result:
    """The plain designs of one or two units of a filter that makes so many rows and columns."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "filter.aol"
        path.write_text(FILTER.format(rows=rows, columns=columns, wide=wide))
        space = api.Space(
            study=api.Study.model_validate({"units": (1, 2), "slack": 0.0, **study}), narrow=True, verify=False
        )
        return api.explore(path, objectives=("latency_cycles",), space=space, method=method).result


def fastest(result: api.Result) -> float:
    """The cycles of its fastest design."""
    return min(design.objectives["latency_cycles"] for design in result.pareto)


_RUNG = st.integers(0, 12)


@settings(max_examples=case_count(20))
@given(st.integers(2, 70), st.integers(2, 110), st.sampled_from((1, 3)), st.tuples(_RUNG, _RUNG))
@example(59, 101, 3, (4, 1))
def test_an_image_is_no_slower_than_rounded_up_to_whole_blocks(
    rows: int, columns: int, wide: int, rungs: tuple[int, int]
) -> None:
    """Both extents e are rounded up to n ceil(e / n), by numbers n of blocks that a ladder has along them."""
    extents = rows, columns
    sides = [finest_ladder(extent)[::-1] for extent in extents]
    shape = [own[min(rung, len(own) - 1)] for own, rung in zip(sides, rungs, strict=True)]
    high, broad = (-(-extent // side) * side for extent, side in zip(extents, shape, strict=True))
    larger = explored(high, broad, wide, blocks={"filter": [shape]})
    assert fastest(explored(rows, columns, wide)) <= fastest(larger)


@given(st.integers(1, 1 << 40))
@example(1918)
@example(59)
def test_a_ladder_leaves_no_gap(extent: int) -> None:
    sides = finest_ladder(extent)
    assert gap(sides) <= FINE
    assert sides[0] == 1
    assert sides[-1] == extent


def test_extents_of_coarse_divisors() -> None:
    fine = [extent for extent in range(1, 31) if not has_coarse_divisors(extent)]
    assert fine == [1, 2, 4, 6, 8, 12, 16, 18, 20, 24, 28, 30]


@pytest.mark.parametrize(("extents", "remark"), [((59, 101), NO_GAPS), ((60, 64), None)])
def test_a_result_says_how_coarse_sides_are(extents: tuple[int, int], remark: str | None) -> None:
    remarks = [text for text in explored(*extents).remarks if "times the next smaller one" in text]
    assert remarks == ([remark] if remark else [])


def test_a_result_says_where_sides_are_coarse() -> None:
    (remark,) = (text for text in explored(59, 64, blocks="divisors").remarks if "times the next smaller one" in text)
    assert remark == (
        "blocks have only sides that divide 59, up to 59 times the next smaller one; "
        'the method rounds, or blocks = "ladder" in a study, has others too'
    )
    rounds = explored(59, 64, method="rounds")
    assert not any("times the next smaller one" in text for text in rounds.remarks)


def test_exact_is_no_slower_than_rounds() -> None:
    assert fastest(explored(59, 101)) <= fastest(explored(59, 101, method="rounds"))
