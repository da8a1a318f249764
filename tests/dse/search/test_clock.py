"""A clock that ends a search, whatever the method and model: the best front so far, and what was left out."""

from __future__ import annotations

import pytest

from arrayol import api
from arrayol.errors import InfeasibleError
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from dse.jobs import runner
from dse.jobs.runner import JobRunner, TimeOverError
from dse.search.context import ASKED, Chosen, SearchContext, Searched, SearchRequest
from dse.search.exact.exact import search_exactly
from dse.search.figures import columns_of
from dse.search.machine import fronts_of_fusions
from dse.search.methods import search
from dse.search.published import FusionSearch
from dse.space.mappings import MappingSpace
from dse.space.objectives import DEFAULT, chosen
from dse.space.study import Study, narrowed
from hwmodel.cost_model.model import MachineModel
from hwmodel.platform import load_platform
from hwmodel.published.model import PublishedModel

LPSF = shipped_folder() / "lpsf.aol"
REQUEST = SearchRequest(timeout=7.0)


class Ending(JobRunner):
    """A runner whose time is over when it was asked about it so many times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def heed_time(self) -> None:
        self.times -= 1
        if self.times < 0:
            raise TimeOverError


@pytest.fixture(autouse=True)
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner does job after job, so that how often it is asked about its time depends on no clock."""
    monkeypatch.setattr(runner, "TASK_SECONDS", 1e-9)


def small() -> SearchContext:
    """Two tasks on few blocks."""
    spec = api.load(LPSF, {"H": 4, "W": 8})
    model = MachineModel(flatten(spec, "lpsf"), load_platform(shipped_folder() / "lpsf.toml"))
    study = narrowed(Study(units=(1, 2), blocks={name: [(2, 1)] for name in model.network.processes}))
    return SearchContext(MappingSpace(model, study), columns_of(DEFAULT, (), model, reuse_memory=False))


def points(found: Searched) -> set[tuple[int, ...]]:
    return set(map(tuple, found.front.values.tolist()))


@pytest.fixture(scope="module")
def whole() -> Searched:
    """All there is."""
    return search(small(), Chosen("exhaustive", ASKED), REQUEST, JobRunner())


@pytest.mark.parametrize("name", ["exact", "exhaustive", "rounds", "nsga2"])
def test_every_method_ends_with_the_front_so_far(name: str, whole: Searched) -> None:
    context, made = small(), 0
    for times in (0, 1) if name == "nsga2" else (0, 2, 4, 5, 25):
        found = search(context, Chosen(name, ASKED), REQUEST, Ending(times))
        if found.complete:
            assert points(found) == points(whole)
            break
        assert not found.exact
        assert "then the time of 7 s was over" in found.description
        made += len(found.front) > 0
        for row, values in enumerate(found.front.values):
            assert (whole.front.values <= values).all(axis=1).any(), "nothing is better than the whole front"
            tasks = [task for group in found.design(row).groups for task in group.tasks]
            assert sorted(tasks) == sorted(context.space.graph.names)
    assert made


def test_groups_that_were_left_out_are_counted() -> None:
    found = search(small(), Chosen("exact", ASKED), REQUEST, Ending(0))
    assert found.description == (
        "1 of 10 groups searched, then the time of 7 s was over; 0 searched in part, 9 groups left out"
    )


def test_a_runner_heeds_its_time() -> None:
    runner = JobRunner()
    with runner.within(-1.0):
        with pytest.raises(TimeOverError):
            runner.heed_time()
        with runner.within(None):
            runner.heed_time()
    runner.heed_time()


def test_the_published_model_ends_too() -> None:
    model = PublishedModel(flatten(api.load(LPSF), "lpsf"), load_platform(shipped_folder() / "lpsf.toml"))
    cut = FusionSearch(model, chosen(DEFAULT), seconds=-1.0)
    cut.run()
    assert (cut.evaluated, cut.complete, cut.comparisons_of_all_pairs, len(cut.front)) == (1, False, None, 1)
    result = api.explore(LPSF, model="published", timeout=1e-9).result
    assert (result.complete, result.exact, len(result.pareto)) == (False, False, 1)
    assert result.method_description == (
        "every legal fusion under the published model of Corvino, Gamatié, Boulet (2010), then the time of 1e-09 s was "
        "over: 1 of 8 fusions evaluated, those of few groups first; the others are left out"
    )


def test_no_design_in_time_is_an_error_with_the_remedy() -> None:
    spec = api.load(LPSF, {"H": 8, "W": 16})
    with pytest.raises(InfeasibleError) as caught:
        api.explore(spec, space=api.Space(narrow=True), method="exact", timeout=1e-9)
    assert str(caught.value) == (
        "error[infeasible]: no legal design of 'lpsf' was found before the search ended\n"
        "  hint: give it more with --timeout, or open more of the space in a study: other fusions, units or orders"
    )


def test_a_budget_that_is_not_used_is_said() -> None:
    spec = api.load(LPSF, {"H": 4, "W": 8})
    space = api.Space(narrow=True, verify=False)
    remark = "the budget of 5 s was not used: it is for the method rounds, and exact was taken"
    said: list[str] = []
    assert remark in api.explore(spec, space=space, budget=5, announce=said.append).result.remarks
    assert f"remark: {remark}" in said
    assert remark not in api.explore(spec, space=space).result.remarks
    assert not any(
        "budget" in text for text in api.explore(spec, space=space, method="rounds", budget=1).result.remarks
    )
    paper = api.explore(spec, model="published", budget=5).result.remarks
    assert "the budget of 5 s was not used: it is for the method rounds, and partition was taken" in paper


def test_fusions_with_a_group_that_was_not_searched_give_no_designs() -> None:
    """With all designs kept, a search that the clock ended has the fronts of some groups only."""
    model = MachineModel(
        flatten(api.load(LPSF, {"H": 4, "W": 8}), "lpsf"), load_platform(shipped_folder() / "lpsf.toml")
    )
    space = MappingSpace(model, narrowed(Study(units=(1,))))
    context = SearchContext(space, columns_of(("internal_memory_elements",), (), model, reuse_memory=False))
    groups = search_exactly(context, SearchRequest(keep_all=True), JobRunner()).groups
    some = {group: front for group, front in groups.items() if group.bit_count() < 3}
    every = set(fronts_of_fusions(context, groups))
    kept = set(fronts_of_fusions(context, some))
    assert kept == {design for design in every if all(len(group.tasks) < 3 for group in design.groups)}
    assert 0 < len(kept) < len(every)
    assert list(fronts_of_fusions(context, {})) == []
