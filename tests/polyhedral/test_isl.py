"""What happens at the bound of isl's effort: never a wrong answer, never a hang."""

from __future__ import annotations

from pathlib import Path

import islpy as isl
import numpy as np
import pytest

from arrayol import api
from arrayol.checks.check import check
from arrayol.ir.spec import MAXIMUM_RANK
from arrayol.polyhedral import isl as effort

INFINITE = """elementary copy(a: u8) -> (b: u8) {
  b = a
}
task t(x: u8[*, 8]) -> (y: u8[*, 8]) {
  repeat [*, 8] of copy {
    a <- x at origin [0, 0] paving [1, 0; 3, 5] fitting [] wrap
    b -> y at origin [0, 0] paving [1, 0; 3, 5] fitting [] wrap
  }
}
"""
MODULI = """elementary mix(a: f32[1009, 997]) -> (b: f32[1009, 997]) {
  b[(123 * k + 71 * l) % 1009, (17 * k + 501 * l) % 997] = a[k, l] for k in 0..1009, l in 0..997
}
"""


def codes(folder: Path, text: str) -> list[str]:
    path = folder / "x.aol"
    path.write_text(text, encoding="utf-8")
    return [found.code for found in check(path).diagnostics]


def test_an_infinite_array_beyond_the_bound_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert codes(tmp_path, INFINITE) == []
    monkeypatch.setattr(effort, "OPERATIONS", 10)
    assert codes(tmp_path, INFINITE) == ["undecided"]


def test_a_body_beyond_the_bound_is_left_to_the_execution(tmp_path: Path) -> None:
    assert codes(tmp_path, MODULI) == []


def test_isl_works_on_after_the_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(effort, "OPERATIONS", 10)
        codes(tmp_path, INFINITE)
    assert codes(
        tmp_path,
        INFINITE.replace(
            "[0, 0] paving [1, 0; 3, 5] fitting [] wrap\n  }", "[1, 0] paving [1, 0; 3, 5] fitting [] wrap\n  }"
        ),
    ) == ["not-covered"]


def test_inside_a_bound_that_one_counts() -> None:
    context = isl.DEFAULT_CONTEXT
    with effort.bounded_effort(500_000):
        with effort.bounded_effort(7):
            assert context.get_max_operations() == 500_000
        assert context.get_max_operations() == 500_000
    assert context.get_max_operations() == 0


def test_the_bound_stops_the_reader_of_texts_too() -> None:
    """Isl's reader says `syntax error` there."""
    evens, thirds = (f"{{ [i] : 0 <= i < 10 and exists j : i = {factor} * j }}" for factor in (2, 3))
    with pytest.raises(effort.TooHardError), effort.bounded_effort(50):
        isl.Set(evens).subtract(isl.Set(thirds))
    with pytest.raises(isl.Error, match="syntax error"), effort.bounded_effort():
        isl.Set("{ [i")


def test_a_body_of_as_many_ranges_as_there_may_be_runs(tmp_path: Path) -> None:
    ranges = ", ".join(f"i{place} in 0..{2 if place < 3 else 1}" for place in range(MAXIMUM_RANK))
    text = f"elementary f(x: i32) -> (y: i32) {{\n  y = x\n  y = y + i0 + i31 for {ranges}\n}}\n"
    (tmp_path / "f.aol").write_text(text, encoding="utf-8")
    assert api.run(api.load(tmp_path / "f.aol"), {"x": np.array(3, "i4")}, top="f")["y"] == 7
