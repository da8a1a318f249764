"""`arrayol transfers`: text, JSON, C and pictures, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from shutil import copy

import pytest
from conftest import CommandLine

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder

SPECS = shipped_folder()
GOLDEN = Path(__file__).parent.parent / "golden"
POLYPROD = ["polyprod.aol", "polyprod", "--schedule", "N-j, i", "--set", "N=23"]
REMARK = "tiling statement 2, the one with the range variables j and i\n"
ASSUMED = (
    "remark: no platform is given, and there is none next to the specification: assuming a clock of 50 MHz, the "
    "technology ecp5-6, bursts of 30 cycles latency, words of 128 bits and one port for loads and stores\n"
    "remark: no datapath is given for polyprod: assuming an initiation interval of 1 cycle and a latency of 0 "
    "cycles; give [elementary.NAME] in the platform\n"
)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The folder of the commands, with some specifications in it."""
    for name in ("polyprod.aol", "stencil2d.aol", "lpsf.aol", "lpsf.toml"):
        copy(SPECS / name, tmp_path)
    return tmp_path


@pytest.fixture
def polyprod(here: Path, monkeypatch: pytest.MonkeyPatch) -> api.Transfers:
    """What the commands below find."""
    monkeypatch.chdir(here)
    return api.transfers(Path("polyprod.aol"), "polyprod", schedules=["N-j, i"], settings={"N": 23})


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("symbols", [*POLYPROD, "--symbolic", "N", "--tree"]),
        ("delays", ["lpsf.aol", "hflr", "--schedule", "r0 + r1, r0", "--set", "H=16", "--set", "W=32", "--simplify"]),
    ],
)
def test_text(name: str, arguments: list[str], arrayol: CommandLine, golden: Callable[[Path, str], None]) -> None:
    done = arrayol("transfers", *arguments)
    assert done.returncode == 0, done.stderr
    assert "isl" not in done.stdout.lower()
    golden(GOLDEN / f"transfers-{name}.txt", done.stdout)


def test_json_is_alone_on_stdout_and_a_picture_beside_it(
    polyprod: api.Transfers, here: Path, arrayol: CommandLine
) -> None:
    done = arrayol("transfers", *POLYPROD, "--json", "--plot", "p.svg")
    assert done.stderr == f"{REMARK}{ASSUMED}wrote p.svg\n"
    assert json.loads(done.stdout) == polyprod.report().to_json()
    assert [f"remark: {text}" for text in json.loads(done.stdout)["assumed"]] == ASSUMED.splitlines()
    assert (here / "p.svg").read_bytes().startswith(b"<?xml")


def test_c_on_stdout_or_in_a_file(polyprod: api.Transfers, here: Path, arrayol_process: CommandLine) -> None:
    done = arrayol_process("transfers", *POLYPROD, "--emit", "c")
    assert (done.stdout, done.stderr) == (polyprod.c(), REMARK)
    wrote = arrayol_process("transfers", *POLYPROD, "--emit", "c", "--out", "p.c")
    assert (wrote.stdout, wrote.stderr) == ("", f"{REMARK}wrote p.c\n")
    assert (here / "p.c").read_text(encoding="utf-8") == polyprod.c()


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("further", "words"),
    [
        (["--out", "p.c"], "--out is for --emit c."),
        (["--plot", "p.jpg"], "'p.jpg' does not end in .svg or .png."),
        (["--strip-dims", "3"], "3 is not in the range"),
        (["--strip-dims", "9" * 20], "is not in the range 1<=x<=2"),
        (["--tile", "4,,4"], "'4,,4' is not B or B,B,..."),
        (["--symbolic", ""], "a name is missing."),
    ],
)
def test_wrong_usage(further: list[str], words: str, arrayol: CommandLine) -> None:
    done = arrayol("transfers", *POLYPROD, *further)
    assert done.returncode == 2
    assert done.stdout == ""
    assert words in " ".join(done.stderr.split())


def test_two_kinds_of_output(arrayol: CommandLine) -> None:
    done = arrayol("transfers", *POLYPROD, "--emit", "c", "--json")
    assert done.stderr.endswith("Error: Give --emit c or --json, not both.\n")
    assert (json.loads(done.stdout)["ok"], done.returncode) == (False, 2)


