"""Emitted C++ under g++: it is built, run on its data, and what it prints is read."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from arrayol.errors import error

FLAGS = (
    "-std=c++17", "-fwrapv", "-ffp-contract=off", "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-Ishim", "-Isrc"
)  # fmt: skip
PLAIN, SANITIZED = "plain", "with sanitizers"
BUILDS = {PLAIN: ("-O1",), SANITIZED: ("-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")}
_HINT = "please report it with the folder"
_FRAME = re.compile(r"^frame \d+ wrong (\d+)$", re.MULTILINE)
_STREAM = re.compile(r"^stream (.*) (\d+) fullest (\d+) depth (\d+) early (\d+) left (\d+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class StreamSeen:
    """The stream of a bank of a FIFO: its data at once, the depth that is declared, data read too early, data left.

    The array is named with its group from 1 on, as in "2: sums".
    """

    array: str
    number: int
    fullest: int
    depth: int
    early: int
    left: int


@dataclass(frozen=True, slots=True)
class RunSeen:
    """A run of a build: by frame how many words of the outputs differ, and the streams."""

    build: str
    wrong: tuple[int, ...]
    streams: tuple[StreamSeen, ...]


def require_compiler() -> None:
    """Raises ArrayolError (`no-compiler`) without g++."""
    if shutil.which("g++") is None:
        raise error("no-compiler", "'g++' is not on the path", hint="install g++, or leave --check out")


def run_build(folder: Path, build: str) -> RunSeen:
    """Build what was emitted to a folder, as `BUILDS` has it, and run it on its data.

    Raises ArrayolError: `no-compiler` without g++, `build-failed` where it stops,
    `program-failed` where the program does.
    """
    require_compiler()
    sources = sorted(path.relative_to(folder).as_posix() for path in (folder / "src").glob("*.cpp"))
    with TemporaryDirectory() as scratch:
        binary = str(Path(scratch) / "design.exe")  # as Windows runs it; others do not mind
        command = ["g++", *FLAGS, *BUILDS[build], "-o", binary, *sources, "tb/main.cpp"]
        done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", errors="replace", check=False)
        if done.returncode:
            raise error("build-failed", f"'g++' stopped: {_reason_line(done)}", hint=_HINT)
        done = subprocess.run(
            [binary], cwd=folder, capture_output=True, encoding="utf-8", errors="replace", check=False
        )
    if done.returncode not in (0, 1) or done.stderr:
        raise error("program-failed", f"the program, built {build}, stopped: {_reason_line(done)}", hint=_HINT)
    streams = (StreamSeen(name, *map(int, figures)) for name, *figures in _STREAM.findall(done.stdout))
    return RunSeen(build, tuple(map(int, _FRAME.findall(done.stdout))), tuple(streams))


def _reason_line(done: subprocess.CompletedProcess[str]) -> str:
    """The line that says why something stopped."""
    lines = (done.stderr or done.stdout).strip().splitlines() or [f"exit code {done.returncode}"]
    return next((line for line in lines if "error" in line), lines[0]).strip()
