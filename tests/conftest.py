"""What tests of the installed command and of the checkout share."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

CommandLine = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The root of the source tree."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def script() -> Path:
    """The console script of the environment that runs the tests."""
    return Path(sys.executable).with_name("arrayol")


@pytest.fixture
def arrayol(script: Path, tmp_path: Path) -> CommandLine:
    """Run the installed command in an empty folder; no run may end in a traceback."""

    def run(*arguments: str, cwd: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [script, *arguments], cwd=cwd, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
        )
        assert "Traceback" not in done.stdout + done.stderr
        return done

    return run
