"""What the docstrings of the steps show is what the steps give."""

from __future__ import annotations

import re
from types import ModuleType

import pytest
from proof import transformed
from spec_data import loaded

from arrayol.language.emitter import component_text
from arrayol.transforms import pave, tile

SMOOTH = "elementary smooth(x: f32[2], prev: f32) -> (y: f32[2], last: f32)\n"
FOUR = "elementary four(x: u8[4]) -> (y: u8[4])\n"


@pytest.mark.parametrize(
    ("module", "elementary", "step"), [(pave, SMOOTH, "pave row 4"), (tile, FOUR, "tile scale 2,8")]
)
def test_before_and_after(module: ModuleType, elementary: str, step: str) -> None:
    before, *after = re.findall(r"^    (task .*?^    \})$", module.__doc__ or "", re.MULTILINE | re.DOTALL)
    done = transformed(loaded(elementary + before), step)
    shown = ["".join(f"{line.removeprefix('    ')}\n" for line in text.splitlines()) for text in after]
    assert shown == [component_text(done.spec, name) for name in done.spec.tasks]
