"""Groups that share their local memory: what holds arrays that are loaded once adds up, the rest is the largest."""

from __future__ import annotations

from itertools import chain, product
from pathlib import Path
from statistics import median

import pytest
from explored import FEW_REGISTERS
from plain_designs import front_of_points, group_designs

from arrayol import api
from arrayol.errors import ArrayolError, InfeasibleError
from arrayol.ir.network import flatten
from dse.results.consistency import require_consistent
from dse.space.mappings import MappingSpace
from dse.space.study import Study
from hwmodel.cost_model.estimate import DesignEstimate
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Design
from hwmodel.platform import load_platform

SPEC = """\
elementary far(x: i16[3], k: i16[12]) -> (y: i16) { y = x[0] * k[0] + x[1] * k[5] + x[2] * k[11] }
elementary near(x: i16[2], w: i16[40]) -> (y: i16) { y = max(x[0] + w[7], x[1] + w[39]) }
task first(a: i16[*, 10], k: i16[12]) -> (b: i16[*, 8]) {
  repeat [*, 8] of far {
    x <- a at origin [0, 0] paving [1, 0; 0, 1] fitting [0; 1]
    k <- k
    y -> b
  }
}
task second(b: i16[*, 8], w: i16[40]) -> (c: i16[*, 4]) {
  repeat [*, 4] of near {
    x <- b at origin [0, 0] paving [1, 0; 0, 2] fitting [0; 1]
    w <- w
    y -> c
  }
}
task both(a: i16[*, 10], k: i16[12], w: i16[40]) -> (c: i16[*, 4]) { b = first(a, k) c = second(b, w) }
"""
NARROW = {
    "styles": ["block"],
    "cuts": ["none"],
    "links": ["buffer"],
    "layouts": ["none"],
    "policies": ["reuse"],
    "units": [1, 2],
    "intervals": [1, 2, 3],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shared")
    (folder / "both.aol").write_text(SPEC, encoding="utf-8")
    (folder / "both.toml").write_text(FEW_REGISTERS, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def wholes(folder: Path) -> list[DesignEstimate]:
    """Every plain whole design of one or two units, at every interval."""
    model = MachineModel(flatten(api.load(folder / "both.aol"), "both"), load_platform(folder / "both.toml"))
    space = MappingSpace(model, Study.model_validate(NARROW))
    choices = [list(group_designs(space, tasks, (1, 2, 3))) for tasks in (("first",), ("second",), ("first", "second"))]
    of = dict(zip(every := list(chain(*choices)), model.estimates(every), strict=True))
    designs = [*product(*choices[:2]), *product(choices[2])]
    return [model.whole(Design(own), [of[group] for group in own], reuse_memory=True) for own in designs]


def test_what_is_loaded_once_adds_up(wholes: list[DesignEstimate]) -> None:
    several = [one for one in wholes if len(one.groups) == 2]
    for one in several:
        for size, figure in (("data", "internal_memory_elements"), ("bits", "internal_memory_bits")):
            kept = [
                sum(getattr(memory, size) for memory in group.memories if memory.kind == "once") for group in one.groups
            ]
            own = [getattr(group, figure) for group in one.groups]
            assert min(kept) > 0
            expected = max(all_ - stays for all_, stays in zip(own, kept, strict=True)) + sum(kept)
            assert getattr(one, figure) == expected
            assert max(own) < expected < sum(own)
    assert several


def test_a_bound_that_nothing_keeps_is_told_with_the_least(folder: Path, wholes: list[DesignEstimate]) -> None:
    space = api.Space(
        Study.model_validate(NARROW), constraints=("internal_memory_bits <= 10",), reuse_memory=True, verify=False
    )
    with pytest.raises(InfeasibleError) as caught:
        api.explore(folder / "both.aol", objectives=("latency_cycles",), space=space)
    least = min(one.internal_memory_bits for one in wholes)
    assert caught.value.diagnostics[0].message == (
        f"no design of 'both' keeps all constraints: internal_memory_bits <= 10 is asked, the least is {least:,}"
    )


CASES: list[tuple[tuple[str, ...], tuple[str, ...], str]] = [
    (("latency_cycles", "internal_memory_bits"), (), "exact"),
    (("latency_cycles", "internal_memory_elements"), (), "exhaustive"),
    (("latency_cycles", "internal_memory_bits"), (), "exhaustive"),
    (("latency_cycles", "memory_blocks", "lut"), (), "exact"),
    (("latency_cycles", "lut"), ("internal_memory_bits",), "exact"),
    (("lut",), ("internal_memory_elements", "latency_cycles"), "exhaustive"),
]


@pytest.mark.parametrize(("objectives", "bounded", "method"), CASES)
def test_fronts_are_those_of_all_whole_designs(
    folder: Path, wholes: list[DesignEstimate], objectives: tuple[str, ...], bounded: tuple[str, ...], method: str
) -> None:
    bounds = {name: int(median(one.objective(name) for one in wholes)) for name in bounded}
    kept = [one for one in wholes if all(one.objective(name) <= bound for name, bound in bounds.items())]
    expected = front_of_points({tuple(round(one.objective(name), 6) for name in objectives) for one in kept})
    constraints = tuple(f"{name} <= {bound}" for name, bound in bounds.items())
    space = api.Space(Study.model_validate(NARROW), constraints=constraints, reuse_memory=True, verify=False)
    result = api.explore(folder / "both.aol", objectives=objectives, method=method, space=space).result
    assert {tuple(round(design.objectives[name], 6) for name in objectives) for design in result.pareto} == expected
    require_consistent(result, "result.json")


def test_a_state_from_frame_to_frame_is_not_shared(tmp_path: Path) -> None:
    path = tmp_path / "mean.aol"
    path.write_text("""\
elementary mean(x: i16, old: i16) -> (y: i16) { y = (x + 3 * old) // 4 }
task top(x: i16[*, 6]) -> (y: i16[*, 6]) {
  repeat [*, 6] of mean {
    x <- x
    old <- y delay [STEP] else 0
    y -> y
  }
}
""")
    text = path.read_text()
    for step, is_refused in (("1, 0", True), ("0, 1", False)):
        path.write_text(text.replace("STEP", step))
        space = api.Space(Study.model_validate(NARROW), reuse_memory=True, verify=False)
        if not is_refused:
            assert api.explore(path, space=space).result.pareto
            continue
        with pytest.raises(ArrayolError) as caught:
            api.explore(path, space=space)
        (told,) = caught.value.diagnostics
        assert told.code == "study-misfit"
        assert told.message == "'top' keeps 'y' from frame to frame, in memory that no other group can share"
