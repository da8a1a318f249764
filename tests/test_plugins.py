"""Plug-ins: the package of docs/plugins.md, built, installed into a folder and explored with; and broken ones."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import CommandLine
from installing import pip_install
from manual import blocks

from arrayol import api, plugins
from arrayol.errors import ArrayolError
from dse.jobs.digest import code_digest
from dse.space.composed import composed_objective

NARROW = ("--narrow", "--no-verify", "--quiet")
SLOW = """clock_mhz = 50
technology = "frugal"
cost_models = ["wires"]
[memory]
latency = 10
data_per_word = 4
"""

PAIR = """elementary twice(x: u8[2]) -> (y: u8) { y = x[0] + x[1] }
task first(a: u8[8]) -> (b: u8[4]) { repeat [4] of twice { x <- a at origin [0] paving [2] fitting [1]  y -> b } }
task second(b: u8[4]) -> (c: u8[2]) { repeat [2] of twice { x <- b at origin [0] paving [2] fitting [1]  y -> c } }
task pair(a: u8[8]) -> (c: u8[2]) { b = first(a)  c = second(b) }
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the package of the page was installed."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("site")
    for block in blocks("plugins.md"):
        name = re.match(r"# (\S+)\n", block.text)
        if name:
            (source / name[1]).parent.mkdir(exist_ok=True)
            (source / name[1]).write_text(block.text, encoding="utf-8")
    pip_install("--no-build-isolation", "--target", str(target), str(source))
    return target


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with a specification and a platform that asks for plug-ins."""
    (tmp_path / "pair.aol").write_text(PAIR, encoding="utf-8")
    (tmp_path / "slow.toml").write_text(SLOW, encoding="utf-8")
    return tmp_path


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    """Make this process find what is installed in a folder, until the test ends."""

    def find(folder: Path) -> None:
        monkeypatch.syspath_prepend(folder)
        _forget()

    yield find
    monkeypatch.undo()
    _forget()


def _forget() -> None:
    plugins.installed.cache_clear()
    composed_objective.cache_clear()
    code_digest.cache_clear()
    for name in ("rotten", *(name for name in sys.modules if name.partition(".")[0] == "frugal")):
        sys.modules.pop(name, None)


def explored(arrayol: CommandLine, *arguments: str) -> Any:
    """The result of an exploration with the plug-ins of the platform."""
    done = arrayol("explore", "pair.aol", "--platform", "slow.toml", *NARROW, *arguments, "--json")
    assert (done.stderr, done.returncode) == ("", 0)
    return json.loads(done.stdout)


def test_one_of_each(arrayol: CommandLine, here: Path, site: Path, found: Callable[[Path], None]) -> None:
    found(site)
    names = ("latency_cycles", "area_delay", "wires", "lut")
    asked = ("--objectives", ",".join(names))
    exact = explored(arrayol, "--method", "exact", *asked)
    assert (exact["technology"], exact["exact"]) == ("frugal", True)
    front = {tuple(design["objectives"][name] for name in names) for design in exact["pareto"]}
    assert len(front) > 2
    for latency, area_delay, wires, lut in front:
        assert area_delay == pytest.approx(lut * latency / 50 / 1000, abs=1e-6)
        assert wires > 0


def test_an_objective_is_exact(arrayol: CommandLine, here: Path, site: Path, found: Callable[[Path], None]) -> None:
    """As every whole design priced, with the objective of each, says."""
    found(site)
    line = ("explore", "pair.aol", "--platform", "slow.toml", "--narrow", "--no-verify", "--quiet", "--json")
    objectives = []
    for method in ("exact", "exhaustive"):
        done = arrayol(*line, "--objectives", "area_delay,internal_memory_elements", "--method", method)
        assert (done.stderr, done.returncode) == ("", 0)
        front = json.loads(done.stdout)["pareto"]
        objectives.append(
            sorted((one["objectives"]["area_delay"], one["objectives"]["internal_memory_elements"]) for one in front)
        )
    assert objectives[0] == objectives[1]
    assert len(objectives[0]) > 1


def test_an_objective_is_bounded_and_shown(
    arrayol: CommandLine, here: Path, site: Path, found: Callable[[Path], None]
) -> None:
    found(site)
    done = arrayol("explore", "pair.aol", "--platform", "slow.toml", *NARROW, "--objectives", "area_delay")
    assert "area times" in done.stdout
    assert "LUT ms" in done.stdout
    assert arrayol("report", "pair-explore").returncode == 0
    assert "area times delay" in (here / "pair-explore" / "report.html").read_text(encoding="utf-8")
    (design,) = json.loads((here / "pair-explore" / "result.json").read_text(encoding="utf-8"))["pareto"]
    bound = 1.5 * design["objectives"]["area_delay"]
    within = explored(arrayol, "--objectives", "latency_cycles,lut", "--constraint", f"area_delay <= {bound}")
    products = [one["objectives"]["area_delay"] for one in within["pareto"]]
    assert len(products) > 1
    assert all(design["objectives"]["area_delay"] <= product <= bound for product in products)


def test_the_installed_command_finds_them(script: Path, arrayol: CommandLine, here: Path, site: Path) -> None:
    """With the method too, whose name is a choice of the command from its start."""
    path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
    command = [script, "explore", "pair.aol", "--platform", "slow.toml", *NARROW, "--json", "--objectives"]
    fronts = []
    for method in ("exact", "coarse"):
        done = subprocess.run(
            [*command, "latency_cycles,lut", "--method", method],
            cwd=here,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stderr, done.returncode) == ("", 0)
        result = json.loads(done.stdout)
        assert (result["method"], result["exact"]) == (method, method == "exact")
        fronts.append({(one["objectives"]["latency_cycles"], one["objectives"]["lut"]) for one in result["pareto"]})
    exact, coarse = fronts
    assert coarse <= exact
    assert len(coarse) == len({latency.bit_length() for latency, _ in exact})
    without = arrayol("explore", "pair.aol", "--platform", "slow.toml", *NARROW)
    assert "error[unknown-technology]: there is no technology 'frugal'" in without.stderr


BROKEN = """
import numpy as np
def value(self, cycles): return {value}
class Own:
    title, unit, figures, value = "own", "1", {figures}, value
