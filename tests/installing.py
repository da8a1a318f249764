"""Installing a package for a test, also in an environment without pip, as `uv venv` makes them."""

from __future__ import annotations

import ensurepip
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest


def pip_command() -> list[str]:
    """The command line of pip: of this environment, or else of the wheel that comes with Python; no pip: skip."""
    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    wheels = sorted(Path(ensurepip.__file__).parent.glob("_bundled/pip-*.whl"))
    if not wheels:
        pytest.skip("no pip, neither in this environment nor with this Python")
    return [sys.executable, str(wheels[-1] / "pip")]


def pip_install(*arguments: str, python: Path | None = None) -> None:
    """Install what is given, into this environment or that of another `python`; nothing is fetched."""
    other = [] if python is None else ["--python", str(python)]
    options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-index")
    command = [*pip_command(), *other, "install", *options, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def site_packages() -> str:
    """The folders of this environment's packages, as lines of a .pth file."""
    return "".join(f"{folder}\n" for folder in sys.path if Path(folder).name in {"site-packages", "dist-packages"})
