"""The search in rounds: what it holds on spaces too large for others, what the budget decides, and its parts."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrayol import api
from arrayol.arrays import IntArray
from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from dse.jobs.jobs import SEARCHING
from dse.jobs.runner import JobRunner
from dse.pareto.boxes import box_rows
from dse.search import machine
from dse.search.context import SearchRequest
from dse.search.rounds import neighbourhood, settled
from dse.search.rounds.portions import WorkQueue
from dse.search.rounds.schedule import ROUNDS, Schedule
from dse.search.rounds.search import LEAST_PIECE, ROUNDS_TO, search_in_rounds
from dse.search.shown.variants import contexts_of
from dse.space.mappings import MappingSpace
from dse.space.rates import balanced
from dse.space.study import Study, narrowed
from dse.space.task_graph import bits
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import interval_of, rate_of, units_of
from hwmodel.platform import find_platform

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))
from graphs import GRAPHS, Graph, chain, fork, lanes

NARROW = api.Space(narrow=True, verify=False)
PLATFORM = shipped_folder() / "platforms" / "default.toml"
PAIR = ("latency_cycles", "internal_memory_elements")


def small(graph: Graph) -> str:
    """Its text, of a small frame."""
    return replace(graph, frame=(24, 36)).text("graph")


def explored(text: str, folder: Path, budget: float = 4.0, workers: int = 1) -> api.Exploration:
    path = folder / "graph.aol"
    path.write_text(text)
    resources = api.Resources(workers)
    return api.explore(api.load(path), PLATFORM, space=NARROW, method="auto", budget=budget, resources=resources)


def test_parallel_branches_come_back(tmp_path: Path) -> None:
    """14 of them make 2^14 groups, more than are listed; fused whole they move least."""
    result = explored(small(fork(14)), tmp_path).result
    assert result.method == "rounds"
    assert "more than 20,000 groups" in result.method_reason
    assert not result.exact
    assert "intervals of 16 orders" in result.method_description
    assert {1, 16} <= {len(one.fusion) for one in result.pareto}
    assert len(result.pareto) > 4


def test_all_priced_is_the_exact_front(tmp_path: Path) -> None:
    """Where all rounds end, options included, nothing is left that the exact search of the same blocks has."""
    path = tmp_path / "graph.aol"
    path.write_text(replace(chain(2), frame=(3, 4)).text("graph"))
    space = api.Space(study=Study(blocks="ladder", units=(1,), policies=("reuse", "tile")), verify=False)
    rounds, exact = (
        api.explore(api.load(path), PLATFORM, space=space, method=method, objectives=PAIR, budget=120.0).result
        for method in ("rounds", "exact")
    )
    assert rounds.exact
    assert exact.exact
    assert rounds.complete
    assert "everything was evaluated" in rounds.method_description
    assert [pair_of(one) for one in rounds.pareto] == [pair_of(one) for one in exact.pareto]


def test_dimensions_of_one_index_are_outermost(tmp_path: Path) -> None:
    """Of a frame of one line only the last round has lines inside columns, and the front is that of all scans."""
    path = tmp_path / "graph.aol"
    path.write_text(replace(chain(2), frame=(1, 4)).text("graph"))
    study = Study(blocks="ladder", units=(1, 2), policies=("reuse", "tile"))
    spec = load_checked(path)
    model = MachineModel(flatten(spec, choose_top(spec, None)), find_platform(path, PLATFORM)[0])
    space = MappingSpace(model, study)
    last = space.tasks(space.graph.all)[-1]
    inside = {scan.dimensions for scan, _ in space.structures(last)}
    assert inside == {(0, 1), (1, 0)}
    for number in range(len(ROUNDS) - 1):
        assert {scan.dimensions for scan, _ in Schedule(space).upto(last, number)} == {(0, 1)}
    wanted = api.Space(study=study, verify=False)
    rounds, exact = (
        api.explore(api.load(path), PLATFORM, space=wanted, method=method, objectives=PAIR, budget=120.0).result
        for method in ("rounds", "exact")
    )
    assert rounds.exact
    assert [pair_of(one) for one in rounds.pareto] == [pair_of(one) for one in exact.pareto]


def pair_of(design: Any) -> list[float]:
    return [design.objectives[name] for name in PAIR]


def test_the_clock_ends_it_and_is_named(tmp_path: Path) -> None:
    path = tmp_path / "graph.aol"
    path.write_text(small(lanes(3, 2)))
    result = api.explore(api.load(path), PLATFORM, space=NARROW, method="rounds", timeout=1e-6).result
    assert not result.complete
    assert not result.exact
    assert "then the time of 1e-06 s was over" in result.method_description
    assert result.pareto


class Interrupted:
    """Reports, the third of which is interrupted."""

    def __init__(self) -> None:
        self.left = 3

    def __call__(self, progress: Any) -> None:
        if progress.phase == SEARCHING:
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt


def test_an_interrupt_leaves_the_front_so_far_and_resume_goes_on(tmp_path: Path, monkeypatch: Any) -> None:
    """The resumed exploration has the bytes of one that was never interrupted."""
    monkeypatch.setattr(machine, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(machine, "WRITE_SECONDS", 0.0)
    monkeypatch.setattr(machine, "_REST", 0)
    path, folder = tmp_path / "graph.aol", tmp_path / "result"
    path.write_text(small(lanes(2, 2)))

    def run(resources: api.Resources, **more: Any) -> api.Result:
        return api.explore(
            api.load(path), PLATFORM, space=NARROW, method="rounds", budget=2.5, resources=resources, **more
        ).result

    first = run(api.Resources(folder=folder), report=Interrupted())
    assert not first.complete
    assert "then it was interrupted" in first.method_description
    so_far = api.load_result(folder / "partial")
    assert so_far.pareto
    assert not so_far.complete
    resumed, whole = run(api.Resources(folder=folder, resume=True)), run(api.Resources())
    assert resumed.to_json() == whole.to_json()
    assert whole.complete


def test_the_budget_is_kept_and_said(tmp_path: Path) -> None:
    text = small(lanes(3, 2))
    little, large = (api_result(text, tmp_path, budget) for budget in (1.0, 4.0))
    assert "then the budget was spent" in little.method_description
    assert little.evaluated < large.evaluated
    worst = np.array([list(one.objectives.values())[:2] for one in large.pareto])
    for one in little.pareto:
        assert (worst <= list(one.objectives.values())[:2]).all(axis=1).any()


def test_a_front_that_has_settled_ends_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless a budget was asked for, which is spent."""
    monkeypatch.setattr(settled, "GAIN", 1.0)  # so that any front has
    context = contexts_of(space_of(chain(1), tmp_path), PAIR)[0]
    soon, late = (
        search_in_rounds(context, SearchRequest(budget=1.0, has_budget=has_budget), JobRunner())
        for has_budget in (False, True)
    )
    assert "then the front had settled" in soon.description
    assert soon.complete
    assert not soon.exact
    assert "settled" not in late.description
    assert soon.work is not None
    assert late.work is not None
    assert 0.1 <= soon.work < late.work


