"""The flat network: which repetitions have none."""

from __future__ import annotations

from pathlib import Path

import pytest

from arrayol.checks.check import load_checked
from arrayol.errors import ArrayolError
from arrayol.ir.network import flatten

NESTED = """\
elementary copy(a: u8) -> (b: u8) {
  b = a
}
task row(x: u8[4]) -> (y: u8[4]) {
  repeat [4] of copy {
    a <- x at origin [0] paving [1] fitting []
    b -> y at origin [0] paving [1] fitting []
  }
}
task rows(x: u8[3, 4]) -> (y: u8[3, 4]) {
  repeat [3] of row {
    x <- x at origin [0, 0] paving [1; 0] fitting [0; 1]
    y -> y at origin [0, 0] paving [1; 0] fitting [0; 1]
  }
}
"""


def test_a_repetition_of_a_task_has_no_flat_network(tmp_path: Path) -> None:
    path = tmp_path / "x.aol"
    path.write_text(NESTED, encoding="utf-8")
    spec = load_checked(path)
    assert list(flatten(spec, "row").processes) == ["row"]
    with pytest.raises(ArrayolError) as caught:
        flatten(spec, "rows")
    assert str(caught.value) == (
        f"{path}:10:6: error[not-canonical]: task 'rows' repeats 'row', which is not an elementary task\n"
        "   10 | task rows(x: u8[3, 4]) -> (y: u8[3, 4]) {\n      |      ^^^^\n"
        "  hint: exploration starts from tasks that repeat elementary tasks; put the repetition inside those"
    )
