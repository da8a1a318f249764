"""A design of a stored result as C++ for tools of high-level synthesis, and what g++ says of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from arrayol.text import counted
from dse.output.hardware import MAKEFILE, PAGE, CheckedDesign, EmittedDesign
from dse.output.hardware_hls_page import page_of
from dse.output.hardware_page import Promised
from hwmodel.emit.hls.compiler import BUILDS, RunSeen, run_build
from hwmodel.emit.hls.design import FRAMES, HlsFiles
from hwmodel.emit.hls.makefile import makefile
from hwmodel.emit.schedule.bits import not_emitted
from hwmodel.emit.schedule.own_module import OwnModule


class EmittedHls(EmittedDesign):
    """A design as C++."""

    def _sources(self) -> Mapping[str, str]:
        for task, datapath in self.hardware.datapaths.items():
            if isinstance(datapath, OwnModule):
                raise not_emitted(f"'{task}' is a module of Verilog", "take `arrayol emit verilog`")
        files = HlsFiles(self.opened.spec, self.hardware)
        promised = Promised(self.opened, self.hardware, self.data)
        return {**files.files(), MAKEFILE: makefile(), PAGE: page_of(promised, files.top)}


@dataclass(frozen=True)
class CheckedHls(CheckedDesign):
    """What the program of an emitted design did, by build."""

    form: ClassVar[str] = "C++"
    promise: ClassVar[str] = "execution"

    runs: tuple[RunSeen, ...]

    def differences(self) -> Iterator[str]:
        """What is not as promised, in words."""
        for run in self.runs:
            if len(run.wrong) != FRAMES:
                yield f"{run.build}, {counted(len(run.wrong), 'frame')} of {FRAMES} ended"
            for number, wrong in enumerate(run.wrong):
                if wrong:
                    told = f"{counted(wrong, 'word')} of the outputs of frame {number}"
                    yield f"{run.build}, {told} differ from the execution's"
            for own in run.streams:
                name = f"bank {own.number} of the stream of '{own.array}'"
                if own.fullest > own.depth:
                    held = counted(own.fullest, "datum", "data")
                    yield f"{run.build}, {name} holds {held}, and its depth is {own.depth:,}"
                if own.early:
                    yield f"{run.build}, {counted(own.early, 'datum', 'data')} of {name} are read before they are there"
                if own.left:
                    yield f"{run.build}, {counted(own.left, 'datum', 'data')} of {name} are never read"


def check_hls(folder: Path) -> CheckedHls:
    """Build and run what was written to a folder in every way: see `hwmodel.emit.hls.compiler.run_build`."""
    return CheckedHls(tuple(run_build(folder, build) for build in BUILDS))