def worse(*_): {body}
own = Own()
"""


def broken(
    folder: Path, value: str = "cycles", figures: str = '("latency_cycles",)', body: str = "return None"
) -> None:
    """An installed distribution whose objective, cost model, technology and method are these."""
    text = BROKEN.format(value=value, figures=figures, body=body)
    (folder / "rotten.py").write_text(text, encoding="utf-8")
    info = folder / "rotten-2.1.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rotten\nVersion: 2.1\n", encoding="utf-8")
    points = {"objectives": "own", "cost_models": "worse", "technologies": "own", "methods": "worse"}
    lines = [f"[arrayol.{group}]\nrotten = rotten:{name}\n" for group, name in points.items()]
    lines[0] += "gone = rotten:gone\n"
    (info / "entry_points.txt").write_text("".join(lines), encoding="utf-8")


ASKED = ("--objectives", "rotten")


@pytest.mark.parametrize(
    ("changes", "arguments", "why"),
    [
        ({}, ("--objectives", "gone"), "AttributeError: module 'rotten' has no attribute 'gone'"),
        ({"value": "1 / cycles"}, ASKED, "'value' does not give a number from 0 for each design"),
        ({"value": "1 / (1 + cycles)"}, ASKED, "its value shrinks where 'latency_cycles' grows"),
        ({"value": "cycles.sum()"}, ASKED, "'value' does not give a number from 0 for each design"),
        ({"value": "cycles.nothing"}, ASKED, "AttributeError: 'numpy.ndarray' object has no attribute 'nothing'"),
        ({"figures": "()"}, ASKED, "'rotten:own' is no objective: it has 'title', 'unit', 'figures' and 'value'"),
    ],
)
def test_a_broken_one_is_named_with_its_distribution(
    arrayol: CommandLine,
    here: Path,
    found: Callable[[Path], None],
    changes: dict[str, str],
    arguments: tuple[str, ...],
    why: str,
) -> None:
    broken(here, **changes)
    found(here)
    done = arrayol("explore", "pair.aol", *NARROW, *arguments)
    assert f" of rotten 2.1 cannot be used: {why}\n" in done.stderr
    assert "error[broken-plugin]: " in done.stderr
    assert done.stderr.endswith("or remove it: pip uninstall rotten\n")
    assert done.returncode == 1


def test_what_nobody_asks_for_stops_nothing(arrayol: CommandLine, here: Path, found: Callable[[Path], None]) -> None:
    broken(here, value="1 / cycles")
    found(here)
    assert arrayol("explore", "pair.aol", *NARROW).returncode == 0


def test_a_method_that_finds_nothing(here: Path, found: Callable[[Path], None]) -> None:
    broken(here)
    found(here)
    platform = here / "own.toml"
    platform.write_text(SLOW.replace("frugal", "ecp5-6").replace('"wires"', ""), encoding="utf-8")
    with pytest.raises(ArrayolError, match=r"the method 'rotten' of rotten 2.1 cannot be used: it does not give a"):
        api.explore(here / "pair.aol", platform, method="rotten")
    with pytest.raises(ArrayolError, match="unknown-method"):
        api.explore(here / "pair.aol", platform, method="worse")


def test_broken_ones_of_a_platform(arrayol: CommandLine, here: Path, found: Callable[[Path], None]) -> None:
    own = ("explore", "pair.aol", "--platform", "own.toml", *NARROW)
    for body, why in (("return -1", "it gives -1.0 for 'first'"), ("raise ValueError('odd')", "ValueError: odd")):
        broken(here, body=body)
        found(here)
        (here / "own.toml").write_text(SLOW.replace("frugal", "ecp5-6").replace("wires", "rotten"), encoding="utf-8")
        assert f"the cost model 'rotten' of rotten 2.1 cannot be used: {why}\n" in arrayol(*own).stderr
    (here / "own.toml").write_text(SLOW.replace("frugal", "rotten").replace("wires", "rotten"), encoding="utf-8")
    told = "error[broken-plugin]: the technology 'rotten' of rotten 2.1 cannot be used: "
    assert told in arrayol(*own).stderr
    (here / "own.toml").write_text(SLOW.replace("frugal", "ecp5-6"), encoding="utf-8")
    assert "own.toml:3:1: error[bad-value]: 'cost_models' is " in arrayol(*own).stderr


def test_an_objective_of_a_figure_that_is_none_here(
    arrayol: CommandLine, here: Path, found: Callable[[Path], None]
) -> None:
    broken(here, figures='("energy_nj",)')
    found(here)
    told = "error[missing-figure]: 'rotten' is made of 'energy_nj', which is no plain figure of designs here"
    assert told in arrayol("explore", "pair.aol", *NARROW, *ASKED).stderr


NONSENSE = """
from dataclasses import replace
import numpy as np
from dse.search.exact.exact import search_exactly

