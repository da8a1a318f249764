"""Fronts of energies, which are no sums of groups' figures, beside every whole design evaluated by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from statistics import median

import pytest

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.ir.network import flatten
from dse.space.mappings import MappingSpace
from dse.space.study import Study
from hwmodel.design import Blocks, Design, GroupDesign, Processor
from hwmodel.machine.estimate import DesignEstimate
from hwmodel.machine.model import MachineModel
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
NARROW = {"cuts": ["none"], "links": ["buffer"], "layouts": ["none"], "policies": ["reuse"], "units": [1, 2]}


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Platform:
    monkeypatch.chdir(tmp_path)
    for name, text in (("both.aol", SPEC), ("both.toml", PLATFORM), ("parts.toml", PARTS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return load_platform(tmp_path / "both.toml")


def _wholes(model: MachineModel, *, reuse_memory: bool) -> Iterator[DesignEstimate]:
    """Every plain whole design of one or two units, at every interval."""
    space = MappingSpace(model, Study.model_validate(NARROW))
    processes = model.network.processes
    fusions = ((("first",), ("second",)), (("first", "second"),))
    for fusion in fusions:
        choices = [list(_groups(space, group, processes)) for group in fusion]
        for groups in product(*choices):
            yield model.evaluate(Design(tuple(groups)), reuse_memory=reuse_memory)


def _groups(space: MappingSpace, tasks: tuple[str, ...], processes: Mapping) -> Iterator[GroupDesign]:
    platform = space.model.platform
    rates = [list(product((1, 2), platform.intervals(processes[task]))) for task in tasks]
    for blocks, chosen in product(space.blocks(tasks[-1]), product(*rates)):
        processors = tuple(Processor(task, units, None, at) for task, (units, at) in zip(tasks, chosen, strict=True))
        design = GroupDesign(processors, Blocks(blocks.shape, blocks.scan))
        try:
            space.model.exact(design)
        except ArrayolError:
            continue
        yield design


def _front(points: set[tuple[float, ...]]) -> set[tuple[float, ...]]:
    def beaten(point: tuple[float, ...]) -> bool:
        return any(other != point and all(a <= b for a, b in zip(other, point, strict=True)) for other in points)

    return {point for point in points if not beaten(point)}


def _explored(objectives: tuple[str, ...], constraints: tuple[str, ...], method: str, *, reuse_memory: bool) -> set:
    intervals = {"intervals": [1, 2, 3, 4]} if "intervals" in Study.model_fields else {}
    space = api.Space(
        Study.model_validate({**NARROW, **intervals}), constraints=constraints, reuse_memory=reuse_memory, verify=False
    )
    result = api.explore("both.aol", objectives=objectives, method=method, space=space).result
    return {tuple(round(design.objectives[name], 6) for name in objectives) for design in result.pareto}


@pytest.mark.parametrize("reuse_memory", [False, True])
@pytest.mark.parametrize("method", ["exact", "exhaustive", "partition"])
@pytest.mark.parametrize(
    ("objectives", "bounded"),
    [
        (("energy_nj", "latency_cycles"), ()),
        (("lut", "energy_nj"), ("frame_cycles",)),
        (("power_mw",), ()),
        (("power_mw", "lut"), ("frame_cycles",)),
        (("latency_cycles",), ("energy_nj",)),
        (("lut",), ("power_mw", "frame_cycles")),
    ],
)
def test_fronts_are_those_of_all_whole_designs(
    board: Platform, objectives: tuple[str, ...], bounded: tuple[str, ...], method: str, reuse_memory: bool
) -> None:
    model = MachineModel(flatten(api.load("both.aol"), "both"), board)
    wholes = list(_wholes(model, reuse_memory=reuse_memory))
    bounds = {name: round(median(one.objective(name) for one in wholes), 4) for name in bounded}
    kept = [one for one in wholes if all(one.objective(name) <= bound for name, bound in bounds.items())]
    assert 0 < len(kept) < len(wholes) or not bounds
    expected = _front({tuple(round(one.objective(name), 6) for name in objectives) for one in kept})
    constraints = tuple(f"{name} <= {bound}" for name, bound in bounds.items())
    assert _explored(objectives, constraints, method, reuse_memory=reuse_memory) == expected
