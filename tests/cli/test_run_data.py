"""`arrayol run`, through the installed command: every source and target, frames, comparisons and Python functions."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import CommandLine

SPEC = """const W = 3
elementary e(x: u8[2]) -> (y: f32, z: u8) {
  y = f32(x[0]) / 2
  z = x[1]
}
task t(a: u8[*, 2, W]) -> (b: f32[*, 2, W], c: u8[*, 2, W]) {
  repeat [*, 2, W] of e {
    x <- a at origin [0, 0, 0] paving [1, 0, 0; 0, 1, 0; 0, 0, 1] fitting [1; 0; 0]
    y -> b at origin [0, 0, 0] paving [1, 0, 0; 0, 1, 0; 0, 0, 1] fitting []
    z -> c at origin [0, 0, 0] paving [1, 0, 0; 0, 1, 0; 0, 0, 1] fitting []
  }
}
"""
EXTERN = """elementary half(x: u8) -> (y: u8) extern "tools.numbers:half"
task t(a: u8[3]) -> (b: u8[3]) {
  repeat [3] of half {
    x <- a at origin [0] paving [1] fitting []
    y -> b at origin [0] paving [1] fitting []
  }
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.aol").write_text(SPEC)
    (tmp_path / "x.aol").write_text(EXTERN)
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "numbers.py").write_text("def half(x):\n    return x // 2\n")
    np.save(tmp_path / "a.npy", np.arange(24, dtype=np.uint8).reshape(4, 2, 3))
    return tmp_path


def test_frames_in_and_out(arrayol: CommandLine, folder: Path) -> None:
    done = arrayol("run", "t.aol", "--in", "a=a.npy", "--out", "c=c-%02d.png", "--out", "b=o.npz", "--out", "c=o.npz")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == (
        "wrote c-%02d.png: c, 3 x 2 x 3 u8, 6 to 23, as 3 files, each 8-bit grey; no value clipped\n"
        "wrote o.npz: b, 3 x 2 x 3 f32, 0 to 8.5\n"
        "wrote o.npz: c, 3 x 2 x 3 u8, 6 to 23\n"
    )
    a = np.load(folder / "a.npy")
    with np.load(folder / "o.npz") as found:
        assert np.array_equal(found["b"], a[:3] / np.float32(2))
        assert np.array_equal(found["c"], a[1:])
    done = arrayol("run", "t.aol", "--in", "a=c-*.png", "--frames", "2", "--out", "c=c.npy")
    assert done.stderr == "wrote c.npy: c, 1 x 2 x 3 u8, 12 to 17\n"
    assert np.array_equal(np.load(folder / "c.npy"), a[2:3])


