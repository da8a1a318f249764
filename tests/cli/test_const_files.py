"""Files of const arrays on the command line: replaced by --set, recorded in results, copied beside what is printed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import CommandLine

from arrayol import api
from arrayol.errors import ArrayolError

TEXT = """\
const W = 4
const K: i16[W] = "data/k.npy"
const G: i16 = 3

elementary scale(x: i16, w: i16) -> (y: i16) {
  y = w * x + G
}

task scaled(x: i16[2, W]) -> (y: i16[2, W]) {
  repeat [2, W] of scale {
    x <- x
    w <- K at origin [0]  paving [0, 1]  fitting []
    y -> y
  }
}
"""


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The specification, its data, and other data in its place."""
    monkeypatch.chdir(tmp_path)
    Path("t.aol").write_text(TEXT)
    for name, first in (("data/k.npy", 1), ("other.npy", 10), ("far/k.npy", 20)):
        Path(name).parent.mkdir(exist_ok=True)
        np.save(name, np.arange(first, first + 4, dtype="i2"))
    np.save("wide.npy", np.arange(4, dtype="i4"))
    np.save("x.npy", np.ones((2, 4), "i2"))


def result_of(spec: Path | str, **settings: str | int) -> list[int]:
    """The first row of the output for an input of ones."""
    return api.run(spec, {"x": np.load("x.npy")}, settings=settings)["y"][0].tolist()


def test_a_file_takes_the_place_of_the_array(arrayol: CommandLine) -> None:
    assert result_of("t.aol") == [4, 5, 6, 7]
    assert result_of("t.aol", K="other.npy") == [13, 14, 15, 16]
    assert result_of("t.aol", K=str(Path("far/k.npy").resolve()), G=0) == [20, 21, 22, 23]
    done = arrayol("run", "t.aol", "--in", "x=x.npy", "--set", "K=other.npy", "--set", "G=-1", "--out", "y=y.npy")
    assert done.returncode == 0, done.stderr
    assert np.load("y.npy")[0].tolist() == [9, 10, 11, 12]


def test_other_settings_leave_the_file_in_its_place() -> None:
    spec = api.load("t.aol", {"K": "other.npy"})
    Path("other.npy").unlink()
    assert result_of(api.load(spec, {"G": 0}), G=1) == [11, 12, 13, 14]
    with pytest.raises(ArrayolError, match="'K' is set by the path of a file, as a text, not by 3"):
        api.load("t.aol", {"K": 3})


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("K=no.npy", "'no.npy' for const array 'K' cannot be read: No such file or directory"),
        ("K=far", "'far' for const array 'K' cannot be read: Is a directory"),
        ("K=wide.npy", "t.aol:2:19: error[const-file]: 'wide.npy' holds int32, not i16"),
        ("K=t.aol", "t.aol:2:19: error[const-file]: 't.aol' is no .npy file of numbers"),
        ("G=0.5", "t.aol:3:16: error[constant-does-not-fit]: the float 0.5 does not fit i16"),
        ("G=W", "t.aol: error[bad-setting]: 'W' is not a value for const 'G': no const is named 'W'"),
    ],
)
def test_what_does_not_fit_is_told_once(setting: str, told: str, arrayol: CommandLine) -> None:
    done = arrayol("check", "t.aol", "--set", setting)
    assert done.returncode == 1
    report = done.stdout + done.stderr
    assert told in report
    assert report.count("error[") == 1


def test_a_const_array_is_no_input(arrayol: CommandLine) -> None:
    done = arrayol("run", "t.aol", "--in", "x=x.npy", "--in", "K=other.npy", "--out", "y=y.npy")
    assert done.returncode == 1
    assert "'K' is a const array, no input of 'scaled'" in done.stderr
    assert "--set K=FILE" in done.stderr


def test_transformed_specifications_have_their_files_beside_them(arrayol: CommandLine) -> None:
    Path("out").mkdir()
    done = arrayol("transform", "t.aol", "tile scaled 1,2", "--out", "out/tiled.aol")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert result_of("out/tiled.aol") == [4, 5, 6, 7]
    far = str(Path("far/k.npy").resolve())
    again = arrayol("transform", "t.aol", "tile scaled 1,2", "--out", "out/other.aol", "--set", f"K={far}")
    assert again.returncode == 0, again.stderr
    assert result_of("out/other.aol") == [23, 24, 25, 26]
    assert Path("out/data/k.npy").read_bytes() == Path("data/k.npy").read_bytes()
    np.save("data/k.npy", np.zeros(4, "i2"))
    refused = arrayol("transform", "t.aol", "tile scaled 1,2", "--out", "out/tiled.aol")
    assert refused.returncode == 1
    assert "error[exists]: another file than the one that 'tiled.aol' reads is here" in refused.stderr
    assert result_of("out/tiled.aol") == [4, 5, 6, 7]


def test_a_result_says_which_file_it_was_and_has_it_beside_its_specifications(arrayol: CommandLine) -> None:
    done = arrayol("explore", "t.aol", "--set", "K=other.npy", "--out", "found")
    assert done.returncode == 0, done.stderr
    result = json.loads(Path("found/result.json").read_text())
    assert result["constants"] == {"W": 4, "K": "other.npy"}
    design = result["pareto"][0]["id"]
    simulated = arrayol("simulate", "t.aol", "--result", "found", "--design", design, "--in", "x=x.npy")
    assert "identical to the reference execution" in simulated.stdout, simulated.stderr
    stale = arrayol(
        "simulate", "t.aol", "--result", "found", "--design", design, "--in", "x=x.npy", "--set", "K=data/k.npy"
    )
    assert "error[not-as-explored]: the result has K = other.npy, not data/k.npy" in stale.stderr
    printed = next(Path("found/specs").glob("*.aol"))
    assert Path("found/specs/other.npy").read_bytes() == Path("other.npy").read_bytes()
    assert result_of(printed) == [13, 14, 15, 16]


@pytest.mark.parametrize("settings", [(), ("--set", "K=other.npy")])
def test_a_result_is_of_the_elements_that_it_was_explored_with(arrayol: CommandLine, settings: tuple[str, ...]) -> None:
    done = arrayol("explore", "t.aol", "--out", "found", *settings)
    assert done.returncode == 0, done.stderr
    design = json.loads(Path("found/result.json").read_text())["pareto"][0]["id"]
    simulate = ("simulate", "t.aol", "--result", "found", "--design", design, "--in", "x=x.npy")
    assert arrayol(*simulate).returncode == 0
    file = "other.npy" if settings else "data/k.npy"
    np.save(file, np.array([1, 2, 3, 5], "i2"))
    stale = arrayol(*simulate)
    assert (stale.returncode, stale.stdout) == (1, "")
    assert stale.stderr == (
        "t.aol: error[stale-result]: const array 'K' has other elements than when the result was written\n"
        "  hint: explore once more, with the files as they are now\n"
    )
    np.save(file, np.arange(10, 14, dtype="i2") if settings else np.arange(1, 5, dtype="i2"))
    assert arrayol(*simulate).returncode == 0
