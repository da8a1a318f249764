"""What comes after the rounds: NSGA-II where objectives are many, and the search around designs of the front."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrayol import api
from arrayol.arrays import IntArray
from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from dse.jobs.jobs import SEARCHING
from dse.jobs.runner import JobRunner
from dse.pareto.hypervolume import share_of
from dse.search.context import ROUNDS, SearchContext, Searched, SearchRequest
from dse.search.figures import columns_of
from dse.search.group_front import joined, nothing
from dse.search.groups.jobs import PlainJob, StructuresJob
from dse.search.pricing import plain_structure
from dse.search.rounds import neighbourhood
from dse.search.rounds import search as rounds
from dse.search.rounds.portions import WorkItem, WorkQueue
from dse.search.rounds.schedule import Schedule
from dse.space.mappings import MappingSpace
from dse.space.study import Study
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, GroupDesign, Scan, structure_of
from hwmodel.platform import load_platform

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))
from graphs import chain

PLATFORM = shipped_folder() / "platforms" / "default.toml"
FEW = ("latency_cycles", "internal_memory_elements")
MANY = (*FEW, "traffic_bytes", "units")
STUDY = Study(styles=("block",), units=(1, 2), links=("buffer",), cuts=("none",), policies=("reuse", "tile"))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("graph") / "graph.aol"
    path.write_text(replace(chain(2), frame=(6, 8)).text("graph"))
    return path


def explored(path: Path, budget: float, objectives: Sequence[str], **more: Any) -> api.Result:
    space = api.Space(study=STUDY, verify=False)
    return api.explore(
        api.load(path), PLATFORM, space=space, method="rounds", budget=budget, objectives=objectives, **more
    ).result


def searched(path: Path, budget: float, objectives: Sequence[str], **more: Any) -> Searched:
    space = MappingSpace(MachineModel(flatten(api.load(path), "graph"), load_platform(PLATFORM)), STUDY)
    columns = columns_of(objectives, (), space.model, reuse_memory=False)
    return rounds.search_in_rounds(
        SearchContext(space, columns), SearchRequest(ROUNDS, budget=budget, **more), JobRunner()
    )


def test_many_objectives_go_on_with_nsga2(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the archive on: nothing that the rounds have found is lost, and the share of the front only rises."""
    fronts: list[IntArray] = []
    monkeypatch.setattr(neighbourhood, "AROUND", 0)
    found = searched(path, 2.5, MANY, keep=lambda _, search: fronts.append(search().front.values))
    for earlier, later in pairwise(fronts):
        assert all((later <= values).all(axis=1).any() for values in earlier)
    assert found.evolution is not None
    assert "then NSGA-II, seed 0" in found.description
    shares = [one.hypervolume for one in found.evolution.generations]
    assert shares == sorted(shares)
    assert shares[0] > 0.5  # the first generation has the rounds' front
    monkeypatch.setattr(rounds, "EVOLVED_TO", 0.0)
    before = searched(path, 2.5, MANY)
    assert len(before.front)
    for values in before.front.values:
        assert (found.front.values <= values).all(axis=1).any()


def test_few_objectives_do_not(path: Path) -> None:
    found = searched(path, 2.5, FEW)
    assert found.evolution is None
    assert "NSGA-II" not in found.description


