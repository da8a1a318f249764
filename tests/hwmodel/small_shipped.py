"""Shipped specifications at sizes that are soon emitted and run, with what a short search finds of designs."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from accuracy import Shipped
from once_a_run import once_a_run
from shipped import SMALL

from arrayol import api
from arrayol.checks.top import choose_top
from arrayol.files import shipped_folder
from arrayol.transforms.steps import canonical_form
from dse.space.study import Study
from dse.verify.verify import Verifier
from hwmodel.design import Design
from hwmodel.platform import find_platform

SMALLER = {  # those that Icarus takes long for at the size of the platform
    **{name: SMALL[name] for name in ("downscaler", "jacobi", "lpsf", "thumbnail")},
    "dct": {"H": 8, "W": 16},
    "fir": {"N": 64, "S": 16, "TAPS": 5},
    "flow": {"H": 6, "W": 8},
    "polyprod": {"N": 6, "PAIRS": 3},
    "stencil2d": {"H": 4, "W": 5, "BLOCKS": 4},
}
CHANNELS = {"C": 4, "INNER": 6}  # of mobilenet: the bodies of more take Icarus minutes to build


@dataclass(frozen=True)
class Smaller(Shipped):
    """One at other sizes than those of the platform."""

    sizes: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def verifier(self) -> Verifier:
        spec, platform = api.load(self.path), find_platform(self.path, None)[0]
        taken = platform.model_copy(update={"verify": dict(self.sizes)})
        return Verifier(canonical_form(spec, choose_top(spec, None)), taken)


@dataclass(frozen=True)
class FewChannels(Shipped):
    """Mobilenet with the first of its channels, in a folder of its own."""

    folder: Path = Path()

    @cached_property
    def path(self) -> Path:
        shipped = shipped_folder() / "mobilenet.aol"
        text = shipped.read_text(encoding="utf-8")
        for const, number in CHANNELS.items():
            text, found = re.subn(rf"^const {const} = \d+$", f"const {const} = {number}", text, flags=re.MULTILINE)
            assert found == 1
        shutil.copy(shipped.with_suffix(".toml"), self.folder)
        (self.folder / "mobilenet").mkdir()
        inside, outside = CHANNELS["INNER"], CHANNELS["C"]
        for name, rows, columns in (("expand", inside, outside), ("filter", inside, 3), ("project", outside, inside)):
            weights = np.load(shipped.with_suffix("") / f"{name}.npy")
            np.save(self.folder / "mobilenet" / f"{name}.npy", weights[:rows, :columns])
        (self.folder / "mobilenet.aol").write_text(text, encoding="utf-8")
        return self.folder / "mobilenet.aol"


def small_shipped(name: str, folder: Path) -> Shipped:
    """A specification at a size that Icarus soon builds and runs; `folder` is for what has to be written for it."""
    if name == "mobilenet":
        return FewChannels(name, folder=folder)
    return Smaller(name, sizes=SMALLER[name]) if name in SMALLER else Shipped(name)


@once_a_run
def quick_front(name: str) -> Sequence[Design]:
    """The designs of `small_shipped` with one or two units of each task that a short search finds."""
    with TemporaryDirectory() as folder:
        spec = small_shipped(name, Path(folder))
        loaded = api.load(spec.path, dict(spec.verifier.platform.verify))
    space = api.Space(study=Study(units=(1, 2), blocks="ladder"), narrow=True, verify=False)
    return list(api.explore(loaded, space=space, method="rounds", budget=1).decisions)


@once_a_run
def plain_front(name: str) -> Sequence[Design]:
    """The designs on the front of a specification at its reduced size, in the plain space."""
    return list(Shipped(name).front())