def test_a_tile_has_a_bound(here: Path, arrayol: CommandLine) -> None:
    done = arrayol("transfers", "polyprod.aol", "polyprod", "--schedule", "N-j, i", "--tile", "9" * 21)
    assert (done.returncode, done.stdout) == (1, "")
    assert "error[bad-tile]: a tile has at most 1,000,000,000 iterations along each dimension, not 1.00 x 10^21" in (
        done.stderr
    )


def refusal(name: str, component: str, **request: object) -> str:
    """The code of the refusal of a request; its words are of the field, none of them isl's."""
    with pytest.raises(ArrayolError) as refused:
        api.transfers(SPECS / f"{name}.aol", component, **request).c()  # type: ignore[arg-type]
    (one,) = refused.value.diagnostics
    assert one.hint
    assert not any(word in str(refused.value).lower() for word in ("isl", "lark", "pydantic", "internal"))
    return one.code


Request = Mapping[str, object]


@pytest.mark.parametrize(
    ("code", "name", "component", "request_"),
    [
        ("unknown-symbol", "polyprod", "polyprod", {"schedules": ["N-j, i"], "symbolic": ["M"]}),
        ("bad-tile", "polyprod", "polyprod", {"schedules": ["N-j, i"], "tile": [0]}),
        ("bad-tile", "polyprod", "polyprod", {"schedules": ["N-j, i"], "tile": [-3]}),
        ("bad-tile", "polyprod", "polyprod", {"schedules": ["N-j, i"], "tile": ["1.5"]}),
        ("bad-tile", "polyprod", "polyprod", {"schedules": ["N-j, i"], "tile": [4, 4, 4]}),
        ("bad-schedule", "polyprod", "polyprod", {"schedules": ["N-j, i +"], "statements": [2]}),
        ("bad-schedule", "polyprod", "polyprod", {"schedules": ["N-j, k"], "statements": [2]}),
        ("bad-schedule", "polyprod", "polyprod", {"schedules": ["i * j, i"], "statements": [2]}),
        ("bad-schedule", "polyprod", "polyprod", {"schedules": ["a[i], j"], "statements": [2]}),
        ("bad-schedule", "polyprod", "polyprod", {"schedules": [""], "statements": [2]}),
        ("bad-schedule", "polyprod", "polyprod", {"schedules": ["i", "i, j", "i"]}),
        ("tiles-out-of-order", "polyprod", "polyprod", {}),
        ("bad-statement", "polyprod", "polyprod", {"schedules": ["i, j"], "statements": [3]}),
        ("bad-statement", "polyprod", "polyprod", {"schedules": ["i", "j"], "statements": [2, 2]}),
        ("schedule-not-one-to-one", "polyprod", "polyprod", {"schedules": ["i + j"], "statements": [2]}),
        ("schedule-breaks-dependence", "stencil2d", "stencil2d", {"schedules": ["-i, j"]}),
        ("tiles-in-circle", "stencil2d", "stencil2d", {"schedules": ["j, 2 * i - j"]}),
        ("statements-apart", "solve", "solve", {"schedules": ["i, j"], "statements": [2]}),
        ("empty-nest", "stencil2d", "stencil2d", {"schedules": ["i, j"], "settings": {"H": 2}}),
        ("infinite-nest", "downscaler", "hfilter", {}),
        ("no-nest", "lpsf", "lpsf", {}),
        ("unknown-task", "polyprod", "polyprot", {"schedules": ["N-j, i"]}),
        ("symbolic-in-c", "polyprod", "polyprod", {"schedules": ["N-j, i"], "symbolic": ["N"]}),
        ("symbolic-in-c", "polyprod", "polyprod", {"schedules": ["N-j, i"], "tile": ["b"]}),
    ],
)
def test_refusals(code: str, name: str, component: str, request_: Request) -> None:
    assert refusal(name, component, **request_) == code


@pytest.mark.usefixtures("here")
def test_a_refusal_on_the_command_line(arrayol: CommandLine) -> None:
    done = arrayol("transfers", "stencil2d.aol", "stencil2d", "--schedule", "-i, j")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "error[schedule-breaks-dependence]: the schedule breaks a dependence: statement 2 at (i, j) = (1, 1) must run "
        "before statement 2 at (i, j) = (2, 1), since both touch v[1, 1]\n"
        "  hint: reverse or skew a dimension, or exchange two of them\n"
    )
