"""Peak memory in multiples of the live arrays: inputs, outputs, and intermediate arrays that exist together."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from loading import spec_of
from numpy.typing import NDArray

from arrayol.checks.check import load_checked
from arrayol.execute.run import execute
from arrayol.ir.spec import Spec

H, W = 1080, 1920

CONV3X3 = f"""
elementary weigh(x: f32[3, 3]) -> (y: f32) {{ y += x[i, j] for i in 0..3, j in 0..3 }}
task t(image: f32[{H}, {W}]) -> (out: f32[{H}, {W}]) {{
  repeat [{H}, {W}] of weigh {{
    x <- image at origin [-1, -1] paving [1, 0; 0, 1] fitting [1, 0; 0, 1] wrap
    y -> out   at origin [0, 0] paving [1, 0; 0, 1] fitting []
  }}
}}"""
DOWNSCALER = f"""
elementary three(x: f32[13]) -> (y: f32[3]) {{ y[k] = x[4 * k] + x[4 * k + 2] + x[4 * k + 4] for k in 0..3 }}
elementary four(x: f32[14]) -> (y: f32[4]) {{ y[k] = x[3 * k] + x[3 * k + 4] for k in 0..4 }}
task horizontal(src: f32[{H}, {W}]) -> (dst: f32[{H}, 720]) {{
  repeat [{H}, 240] of three {{
    x <- src at origin [0, 0] paving [1, 0; 0, 8] fitting [0; 1] wrap
    y -> dst at origin [0, 0] paving [1, 0; 0, 3] fitting [0; 1]
  }}
}}
task vertical(src: f32[{H}, 720]) -> (dst: f32[480, 720]) {{
  repeat [120, 720] of four {{
    x <- src at origin [0, 0] paving [9, 0; 0, 1] fitting [1; 0] wrap
    y -> dst at origin [0, 0] paving [4, 0; 0, 1] fitting [1; 0]
  }}
}}
task t(image: f32[{H}, {W}]) -> (out: f32[480, 720]) {{
  between = horizontal(image)
  out = vertical(between)
}}"""


def peak(spec: Spec, task: str, inputs: dict[str, NDArray[Any]]) -> float:
    """Most bytes at once, the inputs' included."""
    tracemalloc.start()
    execute(spec, task, inputs)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return used + sum(array.nbytes for array in inputs.values())


@pytest.mark.parametrize(
    ("text", "live"), [(CONV3X3, 2 * H * W), (DOWNSCALER, H * W + H * 720)], ids=["conv3x3", "downscaler"]
)
def test_windows_that_wrap_take_no_more_than_four_times_the_live_arrays(text: str, live: int) -> None:
    image = np.ones((H, W), np.float32)
    assert peak(spec_of(text), "t", {"image": image}) < 4 * live * image.itemsize


def test_lpsf_takes_no_more_than_four_times_the_live_arrays(checkout: Path) -> None:
    spec = load_checked(checkout / "specs" / "lpsf.aol", {"H": str(H), "W": str(W)})
    image = np.ones((H, W), np.float32)
    assert peak(spec, "lpsf", {"p0": image}) < 4 * 2 * image.nbytes
