"""Values that the simulated machine enters itself: what no memory holds."""

from __future__ import annotations

from pathlib import Path

from arrayol import api

TEXT = """
elementary sum2(w: i3.4[2], before: i4.4) -> (y: i4.4) { y = w[0] + w[1] + before }
task sums(x: i3.4[4]) -> (y: i4.4[4]) {
  repeat [4] of sum2 {
    w      <- x at origin [-1] paving [1] fitting [1] else 1.5
    before <- y delay [2] else 0.25
    y      -> y
  }
}
"""


def test_constants_of_fixed_point_are_stored_integers(tmp_path: Path) -> None:
    """Beyond the ends of an array, and before the first instances of a delay."""
    path = tmp_path / "sums.aol"
    path.write_text(TEXT, encoding="utf-8")
    found = api.explore(path, space=api.Space(narrow=True, verify=True))
    assert {design.verified for design in found.result.pareto} == {True}
