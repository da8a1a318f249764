"""How many seconds jobs are predicted to take: what makes them longer counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from arrayol import api
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from dse.search.groups.job_cost import JobCost
from dse.space.mappings import MappingSpace
from dse.space.study import Study
from hwmodel.machine.model import MachineModel
from hwmodel.platform import load_platform

FILTER = """
elementary band(x: i16[{taps}]) -> (y: i32) {{ y += i32(x[k]) for k in 0..{taps} }}
task bands(signal: i16[(4096 - 1) * 16 + {taps}]) -> (out: i32[16, 4096]) {{
  repeat [16, 4096] of band {{
    x <- signal at origin [0] paving [0, 16] fitting [1]
    y -> out
  }}
}}
"""


def keeps(taps: int, folder: Path) -> float:
    """Predicted seconds for what a structure of a filter bank may keep."""
    path = folder / "bands.aol"
    path.write_text(FILTER.format(taps=taps))
    platform = load_platform(shipped_folder() / "platforms" / "default.toml")
    space = MappingSpace(MachineModel(flatten(api.load(path), "bands"), platform), Study())
    return JobCost(space, ("bands",), 1).keeps


@pytest.mark.parametrize(("taps", "least", "most"), [(32, 1.0, 1.0), (64, 4.0, 8.0), (128, 12.0, 24.0)])
def test_what_wide_patterns_keep_takes_longer(taps: int, least: float, most: float, tmp_path: Path) -> None:
    """By the accesses along the axis, which are listed for each choice, beyond what few elements take."""
    assert least <= keeps(taps, tmp_path) / keeps(24, tmp_path) <= most
