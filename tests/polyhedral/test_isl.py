"""What happens at the bound of isl's effort: never a wrong answer, never a hang."""

from __future__ import annotations

from pathlib import Path

import islpy as isl
import pytest

from arrayol.checks.check import check
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
