"""Each decision matters: for each there is a small specification whose front changes with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arrayol import api
from arrayol.files import shipped_folder
from dse.space.study import NARROW

Points = list[tuple[float, ...]]

PLATFORM = """
clock_mhz = 100
assume_datapaths = true
[memory]
latency = 4
data_per_word = 2
[local]
block_bits = 256
"""
ROWS = """
clock_mhz = 100
assume_datapaths = true
[memory]
data_per_word = 2
[memory.rows]
row_bytes = 64
banks = 2
word_ns = 40
row_change_ns = 30
same_bank_activate_ns = 60
[local]
block_bits = 256
"""
# A window of three by three pixels and a point operation after it.
WINDOW = """
const H = 6
const W = 8
tiler pixels  = origin [0, 0]  paving [1, 0; 0, 1]  fitting []
tiler windows = origin [0, 0]  paving [1, 0; 0, 1]  fitting [1, 0; 0, 1]
elementary sum9(x: i32[3, 3]) -> (y: i32) { y += x[i, j] for i in 0..3, j in 0..3 }
elementary half(x: i32) -> (y: i32) { y = x // 2 }
task blur(src: i32[H + 2, W + 2]) -> (dst: i32[H, W]) {
  repeat [H, W] of sum9 {
    x <- src at windows
    y -> dst at pixels
  }
}
task halve(src: i32[H, W]) -> (dst: i32[H, W]) {
  repeat [H, W] of half {
    x <- src at pixels
    y -> dst at pixels
  }
}
task top(a: i32[H + 2, W + 2]) -> (c: i32[H, W]) {
  b = blur(a)
  c = halve(b)
}
"""


# Every product of a row and a column, that a matrix product sums.
PRODUCT = """
elementary mul(a: i32, b: i32) -> (p: i8) { p = i8(a * b) }
task product(a: i32[6, 6], b: i32[6, 6]) -> (p: i8[6, 6, 6]) {
  repeat [6, 6, 6] of mul {
    a <- a at origin [0, 0]  paving [1, 0, 0; 0, 0, 1]  fitting []
    b <- b at origin [0, 0]  paving [0, 0, 1; 0, 1, 0]  fitting []
    p -> p at origin [0, 0, 0]  paving [1, 0, 0; 0, 1, 0; 0, 0, 1]  fitting []
  }
}
"""


def front(folder: Path, spec: str, study: dict[str, Any], platform: str = PLATFORM, **objectives: Any) -> Points:
    """The points of the front of a space that is narrow but for `study`."""
    (folder / "spec.aol").write_text(spec, encoding="utf-8")
    (folder / "board.toml").write_text(platform, encoding="utf-8")
    loaded = api.load(folder / "spec.aol")
    chosen = api.Study.model_validate({**NARROW, "units": (1, 2), **study})
    names = objectives.get("objectives", ("latency_cycles", "internal_memory_elements"))
    space = api.Space(study=chosen, verify=True)
    result = api.explore(loaded, folder / "board.toml", objectives=names, space=space).result
    assert all(design.verified for design in result.pareto)
    return [tuple(design.objectives[name] for name in names) for design in result.pareto]


def is_better(some: Points, others: Points) -> bool:
    """Whether a front holds points that the other one does not cover."""
    return any(not any(all(a <= b for a, b in zip(other, one, strict=True)) for other in others) for one in some)


@pytest.fixture(scope="module")
def lpsf() -> str:
    text = (shipped_folder() / "lpsf.aol").read_text(encoding="utf-8")
    return text.replace("const H = 1080", "const H = 8").replace("const W = 1920", "const W = 8")


def test_blocks(tmp_path: Path) -> None:
    one = front(tmp_path, WINDOW, {"blocks": {"halve": ((6, 8),), "blur": ((6, 8),)}})
    assert is_better(front(tmp_path, WINDOW, {}), one)


def test_orders(tmp_path: Path) -> None:
    rows, columns = (front(tmp_path, WINDOW, {"orders": [order]}) for order in ("0,1", "1,0"))
    assert rows != columns


def test_blocks_of_blocks(tmp_path: Path) -> None:
    """With keeps of single arrays they move less at the same memory."""
    names = ("internal_memory_elements", "traffic_bytes")
    study = {
        "blocks": {"product": ((1, 1, 2),)},
        "policies": ("tile",),
        "units": (1,),
        "array": {"a": {"keep": ["2", "3"]}, "b": {"keep": ["1", "2", "3"]}},
    }
    one = front(tmp_path, PRODUCT, study, objectives=names)
    two = front(
        tmp_path,
        PRODUCT,
        study | {"outer_blocks": {"product": {"0,1,2,0,1": ((2, 3, 4), (4, 4, 1))}}},
        objectives=names,
    )
    assert set(one) < set(two)


def test_cuts(tmp_path: Path, lpsf: str) -> None:
    fused = {"fusions": [[["hflr", "vftd", "hfrl", "vfbu"]]], "blocks": {"vfbu": ((2, 2),)}, "units": (1,)}
    without = front(tmp_path, lpsf, fused)
    assert is_better(front(tmp_path, lpsf, fused | {"cuts": ("none", "lines")}), without)


def test_units(tmp_path: Path) -> None:
    assert is_better(front(tmp_path, WINDOW, {"units": (1, 2, 4)}), front(tmp_path, WINDOW, {"units": (1,)}))


def test_intervals(tmp_path: Path) -> None:
    """Nine additions of a window share operators where a repetition may take several cycles."""
    names = ("latency_cycles", "lut")
    derived = PLATFORM.replace("assume_datapaths = true", 'technology = "ecp5-6"')
    fastest = front(tmp_path, WINDOW, {"units": (1,), "intervals": (1,)}, derived, objectives=names)
    assert is_better(front(tmp_path, WINDOW, {"units": (1,)}, derived, objectives=names), fastest)


def test_links(tmp_path: Path) -> None:
    fused = {"fusions": [[["blur", "halve"]]], "units": (1,)}
    assert is_better(front(tmp_path, WINDOW, fused | {"links": ("buffer", "fifo")}), front(tmp_path, WINDOW, fused))


def test_layouts(tmp_path: Path) -> None:
    names = ("latency_cycles", "memory_blocks")
    alone = {"fusions": [[["blur"], ["halve"]]], "units": (1,)}
    without = front(tmp_path, WINDOW, alone, objectives=names)
    assert is_better(front(tmp_path, WINDOW, alone | {"layouts": ("none", "linear")}, objectives=names), without)


def test_policies(tmp_path: Path) -> None:
    every = front(tmp_path, WINDOW, {"policies": ("reuse", "strip", "whole", "tile")})
    assert is_better(every, front(tmp_path, WINDOW, {"policies": ("reuse",)}))


# The same the other way round: windows over what a point operation makes.
AFTER = """
const H = 6
const W = 20
tiler pixels  = origin [0, 0]  paving [1, 0; 0, 1]  fitting []
tiler windows = origin [0, 0]  paving [1, 0; 0, 1]  fitting [1, 0; 0, 1]
elementary half(x: i32) -> (y: i32) { y = x // 2 }
elementary sum9(x: i32[3, 3]) -> (y: i32) { y += x[i, j] for i in 0..3, j in 0..3 }
task halve(src: i32[H + 2, W + 2]) -> (dst: i32[H + 2, W + 2]) {
  repeat [H + 2, W + 2] of half {
    x <- src at pixels
    y -> dst at pixels
  }
}
task blur(src: i32[H + 2, W + 2]) -> (dst: i32[H, W]) {
  repeat [H, W] of sum9 {
    x <- src at windows
    y -> dst at pixels
  }
}
task top(a: i32[H + 2, W + 2]) -> (c: i32[H, W]) {
  b = halve(a)
  c = blur(b)
}
"""


def test_recomputing(tmp_path: Path) -> None:
    # What overlaps is kept by both tasks, or loaded and made again.
    fused: dict[str, Any] = {"fusions": [[["halve", "blur"]]], "policies": ("tile",), "orders": ["0,1"]}
    fused["blocks"] = {"blur": ((1, 1),)}
    assert is_better(front(tmp_path, AFTER, fused | {"recompute": (False, True)}), front(tmp_path, AFTER, fused))


def test_rows_of_the_memory(tmp_path: Path) -> None:
    assert front(tmp_path, WINDOW, {}, ROWS) != front(tmp_path, WINDOW, {})