@given(st.lists(st.floats(0.1, 10.0), min_size=3, max_size=20), st.integers(0, 19), st.integers(1, 50))
def test_a_front_has_settled_where_the_last_third_gains_little(waits: list[float], rise: int, percent: int) -> None:
    """Of a front of one point that gets better once: settled if that was before, and a tenth of the budget is spent."""
    looks, spent = list[settled.Look](), 0.0
    for number, wait in enumerate(waits):
        spent += wait
        side = 1 << 20 if number < rise else (1 << 20) * (100 - percent) // 100
        looks.append((spent, np.array([[side, side]])))
    before = [at for at, _ in looks if at <= settled.SINCE * spent]
    is_risen = rise >= len(waits) or rise < len(before)
    assert settled.has_settled(looks, 120.0) == (spent >= settled.LEAST * 120.0 and bool(before) and is_risen)


def api_result(text: str, folder: Path, budget: float) -> api.Result:
    path = folder / "graph.aol"
    path.write_text(text)
    space = api.Space(
        study=Study(slack=0), narrow=True, verify=False
    )  # with slack the ends of fronts give up a percent
    return api.explore(api.load(path), PLATFORM, space=space, method="rounds", budget=budget).result


def space_of(graph: Graph, folder: Path) -> MappingSpace:
    path = folder / "graph.aol"
    path.write_text(small(graph))
    spec = load_checked(path, {})
    model = MachineModel(flatten(spec, choose_top(spec, None)), find_platform(path, PLATFORM)[0])
    return MappingSpace(model, narrowed(Study()))


def test_groups_of_four_come_before_longer_and_shorter_ones(tmp_path: Path) -> None:
    """Of 20 filters in a row: the whole, each alone, then 4, 8, 2 and 16, side by side or at the end."""
    groups = [len(list(bits(group))) for group in Schedule(space_of(chain(20), tmp_path)).groups(0)]
    assert groups[: 1 + 20 + 5 + 3 + 10 + 2] == [20, *[1] * 20, *[4] * 5, *[8] * 3, *[2] * 10, *[16] * 2]


