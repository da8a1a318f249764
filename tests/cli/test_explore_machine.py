"""`arrayol explore` with the machine model, through the installed command."""

from __future__ import annotations

import csv
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from command_line import in_process
from conftest import CommandLine

SMALL = ("--set", "H=8", "--set", "W=8", "--narrow", "--quiet")
USAGE = "Usage: arrayol explore [OPTIONS] FILE\nTry 'arrayol explore --help' for help.\n\nError: "


@pytest.fixture
def lpsf(arrayol: CommandLine, tmp_path: Path) -> Path:
    arrayol("example", "lpsf")
    return tmp_path


@pytest.fixture(scope="module")
def unverified(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with lpsf and its front, not simulated; `said.json` is what was printed. To be read only."""
    folder = tmp_path_factory.mktemp("unverified")
    in_process("example", "lpsf", cwd=folder)
    done = in_process("explore", "lpsf.aol", *SMALL, "--no-verify", "--json", cwd=folder)
    (folder / "said.json").write_text(done.stdout, encoding="utf-8")
    return folder


def test_the_front_as_text_and_files(arrayol: CommandLine, lpsf: Path) -> None:
    done = arrayol("explore", "lpsf.aol", *SMALL, "--verify", "--verbose")
    assert (done.stderr, done.returncode) == ("", 0)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("lpsf: ")
    title = " ".join(" ".join(lines[:2]).split())  # which the terminal may break
    assert " designs on the Pareto front of latency_cycles, internal_memory_elements" in title
    document = json.loads((lpsf / "lpsf-explore" / "result.json").read_text(encoding="utf-8"))
    best = document["pareto"][0]
    assert best["id"] == "4:1"
    assert any(line.split()[:2] == ["4:1", f"{best['objectives']['latency_cycles']:,}"] for line in lines)
    assert "space        8 fusions of 4 tasks: 10 groups, 171,008 group designs, " in done.stdout
    count = len(document["pareto"])
    assert f"verified     {count} of {count} simulated; simulated at the reduced size H = 20, W = 40" in done.stdout
    names = {path.name for path in (lpsf / "lpsf-explore").iterdir()}
    assert names >= {
        "result.json",
        "designs.csv",
        "pareto.png",
        "pareto.svg",
        "specs",
    }
    assert (document["model"], document["exact"]) == ("machine", True)
    assert all(design["verified"] for design in document["pareto"])


def test_the_specification_of_a_design_computes_the_same(arrayol: CommandLine, lpsf: Path, unverified: Path) -> None:
    arrayol("run", "lpsf.aol", "--set", "H=8", "--set", "W=8", "--in", "p0=random:1", "--out", "p4=p4.npy")
    assert (lpsf / "p4.npy").is_file()
    made = sorted((unverified / "lpsf-explore" / "specs").glob("*.aol"))
    assert made
    for path in made[:3]:
        assert arrayol("check", str(path)).returncode == 0
        done = arrayol("run", str(path), "--in", "p0=random:1", "--check", "p4=p4.npy")
        assert done.returncode == 0, done.stderr


def test_the_fronts_of_all_fusions(arrayol: CommandLine, lpsf: Path, unverified: Path) -> None:
    front = json.loads((unverified / "said.json").read_text(encoding="utf-8"))
    assert all(design["verified"] is None for design in front["pareto"])
    document = json.loads(arrayol("explore", "lpsf.aol", *SMALL, "--no-verify", "--json", "--all").stdout)
    designs = document.pop("designs")
    paths = document.pop("datapaths")
    assert [path for path in paths if path in front["datapaths"]] == front.pop("datapaths")
    # Whole designs need less of large groups than all that is kept here.
    counts = [[one.pop(name) for name in ("evaluated", "infeasible", "pruned")] for one in (document, front)]
    assert sum(counts[0]) == sum(counts[1])
    assert counts[0][0] > counts[1][0]
    assert document == front
    assert designs[: len(front["pareto"])] == front["pareto"]
    assert len({design["id"] for design in designs}) == len(designs)
    fusions = {str(design["fusion"]) for design in designs}
    assert len(fusions) == 8
    names = front["objectives"]
    searched = designs[len(front["pareto"]) :]  # those before may have given up some cycles for less logic
    for fusion in fusions:
        points = sorted(
            {tuple(one["objectives"][name] for name in names) for one in searched if str(one["fusion"]) == fusion}
        )
        assert all(first[1] > second[1] for first, second in pairwise(points))
    rows = (lpsf / "lpsf-explore" / "designs.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == len(designs) + 1
    table = list(csv.reader(rows))
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for row in table for cell in row)
    scans = table[0].index("scans")
    assert all(re.fullmatch(r"\[[-,\d]*\]( \| \[[-,\d]*\])*", row[scans]) for row in table[1:])


def test_a_method_that_keeps_its_front_alone(arrayol: CommandLine, lpsf: Path) -> None:
    done = arrayol("explore", "lpsf.aol", *SMALL, "--no-verify", "--method", "nsga2", "--all")
    assert done.returncode == 1
    assert done.stderr == (
        "error[method-refused]: the method 'nsga2' cannot be taken here: it keeps its front alone, and all designs are "
        "asked for\n  hint: leave out --all, or narrow the study\n"
    )


def test_no_feasible_design(arrayol: CommandLine, lpsf: Path) -> None:
    done = arrayol("explore", "lpsf.aol", *SMALL, "--constraint", "internal_memory_bits <= 10")
    assert done.returncode == 3
    assert done.stderr.startswith(
        "error[infeasible]: no design of 'lpsf' keeps all constraints: internal_memory_bits <= 10"
    )
    assert not (lpsf / "lpsf-explore").exists()


def test_wrong_usage(arrayol: CommandLine, lpsf: Path) -> None:
    done = arrayol("explore", "lpsf.aol", *SMALL, "--model", "published")
    assert (done.stdout, done.returncode) == ("", 2)
    assert done.stderr.startswith(f"{USAGE}--narrow needs the machine model; leave it out, or take --model machine")
    assert not (lpsf / "lpsf-explore").exists()
