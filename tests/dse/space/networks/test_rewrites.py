"""Arrays that streams pass on in another way, as a choice of designs: networks, fronts, stored designs, mistakes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.transforms.steps import canonical_form
from dse.results.consistency import require_consistent
from dse.space.mappings import MappingSpace
from dse.space.networks.rewrites import rewritten_networks
from dse.space.study import Study
from hwmodel.cost_model.model import MachineModel
from hwmodel.platform import default_platform

# A picture enlarged in blocks, blurred along its rows and its columns; and the sum of both blurs.
TEXT = """\
elementary twice(x: u8) -> (y: u8[2, 2]) { y[i, j] = x  for i in 0..2, j in 0..2 }
elementary mean(x: u8[3]) -> (y: u8) { y = u8((u16(x[0]) + x[1] + x[2]) // 3) }
elementary plus(a: u8, b: u8) -> (y: u8) { y = a + b }
task larger(i: u8[3, 4]) -> (a: u8[6, 8]) {
  repeat [3, 4] of twice { x <- i  y -> a at origin [0, 0] paving [2, 0; 0, 2] fitting [1, 0; 0, 1] }
}
task rows(a: u8[6, 8]) -> (b: u8[6, 8]) {
  repeat [6, 8] of mean { x <- a at origin [0, -1] paving [1, 0; 0, 1] fitting [0; 1] else nearest  y -> b }
}
task columns(b: u8[6, 8]) -> (c: u8[6, 8]) {
  repeat [6, 8] of mean { x <- b at origin [-1, 0] paving [1, 0; 0, 1] fitting [1; 0] else nearest  y -> c }
}
"""
PLAIN = """\
task plain(i: u8[3, 4]) -> (c: u8[6, 8]) {
  a = larger(i)
  b = rows(a)
  c = columns(b)
}
"""
BOTH = """\
task sums(b: u8[6, 8], c: u8[6, 8]) -> (d: u8[6, 8]) {
  repeat [6, 8] of plus { a <- b  b <- c  y -> d }
}
task both(i: u8[3, 4]) -> (d: u8[6, 8]) {
  a = larger(i)
  b = rows(a)
  c = columns(b)
  d = sums(b, c)
}
"""
OBJECTIVES = ("latency_cycles", "internal_memory_bits", "lut")
PLAIN_STREAMS = {"paces": ["1"], "starts": ["latency"], "orders": ["0,1"], "chunks": [48]}
NO_ELEMENTS = "'larger' does not make one element of 'a' for each repetition, at its index"
SERIAL, AGAIN = "serial larger a", "again rows columns"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("rewrites")
    for name, top in (("plain", PLAIN), ("both", BOTH)):
        (made / f"{name}.aol").write_text(TEXT + top, encoding="utf-8")
    return made


def steps_of(folder: Path, top: str, study: Mapping[str, Any]) -> list[tuple[str, ...]]:
    form = canonical_form(api.load(folder / f"{top}.aol"), top)
    return [steps for steps, _ in rewritten_networks(form, Study.model_validate(dict(study)))]


@pytest.mark.parametrize(
    ("top", "study", "steps"),
    [
        ("plain", {}, []),
        ("plain", {"serial": "auto"}, [(SERIAL,)]),
        ("plain", {"again": "auto"}, [(AGAIN,)]),
        ("plain", {"again": "auto", "styles": ["block"]}, []),
        ("plain", {"serial": ["a"], "again": ["b"]}, [(AGAIN,), (SERIAL,), (SERIAL, AGAIN)]),
        ("both", {"again": "auto"}, []),
        ("both", {"again": ["b"]}, [(AGAIN, "again rows sums")]),
        ("both", {"again": ["c"]}, [("again columns sums",)]),
    ],
)
def test_networks(folder: Path, top: str, study: Mapping[str, Any], steps: list[tuple[str, ...]]) -> None:
    assert steps_of(folder, top, study) == steps


@pytest.mark.parametrize(
    ("study", "message"),
    [
        ({"serial": ["e"]}, "'serial' names 'e', which no task here makes"),
        ({"serial": ["i"]}, "'serial' names 'i', which no task here makes"),
        ({"serial": ["a"], "styles": ["block"]}, "'serial' is of streams, and the study has none"),
        ({"again": ["a"]}, f"'a', which 'again' lists, cannot be: {NO_ELEMENTS}"),
    ],
)
def test_mistakes(folder: Path, study: Mapping[str, Any], message: str) -> None:
    with pytest.raises(ArrayolError) as refused:
        steps_of(folder, "plain", study)
    (found,) = refused.value.diagnostics
    assert (found.code, found.message) == ("study-misfit", message)


def test_their_groups_are_streams(folder: Path) -> None:
    form, study = canonical_form(api.load(folder / "plain.aol"), "plain"), Study(serial=["a"])
    model = MachineModel(form.network, default_platform())
    variants = MappingSpace(model, study, (), rewritten_networks(form, study)).variants
    assert [(one.splits, one.study.has_blocks) for one in variants] == [((), True), ((SERIAL,), False)]


def test_one_front_has_designs_of_all_networks(folder: Path, tmp_path: Path) -> None:
    path = folder / "plain.aol"
    asked = {"styles": ["stream"], "serial": ["a"], "again": ["b"], **PLAIN_STREAMS}
    found = api.explore(path, space=api.Space(Study.model_validate(asked), verify=True), objectives=OBJECTIVES)
    require_consistent(found.result, "here")
    assert found.result.exact
    assert (SERIAL,) in {design.splits for design in found.result.pareto}
    assert {one.steps for one in found.result.space.splits} == {(AGAIN,), (SERIAL,), (SERIAL, AGAIN)}
    assert all(design.verified for design in found.result.pareto)
    api.write_result(found, tmp_path / "result")
    design = next(one for one in found.result.pareto if one.splits)
    data = {"i": np.arange(12, dtype=np.uint8).reshape(3, 4)}
    simulated = api.open_design(path, tmp_path / "result", design.id).simulate(data)
    simulated.require_agreement()
    assert np.array_equal(simulated.simulation.outputs["c"], api.run(path, data)["c"])


def test_rounds_evaluate_all_of_them(folder: Path) -> None:
    shapes = {"larger": [[3, 4]], "rows": [[6, 8]], "columns": [[6, 8]]}
    narrow = {"policies": ["reuse"], "cuts": ["none"], "links": ["buffer"], "layouts": ["none"], "units": [1]}
    asked = {**narrow, **PLAIN_STREAMS, "blocks": shapes, "serial": "auto"}
    space = api.Space(Study.model_validate(asked), verify=False)
    found = api.explore(folder / "plain.aol", method="rounds", space=space, objectives=OBJECTIVES)
    assert found.result.exact
    assert {design.splits for design in found.result.pareto} == {(), (SERIAL,)}
    assert f"streams also pass arrays on in another way, in 1 network: '{SERIAL}'" in found.result.remarks