def test_it_searches_around_the_front(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the beginning of a round, one decision at a time; nothing gets worse, and something better."""
    monkeypatch.setattr(rounds, "ROUNDS_TO", 0.02)
    found = searched(path, 8.0, FEW)
    assert "; also what differs in one decision from" in found.description
    assert "the budget was spent" not in found.description  # nothing better came
    monkeypatch.setattr(neighbourhood, "AROUND", 0)
    before = searched(path, 8.0, FEW)
    for values in before.front.values:
        assert (found.front.values <= values).all(axis=1).any()
    assert any(not (before.front.values <= values).all(axis=1).any() for values in found.front.values)


def test_sides_of_blocks_come_first(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rates and options are tried where nothing better comes of other sides of any design on the front."""
    monkeypatch.setattr(rounds, "ROUNDS_TO", 0.02)
    decisions = neighbourhood.DECISIONS
    varied: dict[Any, set[GroupDesign]] = {decision: set() for decision in decisions}
    order: list[Any] = []

    def noted(decision: Any, portions: WorkQueue, number: int, part: Any, designs: list[GroupDesign]) -> Any:
        earlier = list(varied)[: list(varied).index(decision)]
        assert all(varied[one].issuperset(designs) for one in earlier)
        order.append(decision)
        varied[decision].update(designs)
        return decision(portions, number, part, designs)

    monkeypatch.setattr(neighbourhood, "DECISIONS", tuple(partial(noted, decision) for decision in decisions))
    searched(path, 8.0, FEW)
    assert tuple(dict.fromkeys(order)) == decisions
    assert decisions[0] == WorkQueue.other_blocks


def test_it_goes_on_around_the_front_while_that_gets_better(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn around the front that has spent its share goes on after each rise that is large enough."""

    def rises(wanted: float) -> list[float]:
        found: list[float] = []

        def noted(before: IntArray, after: IntArray) -> float:
            found.append(1 - share_of(before, after))
            return 1 - found[-1]

        monkeypatch.setattr(rounds, "share_of", noted)
        monkeypatch.setattr(rounds, "RISES", wanted)
        searched(path, 2.0, FEW)
        return found

    monkeypatch.setattr(rounds, "AROUND_SHARE", 0.02)
    short, longer = rises(1.0), rises(1e-9)
    assert longer[0] == short[0]
    assert len(longer) > len(short)


def test_around_a_design_is_only_what_was_not_priced(path: Path) -> None:
    """All neighbours of some plain design, each once; none a second time, and none that a round has priced."""
    study = STUDY.model_copy(update={"recompute": (False, True)})
    space = MappingSpace(MachineModel(flatten(api.load(path), "graph"), load_platform(PLATFORM)), study)
    columns = columns_of(FEW, (), space.model, reuse_memory=False)
    context = SearchContext(space, columns)
    schedule = Schedule(space)
    portions = WorkQueue(space, columns, schedule, space.graph.all, piece=5.0)

    def do(some: Sequence[Any], part: Any) -> Any:
        return joined([part, *(job.run(context) for portion in some for job in portion.jobs(part))], columns)

    part = do(portions.plain(0), nothing(columns, len(portions.tasks)))
    designs = part.designs(np.arange(len(part.values)))

    def neighbours(some: Any) -> list[WorkItem]:
        return [portion for decision in neighbourhood.DECISIONS for portion in decision(portions, 0, some, designs)]

    jobs = [job for portion in neighbours(part) for job in portion.jobs(part)]
    plain = [job for job in jobs if isinstance(job, PlainJob)]
    shapes = [tuple(shape) for job in plain for _, some in job.shapes for shape in some.tolist()]
    known = {shape for _, shape in schedule.upto(portions.tasks[-1], 0)}
    sides = [schedule.sides(extent) for extent in space.accesses.extents(portions.tasks[-1])]
    for design in designs:
        for axis, side in enumerate(design.blocks.shape):
            place = sides[axis].index(side)
            for near in (*sides[axis][max(0, place - 1) : place], *sides[axis][place + 1 : place + 2]):
                shape = (*design.blocks.shape[:axis], near, *design.blocks.shape[axis + 1 :])
                assert (shape in shapes) == (shape not in known)
    options = [one for job in jobs if isinstance(job, StructuresJob) for one in job.structures]
    plain = {structure_of(design) for design in designs}
    assert set(options) == {replace(one, recompute=True) for one in plain}  # what is kept is searched in bulk
    assert len(options) == len(plain) > 1
    again = do(neighbours(part), part)
    assert again.counts == part.counts


def test_fifos_around_a_design_are_those_that_are_priced_from_counts() -> None:
    """Each once, and none a second time by other options; none of what enumeration would take."""
    spec = load_checked(shipped_folder() / "harris.aol", {"H": 20, "W": 24})
    network = flatten(spec, choose_top(spec, None))
    space = MappingSpace(MachineModel(network, load_platform(PLATFORM)), Study(cuts=("none",), policies=("reuse",)))
    columns = columns_of(FEW, (), space.model, reuse_memory=False)
    tasks = "boxsum@sxx", "boxsum@sxy", "response"
    group = sum(1 << number for number, task in enumerate(network.processes) if task in tasks)
    portions = WorkQueue(space, columns, Schedule(space), group, piece=5.0)
    plain = plain_structure(tasks, Blocks((4, 6), Scan((0, 1), (False, False))))
    part = nothing(columns, len(tasks))

    def structures(decision: Any, of: GroupDesign) -> list[GroupDesign]:
        portion = [job for one in decision(portions, 0, part, [of]) for job in one.jobs(part)]
        return [one for job in portion for one in job.structures]

    fifos = [frozenset({"sxx"}), frozenset({"sxy"}), frozenset({"sxx", "sxy"})]
    assert structures(WorkQueue.other_fifos, plain) == [replace(plain, fifos=own) for own in fifos]
    assert structures(WorkQueue.other_fifos, plain) == []
    assert not any(one.fifos for one in structures(WorkQueue.other_options, plain))
    joined_once = replace(plain, fifos=fifos[0])
    assert structures(WorkQueue.other_fifos, joined_once) == []  # the plain one is a round's, the others were tried
    recomputing = replace(plain, recompute=True)
    assert structures(WorkQueue.other_fifos, recomputing) == []


class Interrupted:
    """Reports, the first of which from some place is interrupted."""

    def __init__(self, place: str) -> None:
        self.place = place

    def __call__(self, progress: Any) -> None:
        if progress.phase == SEARCHING and progress.place == self.place:
            self.place = "over"
            raise KeyboardInterrupt


@pytest.mark.parametrize(("objectives", "place"), [(FEW, rounds.AROUND_FRONT), (MANY, rounds.EVOLVING)])
def test_workers_and_interrupts_change_no_byte(
    objectives: Sequence[str], place: str, path: Path, tmp_path: Path
) -> None:
    """Interrupted around the front, or in NSGA-II, the resumed search has the same bytes."""
    first = explored(path, 2.0, objectives, report=Interrupted(place), resources=api.Resources(folder=tmp_path))
    assert not first.complete
    assert "then it was interrupted" in first.method_description
    assert ("then NSGA-II" in first.method_description) == (objectives == MANY)
    resumed = explored(path, 2.0, objectives, resources=api.Resources(folder=tmp_path, resume=True))
    assert resumed.complete
    assert explored(path, 2.0, objectives, resources=api.Resources(2)).to_json() == resumed.to_json()
