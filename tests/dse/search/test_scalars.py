"""Values of rank 0 and elementaries called directly are explored as all else is: by every method, and simulated."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from hypothesis import strategies as st
from many_cases import full_count, on_many
from spec_data import loaded
from strategies_scalars import scalar_specs
from strategies_transforms import LinkedSpec

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.ir.spec import Spec
from dse.search.context import METHODS, PARTITION
from dse.space.study import Study

CASES, SEED = 12, 1  # of the seeds tried, one with all features
FEATURES = {
    "array of a scalar", "called directly", "fold to a scalar", "no task", "only scalars", "scalar between tasks",
    "scalar input", "scalar into a called elementary", "scalar output", "scalar to all repetitions",
}  # fmt: skip
OF_MAPPINGS = tuple(method for method in METHODS if method != PARTITION)
WHOLE_FRONT = ("exhaustive", "exact")
PLAIN = api.Space(narrow=True, verify=True)
SPACES = (api.Space(verify=True), api.Space(Study(units=(1,)), verify=True), PLAIN)
Point = tuple[int | float, ...]


def front(spec: Spec, space: api.Space, method: str) -> frozenset[Point] | None:
    """The points of a front of which every design was simulated; None where the method does not serve."""
    try:
        result = api.explore(spec, space=space, method=method, budget=1).result
    except ArrayolError as refusal:
        if refusal.diagnostics[0].code != "method-refused":
            raise
        return None
    assert all(design.verified for design in result.pareto)
    return frozenset(tuple(design.objectives.values()) for design in result.pareto)


def test_every_method_explores_networks_with_scalars() -> None:
    features, methods = Counter[str](), Counter[str]()

    def judge(case: LinkedSpec, method: str, space: api.Space) -> None:
        spec = loaded(case.text)
        found = front(spec, space, method)
        if space is PLAIN and method in WHOLE_FRONT and found is not None:
            assert found == front(spec, PLAIN, "exact")
        features.update(case.features)
        methods[method] += found is not None

    on_many(full_count(CASES), SEED, judge, scalar_specs(most=2), st.sampled_from(OF_MAPPINGS), st.sampled_from(SPACES))
    assert features.keys() >= FEATURES, features
    assert methods.keys() == {*OF_MAPPINGS}


def test_the_result_of_one_elementary_without_a_task_opens(tmp_path: Path) -> None:
    path = tmp_path / "total.aol"
    path.write_text("elementary total(x: u8[4]) -> (y: u16) {\n  y += u16(x[k])  for k in 0..4\n}\n", encoding="utf-8")
    found = api.explore(path, space=PLAIN)
    assert found.result.top == "total"
    api.write_result(found, tmp_path / "result", report=False)
    opened = api.open_design(path, tmp_path / "result", found.result.pareto[0].id)
    assert opened.accesses.extents("total") == (1,)
