"""`arrayol run`, through the installed command."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from conftest import CommandLine
from PIL import Image

NEGATIVE = """const N = 2
elementary e(x: f32, z: u8) -> (y: f32, w: u8) {
  y = 300 - x
  w = 255 - z
}
task t(a: f32[N, 3], c: u8[N, 3]) -> (b: f32[N, 3], d: u8[N, 3]) {
  repeat [N, 3] of e {
    x <- a at origin [0, 0] paving [1, 0; 0, 1] fitting []
    z <- c at origin [0, 0] paving [1, 0; 0, 1] fitting []
    y -> b at origin [0, 0] paving [1, 0; 0, 1] fitting []
    w -> d at origin [0, 0] paving [1, 0; 0, 1] fitting []
  }
}
"""
GREY = np.array([[0, 100, 200], [50, 51, 255]], np.uint8)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.aol").write_text(NEGATIVE)
    Image.fromarray(GREY).save(tmp_path / "a.png")
    np.save(tmp_path / "c.npy", GREY)
    return tmp_path


INPUTS = ("--in", "a=a.png", "--in", "c=c.npy")


def test_a_photograph_is_filtered(arrayol: CommandLine, checkout: Path, tmp_path: Path) -> None:
    shutil.copy(checkout / "specs" / "lpsf.aol", tmp_path)
    Image.fromarray(np.full((8, 12), 64, np.uint8)).save(tmp_path / "photo.png")
    settings = ("--set", "H=8", "--set", "W=12")
    done = arrayol("run", "lpsf.aol", "--in", "p0=photo.png", "--out", "p4=smooth.png", *settings)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("wrote smooth.png: p4, 8 x 12 f32, ")
    assert done.stderr.endswith(", as 8-bit grey; no value clipped\n")
    with Image.open(tmp_path / "smooth.png") as image:
        assert (image.mode, image.size) == ("L", (12, 8))


def test_it_says_what_it_wrote(arrayol_process: CommandLine, folder: Path) -> None:
    done = arrayol_process("run", "t.aol", *INPUTS, "--out", "b=b.png", "--out", "d=d.png", "--out", "b=b.npy")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == (
        "wrote b.png: b, 2 x 3 f32, 45 to 300, as 8-bit grey; 1 of 6 values clipped\n"
        "wrote d.png: d, 2 x 3 u8, 0 to 255, as 8-bit grey; no value clipped\n"
        "wrote b.npy: b, 2 x 3 f32, 45 to 300\n"
    )
    with Image.open(folder / "b.png") as image:
        assert np.array(image).tolist() == [[255, 200, 100], [250, 249, 45]]
    assert np.array_equal(np.load(folder / "b.npy"), 300 - GREY.astype(np.float32))
    with Image.open(folder / "d.png") as image:
        assert np.array_equal(np.array(image), 255 - GREY)


def test_floats_are_written_with_the_bits_of_the_input(arrayol: CommandLine, folder: Path) -> None:
    Image.fromarray(GREY.astype(np.uint16) * 2).save(folder / "a.png")
    done = arrayol("run", "t.aol", *INPUTS, "--out", "b=b.png")
    assert done.stderr == "wrote b.png: b, 2 x 3 f32, -210 to 300, as 16-bit grey; 2 of 6 values clipped\n"
    with Image.open(folder / "b.png") as image:
        assert np.array(image).tolist() == [[300, 100, 0], [200, 198, 0]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("--out", "b=b.png"),
            "error[missing-input]: 't' needs the inputs a, c\n  hint: add --in a=FILE --in c=FILE\n",
        ),
        (
            ("--in", "a=a.png", "--out", "b=b.png"),
            "error[missing-input]: 't' needs the input c\n  hint: add --in c=FILE\n",
        ),
        (
            (*INPUTS, "--in", "cc=c.npy", "--out", "b=b.png"),
            "error[unknown-port]: 't' has no input 'cc'\n  hint: it has the inputs a, c\n",
        ),
        (
            (*INPUTS, "--out", "out=b.png"),
            "error[unknown-port]: 't' has no output 'out'\n  hint: it has the outputs b, d\n",
        ),
        (
            (*INPUTS, "--in", "a=b.png", "--out", "b=b.png"),
            "error[same-input]: input 'a' is given twice\n  hint: give one file for each input\n",
        ),
        (
            (*INPUTS, "--out", "b=b.png", "--out", "d=./b.png"),
            (
                "b.png: error[same-file]: outputs 'b' and 'd' would both be written to this file\n"
                "  hint: give each its own file\n"
            ),
        ),
        (
            (*INPUTS, "--out", "b=b.gif"),
            (
                "b.gif: error[unknown-format]: "
                "arrays are read from and written to .png, .npy and .npz files, not '.gif'\n"
                "  hint: numpy.save writes .npy files, and most image programs .png\n"
            ),
        ),
        (
            (*INPUTS, "--out", "b=gone/b.png"),
            (
                "gone/b.png: error[cannot-write]: there is no folder 'gone' to write to\n"
                "  hint: create the folder first, or name another place\n"
            ),
        ),
        (
            ("--in", "a=gone.png", "--in", "c=c.npy", "--out", "b=b.png"),
            "gone.png: error[cannot-read]: there is no such file\n",
        ),
        (
            (*INPUTS, "--out", "b=b.png", "--set", "N=5"),
            (
                "a.png: error[shape-mismatch]: expected 5 x 3 (port a: f32[5, 3]), found 2 x 3\n"
                "  hint: to fit the port to this file: --set N=2\n"
            ),
        ),
        (
            (*INPUTS, "--out", "b=b.png", "--top", "tt"),
            "t.aol: error[unknown-task]: there is no task 'tt'\n  hint: its tasks are t\n",
        ),
    ],
)
def test_what_is_wrong_with_the_inputs(
    arrayol: CommandLine, folder: Path, arguments: tuple[str, ...], said: str
) -> None:
    before = sorted(folder.iterdir())
    done = arrayol("run", "t.aol", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (INPUTS, "Error: Missing option '--out' or '--check'."),
        (
            ("--in", "a.png", "--out", "b=b.png"),
            "Error: Invalid value for '--in': 'a.png' is not NAME=FILE, as in p0=photo.png.",
        ),
        (
            (*INPUTS, "--out", "=b.png"),
            "Error: Invalid value for '--out': '=b.png' is not NAME=FILE, as in p0=photo.png.",
        ),
    ],
)
def test_wrong_usage(arrayol: CommandLine, folder: Path, arguments: tuple[str, ...], said: str) -> None:
    done = arrayol("run", "t.aol", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == said
    assert folder.is_dir()


def test_an_execution_error_leaves_the_old_output(arrayol: CommandLine, folder: Path) -> None:
    (folder / "t.aol").write_text(NEGATIVE.replace("w = 255 - z", "w = 255 // z"))
    (folder / "d.png").write_bytes(b"before")
    done = arrayol("run", "t.aol", *INPUTS, "--out", "d=d.png")
    assert done.returncode == 1
    assert done.stderr.startswith(
        "t.aol:4:7: error[division-by-zero]: integer division by zero, in repetition (0, 0) of task 't'\n"
    )
    assert (folder / "d.png").read_bytes() == b"before"
    assert len(list(folder.iterdir())) == 4