def test_comparisons(arrayol: CommandLine, folder: Path) -> None:
    source = ("run", "t.aol", "--in", "a=a.npy")
    arrayol(*source, "--out", "b=o.npz", "--out", "c=c-%d.png")
    done = arrayol(*source, "--check", "b=o.npz:b", "--check", "c=c-?.png")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "checked o.npz: b is equal\nchecked c-?.png: c is equal\n"
    other = ("run", "t.aol", "--in", "a=random:1", "--frames", "4")
    done = arrayol(*other, "--check", "b=o.npz", "--check", "c=c-?.png", "--out", "c=new.npy")
    assert (done.returncode, done.stdout) == (1, "")
    drawn = (np.random.PCG64(1).random_raw(24) >> 56).astype(int).reshape(4, 2, 3)
    pixels, values = abs(drawn[1:] - np.arange(6, 24).reshape(3, 2, 3)), abs(drawn[:3] - np.arange(18).reshape(3, 2, 3))
    assert pixels.all()
    assert values.all()
    assert done.stderr == (
        f"wrote new.npy: c, 3 x 2 x 3 u8, {drawn[1:].min()} to {drawn[1:].max()}\n"
        f"c-?.png: error[output-differs]: output 'c' differs at [0, 0, 0]: got {drawn[1, 0, 0]}, expected 6; "
        f"18 of 18 pixels differ, by at most {pixels.max()}\n"
        f"o.npz: error[output-differs]: output 'b' differs at [0, 0, 0]: got {drawn[0, 0, 0] / 2}, expected 0.0; "
        f"18 of 18 values differ, by at most {values.max() / 2:.6g}\n"
    )
    assert (folder / "new.npy").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("--in", "a=a.npy", "--frames", "5", "--out", "b=b.npy"),
            (
                "a.npy: error[too-few-frames]: --frames 5 asks for more frames than the 4 here of input 'a'\n"
                "  hint: without --frames all of them are taken\n"
            ),
        ),
        (
            ("--in", "a=a.npy", "--frames", "1", "--out", "b=b.npy"),
            (
                "t.aol:6:6: error[too-few-frames]: the inputs have too few frames for one of output 'b': 'a' 1\n"
                "    6 | task t(a: u8[*, 2, W]) -> (b: f32[*, 2, W], c: u8[*, 2, W]) {\n"
                "      |      ^\n"
                "  hint: give more frames\n"
            ),
        ),
        (
            ("--in", "a=ramp", "--out", "b=b.npy"),
            (
                "t.aol:6:8: error[no-frames]: nothing says how many frames input 'a' has\n"
                "    6 | task t(a: u8[*, 2, W]) -> (b: f32[*, 2, W], c: u8[*, 2, W]) {\n"
                "      |        ^^^^^^^^^^^^^^\n"
                "  hint: --frames says it, as in --frames 10\n"
            ),
        ),
        (
            ("--in", "a=a.npy", "--check", "a.npy"),
            (
                "error[which-output]: 't' has the outputs b, c, so it is open which one to compare\n"
                "  hint: name one, as in --check b=a.npy\n"
            ),
        ),
        (
            ("--in", "a=a.npy", "--out", "b=o.npz:b", "--out", "c=o.npz:b"),
            (
                "o.npz: error[same-file]: outputs 'b' and 'c' would both be written to this file\n"
                "  hint: give each its own file\n"
            ),
        ),
    ],
)
def test_what_is_refused(arrayol: CommandLine, folder: Path, arguments: tuple[str, ...], said: str) -> None:
    before = sorted(folder.iterdir())
    done = arrayol("run", "t.aol", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)
    assert sorted(folder.iterdir()) == before


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("--in", "a=random:-1"),
            (
                "Error: Invalid value for '--in': 'random:-1' is not random:SEED with an integer from 0 to "
                "18446744073709551615, as in random:1."
            ),
        ),
        (
            ("--in", "a=random"),
            (
                "Error: Invalid value for '--in': 'random' is not random:SEED with an integer from 0 to "
                "18446744073709551615, as in random:1."
            ),
        ),
        (("--frames", "0"), "Error: Invalid value for '--frames': 0 is not in the range 1<=x<=1000000000."),
        (
            ("--frames", "9" * 20),
            f"Error: Invalid value for '--frames': {'9' * 20} is not in the range 1<=x<=1000000000.",
        ),
        (("--check", "b="), "Error: Invalid value for '--check': 'b=' is neither FILE nor NAME=FILE."),
    ],
)
def test_wrong_usage(arrayol: CommandLine, arguments: tuple[str, ...], said: str) -> None:
    done = arrayol("run", "t.aol", "--out", "b=b.npy", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == said


def test_python_functions_run_only_when_allowed(arrayol_process: CommandLine, folder: Path) -> None:
    run = ("run", "x.aol", "--in", "a=ramp", "--out", "b=b.npy")
    done = arrayol_process(*run)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "x.aol:1:12: error[extern-not-allowed]: 'half' is the Python function tools.numbers:half, "
        "which runs only when you allow it\n"
        '    1 | elementary half(x: u8) -> (y: u8) extern "tools.numbers:half"\n'
        "      |            ^^^^\n"
        "  hint: --allow-extern runs it; look first at what it does\n"
    )
    done = arrayol_process(*run, "--allow-extern")
    assert (done.returncode, done.stdout) == (0, "")
    place = folder / "tools" / "numbers.py"
    assert done.stderr == f"will run tools.numbers:half from {place}\nwrote b.npy: b, 3 u8, 0 to 1\n"
    assert np.load(folder / "b.npy").tolist() == [0, 0, 1]


def test_it_is_named_before_it_is_imported(arrayol_process: CommandLine, folder: Path) -> None:
    (folder / "tools" / "numbers.py").write_text("raise SystemExit('left')")
    done = arrayol_process("run", "x.aol", "--in", "a=ramp", "--out", "b=b.npy", "--allow-extern")
    assert done.returncode == 1
    assert done.stderr.splitlines()[:2] == [
        f"will run tools.numbers:half from {folder / 'tools' / 'numbers.py'}",
        "x.aol:1:12: error[extern-import]: importing 'tools.numbers' failed: SystemExit: left",
    ]


def test_the_traceback_of_a_function_is_shown_where_it_is_asked_for(script: Path, folder: Path) -> None:
    (folder / "tools" / "numbers.py").write_text("def half(x):\n    return x // missing\n")
    done = subprocess.run(
        [script, "run", "x.aol", "--in", "a=ramp", "--out", "b=b.npy", "--allow-extern"],
        cwd=folder,
        env={**os.environ, "ARRAYOL_TRACEBACK": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "line 2, in half" in done.stderr
    assert (
        "error[extern-failed]: 'tools.numbers:half' raised NameError: name 'missing' is not defined, "
        "in repetition (0) of task 't'\n" in done.stderr
    )


def test_check_imports_nothing(arrayol_process: CommandLine, folder: Path) -> None:
    (folder / "tools" / "numbers.py").write_text("raise SystemExit(9)")
    assert arrayol_process("check", "x.aol").returncode == 0


def test_the_help_fits_a_terminal(arrayol: CommandLine) -> None:
    shown = arrayol("run", "--help").stdout
    assert max(map(len, shown.splitlines())) < 80
    for option in ("--in", "--out", "--check", "--frames", "--allow-extern", "random:SEED", "out-%04d.png"):
        assert option in shown
