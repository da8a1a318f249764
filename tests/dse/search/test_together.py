"""Groups at the same time in a search: fronts beside all whole designs, and what commands say of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, product
from pathlib import Path

import numpy as np
import pytest
from command_line import in_process
from explored import FEW_REGISTERS
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from plain_designs import front_of_points, group_designs
from strategies_spaces import spaces

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.ir.network import flatten
from dse.jobs.runner import JobRunner
from dse.results.consistency import require_consistent
from dse.search.context import SearchContext, SearchRequest
from dse.search.exact.exact import exact_seconds, search_exactly, tries_all_options
from dse.search.exact.exhaustive import search_exhaustively
from dse.search.figures import Columns, columns_of, objective_values
from dse.search.lower_bounds import least_objectives
from dse.space.mappings import MappingSpace
from dse.space.remarks import size_of
from dse.space.study import Study, parse_constraint
from hwmodel.cost_model.estimate import DesignEstimate
from hwmodel.cost_model.model import MachineModel
from hwmodel.cost_model.together import SERVICE
from hwmodel.design import Design
from hwmodel.platform import load_platform

SPEC = """\
elementary slow(x: i16[3]) -> (y: i16) { y = x[0] * x[0] + 5 * x[1] * x[2] }
elementary fast(x: i16[2]) -> (y: i16) { y = max(x[0], x[1]) }
task first(a: i16[*, 6]) -> (b: i16[*, 4]) {
  repeat [*, 4] of slow {
    x <- a at origin [0, 0] paving [1, 0; 0, 1] fitting [0; 1]
    y -> b
  }
}
task second(b: i16[*, 4]) -> (c: i16[*, 2]) {
  repeat [*, 2] of fast {
    x <- b at origin [0, 0] paving [1, 0; 0, 2] fitting [0; 1]
    y -> c
  }
}
task both(a: i16[*, 6]) -> (c: i16[*, 2]) { b = first(a) c = second(b) }
"""
NARROW = {
    "together": True,
    "styles": ["block"],
    "cuts": ["none"],
    "links": ["buffer"],
    "layouts": ["none"],
    "policies": ["reuse"],
    "units": [1, 2],
    "intervals": [1, 6],
}
FRAME, LATENCY, BITS = "frame_cycles", "latency_cycles", "internal_memory_bits"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("together")
    (folder / "both.aol").write_text(SPEC, encoding="utf-8")
    (folder / "both.toml").write_text(FEW_REGISTERS, encoding="utf-8")
    (folder / "turns.toml").write_text(FEW_REGISTERS.replace("latency = 3", "latency = 3\nturn = 9"), encoding="utf-8")
    return folder


def all_wholes(folder: Path, platform: str) -> list[DesignEstimate]:
    """Every plain whole design of one or two units, at every interval; with turns two groups that fit in one."""
    model = MachineModel(flatten(api.load(folder / "both.aol"), "both"), load_platform(folder / f"{platform}.toml"))
    space = MappingSpace(model, Study.model_validate(NARROW))
    choices = [list(group_designs(space, tasks, (1, 6))) for tasks in (("first",), ("second",), ("first", "second"))]
    of = dict(zip(every := list(chain(*choices)), model.estimates(every), strict=True))
    designs = [*product(*choices[:2]), *product(choices[2])]
    every = [model.whole(Design(own, together=len(own) > 1), [of[group] for group in own]) for own in designs]
    turn = model.platform.memory.turn
    return [one for one in every if not turn or (len(one.groups) == 2 and one.additive[SERVICE] <= turn)]


@pytest.fixture(scope="module")
def wholes(folder: Path) -> dict[str, list[DesignEstimate]]:
    return {platform: all_wholes(folder, platform) for platform in ("both", "turns")}


CASES: list[tuple[str, tuple[str, ...], dict[str, int], str]] = [
    ("both", (FRAME, BITS), {}, "exact"),
    ("turns", (FRAME, BITS), {}, "exact"),
    ("both", (LATENCY, "internal_memory_elements"), {}, "exhaustive"),
    ("turns", (FRAME, "units"), {}, "exhaustive"),
    ("both", (FRAME, LATENCY, "lut"), {}, "exact"),
    ("turns", ("energy_nj", LATENCY), {}, "exact"),
    ("both", ("energy_nj", BITS), {}, "exact"),
    ("both", (BITS, "lut"), {FRAME: 50}, "exact"),
    ("turns", (FRAME, "lut"), {LATENCY: 100}, "rounds"),
]


@pytest.mark.parametrize(("platform", "objectives", "bounds", "method"), CASES)
def test_fronts_are_those_of_all_whole_designs(
    folder: Path,
    wholes: dict[str, list[DesignEstimate]],
    platform: str,
    objectives: tuple[str, ...],
    bounds: dict[str, int],
    method: str,
) -> None:
    kept = [one for one in wholes[platform] if all(one.objective(name) <= bound for name, bound in bounds.items())]
    expected = front_of_points({tuple(round(one.objective(name), 5) for name in objectives) for one in kept})
    constraints = tuple(f"{name} <= {bound}" for name, bound in bounds.items())
    fusions = {"fusions": [[["first"], ["second"]]]} if platform == "turns" else {}  # one group would beat two
    study = Study.model_validate({**NARROW, "slack": 0, **fusions})
    space = api.Space(study, constraints=constraints, verify=False)
    path = folder / f"{platform}.toml"
    result = api.explore(folder / "both.aol", platform=path, objectives=objectives, method=method, space=space).result
    assert {tuple(round(design.objectives[name], 5) for name in objectives) for design in result.pareto} == expected
    require_consistent(result, "result.json")


@settings(max_examples=case_count(20))
@given(spaces(), st.sampled_from([(FRAME, BITS), (LATENCY, "units")]))
def test_exact_is_exhaustive(case: tuple[MappingSpace, Columns], objectives: tuple[str, ...]) -> None:
    space = replace(case[0], study=case[0].study.model_copy(update={"together": True, "reuse_memory": False}))
    limits = (parse_constraint("frame_cycles <= 200"),)
    columns = columns_of(objectives, limits, space.model, reuse_memory=False, known=space.figures)
    assume((size_of(space).whole_designs or 0) <= 4_000 and tries_all_options(space, columns))
    assume(exact_seconds(space, columns, 1.0) <= 1.0)
    context = SearchContext(space, columns)
    try:
        whole = search_exhaustively(context, SearchRequest(), JobRunner())
    except ArrayolError:  # the options of the study make too many
        assume(False)
    found = search_exactly(context, SearchRequest(), JobRunner())
    assert np.array_equal(found.front.values, whole.front.values)
    for row, values in enumerate(objective_values(columns, found.front.values).tolist()):
        estimate = space.model.evaluate(found.design(row))
        assert [estimate.objective(name) for name in objectives] == values
        assert all(least <= value for least, value in zip(least_objectives(space, columns), values, strict=True))


@pytest.fixture(scope="module")
def explored(folder: Path) -> Path:
    """A result whose groups work in blocks, or as streams, with the frame rate of a constraint."""
    study = (
        "together = true",
        'fusions = [[["first"], ["second"]]]',
        "units = [1]",
        "blocks = {first = [[1, 2]], second = [[1, 1]]}",
    )
    (folder / "study.toml").write_text("\n".join(study), encoding="utf-8")
    emitted = FEW_REGISTERS.replace("latency = 3", 'latency = 5\nburst = "run"')
    (folder / "emitted.toml").write_text(emitted, encoding="utf-8")
    options = (
        "--platform",
        "emitted.toml",
        "--study",
        "study.toml",
        "--objectives",
        f"{FRAME},{BITS}",
        "--out",
        "out",
        "--workers",
        1,
    )
    run(folder, "explore", "both.aol", *options, "--hardware", "--constraint", "frames_per_second >= 500000", "--quiet")
    return folder / "out"


def run(folder: Path, *words: object, code: int = 0) -> str:
    done = in_process(*map(str, words), cwd=folder, together=True)
    assert done.returncode == code, done.stdout
    return " ".join(done.stdout.split())


def test_designs_are_simulated_and_emitted(folder: Path, explored: Path) -> None:
    """Each group takes its steps in blocks or as a stream; the simulator says when it ends in a period."""
    result = api.load_result(explored)
    periods = {design.id: design.period for design in result.pareto}
    assert all(len(design.groups) == 2 and design.verified for design in result.pareto)
    assert not any(design.not_emitted for design in result.pareto)
    assert any(group.mapping.stream for design in result.pareto for group in design.groups if group.mapping)
    for name, period in periods.items():
        assert period is not None
        assert period.copies == {"a": 2, "b": 2, "c": 2}
        said = run(folder, "simulate", "both.aol", "--result", explored, "--design", name, "--in", "a=ramp")
        assert f"of the {period.cycles:,} cycles from frame to frame" in said
        assert f"{2 * period.cycles:,} cycles" in said
    first = next(iter(periods))
    options = ("--result", explored, "--design", first, "--out")
    said = run(folder, "emit", "verilog", "both.aol", *options, "v", "--check")
    assert "agrees: the same cycles in each frame, the outputs bit for bit" in said
    page = (folder / "v" / "README.md").read_text(encoding="utf-8")
    assert f"in periods of {periods[first].cycles:,} cycles" in page
    assert "`a` 2 copies of 3 words" in page
    run(folder, "emit", "hls", "both.aol", *options, "c")
    assert "a period" in (folder / "c" / "README.md").read_text(encoding="utf-8")


def test_a_period_that_was_changed_is_told(explored: Path) -> None:
    result = api.load_result(explored)
    design = result.pareto[0]
    assert design.period is not None
    for change in ({"cycles": design.period.cycles + 1}, {"port_cycles": (*design.period.port_cycles, 1)}):
        other = design.model_copy(update={"period": design.period.model_copy(update=change)})
        with pytest.raises(ArrayolError, match="period"):
            require_consistent(result.model_copy(update={"pareto": (other, *result.pareto[1:])}), "result.json")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("reuse_memory = true", "groups that run at the same time cannot share their local memory"),
        (
            '[array.a]\nbuffers = ["single"]',
            "'array.a' cannot have a single buffer in groups that run at",
        ),
    ],
)
def test_what_groups_at_the_same_time_cannot_have(folder: Path, line: str, told: str) -> None:
    (folder / "wrong.toml").write_text(f"together = true\n{line}\n", encoding="utf-8")
    said = run(folder, "explore", "both.aol", "--study", "wrong.toml", "--out", "x", code=1)
    assert f"[study-misfit]: {told}" in said


def test_power_is_no_figure_of_them(folder: Path) -> None:
    (folder / "power.toml").write_text("together = true\n", encoding="utf-8")
    options = ("--study", "power.toml", "--objectives", "power_mw", "--out", "x")
    told = "'power_mw' is no figure of groups that run at the same time"
    assert told in run(folder, "explore", "both.aol", *options, code=2)
