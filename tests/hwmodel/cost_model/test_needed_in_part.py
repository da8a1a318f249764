"""Arrays of which the outside needs a part: what is a product of indices is priced in batches, as one by one."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from arrayol.checks.check import load_checked
from arrayol.ir.network import flatten
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, GroupDesign, Processor, Scan
from hwmodel.platform import find_platform

SHORT_CUT = """
elementary sum(x: u8[3, 3]) -> (y: u8) {
  y = x[0, 0] + x[1, 1] + x[2, 2]
}
elementary copy(x: u8) -> (z: u8) {
  z = x
}
task blur(x: u8[C, H, 10]) -> (y: u8[C, H, 10]) {
  repeat [C, H, 10] of sum {
    x <- x at origin [0, -1, -1] paving [1, 0, 0; 0, 1, 0; 0, 0, 1] fitting [0, 0; 1, 0; 0, 1] else nearest
    y -> y
  }
}
task more(x: u8[C, H, 10]) -> (y: u8[C, H, 10]) {
  repeat [C, H, 10] of READER
}
task cut(t: u8[C, H, 10]) -> (z: u8[SIZE]) {
  repeat [SIZE] of copy {
    x <- t at origin ORIGIN paving PAVING fitting []
    z -> z
  }
}
task top(x: u8[C, H, 10]) -> (u: u8[C, H, 10], z: u8[SIZE]) {
  t = blur(x)
  u = more(t)
  z = cut(t)
}
const C = 2
const H = ROWS
"""
READERS = {  # of what the outside needs in part
    "window": "sum {\n    x <- x at origin [0, -1, -1] paving [1, 0, 0; 0, 1, 0; 0, 0, 1] fitting [0, 0; 1, 0; 0, 1] "
    "else nearest\n    y -> y\n  }",
    "at once": "copy {\n    x <- x\n    z -> y\n  }",
}
PARTS = {  # what the cut reads of t: how many rows that has, sizes, where from, and by what steps
    "inside": (12, "2, 8, 7", "[0, 2, 1]", "[1, 0, 0; 0, 1, 0; 0, 0, 1]", 2 * 8 * 7),
    "every second row": (12, "2, 6, 10", "[0, 0, 0]", "[1, 0, 0; 0, 2, 0; 0, 0, 1]", 2 * 6 * 10),
    "one channel": (12, "1, 12, 10", "[1, 0, 0]", "[1, 0, 0; 0, 1, 0; 0, 0, 1]", 12 * 10),
    "rows in the middle": (48, "2, 8, 10", "[0, 20, 0]", "[1, 0, 0; 0, 1, 0; 0, 0, 1]", 2 * 8 * 10),
    "lower half": (48, "2, 24, 10", "[0, 24, 0]", "[1, 0, 0; 0, 1, 0; 0, 0, 1]", 2 * 24 * 10),
}


def _model(part: str, reader: str, burst: str, tmp_path: Path) -> MachineModel:
    rows, size, origin, paving, _ = PARTS[part]
    path, text = tmp_path / "cut.aol", SHORT_CUT.replace("READER", READERS[reader]).replace("ROWS", str(rows))
    text = text.replace("SIZE", size).replace("ORIGIN", origin).replace("PAVING", paving)
    path.write_text(text, encoding="utf-8")
    platform = find_platform(path, None)[0]
    memory = platform.memory.model_copy(update={"burst": burst})
    return MachineModel(flatten(load_checked(path, {}), "top"), platform.model_copy(update={"memory": memory}))


@pytest.mark.parametrize("burst", ["box", "run"])
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("part", PARTS)
def test_priced_in_batches_as_one_by_one(part: str, reader: str, burst: str, tmp_path: Path) -> None:
    model, tasks = _model(part, reader, burst, tmp_path), ("blur", "more")
    batch, (rows, *_, needed) = model.batch(tasks), PARTS[part]
    assert batch is not None
    assert list(batch.counts.needed_in_part) == ["t"]
    for shape in ((1, 1, 10), (1, 5, 3), (2, 1, 10), (2, rows, 10)):
        for scan in model.legal_scans("more", shape)[::16]:
            design = GroupDesign(tuple(map(Processor, tasks)), Blocks(shape, scan))
            found = model.estimate(design)
            assert found.evaluator == "counted"
            assert replace(found, evaluator="enumerated") == model.estimate_enumerated(design)
            assert found.additive["traffic_bytes"] == 2 * (2 * rows * 10) + needed  # x, u, and what is read of t
            again = replace(design, recompute=True)
            assert replace(model.estimate(again), evaluator="enumerated") == model.estimate_enumerated(again)


def test_of_two_arrays_that_differ_in_what_is_needed_each_has_its_own_size(tmp_path: Path) -> None:
    rows, size, origin, paving, _ = PARTS["lower half"]
    text = SHORT_CUT.replace("READER", READERS["window"]).replace("ROWS", str(rows)).replace("SIZE", size)
    head, _ = text.replace("ORIGIN", origin).replace("PAVING", paving).split("task top")
    one = head[head.index("task cut") :].replace("task cut", "task one").replace(size, "2, 9, 10")
    one = one.replace(origin, "[0, 4, 0]").replace("0, 1, 0;", "0, 5, 0;")  # row of five, the last
    calls = "".join(
        f"  t{number} = blur(x)\n  u{number} = more(t{number})\n  z{number} = {cut}(t{number})\n"
        for number, cut in enumerate(("cut", "one"))
    )
    outputs = f"u0: u8[C, H, 10], z0: u8[{size}], u1: u8[C, H, 10], z1: u8[2, 9, 10]"
    path, consts = tmp_path / "two.aol", f"const C = 2\nconst H = {rows}\n"
    path.write_text(f"{head}{one}task top(x: u8[C, H, 10]) -> ({outputs}) {{\n{calls}}}\n{consts}", encoding="utf-8")
    model = MachineModel(flatten(load_checked(path, {}), "top"), find_platform(path, None)[0])
    sizes = []
    for number in range(2):
        tasks = (f"blur@t{number}", f"more@u{number}")
        blocks = Blocks((1, 5, 10), Scan((1, 2, 0), (False, False, False)))
        design = GroupDesign(tuple(map(Processor, tasks)), blocks)
        found = model.estimate(design)
        assert found.evaluator == "counted"
        assert replace(found, evaluator="enumerated") == model.estimate_enumerated(design)
        sizes.append([memory.addressed for memory in found.memories])
    assert sizes[0] != sizes[1]


CHANNELS = """
elementary copy(x: u8) -> (y: u8) {
  y = x
}
elementary mean(x: u8[3, 2]) -> (y: u8) {
  y = x[0, 0] + x[1, 0] + x[2, 1]
}
task early(x: u8[3, 6, 8]) -> (y: u8[3, 6, 8]) {
  repeat [3, 6, 8] of copy {
    x <- x
    y -> y
  }
}
task late(x: u8[3, 6, 8]) -> (y: u8[6, 8]) {
  repeat [6, 8] of mean {
    x <- x at origin [0, 0, 0] paving [0, 0; 1, 0; 0, 1] fitting [1, 0; 0, 1; 0, 0] else nearest
    y -> y
  }
}
task cut(x: u8[3, 6, 8]) -> (y: u8[2, 6, WIDE]) {
  repeat [2, 6, WIDE] of copy {
    x <- x at origin [0, 0, FIRST] paving [2, 0, 0; 0, 1, 0; 0, 0, 1] fitting []
    y -> y
  }
}
task top(x: u8[3, 6, 8]) -> (y: u8[6, 8], z: u8[2, 6, WIDE]) {
  t = early(x)
  y = late(t)
  z = cut(t)
}
"""


@pytest.mark.parametrize("burst", ["box", "run"])
@pytest.mark.parametrize(("first", "wide"), [(2, 5), (0, 8)])
def test_of_channels_that_no_block_moves_along_some(first: int, wide: int, burst: str, tmp_path: Path) -> None:
    path = tmp_path / "channels.aol"
    path.write_text(CHANNELS.replace("FIRST", str(first)).replace("WIDE", str(wide)), encoding="utf-8")
    platform = find_platform(path, None)[0]
    memory = platform.memory.model_copy(update={"burst": burst, "max_burst_words": 7, "data_per_word": 2})
    model = MachineModel(flatten(load_checked(path, {}), "top"), platform.model_copy(update={"memory": memory}))
    batch = model.batch(("early", "late"))
    assert batch is not None
    (needed,) = batch.counts.needed_in_part.values()
    assert [np.flatnonzero(own).tolist() for own in needed] == [[0, 2], [*range(6)], [*range(first, first + wide)]]
    assert batch.counts.parts.free_axes("t") == [0]
    for shape in product((1, 2, 6), (1, 3, 8)):
        for scan in model.legal_scans("late", shape):
            design = GroupDesign((Processor("early"), Processor("late")), Blocks(shape, scan))
            found = model.estimate(design)
            assert found.evaluator == "counted"
            assert replace(found, evaluator="enumerated") == model.estimate_enumerated(design)
