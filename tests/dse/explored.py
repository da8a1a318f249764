"""Explorations of lpsf that several tests share, and result folders without what takes long."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from once_a_run import once_a_run

from arrayol import api
from dse.output import writing as store
from dse.results.exploration import Exploration

SPECS = Path(__file__).resolve().parents[2] / "specs"
GIVEN = Path(__file__).resolve().parent / "lpsf_given.toml"  # of lpsf, one datapath whose figures are given


@once_a_run
def mapped(height: int = 4, width: int = 8) -> Exploration:
    """Plain mappings of a small image on lpsf_given.toml."""
    spec = api.load(SPECS / "lpsf.aol", {"H": height, "W": width})
    return api.explore(spec, GIVEN, space=api.Space(study=api.Study(slack=0), narrow=True, verify=False))


WEIGHED = """\
const N = 8
elementary weigh(x: u8[4], w: u8[4]) -> (y: u16) { y = x[0] * w[0] + x[1] * w[1] + x[2] * w[2] + x[3] * w[3] }
elementary limit(x: u16[2]) -> (y: u8) { y = u8(max(x[0], x[1]) >> 8) }
task weighed(x: u8[N, 4], w: u8[4]) -> (y: u16[N]) {
  repeat [N] of weigh { x <- x  w <- w  y -> y }
}
task limited(y: u16[N]) -> (z: u8[N / 2]) {
  repeat [N / 2] of limit { x <- y at origin [0] paving [2] fitting [1]  y -> z }
}
task both(x: u8[N, 4], w: u8[4]) -> (z: u8[N / 2]) {
  y = weighed(x, w)
  z = limited(y)
}
"""
FEW_REGISTERS = """\
technology = "ecp5-6"
clock_mhz = 50
[memory]
latency = 3
data_per_word = 2
[local]
register_bits = 128
"""
FOLDED = """\
clock_mhz = 50
technology = "ecp5-6"

[memory]
latency = 12
data_per_word = 2
"""


def folded_in(folder: Path, objectives: tuple[str, ...] = ("latency_cycles", "lut")) -> Exploration:
    """Plain mappings of a small image, every unit derived from its body; specification and platform are in a folder."""
    shutil.copy(SPECS / "lpsf.aol", folder)
    (folder / "lpsf.toml").write_text(FOLDED, encoding="utf-8")
    spec = api.load(folder / "lpsf.aol", {"H": 4, "W": 8})
    return api.explore(spec, objectives=objectives, space=api.Space(narrow=True, verify=True))


@once_a_run
def folded() -> Exploration:
    """The same; the folder is gone."""
    with TemporaryDirectory() as folder:
        return folded_in(Path(folder))


@once_a_run
def published() -> Exploration:
    """All fusions under the published model, at full size."""
    return api.explore(api.load(SPECS / "lpsf.aol"), model="published", keep_all=True)


def leave_undrawn(patch: pytest.MonkeyPatch) -> None:
    """Result folders get files that are no pictures in the places of pictures."""
    for drawer in ("save_front", "save_convergence"):
        patch.setattr(store, drawer, lambda _, *paths: [path.write_bytes(b"a picture") for path in paths])


def write_undrawn(exploration: Exploration, folder: Path) -> None:
    """A result folder of which no test looks at the pictures."""
    with pytest.MonkeyPatch.context() as patch:
        leave_undrawn(patch)
        store.write_result(exploration, folder, report=False)
