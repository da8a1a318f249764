"""Files and folders of a user's that have the name of one of our packages: refused by name before they run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arrayol.packages import COMMON_NAMES, refuse_hidden_packages

RUNS = "raise SystemExit('this ran in the place of the package')\n"


def python(folder: Path, *arguments: str, path: str | None = None) -> tuple[str, int]:
    """The last two lines that Python writes to stderr, and its exit code."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment = variables if path is None else {**variables, "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return "\n".join(done.stderr.splitlines()[-2:]), done.returncode


def told(place: str, name: str, kind: str) -> str:
    return (
        f"{place}: error[hidden-package]: arrayol's package '{name}' cannot be imported: Python finds this first\n"
        f"  hint: rename the {kind}, or start Python where its folder is not searched"
    )


@pytest.mark.parametrize("name", COMMON_NAMES)
def test_a_file_beside_the_command(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.py").write_text(RUNS)
    assert python(tmp_path, "-m", "arrayol", "example", "fir") == (told(f"{name}.py", name, "file"), 1)
    assert [path.name for path in tmp_path.iterdir()] == [f"{name}.py"]


def test_a_folder_beside_the_command(tmp_path: Path) -> None:
    (tmp_path / "dse").mkdir()
    assert python(tmp_path, "-m", "arrayol", "example", "fir")[1] == 0  # without an __init__.py it hides nothing
    (tmp_path / "dse" / "__init__.py").write_text(RUNS)
    assert python(tmp_path, "-m", "arrayol", "example", "fir") == (told("dse", "dse", "folder"), 1)


def test_beside_a_script(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "script.py").write_text("import arrayol.api\n")
    assert python(tmp_path, "code/script.py") == ("", 0)
    (tmp_path / "code" / "dse.py").write_text(RUNS)
    last, code = python(tmp_path, "code/script.py")
    assert (last, code) == (f"arrayol.errors.ArrayolError: {told('code/dse.py', 'dse', 'file')}", 1)


def test_the_script_itself(tmp_path: Path) -> None:
    """It would run once more, as the package."""
    (tmp_path / "hwmodel.py").write_text("from arrayol import api\napi.explore('gone.aol')\n")
    last, code = python(tmp_path, "hwmodel.py")
    assert (last, code) == (f"arrayol.errors.ArrayolError: {told('hwmodel.py', 'hwmodel', 'file')}", 1)


def test_one_that_is_loaded_already(tmp_path: Path) -> None:
    (tmp_path / "dse.py").write_text("")
    (tmp_path / "script.py").write_text("import dse\nimport arrayol.api\n")
    last, code = python(tmp_path, "script.py")
    assert (last, code) == (f"arrayol.errors.ArrayolError: {told('dse.py', 'dse', 'file')}", 1)


def test_one_elsewhere_on_the_path(tmp_path: Path) -> None:
    (tmp_path / "dse.py").write_text(RUNS)
    (tmp_path / "work").mkdir()
    command = ("-P", "-m", "arrayol", "example", "fir")
    last, code = python(tmp_path / "work", *command, path=str(tmp_path))
    assert (last, code) == (told(str(tmp_path / "dse.py"), "dse", "file"), 1)


def test_the_command_does_not_search_the_current_folder(script: Path, tmp_path: Path) -> None:
    (tmp_path / "dse.py").write_text(RUNS)
    done = subprocess.run([script, "example", "fir"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)


def test_ours_pass() -> None:
    refuse_hidden_packages()
