"""Exits in C, whole and tiled, against NumPy; what the tiles store, and sets by a symbol of the distance."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from c_programs import GCC, run_c, same, whole
from loading import spec_of

from arrayol import api

TEXT = """
const D = 1
elementary partial(a: i8[2], b: i8[2], before: i32) -> (sum: i32) {
  sum = before
  sum += i32(a[k]) * b[k]  for k in 0..2
}
task product(a: i8[4, 8], b: i8[8, 3]) -> (c: i32[D, 4, 3]) {
  repeat [4, 4, 3] of partial {
    a      <- a at origin [0, 0] paving [0, 1, 0; 2, 0, 0] fitting [0; 1]
    b      <- b at origin [0, 0] paving [2, 0, 0; 0, 0, 1] fitting [1; 0]
    before <- sum delay [D, 0, 0] else 0
    sum delay [D, 0, 0] -> c at origin [D - 4, 0, 0] paving [1, 0, 0; 0, 1, 0; 0, 0, 1] fitting []
  }
}
"""


@pytest.mark.parametrize("distance", [1, 2])
@pytest.mark.parametrize("tile", [[2, 2, 3], [3, 1, 2]])
def test_whole_and_tiled(distance: int, tile: list[int], tmp_path: Path) -> None:
    """Bit by bit, with all warnings; each element of the result is stored once, by the last blocks."""
    text = TEXT.replace("const D = 1", f"const D = {distance}")
    spec, rng = spec_of(text), np.random.default_rng(4)
    given = {"a": rng.integers(-99, 99, (4, 8), "i1"), "b": rng.integers(-99, 99, (8, 3), "i1")}
    terms = [given["a"][:, k : k + 2].astype("i4") @ given["b"][k : k + 2].astype("i4") for k in (0, 2, 4, 6)]
    chains = [sum(terms[first::distance]) for first in range(distance)]
    expected = np.array(chains, "i4")
    path = tmp_path / "t.aol"
    path.write_text(text, encoding="utf-8")
    found = api.transfers(path, "product", tile=tile, strip_dims=1)
    for program, command in ((whole(spec, "product"), GCC), (found.c(), [*GCC, "-DGARBAGE=165"])):
        assert same(run_c(program, spec.components["product"], given, command)["c"], expected)
