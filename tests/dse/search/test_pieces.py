"""No piece of work of the rounds takes longer than a twentieth of the budget, or the result says so."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrayol import api
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from dse.jobs.runner import JobRunner
from dse.search.batch_pricer import BatchEvaluator
from dse.search.context import ROUNDS, SearchContext, SearchRequest
from dse.search.figures import columns_of
from dse.search.group_front import nothing
from dse.search.groups.job_cost import JOB_SECONDS
from dse.search.groups.jobs import GroupJob
from dse.search.heuristic.encoding import Coding
from dse.search.rounds import search as rounds
from dse.space.mappings import MappingSpace
from dse.space.study import Study, narrowed
from hwmodel.cost_model.model import MachineModel
from hwmodel.platform import load_platform

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))
from graphs import GRAPHS, chain

BUDGET = 120.0
SHIPPED = ("harris", "stereo", "lpsf", "matmul")


class Unpriced(JobRunner):
    """Does no job, and notes what each was predicted to take, and how much more is likely to come."""

    def __init__(self, context: SearchContext) -> None:
        super().__init__()
        self.columns = context.columns
        self.costs: list[float] = []
        self.more: list[float] = []

    def do(self, context: Any, plans: Sequence[Any], watch: Any = None, more: float = 0.0) -> list[Any]:
        del context, watch
        self.more.append(more)
        return [self._nothing_of(plan) for plan in plans]

    def _nothing_of(self, plan: Any) -> Any:
        jobs: Sequence[GroupJob] = next(plan)
        self.costs += [job.cost for job in jobs]
        try:
            plan.send([nothing(self.columns, len(job.tasks)) for job in jobs])
        except StopIteration as stop:
            return stop.value
        raise AssertionError("a plan of rounds has one batch")


def unpriced(path: Path, platform: Path, study: Study, budget: float) -> tuple[Unpriced, str]:
    """What was asked for in rounds, and what is said of the search."""
    spec = api.load(path)
    space = MappingSpace(MachineModel(flatten(spec, path.stem), load_platform(platform)), study)
    columns = columns_of(("latency_cycles", "internal_memory_elements"), (), space.model, reuse_memory=False)
    context = SearchContext(space, columns)
    runner = Unpriced(context)
    found = rounds.search_in_rounds(context, SearchRequest(ROUNDS, budget=budget, has_budget=True), runner)
    return runner, found.description


@pytest.mark.parametrize("name", [*SHIPPED, "cnn20"])
def test_pieces_are_short(name: str, tmp_path: Path) -> None:
    platform = shipped_folder() / "platforms" / "default.toml"
    path = tmp_path / f"{name}.aol"
    if name in SHIPPED:
        path, platform = shipped_folder() / f"{name}.aol", shipped_folder() / f"{name}.toml"
    else:
        path.write_text(GRAPHS[name]().text(name))
    asked, said = unpriced(path, platform, narrowed(Study()), BUDGET)
    assert asked.costs
    assert sum(asked.costs) > BUDGET / 4 or "6 of 6 rounds" in said
    assert max(asked.costs) <= rounds.PIECE * BUDGET
    assert 0 == asked.more[0] < max(asked.more) <= BUDGET
    assert "is not split" not in said


def test_what_is_not_split_is_said(tmp_path: Path) -> None:
    """Tables of a group of 60 tasks, which is priced before all others."""
    path = tmp_path / "chain60.aol"
    path.write_text(chain(60).text("chain60"))
    asked, said = unpriced(path, shipped_folder() / "platforms" / "default.toml", narrowed(Study()), 20.0)
    longest = max(asked.costs)
    assert longest > rounds.PIECE * 20.0
    assert f"what a group needs before its first evaluation took up to {longest:.1f} s, which is not split" in said


def test_no_more_is_likely_to_come_once_the_budget_is_spent(tmp_path: Path) -> None:
    """The first whole designs are made whatever they take."""
    path = tmp_path / "chain60.aol"
    path.write_text(chain(60).text("chain60"))
    asked, _ = unpriced(path, shipped_folder() / "platforms" / "default.toml", narrowed(Study()), 1.0)
    assert sum(asked.costs) > 1.0
    assert min(asked.more) == asked.more[-1] == 0


@pytest.mark.parametrize("name", ["lpsf", "stereo"])
def test_a_generation_is_split(name: str) -> None:
    """Each design once; alike ones together, no longer than a job may take, but for a single structure."""
    spec, platform = shipped_folder() / f"{name}.aol", shipped_folder() / f"{name}.toml"
    space = MappingSpace(MachineModel(flatten(api.load(spec), name), load_platform(platform)), narrowed(Study()))
    columns = columns_of(("latency_cycles", "internal_memory_elements"), (), space.model, reuse_memory=False)
    coding = Coding(space)
    rows = coding.spread(200, np.random.default_rng(0))
    designs = [group for row in rows for group in (coding.design(row) or {}).values()]
    jobs = BatchEvaluator(SearchContext(space, columns)).jobs(designs)
    priced = [design for job in jobs for part in job.parts for design in part]
    assert len(priced) == len(set(priced))
    assert set(priced) == set(designs)
    assert all(job.cost <= JOB_SECONDS or len({one.blocks for one in job.parts[0]}) == 1 for job in jobs)
