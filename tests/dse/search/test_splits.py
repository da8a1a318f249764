"""Splits of sums as a choice of designs: the front is that of all networks that the splits make."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.transforms.steps import canonical_form
from dse.output.folder import load_result
from dse.output.report.document import report_document
from dse.output.report.sources import open_origin
from dse.output.writing import designs_csv
from dse.pareto.fronts import non_dominated
from dse.results.compare import values_of
from dse.results.consistency import require_consistent
from dse.results.designs import Design
from dse.results.schema import Result
from dse.search.context import SearchContext, Searched
from dse.search.methods import search
from dse.search.shown import variants
from dse.space.networks.splits import split_networks
from dse.space.study import Study
from hwmodel.cost_model.model import MachineModel
from hwmodel.platform import load_platform

# Two tasks in a row, a sum in each; of the second a part follows the sum.
TEXT = """\
const K = 16
elementary dot(x: i8[K], w: i8[K]) -> (y: i32) { y += i32(x[k]) * w[k]  for k in 0..K }
elementary scaled(x: i32[4], w: i8[K]) -> (y: i32) {
  y = 0
  y += x[i] + w[j]  for i in 0..4, j in 0..K
  y = y >> 2
}
task rows(a: i8[4, K], b: i8[K]) -> (c: i32[4]) {
  repeat [4] of dot { x <- a at origin [0, 0] paving [1; 0] fitting [0; 1]  w <- b  y -> c }
}
task ends(c: i32[4], b: i8[K]) -> (d: i32[3]) {
  repeat [3] of scaled { x <- c at origin [0] paving [0] fitting [1]  w <- b  y -> d }
}
task top(a: i8[4, K], b: i8[K]) -> (d: i32[3]) {
  c = rows(a, b)
  d = ends(c, b)
}
"""
PLATFORM = """\
clock_mhz = 100
technology = "ecp5-6"
[memory]
latency = 5
data_per_word = 2
port = "shared"
[local]
banks = 2
"""
REDUCED = """\
[verify]
K = 8
"""
SPLITS = {"rows": {"k": [4]}, "ends": {"j": [8, 2]}}
STEPS = [("split rows k 4",), ("split ends j 8",), ("split ends j 2",)]
STEPS += [(*ends, *rows) for ends in STEPS[1:] for rows in STEPS[:1]]
OBJECTIVES = ("latency_cycles", "internal_memory_bits")
ENDS, ROWS = "split ends j 4", "split rows k 4"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("splits")
    (made / "t.aol").write_text(TEXT, encoding="utf-8")
    (made / "t.toml").write_text(PLATFORM + REDUCED, encoding="utf-8")
    (made / "whole.toml").write_text(PLATFORM, encoding="utf-8")
    return made


def explored(path: Path, splits: Any, **asked: Any) -> api.Exploration:
    narrow = {"policies": ["reuse"], "cuts": ["none"], "links": ["buffer"], "layouts": ["none"], "intervals": [1]}
    study = Study.model_validate({"units": [1], **narrow, "splits": splits})
    asked = {"objectives": OBJECTIVES, **asked}
    space = api.Space(study, verify=asked.pop("verify", False))
    platform = path.parent / ("t.toml" if path.stem == "t" else "whole.toml")
    return api.explore(path, platform, space=space, top="top", **asked)


def points(designs: Iterable[Design]) -> set[tuple[float, ...]]:
    """Of the designs that no other one beats."""
    values = values_of(tuple(designs), OBJECTIVES)
    return {tuple(values[row].tolist()) for row in non_dominated(values)}


@pytest.fixture(scope="module")
def stored(folder: Path) -> Path:
    api.write_result(explored(folder / "t.aol", SPLITS, verify=True), folder / "result")
    return folder / "result"


@pytest.fixture(scope="module")
def result(stored: Path) -> Result:
    return load_result(stored)


@pytest.fixture(scope="module")
def apart(folder: Path) -> list[Design]:
    """The fronts of the specifications that `transform` makes, and that of the one as it is."""
    spec, found = api.load(folder / "t.aol"), list(explored(folder / "t.aol", "none").result.pareto)
    for number, steps in enumerate(STEPS):
        path = folder / f"split{number}.aol"
        path.write_text(api.spec_text(api.transform(spec, list(steps)).spec), encoding="utf-8")
        found += explored(path, "none").result.pareto
    return found


@pytest.mark.parametrize("method", ["exact", "exhaustive", "rounds"])
def test_the_front_is_that_of_all_transformed_specifications(folder: Path, apart: list[Design], method: str) -> None:
    found = explored(folder / "t.aol", SPLITS, method=method).result
    assert points(found.pareto) == points(apart)
    assert len(found.pareto) == len(points(found.pareto))
    assert {design.splits for design in found.pareto} > {()}
    assert sorted(one.steps for one in found.space.splits) == sorted(STEPS)
    require_consistent(found, "here")


def test_tables_of_a_network_do_not_stand_beside_those_of_the_next(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = list[tuple[str, MachineModel]]()
    forget = MachineModel.forget_tables

    def searched(context: SearchContext, *asked: Any) -> Searched:
        events.append(("search", context.space.model))
        return search(context, *asked)

    def forgot(model: MachineModel) -> None:
        events.append(("forget", model))
        forget(model)

    monkeypatch.setattr(variants, "search", searched)
    monkeypatch.setattr(MachineModel, "forget_tables", forgot)
    explored(folder / "t.aol", SPLITS, method="exact")
    first = events[: 2 * len(STEPS)]  # those of the last one are used when its designs are described
    assert [what for what, _ in first] == ["search", "forget"] * len(STEPS)
    assert all(before is after for (_, before), (_, after) in zip(first[::2], first[1::2], strict=True))
    assert events[len(first)][0] == "search"
    assert {model for what, model in events[len(first) :] if what == "forget"} >= {model for _, model in events}


@pytest.mark.parametrize("figures", [("traffic_bytes", "internal_memory_bits"), ("traffic_bytes", "latency_cycles")])
def test_sums_are_split_term_by_term_where_data_alone_are_compared(folder: Path, figures: tuple[str, ...]) -> None:
    spec = api.load(folder / "t.aol")
    form, platform = canonical_form(spec, "top"), load_platform(folder / "t.toml")
    networks = split_networks(form, Study(), platform, figures)
    if "latency_cycles" in figures:
        assert {splits for splits, _ in networks} == {(ROWS,), (ENDS,), (ENDS, ROWS)}
        return
    ((splits, network),) = networks
    assert splits == ("split ends j 1", "split rows k 1")
    assert {process.repetition for process in network.processes.values()} >= {(4, 16), (3, 16)}


def test_designs_are_simulated_at_the_reduced_size(result: Result) -> None:
    split = [design for design in result.pareto if design.splits]
    assert split
    assert all(design.verified for design in split)
    assert {design.verification for design in split} == {"simulated at the reduced size K = 8"}


def test_a_stored_design_is_opened_simulated_and_transformed(folder: Path, stored: Path, result: Result) -> None:
    design = next(one for one in result.pareto if one.splits and one.steps)
    assert design.steps[: len(design.splits)] == design.splits
    opened = api.open_design(folder / "t.aol", stored, design.id)
    rng = np.random.default_rng(1)
    data = {"a": rng.integers(-9, 9, (4, 16)).astype("i1"), "b": rng.integers(-9, 9, 16).astype("i1")}
    simulated = opened.simulate(data)
    simulated.require_agreement()
    wanted = api.run(folder / "t.aol", data)["d"]
    assert np.array_equal(simulated.simulation.outputs["d"], wanted)
    transformed = api.transform_design(folder / "t.aol", stored, design.id)
    assert np.array_equal(api.run(transformed.spec, data)["d"], wanted)


def test_tables_reports_and_picks_tell_splits(folder: Path, stored: Path, result: Result) -> None:
    design = next(one for one in result.pareto if one.splits)
    text = "; ".join(design.splits)
    row = next(line for line in designs_csv(result).splitlines() if line.startswith(f"{design.id},"))
    assert row.endswith(f",{text}")
    document = report_document(result, stored, open_origin(result, stored))
    assert set(document["split"]) == {"; ".join(one.splits) for one in result.pareto if one.splits}
    network = document["split"][text]["network"]
    assert set(network["tasks"]) == {task for group in design.fusion for task in group}
    assert all("timeline" in group for group in document["groups"])
    assert not document["remarks"]


def test_the_default_splits_sums_of_sixteen_terms(folder: Path) -> None:
    found = explored(folder / "t.aol", "ladder").result
    assert [one.steps for one in found.space.splits] == [("split rows k 4",), ("split ends j 4",), STEPS_OF_BOTH]
    remark = (
        "sums are also split, in 3 networks beside the unsplit one: 'split rows k 4' and 'split ends j 4'; splits = "
    )
    assert f'{remark}"none" in a study leaves them out' in found.remarks
    assert "in each of 4 networks, by splits of sums" in found.method_description
    assert not explored(folder / "t.aol", "none").result.space.splits
    narrow = api.explore(folder / "t.aol", folder / "t.toml", top="top", space=api.Space(narrow=True, verify=False))
    assert not narrow.result.space.splits


NOT_DIVIDED = "5 does not divide the 16 iterations of 'k' in 'dot'"
STEPS_OF_BOTH = ("split ends j 4", "split rows k 4")


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        ({"row": {"k": [4]}}, "'splits' names 'row', which is no task here"),
        (
            {"rows": {"k": [5]}},
            f"'split rows k 5', which 'splits.rows' asks for, cannot be made: {NOT_DIVIDED}",
        ),
        (
            {"rows": {"n": [4]}},
            "'split rows n 4', which 'splits.rows' asks for, cannot be made: there is no range 'n' in 'dot'",
        ),
    ],
)
def test_other_splits_are_refused(folder: Path, splits: Any, message: str) -> None:
    with pytest.raises(ArrayolError) as refusal:
        explored(folder / "t.aol", splits)
    (mistake,) = refusal.value.diagnostics
    assert (mistake.code, mistake.message) == ("study-misfit", message)


@pytest.mark.parametrize("splits", ["all", ["rows"], {"rows": [4]}, {"rows": {"k": [0]}}, {"rows": {"k": 4}}])
def test_other_words_are_no_splits(splits: Any) -> None:
    with pytest.raises(ValidationError):
        Study.model_validate({"splits": splits})


def test_what_a_study_says_of_tasks_counts_where_they_are(folder: Path) -> None:
    """Tables by tasks and fusions that a network does not have say nothing there."""
    study = Study.model_validate(
        {"units": [1], "splits": SPLITS, "blocks": {"rows": [[2]]}, "fusions": [[["rows"], ["ends"]]]}
    )
    space = api.Space(study, verify=False)
    found = api.explore(folder / "t.aol", folder / "t.toml", top="top", space=space, method="exact").result
    assert [one.steps for one in found.space.splits] == []


def test_changed_splits_are_told(folder: Path, result: Result) -> None:
    design = next(one for one in result.pareto if one.splits)
    changed = design.model_copy(update={"splits": ("split rows k 2",)})
    designs = tuple(changed if one.id == design.id else one for one in result.pareto)
    with pytest.raises(ArrayolError, match="and its space"):
        require_consistent(result.model_copy(update={"pareto": designs}), "here")
