"""`arrayol example`, through the installed command."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import CommandLine

from arrayol.files import shipped_folder

USAGE = "Usage: arrayol example [OPTIONS] [NAME]\nTry 'arrayol example --help' for help.\n\nError: "
NAMES = sorted(path.stem for path in shipped_folder().glob("*.aol"))


def test_it_writes_the_spec_and_its_platform(arrayol_process: CommandLine, tmp_path: Path) -> None:
    done = arrayol_process("example", "lpsf")
    assert (done.stdout, done.stderr, done.returncode) == ("wrote lpsf.aol\nwrote lpsf.toml\n", "", 0)
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert written == {name: (shipped_folder() / name).read_bytes() for name in ("lpsf.aol", "lpsf.toml")}


def test_the_file_name_is_understood_too(arrayol: CommandLine) -> None:
    assert arrayol("example", "lpsf.aol").returncode == 0


def test_without_a_name_it_lists_what_is_shipped(arrayol: CommandLine, tmp_path: Path) -> None:
    done = arrayol("example")
    assert [line.split()[0] for line in done.stdout.splitlines()] == NAMES
    first = "Low-pass spatial filter of a retina model: four recursive filters, one per direction."
    assert any(line.startswith("lpsf ") and line.endswith(f" {first}") for line in done.stdout.splitlines())
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_differs_is_kept_and_nothing_is_written(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "lpsf.toml").write_text("mine")
    done = arrayol("example", "lpsf")
    message = "lpsf.toml: error[exists]: there is another file of this name here, and nothing was written\n"
    assert (done.stdout, done.stderr, done.returncode) == ("", f"{message}  hint: --force overwrites it\n", 1)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("lpsf.toml", "mine")]


def test_force_overwrites(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "lpsf.aol").write_text("mine")
    assert arrayol("example", "lpsf", "--force").returncode == 0
    assert (tmp_path / "lpsf.aol").read_bytes() == (shipped_folder() / "lpsf.aol").read_bytes()


def test_equal_files_are_no_obstacle(arrayol: CommandLine) -> None:
    assert [arrayol("example", "lpsf").returncode for _ in range(2)] == [0, 0]


@pytest.mark.parametrize(("name", "guess"), [("lpfs", "Did you mean 'lpsf'? "), ("zzz", ""), ("../specs/lpsf", "")])
def test_an_unknown_name(arrayol: CommandLine, tmp_path: Path, name: str, guess: str) -> None:
    done = arrayol("example", name)
    message = f"There is no shipped specification '{name}'. {guess}There are {', '.join(NAMES)}.\n"
    assert (done.stdout, done.stderr, done.returncode) == ("", USAGE + message, 2)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_the_way_leaves_nothing_behind(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "lpsf.toml").mkdir()
    done = arrayol("example", "lpsf", "--force")
    message = "lpsf.toml: error[cannot-write]: this name is taken by something that is not a file\n"
    assert (done.stderr, done.returncode) == (message, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["lpsf.toml"]


def test_files_of_const_arrays_come_along(
    arrayol: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under the paths that the specification names."""
    shipped = tmp_path / "shipped"
    (shipped / "weights").mkdir(parents=True)
    np.save(shipped / "weights" / "k.npy", np.ones(1, "u1"))
    (shipped / "net.aol").write_text(
        'const K: u8[1] = "weights/k.npy"\nelementary e(x: u8) -> (y: u8) {\n  y = x + K[0]\n}\n'
    )
    monkeypatch.setattr("arrayol.cli.commands.example.shipped_folder", lambda: shipped)
    done = arrayol("example", "net")
    assert done.stdout == "wrote net.aol\nwrote weights/k.npy\n", done.stderr
    assert np.load(tmp_path / "weights" / "k.npy").tolist() == [1]
    assert arrayol("check", "net.aol").returncode == 0
