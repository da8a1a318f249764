"""`arrayol show`, through the installed command: text, pictures, refusals."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import CommandLine

from arrayol import api

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
ERRORS = GOLDEN.parent / "errors"
USAGE = "Usage: arrayol show [OPTIONS] FILE [TASK]\nTry 'arrayol show --help' for help.\n\nError: "
BIG = """\
elementary copy(a: u8) -> (b: u8)
task t(x: u8[S, S]) -> (y: u8[S, S]) {
  repeat [S, S] of copy {
    a <- x at origin [0, 0] paving [1, 0; 0, 1] fitting []
    b -> y at origin [0, 0] paving [1, 0; 0, 1] fitting []
  }
}
const S = 1000000000
"""
LOADED = """
import sys
from arrayol.cli.main import run
code = run(sys.argv[1:])
heavy = {name.partition(".")[0] for name in sys.modules} & {"matplotlib", "networkx"}
sys.exit(0 if code == 0 and not heavy else 1)
"""


@pytest.fixture
def specs(arrayol: CommandLine, tmp_path: Path) -> Path:
    """A folder with the shipped specifications; what is written there is theirs alone."""
    for name in ("lpsf", "thumbnail"):
        arrayol("example", name)
    return tmp_path


def pictures(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.suffix in {".svg", ".png"})


@pytest.mark.parametrize(
    ("arguments", "picture"),
    [
        (["lpsf.aol"], "lpsf.svg"),
        (["lpsf.aol", "vfbu"], "lpsf-vfbu.svg"),
        (["lpsf.aol", "--top", "hflr"], "lpsf-hflr.svg"),
        (["thumbnail.aol"], "thumbnail.svg"),
        (["thumbnail.aol", "hfilter"], "thumbnail-hfilter.svg"),
        (["thumbnail.aol", "thumbnail", "--set", "W=640"], "thumbnail-thumbnail.svg"),
    ],
)
def test_text_and_picture(
    arrayol: CommandLine, specs: Path, golden: Callable[[Path, str], None], arguments: list[str], picture: str
) -> None:
    done = arrayol("show", *arguments)
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.endswith(f"\n\nwrote {picture}\n")
    golden(GOLDEN / f"show-{Path(picture).stem}.txt", done.stdout)
    assert pictures(specs) == [picture]
    assert (specs / picture).read_text(encoding="utf-8").rstrip().endswith("</svg>")


@pytest.mark.parametrize("arguments", [["lpsf.aol"], ["thumbnail.aol", "sharpen"]])
def test_the_same_bytes_each_time(
    arrayol: CommandLine, arrayol_process: CommandLine, specs: Path, arguments: list[str]
) -> None:
    for run, name in ((arrayol, "a.svg"), (arrayol_process, "b.svg")):
        assert run("show", *arguments, "--out", name).returncode == 0
    assert (specs / "a.svg").read_bytes() == (specs / "b.svg").read_bytes()


def test_a_png(arrayol: CommandLine, specs: Path) -> None:
    assert arrayol("show", "lpsf.aol", "--out", "a.PNG").stdout.endswith("\nwrote a.PNG\n")
    assert (specs / "a.PNG").read_bytes().startswith(b"\x89PNG")


def test_a_graph_for_graphviz(
    arrayol_process: CommandLine, arrayol: CommandLine, specs: Path, golden: Callable[[Path, str], None]
) -> None:
    done = arrayol("show", "thumbnail.aol", "--out", "a.dot")
    assert done.stdout.endswith("\nwrote a.dot\n")
    text = (specs / "a.dot").read_text(encoding="utf-8")
    golden(GOLDEN / "show-thumbnail.dot", text)
    nodes = set(re.findall(r'^  ("[^"]+") \[', text, re.MULTILINE))
    ends = {end for pair in re.findall(r'^  ("[^"]+") -> ("[^"]+") ', text, re.MULTILINE) for end in pair}
    assert ends == nodes
    assert arrayol_process("show", "thumbnail.aol", "--out", "b.dot").returncode == 0
    assert (specs / "b.dot").read_text(encoding="utf-8") == text
    refused = arrayol("show", "lpsf.aol", "hflr", "--out", "c.dot")
    message = "A .dot holds a task graph; the tilers of 'hflr' are drawn as .svg or .png.\n"
    assert (refused.stderr, refused.returncode) == (USAGE + message, 2)
    assert not (specs / "c.dot").exists()
    assert api.show(specs / "lpsf.aol").save(specs / "d.dot") is None
    assert "prev <- last delay [0, 1] else 0" in (specs / "d.dot").read_text(encoding="utf-8")


def test_a_mistake_in_a_graph_for_graphviz(arrayol: CommandLine, tmp_path: Path) -> None:
    shutil.copy(ERRORS / "written-twice.aol", tmp_path)
    assert arrayol("show", "written-twice.aol", "--out", "a.dot").returncode == 1
    assert 'color=red, label="t\\nrepeat' in (tmp_path / "a.dot").read_text(encoding="utf-8")


@pytest.mark.parametrize("task", ["t", None])
@pytest.mark.parametrize("stem", ["out-of-bounds", "written-twice", "not-covered", "no-order", "infinite-not-followed"])
def test_a_failed_check_is_told_and_the_picture_is_there(
    arrayol: CommandLine, tmp_path: Path, stem: str, task: str | None
) -> None:
    shutil.copy(ERRORS / f"{stem}.aol", tmp_path)
    done = arrayol("show", f"{stem}.aol", *([task] if task else []))
    picture = f"{stem}-t.svg" if task else f"{stem}.svg"
    assert done.stderr == (ERRORS / f"{stem}.txt").read_text(encoding="utf-8")
    assert (done.stdout.splitlines()[-1], done.returncode) == (f"wrote {picture}", 1)
    assert "#c81e1e" in (tmp_path / picture).read_text(encoding="utf-8")


def test_a_mistake_in_another_task_does_not_matter(arrayol: CommandLine, tmp_path: Path) -> None:
    text = BIG.replace("S", "8").replace("const 8 = 1000000000\n", "")
    (tmp_path / "two.aol").write_text(
        text + text.replace("task t", "task u").partition("\n")[2].replace("1, 0;", "0, 0;")
    )
    assert arrayol("show", "two.aol", "t").returncode == 0
    assert "error[written-twice]" in arrayol("show", "two.aol", "u").stderr
    assert arrayol("show", "two.aol", "--top", "t").returncode == 0


def test_huge_shapes(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "big.aol").write_text(BIG, encoding="utf-8")
    for task in ([], ["t"]):
        assert arrayol("show", "big.aol", *task).returncode == 0


def test_a_hole_in_a_huge_array(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "big.aol").write_text(BIG.replace("repeat [S, S]", "repeat [S, S - 1]"), encoding="utf-8")
    done = arrayol("show", "big.aol", "t")
    assert done.returncode == 1
    assert "error[not-covered]: element [0, 999999999] of 'y'" in done.stderr


MISTAKES = """\
lpsf.aol:11:12: error[no-tilers]: 'smooth' is an elementary task; only repetitive tasks have tilers
   11 | elementary smooth(x: f32[4], prev: f32) -> (y: f32[4], last: f32) {
      |            ^^^^^^
  hint: it is repeated by hflr, vftd, hfrl, vfbu
"""
NO_FORMAT = f"{USAGE}Invalid value for '--out': 'a.pdf' does not end in .svg, .png or .dot.\n"
UNKNOWN = "lpsf.aol: error[unknown-task]: there is no task 'vftb'\n  hint: did you mean 'vftd'?\n"
NO_FOLDER = """\
none/a.svg: error[cannot-write]: there is no folder 'none' to write to
  hint: create the folder first, or name another place
"""


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (["smooth"], MISTAKES, 1),
        (["vftb"], UNKNOWN, 1),
        (["--top", "vftb"], UNKNOWN, 1),
        (["hflr", "--out", "none/a.svg"], NO_FOLDER, 1),
        (["--out", "a.pdf"], NO_FORMAT, 2),
        (["hflr", "--top", "lpsf"], f"{USAGE}Give TASK or --top, not both.\n", 2),
    ],
)
def test_refusals(arrayol: CommandLine, specs: Path, arguments: list[str], message: str, code: int) -> None:
    done = arrayol("show", "lpsf.aol", *arguments)
    assert (done.stderr, done.returncode) == (message, code)
    assert pictures(specs) == []


def test_an_elementary_that_nothing_repeats(arrayol: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "alone.aol").write_text("elementary e(a: u8) -> (b: u8)\ntask t(a: u8) -> (b: u8) {\n  b = e(a)\n}\n")
    assert arrayol("show", "alone.aol", "e").stderr.endswith("\n  hint: no task repeats it\n")
    assert "\ne: elementary, run once\n" in arrayol("show", "alone.aol").stdout


def test_what_does_not_resolve_is_refused_with_every_mistake(arrayol: CommandLine, tmp_path: Path) -> None:
    shutil.copy(ERRORS / "unknown-array.aol", tmp_path)
    done = arrayol("show", "unknown-array.aol")
    assert done.stderr == (ERRORS / "unknown-array.txt").read_text(encoding="utf-8")
    assert (done.stdout, done.returncode, pictures(tmp_path)) == ("", 1, [])


@pytest.mark.parametrize("arguments", [["check"], ["show", "--help"]])
def test_matplotlib_and_networkx_load_only_for_a_picture(specs: Path, arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments, "lpsf.aol"], cwd=specs, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_const_arrays_are_told_apart_from_inputs(arrayol: CommandLine, tmp_path: Path) -> None:
    """In the signature stand the inputs that are handed over; const arrays below it, and in a colour of their own."""
    (tmp_path / "t.aol").write_text(
        "const K: u8[3] = [1, 2, 4]\n"
        "elementary e(x: u8) -> (y: u8) {\n  y = x + K[0]\n}\n"
        "task t(x: u8[4]) -> (y: u8[4]) {\n  repeat [4] of e {\n    x <- x\n    y -> y\n  }\n}\n"
    )
    shown = arrayol("show", "t.aol")
    assert shown.stdout == (
        "t(x: u8[4]) -> (y: u8[4])\n1 process, 3 arrays\nconst K: u8[3]\n\n"
        "t: repeat [4] of e\n  x <- x  u8 of [4]     reads 1 per y\n  K <- K  u8[3] of [3]  reads 3 per y\n"
        "  y -> y  u8 of [4]\n\nwrote t.svg\n"
    )
    picture = (tmp_path / "t.svg").read_text()
    assert "const array" in picture
    assert "#6b5aa8" in picture
