"""Repetitions within repetitions beyond NumPy's axes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arrayol import api
from arrayol.errors import ArrayolError

DATA = np.array([1, 2], "u1")
LINKS = "a <- a at origin [0] paving [0] fitting [1] b -> b at origin [0] paving [0] fitting [1]"


def test_more_repetitions_within_each_other_than_numpy_has_axes(tmp_path: Path) -> None:
    text = "elementary t0(a: u8[2]) -> (b: u8[2]) { b[k] = a[k] for k in 0..2 }\n"
    for level in range(1, 66):
        text += f"task t{level}(a: u8[2]) -> (b: u8[2]) {{ repeat [1] of t{level - 1} {{ {LINKS} }} }}\n"
    (tmp_path / "deep.aol").write_text(text, encoding="utf-8")
    spec = api.load(tmp_path / "deep.aol")
    with pytest.raises(ArrayolError, match="have 65 dimensions with their patterns\n"):
        api.run(spec, {"a": DATA})
    assert list(api.run(spec, {"a": DATA}, top="t40")["b"]) == [1, 2]
