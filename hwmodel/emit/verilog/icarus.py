"""Emitted Verilog on Icarus: a test bench is built and run, and what it prints is read."""

from __future__ import annotations

import re
import shutil
import subprocess
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from arrayol.errors import error
from arrayol.files import atomic_file

_FRAME = re.compile(r"^frame \d+ before (\d+) cycles (\d+) wrong (\d+)(?: ends((?: \d+)+))?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FrameSeen:
    """A frame on a test bench: the cycles before it and its own, and how many words of the outputs differ.

    If groups at the same time all had a frame in the period that it is done with, `ends` are the cycles in which they
    ended.
    """

    before: int
    cycles: int
    wrong: int
    ends: tuple[int, ...] = ()


def require_icarus() -> None:
    """Raises ArrayolError (`no-icarus`) without its programs."""
    for program in ("iverilog", "vvp"):
        if shutil.which(program) is None:
            raise error(
                "no-icarus", f"'{program}' is not on the path", hint="install Icarus Verilog, or leave --check out"
            )


def run_bench(folder: Path, waves: Path | None = None, *, pauses: int = 0) -> tuple[FrameSeen, ...]:
    """The frames of the test bench of an emitted folder; with `waves` a file of all waveforms (VCD) is written.

    A seed of `pauses` above 0 lets the ends of a stream pause at random, which no other test bench does.

    Raises ArrayolError: `no-icarus` without the programs, `bench-failed` where one of them stops, and as `atomic_file`.
    """
    require_icarus()
    sources = [str(path.relative_to(folder)) for part in ("rtl", "tb") for path in sorted((folder / part).glob("*.v"))]
    with ExitStack() as stack:
        binary = str(Path(stack.enter_context(TemporaryDirectory())) / "sim")
        dump = [] if waves is None else [f"+vcd={stack.enter_context(atomic_file(waves)).resolve()}"]
        dump += [f"+pauses={pauses}"] if pauses else []
        _run(["iverilog", "-g2001", "-s", "tb", "-o", binary, *sources], folder)
        told = _run(["vvp", "-n", binary, *dump], folder)
    return frames_seen(told)


def frames_seen(told: str) -> tuple[FrameSeen, ...]:
    """The frames of which a test bench has told, whatever simulator ran it."""
    return tuple(
        FrameSeen(int(before), int(cycles), int(wrong), tuple(map(int, ends.split())))
        for before, cycles, wrong, ends in _FRAME.findall(told)
    )


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", errors="replace", check=False)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or [f"exit code {done.returncode}"]
        raise error("bench-failed", f"'{command[0]}' stopped: {lines[0]}", hint="please report it with the folder")
    return done.stdout
