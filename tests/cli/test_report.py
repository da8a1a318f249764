"""`arrayol report`, `arrayol compare` and `explore --pick`, through the installed command."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from command_line import Done, in_process
from conftest import CommandLine
from manual import blocks

PAGE = "report.md"
LPSF = ("explore", "lpsf.aol", "--model", "published", "--quiet", "--out")


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with lpsf, and its result under the published model."""
    folder = tmp_path_factory.mktemp("explored")
    for command in (("example", "lpsf"), (*LPSF, "out")):
        assert in_process(*command, cwd=folder).returncode == 0
    return folder


@pytest.fixture
def lpsf(explored: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(explored, tmp_path, dirs_exist_ok=True)


def without_size(text: str) -> list[str]:
    return re.sub(r"\d+ kB", "N kB", text).split()


def _run(command: str, folder: Path) -> Done:
    """A line of the page."""
    words = shlex.split(command)
    if words[0] == "arrayol":
        return in_process(*words[1:], cwd=folder, columns=100)
    return subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=False)


def test_the_manual_page(tmp_path: Path) -> None:
    for block in blocks(PAGE, "console"):
        commands = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE)
        assert commands
        for command, shown in commands:
            done = _run(command, tmp_path)
            assert (done.stderr, done.returncode) == ("", 0)
            _, dots, end = shown.rpartition("...\n")
            assert done.stdout.strip() if dots else done.stdout == shown or "kB" in shown
            assert without_size(done.stdout)[-len(end.split()) or sys.maxsize :] == without_size(end)
    (example,) = blocks(PAGE, "python")
    with chdir(tmp_path), redirect_stdout(StringIO()) as said:
        exec(compile(example.text, PAGE, "exec"), {})
    assert len(said.getvalue().splitlines()) == 2
    assert (tmp_path / "lpsf.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_report_beside_the_result_or_elsewhere(arrayol: CommandLine, lpsf: Path) -> None:
    done = arrayol("report", "out")
    assert (done.stderr, done.returncode) == ("", 0)
    assert re.fullmatch(r"wrote out/report\.html: 2 designs, \d+ kB\n", done.stdout)
    assert arrayol("report", "out", "--out", "there.html").stdout.startswith("wrote there.html: 2 designs")
    assert (lpsf / "there.html").read_bytes() == (lpsf / "out" / "report.html").read_bytes()


def test_explore_writes_a_report_and_says_how_to_open_it(arrayol: CommandLine, lpsf: Path) -> None:
    done = arrayol(*LPSF, "new")
    assert done.stdout.endswith("report   open new/report.html in a browser\n")
    assert "report.html" in arrayol(*LPSF, "new", "--verbose").stdout.split("written", 1)[1]
    first = (lpsf / "new" / "report.html").read_text(encoding="utf-8")
    assert first.startswith("<!DOCTYPE html>")
    without = " ".join(arrayol(*LPSF, "new", "--no-report").stdout.split())
    assert "report none; new: result.json, " in without
    assert without.endswith("specs/4.aol, specs/2+2.aol")
    assert not (lpsf / "new" / "report.html").exists()


def test_what_a_report_lacks_is_told(arrayol: CommandLine, lpsf: Path) -> None:
    (lpsf / "lpsf.aol").unlink()
    done = arrayol("report", "out")
    assert done.returncode == 0
    assert done.stderr == (
        "the specification 'lpsf.aol' is not found: block diagrams are without links, and there are no timelines\n"
    )


def test_no_result(arrayol: CommandLine, lpsf: Path) -> None:
    done = arrayol("report", "nowhere")
    message = "nowhere: error[not-a-result]: there is no result.json here\n"
    assert (done.stderr, done.returncode) == (f"{message}  hint: name the folder that 'arrayol explore' wrote\n", 1)
    done = arrayol("report", "out", "--out", "no/where.html")
    assert done.stderr.startswith("no/where.html: error[cannot-write]: there is no folder 'no' to write to\n")
    assert done.returncode == 1
    assert arrayol("compare", "out", "nowhere").stderr.startswith(message)


def test_compare_as_json_and_in_another_folder(arrayol: CommandLine, lpsf: Path) -> None:
    arrayol(*LPSF, "small", "--set", "W=640", "--set", "H=480")
    done = arrayol("compare", "out", "small", "--out", "both", "--json")
    problem = "the two results solve different problems: H is 1080 in the first and 480 in the second; W is"
    assert done.stderr.startswith(f"warning[other-problem]: {problem}")
    assert done.returncode == 0
    assert done.stdout == (lpsf / "both" / "comparison.json").read_text(encoding="utf-8")
    document = json.loads(done.stdout)
    assert document["folders"] == ["out", "small"]
    assert [one["constants"]["W"] for one in document["results"]] == [1920, 640]
    assert document["gained"] == document["lost"] == document["kept"] == []
    assert len(document["moved"]) == 2
    assert document["warnings"][0].startswith(problem)
    assert arrayol("compare", "out", "small").stdout.startswith("warning: the two results solve different problems")
    assert document["same_by"] == "fusion"
    assert document["dominated"] == [2, 0]
    arrayol(*LPSF, "units", "--objectives", "units")
    done = arrayol("compare", "out", "units")
    assert done.stderr.startswith(
        "error[other-objectives]: one result is in latency_cycles, internal_memory_elements, the"
    )
    assert done.returncode == 1
    assert sorted(path.name for path in lpsf.glob("*compare*")) == ["out-small-compare"]


def test_a_picked_design_as_json(arrayol: CommandLine, lpsf: Path) -> None:
    done = arrayol(*LPSF, "out", "--pick", "internal_memory_bits <= 1e6", "--json")
    document = json.loads(done.stdout)
    picked = document.pop("picked")
    assert document == json.loads((lpsf / "out" / "result.json").read_text(encoding="utf-8"))
    assert picked == json.loads((lpsf / "out" / "picked.json").read_text(encoding="utf-8"))
    assert picked["design"] == document["pareto"][1]
    assert (lpsf / "out" / picked["aol"]).exists()


def test_bounds_that_no_design_keeps(arrayol: CommandLine, lpsf: Path) -> None:
    done = arrayol(*LPSF, "new", "--pick", "units <= 3")
    assert done.returncode == 3
    assert done.stderr == (
        "error[infeasible]: no design of the result keeps units <= 3: the least is 16\n"
        "  hint: --all keeps every design of the published model to pick from\n"
    )
    assert done.stdout.startswith("lpsf: 2 of 8 designs")  # the result stands
    assert (lpsf / "new" / "result.json").exists()
    assert not (lpsf / "new" / "picked.json").exists()


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (
            "units <= 3, lut",
            (
                "'units <= 3, lut' is neither 'knee', 'fastest' nor a bound as \"internal_memory_bits <= 1e6\"; join "
                "several by commas. A number is 0, or from 1e-30 to 1e+30."
            ),
        ),
        ("unit <= 3", "there is no figure 'unit'; did you mean 'units'?"),
        (
            "lut <= 3",
            (
                "there is no figure 'lut'; designs here have latency_cycles, internal_memory_elements, "
                "internal_memory_bits, units, latency_microseconds"
            ),
        ),
    ],
)
def test_wrong_rules_are_told_before_the_work(arrayol: CommandLine, lpsf: Path, rule: str, message: str) -> None:
    done = arrayol(*LPSF, "new", "--pick", rule)
    usage = "Usage: arrayol explore [OPTIONS] FILE\nTry 'arrayol explore --help' for help.\n\n"
    assert done.stderr == f"{usage}Error: Invalid value for '--pick': {message}\n"
    assert done.returncode == 2
    assert not (lpsf / "new").exists()


def test_keys_that_are_not_known_are_told(arrayol: CommandLine, lpsf: Path) -> None:
    path = lpsf / "out" / "result.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"spec"', '"mood": 1,\n  "spec"', 1), encoding="utf-8")
    warning = (
        "out/result.json: warning[unknown-key]: keys that this version of arrayol does not know are left out: mood\n"
    )
    done = arrayol("report", "out")
    assert (done.stderr, done.returncode) == (warning, 0)
    done = arrayol("compare", "out", "out")
    assert (done.stderr, done.returncode) == (warning * 2, 0)
    done = arrayol("simulate", "lpsf.aol", "--result", "out", "--design", "4")
    assert done.stderr.startswith(f"{warning}out/result.json: error[published-result]: ")