class Unspeakable(Exception):
    def __str__(self): raise ValueError
    __repr__ = __str__

def raise_(raised): raise raised

def worse(context, request, runner):
    found = search_exactly(context, request, runner)
    front = found.front
    return {gives}
own = None
"""


@pytest.mark.parametrize(
    ("gives", "why"),
    [
        ("raise_(KeyError('x'))", "KeyError: 'x'"),
        ("raise_(SystemExit(3))", "SystemExit: 3"),
        ("raise_(Unspeakable())", "Unspeakable"),
        ("replace(found, exact='yes')", "its 'exact' is 'yes', not true or false"),
        (
            "replace(found, counts=Unspeakable())",
            "its 'counts' is an object of type Unspeakable, not Counts, each 0 or ",
        ),
        ("replace(found, group_designs=-1)", "its 'group_designs' is -1, not a whole number, 0 or more"),
        ("replace(found, front=replace(front, values=front.values * 0.5))", "its front is no array of integers of 2 "),
        ("replace(found, front=replace(front, values=front.values + 1))", "it says latency_cycles "),
        ("replace(found, design=lambda row: 5)", "a design of its front is 5, not a Design"),
        (
            "replace(found, design=lambda row: replace(found.design(row), groups=()))",
            "a design of its front is none of the space: ValueError: not a partition of the processes of 'pair'",
        ),
        (
            "replace(found, design=lambda row: replace(found.design(row), loads=np.zeros(3)))",
            "a design of its front is none of the space: ValueError: ",
        ),
        ("replace(found, design=lambda row: found.design(99))", "IndexError: "),
    ],
)
def test_a_method_that_raises_or_gives_nonsense(
    here: Path, found: Callable[[Path], None], gives: str, why: str
) -> None:
    broken(here)
    (here / "rotten.py").write_text(NONSENSE.format(gives=gives), encoding="utf-8")
    found(here)
    platform = here / "own.toml"
    platform.write_text(SLOW.replace("frugal", "ecp5-6").replace('"wires"', ""), encoding="utf-8")
    with pytest.raises(ArrayolError) as caught:
        api.explore(here / "pair.aol", platform, method="rotten", space=api.Space(narrow=True, verify=False))
    (told,) = caught.value.diagnostics
    assert told.code == "broken-plugin"
    assert told.message.startswith(f"the method 'rotten' of rotten 2.1 cannot be used: {why}")


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("cycles * 1j", "'value' does not give a number from 0 for each design"),
        ("cycles.astype(object)", "'value' does not give a number from 0 for each design"),
        ("exit(3)", "SystemExit: 3"),
    ],
)
def test_an_objective_that_ends_the_program_or_has_other_numbers(
    arrayol: CommandLine, here: Path, found: Callable[[Path], None], value: str, why: str
) -> None:
    broken(here, value=value)
    found(here)
    done = arrayol("explore", "pair.aol", *NARROW, *ASKED)
    assert f"the objective 'rotten' of rotten 2.1 cannot be used: {why}\n" in done.stderr
    assert done.returncode == 1


def test_an_objective_may_write_to_its_figures(arrayol: CommandLine, here: Path, found: Callable[[Path], None]) -> None:
    """They are its own: the designs keep theirs."""
    broken(here, value="cycles.__imul__(2)")
    found(here)
    done = arrayol("explore", "pair.aol", *NARROW, "--objectives", "rotten,latency_cycles", "--json")
    assert done.returncode == 0
    for design in json.loads(done.stdout)["pareto"]:
        assert design["objectives"]["rotten"] == 2 * design["objectives"]["latency_cycles"]


def test_entry_points_that_cannot_be_read_stop_nobody_else(
    arrayol: CommandLine, here: Path, found: Callable[[Path], None]
) -> None:
    broken(here)
    other = here / "torn-1.0.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: torn\nVersion: 1.0\n", encoding="utf-8")
    (other / "entry_points.txt").write_text("[arrayol.objectives]\nno sign of equality\n", encoding="utf-8")
    found(here)
    assert arrayol("explore", "pair.aol", *NARROW).returncode == 0
    assert "rotten" in plugins.installed(plugins.OBJECTIVES)
