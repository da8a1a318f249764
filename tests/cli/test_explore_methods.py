"""`arrayol explore --method` and `--seed`, through the installed command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import CommandLine

SMALL = ("--set", "H=6", "--set", "W=6", "--narrow", "--no-verify", "--quiet")
USAGE = "Usage: arrayol explore [OPTIONS] FILE\nTry 'arrayol explore --help' for help.\n\nError: "
HOW = {
    "exact": "fronts of all groups, combined over all fusions",
    "exhaustive": "every whole design",
    "rounds": "6 of 6 rounds; all groups; ",
    "nsga2": "NSGA-II, seed 0, ",
}


@pytest.fixture
def conv3x3(arrayol: CommandLine, tmp_path: Path) -> Path:
    arrayol("example", "conv3x3")
    return tmp_path


def explored(arrayol: CommandLine, *options: str) -> dict[str, Any]:
    done = arrayol("explore", "conv3x3.aol", *SMALL, "--json", *options)
    assert (done.stderr, done.returncode) == ("", 0)
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def points(document: dict[str, Any]) -> list[tuple[float, ...]]:
    return [tuple(one["objectives"][name] for name in document["objectives"]) for one in document["pareto"]]


def test_each_method_is_named(arrayol: CommandLine, conv3x3: Path) -> None:
    found = {method: explored(arrayol, "--method", method) for method in HOW}
    front = points(found["exhaustive"])
    assert len(front) > 3
    for method, document in found.items():
        assert document["method"] == method
        assert document["method_reason"] == "asked for"
        assert document["exact"] is (method != "nsga2")  # rounds priced everything
        assert HOW[method] in document["method_description"]
        assert (document["evolution"] is not None) is (method == "nsga2")
        done = "partly" if method == "nsga2" else "covered"
        # of the sum as it is written, and of the sum in parts
        assert (document["partitions"]["total"], document["partitions"][done]) == (2, 2)
        if method == "rounds":  # its ladder has sides that divide nothing: no worse, and it may be better
            assert all(
                any(all(a <= b for a, b in zip(own, one, strict=True)) for own in points(document)) for one in front
            )
        else:
            assert points(document) == front  # so few designs that the heuristic finds them all
    assert (conv3x3 / "conv3x3-explore" / "convergence.png").is_file()


def test_auto_says_what_it_took(arrayol: CommandLine, conv3x3: Path) -> None:
    del conv3x3
    document = explored(arrayol)
    assert document["method"] == "exact"
    assert " s of work are enough to evaluate every group" in document["method_reason"]


def test_the_same_seed_gives_the_same_bytes(arrayol: CommandLine, arrayol_process: CommandLine, conv3x3: Path) -> None:
    """In another process too, where sets have another order."""
    for run, folder, seed in ((arrayol, "once", "3"), (arrayol_process, "again", "3"), (arrayol, "other", "4")):
        done = run("explore", "conv3x3.aol", *SMALL, "--method", "nsga2", "--seed", seed, "--out", folder)
        assert (done.stderr, done.returncode) == ("", 0)
    once, again, other = ((conv3x3 / name / "result.json").read_bytes() for name in ("once", "again", "other"))
    assert once == again
    assert (json.loads(once)["evolution"]["seed"], json.loads(other)["evolution"]["seed"]) == (3, 4)
    assert "NSGA-II, seed 4, " in json.loads(other)["method_description"]
    assert json.loads(once)["evolution"]["convergence"] != json.loads(other)["evolution"]["convergence"]


@pytest.mark.parametrize("method", ["exact", "exhaustive"])
def test_a_seed_for_another_method(arrayol: CommandLine, conv3x3: Path, method: str) -> None:
    done = arrayol("explore", "conv3x3.aol", *SMALL, "--method", method, "--seed", "3")
    assert (done.stdout, done.returncode) == ("", 2)
    assert done.stderr == f"{USAGE}--seed is for --method nsga2 and rounds; {method} draws nothing at random\n"
    assert not (conv3x3 / "conv3x3-explore").exists()


@pytest.mark.parametrize("method", ["annealing", ""])
def test_an_unknown_method(arrayol: CommandLine, conv3x3: Path, method: str) -> None:
    done = arrayol("explore", "conv3x3.aol", "--method", method)
    assert (done.stdout, done.returncode) == ("", 2)
    assert f"'{method}' is not one of 'auto', 'partition', 'exhaustive', 'exact', 'rounds', 'nsga2'." in done.stderr
    assert not (conv3x3 / "conv3x3-explore").exists()
