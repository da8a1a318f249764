"""Block shapes go from the space to jobs as arrays: how many there are changes no number of calls."""

from __future__ import annotations

import numpy as np
import pytest
from calls_between import calls_of
from hypothesis import given
from hypothesis import strategies as st

from arrayol import api
from arrayol.checks.top import choose_top
from arrayol.files import shipped_folder
from arrayol.transforms.steps import canonical_form
from dse.search.group_front import nothing
from dse.search.groups.job_cost import runs_of
from dse.search.groups.jobs import GroupJob
from dse.search.groups.search import GroupJobs
from dse.search.pricing import RateChoices
from dse.search.shown.variants import contexts_of
from dse.space.mappings import MappingSpace
from dse.space.study import Study
from hwmodel.cost_model.model import MachineModel
from hwmodel.platform import platform_of

CALLS_OF_A_JOB = 10


@pytest.mark.parametrize(("rows", "columns"), [(36, 48), (540, 960), (1080, 1920)])
def test_jobs_take_as_many_calls_for_many_shapes_as_for_few(rows: int, columns: int) -> None:
    spec = api.load(shipped_folder() / "lpsf.aol", {"H": rows, "W": columns})
    network = canonical_form(spec, choose_top(spec, None)).network
    space = MappingSpace(MachineModel(network, platform_of(spec, None)[0]), Study())
    context = contexts_of(space, ("latency_cycles", "internal_memory_elements"))[0]
    tasks, last, made = space.tasks(space.graph.all), space.last(space.graph.all), list[GroupJob]()
    assert last is not None
    jobs = GroupJobs(space, context.columns, tasks, RateChoices(tuple(map(space.rates, tasks))))
    part, scans = nothing(context.columns, len(tasks)), len(list(space.structures(last)))

    assert jobs.cost.tables + jobs.cost.plain + jobs.cost.keeps > 0  # found out once for each group

    def make() -> None:
        made.extend(jobs.plain(part, space.structures(last)))
        made.extend(jobs.keeps(space.structures(last), part, products_only=True))

    calls = calls_of(make)
    assert sum(len(shapes) for _, shapes in space.structures(last)) == space.count_shapes(last) * scans
    assert calls < CALLS_OF_A_JOB * len(made)


@given(st.lists(st.floats(0, 9), max_size=300), st.floats(0.1, 40))
def test_runs_are_as_long_as_they_may_be(seconds: list[float], most: float) -> None:
    """They follow each other, and each is at most so long, or has one item, and would be longer with the next."""
    runs = list(runs_of(np.array(seconds), most))
    assert [place for start, end, _ in runs for place in range(start, end)] == list(range(len(seconds)))
    for start, end, total in runs:
        assert total == sum(seconds[start:end])
        assert total <= most or end == start + 1
        assert end == len(seconds) or total + seconds[end] > most
