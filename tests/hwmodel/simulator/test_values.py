"""Values that the simulated machine enters itself: what no memory holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from arrayol import api
from arrayol.ir.network import flatten
from dse.verify.testbench import Testbench
from hwmodel.design import Blocks, GroupDesign, Processor, row_major
from hwmodel.platform import Platform
from hwmodel.platform_memories import ExternalMemory

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


UNREAD = """
elementary twice(a: i32) -> (b: i32) { b = 2 * a }
task doubled(x: i32[4]) -> (y: i32[4]) { repeat [4] of twice { a <- x  b -> y } }
task top(x: i32[4]) -> (z: i32[4]) {
  y: i32[4, 2]
  y[.., 0] = doubled(x)
  y[.., 1] = doubled(x)
  z = doubled(y[.., 0])
}
"""


KEPT_AND_STORED = """
elementary plus(x: i32) -> (y: i32) { y = x + 1 }
elementary total(x: i32[6]) -> (y: i32) { y += x[k] for k in 0..6 }
task each(x: i32[4, 6]) -> (y: i32[4, 6]) { repeat [4, 6] of plus { x <- x  y -> y } }
task rows(x: i32[4, 6]) -> (y: i32[4]) { repeat [4] of total { x <- x  y -> y } }
task top(a: i32[4, 6]) -> (b: i32[4, 6], c: i32[4]) {
  b = each(a)
  c = rows(b)
}
"""


BORDERED = """
elementary pair(a: i32[2]) -> (b: i32) { b = a[0] + 2 * a[1] }
elementary plus(a: i32) -> (b: i32) { b = a + 1 }
task pairs(x: i32[1]) -> (y: i32[2]) {
  repeat [2] of pair { a <- x at origin [0] paving [1] fitting [1] else 100  b -> y }
}
task each(y: i32[2]) -> (z: i32[2]) { repeat [2] of plus { a <- y  b -> z } }
task top(x: i32[1]) -> (z: i32[2]) { y = pairs(x)  z = each(y) }
"""


@pytest.mark.parametrize(
    ("text", "sizes", "recompute"),
    [
        pytest.param(UNREAD, (2,), True, id="a task of which nothing runs, beside those whose results are read"),
        pytest.param(KEPT_AND_STORED, (1, 2, 4), False, id="stored by the ticks of its maker, read in fewer ones"),
        pytest.param(BORDERED, (1, 2), True, id="repetitions that read constants alone share no operands with others"),
    ],
)
def test_what_a_group_computes(tmp_path: Path, text: str, sizes: tuple[int, ...], recompute: bool) -> None:
    path = tmp_path / "top.aol"
    path.write_text(text, encoding="utf-8")
    spec = api.load(path)
    network = flatten(spec, "top")
    platform = Platform(assume_datapaths=True, memory=ExternalMemory(latency=2, data_per_word=1))
    for size in sizes:
        group = GroupDesign(
            tuple(map(Processor, network.processes)), Blocks((size,), row_major(1)), recompute=recompute
        )
        judgement = Testbench(spec, network, platform).judge(group)
        assert (judgement.identical, judgement.reasons) == (True, ())
