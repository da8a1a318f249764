"""What line buffers cost of a technology: segments by their depth, and the multiplexers of borders."""

from __future__ import annotations

from pathlib import Path

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.ir.network import flatten
from hwmodel.cost_model.estimate import GroupEstimate
from hwmodel.cost_model.model import MachineModel
from hwmodel.platform import Platform, default_platform
from hwmodel.streamed import Stream

BLUR = """\
const H = 8
const W = 1920
elementary mean(x: u16[3, 3]) -> (y: u16) {{
  s: u32 = 0
  s += x[i, j]  for i in 0..3, j in 0..3
  y = u16(s // 9)
}}
task blur(i: u16[H, W]) -> (o: u16[H, W]) {{
  repeat [H, W] of mean {{
    x <- i at origin [-1, -1] paving [1, 0; 0, 1] fitting [1, 0; 0, 1] else {border}
    y -> o
  }}
}}
"""


def blurred(folder: Path, border: str, technology: str) -> GroupEstimate:
    path = folder / "blur.aol"
    path.write_text(BLUR.format(border=border))
    spec = load_checked(path, {})
    given = default_platform().model_dump(mode="json", exclude_unset=True)
    platform = Platform.model_validate({**given, "technology": technology})
    model = MachineModel(flatten(spec, choose_top(spec, None)), platform)
    ((_, estimate),) = model.streams(("blur",)).designs(Stream(interface="axis"))
    return estimate


def test_a_blur_has_no_more_block_ram_than_published(tmp_path: Path) -> None:
    """Clockwork (FCCM 2021) has 3 blocks of 36 Kbit at one pixel a cycle; a RAMB18E1 is half a block."""
    estimate = blurred(tmp_path, "nearest", "series7")
    (lines,) = (use for use in estimate.memories if use.kind == "chain" and use.name == "i")
    assert lines.segments == ((1, 1, 1918, 1, 1, 1918, 1, 1),)
    assert (lines.blocks, estimate.memory_blocks) == (4, 4)


def test_a_border_costs_multiplexers(tmp_path: Path) -> None:
    nearest, constant = (blurred(tmp_path, border, "ecp5-6") for border in ("nearest", "0"))
    control = [next(use for use in one.memories if use.name == "nodes") for one in (nearest, constant)]
    lut = [use.organisation.built.lut for use in control if use.organisation is not None]
    corner, edge = 4, 2  # elements of which a place of the window takes its datum
    assert lut[0] - lut[1] == 16 * 4 * sum(-(-(2 * places - 1) // 3) for places in (corner, edge))
