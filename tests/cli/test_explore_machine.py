"""`arrayol explore` with the machine model, through the installed command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import CommandLine

SMALL = ("--set", "H=8", "--set", "W=8", "--narrow", "--quiet")
USAGE = "Usage: arrayol explore [OPTIONS] FILE\nTry 'arrayol explore --help' for help.\n\nError: "


@pytest.fixture
def lpsf(arrayol: CommandLine, tmp_path: Path) -> Path:
    arrayol("example", "lpsf")
    return tmp_path


def test_the_front_as_text_and_files(arrayol: CommandLine, lpsf: Path) -> None:
    done = arrayol("explore", "lpsf.aol", *SMALL, "--verify")
    assert (done.stderr, done.returncode) == ("", 0)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("lpsf: ")
    assert " designs on the Pareto front of latency_cycles, internal_memory_data" in lines[0]
    document = json.loads((lpsf / "lpsf-explore" / "result.json").read_text(encoding="utf-8"))
    best = document["pareto"][0]
    assert best["id"] == "4:1"
    assert any(line.split()[:2] == ["4:1", f"{best['objectives']['latency_cycles']:,}"] for line in lines)
    assert "space        8 fusions of 4 tasks: 10 groups, 14,336 group designs, " in done.stdout
    count = len(document["pareto"])
    assert f"verified     {count} of {count} simulated; simulated at the reduced size H = 20, W = 40" in done.stdout
    names = {path.name for path in (lpsf / "lpsf-explore").iterdir()}
    assert names >= {
        "result.json",
        "designs.csv",
        "pareto.png",
        "pareto.svg",
        "breakdown.png",
        "breakdown.svg",
        "specs",
    }
    assert (document["model"], document["exact"]) == ("machine", True)
    assert all(design["verified"] for design in document["pareto"])


def test_json_is_the_stored_document(arrayol: CommandLine, lpsf: Path) -> None:
    done = arrayol("explore", "lpsf.aol", *SMALL, "--no-verify", "--json", "--objectives", "units,latency_microseconds")
    assert done.stdout == (lpsf / "lpsf-explore" / "result.json").read_text(encoding="utf-8")
    document = json.loads(done.stdout)
    assert document["objectives"] == ["units", "latency_microseconds"]
    assert all(design["verified"] is None for design in document["pareto"])


def test_the_specification_of_a_design_computes_the_same(arrayol: CommandLine, lpsf: Path) -> None:
    arrayol("explore", "lpsf.aol", *SMALL, "--no-verify")
    arrayol("run", "lpsf.aol", "--set", "H=8", "--set", "W=8", "--in", "p0=random:1", "--out", "p4=p4.npy")
    made = sorted((lpsf / "lpsf-explore" / "specs").glob("*.aol"))
    assert made
    for path in made[:3]:
        assert arrayol("check", str(path)).returncode == 0
        done = arrayol("run", str(path), "--in", "p0=random:1", "--check", "p4=p4.npy")
        assert done.returncode == 0, done.stderr


def test_no_feasible_design(arrayol: CommandLine, lpsf: Path) -> None:
    done = arrayol("explore", "lpsf.aol", *SMALL, "--constraint", "internal_memory_bits <= 10")
    assert done.returncode == 3
    assert done.stderr.startswith(
        "error[infeasible]: no design of 'lpsf' keeps all constraints: internal_memory_bits <= 10"
    )
    assert not (lpsf / "lpsf-explore").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--objectives", "latncy_cycles"], "Invalid value for '--objectives': there is no objective 'latncy_cycles'"),
        (["--all"], "--all needs the published model"),
        (["--model", "published"], "--narrow needs the machine model; leave it out, or take --model machine"),
    ],
)
def test_wrong_usage(arrayol: CommandLine, lpsf: Path, arguments: list[str], message: str) -> None:
    done = arrayol("explore", "lpsf.aol", *SMALL, *arguments)
    assert (done.stdout, done.returncode) == ("", 2)
    assert done.stderr.startswith(USAGE + message)
    assert not (lpsf / "lpsf-explore").exists()
