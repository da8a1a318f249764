"""Fronts of energies, which are no sums of groups' figures, beside every whole design evaluated by itself."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from statistics import median

import pytest
from plain_designs import front_of_points, group_designs

from arrayol import api
from arrayol.errors import ArrayolError, InfeasibleError
from arrayol.ir.network import flatten
from dse.space.mappings import MappingSpace
from dse.space.study import Study
from hwmodel.cost_model.estimate import DesignEstimate
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Design
from hwmodel.platform import Platform, load_platform

SPEC = """\
elementary far(x: i16[3]) -> (y: i16) { y = x[0] * 3 + x[1] * x[2] }
elementary near(x: i16[2]) -> (y: i16) { y = max(x[0], x[1]) }
task first(a: i16[8]) -> (b: i16[8]) {
  repeat [8] of far { x <- a at origin [0] paving [1] fitting [1] wrap y -> b at origin [0] paving [1] fitting [] }
}
task second(b: i16[8]) -> (c: i16[4]) {
  repeat [4] of near { x <- b at origin [0] paving [2] fitting [1] y -> c at origin [0] paving [1] fitting [] }
}
task both(a: i16[8]) -> (c: i16[4]) { b = first(a) c = second(b) }
"""
PLATFORM = """\
technology = "./parts.toml"
clock_mhz = 50
[memory]
latency = 3
data_per_word = 2
"""
PARTS = """\
[path]
ns = 1
register = { pj = 0.03, ff = 1 }
[operators]
add = { ns = 2, lut = "w", pj = "0.05*w" }
mul = { ns = 6, lut = "a*b", pj = "0.3*a*b" }
mulc = { ns = 4, lut = "n*k", pj = "0.05*n*k" }
max = { ns = 2, lut = "2*w", pj = "0.07*w" }
[memory.local]
pj_per_bit = "0.3 * (bits/512)**0.5"
[memory.external]
pj_per_bit = 0.5
[leakage]
mw = { lut = 0.002, bit = 0.001 }
"""
NARROW = {
    "styles": ["block"],
    "cuts": ["none"],
    "links": ["buffer"],
    "layouts": ["none"],
    "policies": ["reuse"],
    "units": [1, 2],
}


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Platform:
    monkeypatch.chdir(tmp_path)
    for name, text in (("both.aol", SPEC), ("both.toml", PLATFORM), ("parts.toml", PARTS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return load_platform(tmp_path / "both.toml")


def _wholes(model: MachineModel, *, reuse_memory: bool) -> Iterator[DesignEstimate]:
    """Every plain whole design of one or two units, at every interval."""
    space = MappingSpace(model, Study.model_validate(NARROW))
    fusions = ((("first",), ("second",)), (("first", "second"),))
    for fusion in fusions:
        choices = [list(group_designs(space, group)) for group in fusion]
        for groups in product(*choices):
            yield model.evaluate(Design(tuple(groups)), reuse_memory=reuse_memory)


def _explored(objectives: tuple[str, ...], constraints: tuple[str, ...], method: str, *, reuse_memory: bool) -> set:
    intervals = {"intervals": [1, 2, 3, 4]} if "intervals" in Study.model_fields else {}
    space = api.Space(
        Study.model_validate({**NARROW, **intervals}), constraints=constraints, reuse_memory=reuse_memory, verify=False
    )
    result = api.explore("both.aol", objectives=objectives, method=method, space=space).result
    return {tuple(round(design.objectives[name], 6) for name in objectives) for design in result.pareto}


CASES: list[tuple[tuple[str, ...], tuple[str, ...], str, bool]] = [
    (("energy_nj", "latency_cycles"), (), "exact", False),
    (("energy_nj", "latency_cycles"), (), "exhaustive", True),
    (("lut", "energy_nj"), ("frame_cycles",), "exact", True),
    (("lut", "energy_nj"), ("frame_cycles",), "exact", False),
    (("power_mw",), (), "exhaustive", False),
    (("power_mw", "lut"), ("frame_cycles",), "exact", False),
    (("latency_cycles",), ("energy_nj",), "exact", False),
    (("lut",), ("power_mw", "frame_cycles"), "exact", True),
]


@pytest.mark.parametrize(("objectives", "bounded", "method", "reuse_memory"), CASES)
def test_fronts_are_those_of_all_whole_designs(
    board: Platform, objectives: tuple[str, ...], bounded: tuple[str, ...], method: str, reuse_memory: bool
) -> None:
    model = MachineModel(flatten(api.load("both.aol"), "both"), board)
    wholes = list(_wholes(model, reuse_memory=reuse_memory))
    bounds = {name: round(median(one.objective(name) for one in wholes), 4) for name in bounded}
    kept = [one for one in wholes if all(one.objective(name) <= bound for name, bound in bounds.items())]
    assert 0 < len(kept) < len(wholes) or not bounds
    expected = front_of_points({tuple(round(one.objective(name), 6) for name in objectives) for one in kept})
    constraints = tuple(f"{name} <= {bound}" for name, bound in bounds.items())
    assert _explored(objectives, constraints, method, reuse_memory=reuse_memory) == expected


def test_a_heuristic_search_keeps_bounds_of_energies(board: Platform) -> None:
    """On a space this small it finds the front."""
    model = MachineModel(flatten(api.load("both.aol"), "both"), board)
    wholes = list(_wholes(model, reuse_memory=False))
    bound = round(median(one.energy_nj or 0 for one in wholes), 4)
    kept = {round(one.objective("lut"), 6) for one in wholes if (one.energy_nj or 0) <= bound}
    found = _explored(("lut",), (f"energy_nj <= {bound}",), "nsga2", reuse_memory=False)
    assert found == {(min(kept),)}


def test_a_bound_that_nothing_keeps_is_told_with_the_least(board: Platform) -> None:
    model = MachineModel(flatten(api.load("both.aol"), "both"), board)
    least = min(one.energy_nj or 0 for one in _wholes(model, reuse_memory=False))
    with pytest.raises(InfeasibleError) as caught:
        _explored(("lut",), ("energy_nj <= 0.001",), "exact", reuse_memory=False)
    message = caught.value.diagnostics[0].message
    assert message == (
        f"no design of 'both' keeps all constraints: energy_nj <= 0.001 is asked, the least is {least:,.1f}"
    )


def test_energies_of_a_result_are_parts_of_a_whole(board: Platform) -> None:
    space = api.Space(Study.model_validate(NARROW), verify=False)
    result = api.explore("both.aol", objectives=("energy_nj", "lut"), space=space).result
    assert result.technology == "parts"
    for design in result.pareto:
        assert design.energy_pj is not None
        assert set(design.energy_pj) == {"operators", "registers", "local memory", "external memory", "leakage"}
        assert sum(design.energy_pj.values()) == pytest.approx(1000 * design.objectives["energy_nj"], abs=1e-3)
        frames = design.objectives["frames_per_second"]
        assert design.objectives["power_mw"] == pytest.approx(design.objectives["energy_nj"] * frames / 1e6, rel=1e-6)


@pytest.mark.parametrize(
    ("platform", "message"),
    [
        ("[memory]\nlatency = 1\ndata_per_word = 1\n", "the platform names no technology"),
        (f"{PLATFORM}[[elementary.far.measured]]\ninterval = 2\nlatency = 1\ncost = {{ lut = 9 }}\n", None),
    ],
)
def test_energies_need_a_technology(board: Platform, platform: str, message: str | None) -> None:
    Path("both.toml").write_text(f"assume_datapaths = true\n{platform}", encoding="utf-8")
    space = api.Space(Study.model_validate(NARROW), verify=False)
    if message is None:
        assert api.explore("both.aol", objectives=("power_mw",), space=space).result.pareto
        return
    with pytest.raises(ArrayolError) as caught:
        api.explore("both.aol", objectives=("power_mw",), space=space)
    (mistake,) = caught.value.diagnostics
    assert (mistake.code, mistake.message) == ("no-energy", f"'power_mw' is no figure of designs here: {message}")
