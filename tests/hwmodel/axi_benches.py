"""Test benches of designs behind AXI4, on Icarus."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.verilog.design import DesignFiles

_SEEN = re.compile(r"frame \d before (\d+) cycles (\d+) wrong (\d+)(?: ends(?: \d+)+)?\n")


def built(folder: Path, top: str, seed: int, *sources: str) -> str:
    """What a bench prints."""
    command = ["iverilog", "-g2001", "-s", top, "-o", "bench", *sources]
    subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    run = ["vvp", "-n", "bench", f"+seed={seed}"]
    return subprocess.run(run, cwd=folder, capture_output=True, text=True, check=True).stdout


def frames_behind_axi(hardware: HardwareDesign, seed: int, *, stores_first: bool = False) -> tuple[list[int], int]:
    """How many words of the outputs are wrong in each frame, and how many rules are broken.

    Of a memory that is as fast as the plain port's at best, no frame takes less than what is promised of that; but it
    takes words to be stored sooner, which counts in steps that begin with these (`stores_first`).
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        for path, text in DesignFiles(hardware).files().items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(str(text), encoding="utf-8")
        sources = [str(path.relative_to(folder)) for part in ("rtl", "tb") for path in (folder / part).glob("*.v")]
        told = built(folder, "tb_axi", seed, *sources)
    violations = re.search(r"^violations (\d+)", told, re.MULTILINE)
    assert violations is not None, told
    frames = _SEEN.findall(told)
    assert stores_first or all(int(cycles) > hardware.cycles for _, cycles, _ in frames)
    return [int(wrong) for _, _, wrong in frames], int(violations[1])