@pytest.mark.parametrize(("tasks", "later"), [(8, ["keeps", "around"]), (9, ["around", "keeps"])])
def test_later_turns_go_around_the_front_first(
    tasks: int, later: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of more tasks than few, what groups keep comes first only as long as nothing was searched around.

    A budget that was asked for is spent, up to one piece of work that does not fit any more.
    """
    turns: list[str] = []

    def noted(kind: str, portions: Any) -> Any:
        def of_group(*asked: Any) -> Any:
            turns.extend([kind] if turns[-1:] != [kind] else [])
            return portions(*asked)

        return of_group

    for kind in ("plain", "keeps"):
        monkeypatch.setattr(WorkQueue, kind, noted(kind, getattr(WorkQueue, kind)))
    monkeypatch.setattr(neighbourhood, "DECISIONS", tuple(noted("around", one) for one in neighbourhood.DECISIONS))
    context = contexts_of(space_of(chain(tasks), tmp_path), PAIR)[0]
    found = search_in_rounds(context, SearchRequest(budget=8.0, has_budget=True), JobRunner())
    assert found.work is not None
    assert ROUNDS_TO * 8.0 - LEAST_PIECE <= found.work <= 8.0
    assert turns[:6] == ["plain", "keeps", "around", "plain", *later]


@pytest.mark.parametrize("longest", [None, 5])
def test_very_many_tasks_have_a_first_front_of_strips(longest: int | None, tmp_path: Path) -> None:
    """Of 70 filters groups of at most 16 make it, whatever the budget; the whole is too large to come first."""
    path = tmp_path / "graph.aol"
    path.write_text(replace(chain(70), frame=(3, 4)).text("graph"))
    spec, study = load_checked(path, {}), narrowed(Study(longest_group=longest))
    model = MachineModel(flatten(spec, choose_top(spec, None)), find_platform(path, PLATFORM)[0])
    context = contexts_of(MappingSpace(model, study), ("latency_cycles", "internal_memory_elements"))[0]
    found = search_in_rounds(context, SearchRequest(budget=0.1), JobRunner())
    assert len(found.front)
    for row in range(len(found.front)):
        groups = found.design(row).groups
        assert sum(len(group.processors) for group in groups) == 70
        assert max(len(group.processors) for group in groups) == (longest or 16)
        for group in groups:
            outer, *inner = group.blocks.scan.dimensions
            extents = model.accesses.extents(group.processors[-1].task)
            assert group.blocks.shape[outer] == 1
            assert all(group.blocks.shape[at] == extents[at] for at in inner)


def test_workers_change_no_byte(tmp_path: Path) -> None:
    text = small(lanes(2, 2))
    one, two = (explored(text, tmp_path, 1.0, workers).result.to_json() for workers in (1, 2))
    assert one == two


@pytest.mark.parametrize("name", ["chain4", "fork8", "cnn20"])
def test_generated_graphs_are_fine(name: str, tmp_path: Path) -> None:
    path = tmp_path / "graph.aol"
    path.write_text(GRAPHS[name]().text(name))
    api.load(path)


# The parts: rates that keep a pace, and boxes that thin a front.


@given(st.data())
def test_balanced_rates_hold_the_slowest_for_every_pace(data: st.DataObject) -> None:
    tasks = data.draw(st.integers(1, 3))
    work = [data.draw(st.integers(0, 40)) for _ in range(tasks)]
    pairs = st.tuples(st.integers(1, 6), st.integers(1, 4))
    offered = [
        [rate_of(*pair) for pair in sorted(data.draw(st.sets(pairs, min_size=1, max_size=4)), key=slowness)]
        for _ in range(tasks)
    ]

    def cycles(combination: tuple[int, ...]) -> list[int]:
        both = zip(work, combination, strict=True)
        return [-(-runs // units_of(rate)) * interval_of(rate) for runs, rate in both]

    found = balanced(work, offered)
    assert len(found) <= sum(map(len, offered))
    for combination in product(*offered):
        pace = max(cycles(combination))
        best = [one for one in found if max(cycles(one)) <= pace]
        # One keeps the pace, and none of its tasks is faster than this combination's needs to be.
        assert any(all(a >= b for a, b in zip(cycles(one), cycles(combination), strict=True)) for one in best)


def slowness(pair: tuple[int, int]) -> tuple[float, tuple[int, int]]:
    return pair[0] / pair[1], pair


@given(st.lists(st.tuples(st.integers(1, 10**4), st.integers(1, 10**4)), min_size=1, max_size=80), st.integers(4, 30))
def test_boxes_keep_the_ends_of_a_front(steps: list[tuple[int, int]], most: int) -> None:
    rising = np.cumsum(np.array(steps, np.int64), axis=0)
    front = np.column_stack([rising[:, 0], rising[::-1, 1]])
    rows = box_rows(front, most)
    assert len(rows) <= max(len(front) if len(front) <= most else 0, most + front.shape[1])
    assert front[rows].min(axis=0).tolist() == front.min(axis=0).tolist()
    if len(front) > most:
        boxes = next(found for side in range(-12, 7) if len(found := boxes_of(front, 2.0**side)) <= most)
        assert set(rows.tolist()) == {*boxes.values(), *front.argmin(axis=0).tolist()}


def boxes_of(front: IntArray, side: float) -> dict[tuple[int, ...], int]:
    """Of each box on logarithmic axes the first row."""
    found: dict[tuple[int, ...], int] = {}
    for row, point in enumerate(front.tolist()):
        found.setdefault(tuple(math.floor(math.log2(max(1, value)) / side) for value in point), row)
    return found
