"""Methods against each other on generated networks: exact finds the front of every whole design."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from explored import GIVEN
from hypothesis import given, settings
from many_cases import case_count
from signal_chains import chain, space_of
from strategies_spaces import spaces

from arrayol import api
from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from arrayol.transforms.steps import canonical_steps, run_steps
from dse.jobs import runner
from dse.jobs.jobs import SEARCHING, SearchProgress
from dse.jobs.runner import JobRunner
from dse.pareto.hypervolume import share_of
from dse.search import machine
from dse.search.context import BUDGET, SearchContext, Searched, SearchRequest
from dse.search.exact.exact import exact_seconds, search_exactly, search_groups, tries_all_options
from dse.search.exact.exhaustive import search_exhaustively
from dse.search.figures import Columns, columns_of
from dse.search.groups.keep_search import searches_keeps
from dse.search.groups.search import search_group
from dse.search.heuristic.search import search_heuristically
from dse.search.isomorphic import IsomorphicGroups
from dse.search.lower_bounds import least_figures
from dse.search.methods import choose_method, require_other_fronts
from dse.search.pricing import Evaluator, RateChoices
from dse.search.rounds.search import search_in_rounds
from dse.space.mappings import MappingSpace
from dse.space.remarks import size_of
from dse.space.study import Study, narrowed, parse_constraint
from hwmodel.cost_model.estimate import DesignEstimate
from hwmodel.cost_model.metrics import MEMORY, RESIDENT, SHARED
from hwmodel.cost_model.model import MachineModel
from hwmodel.cost_model.tables.group_tables import GroupTables
from hwmodel.design import Blocks, GroupDesign, Processor, ReuseLevel, row_major
from hwmodel.figures import LATENCY
from hwmodel.platform import load_platform
from hwmodel.platform_memories import RowModel

CASES = 180
MOST_SECONDS = 1.0  # of predicted work, for one method
seen: Counter[str] = Counter()


def points(found: Searched) -> list[tuple[list[int], int]]:
    return list(zip(found.front.values.tolist(), found.front.units.tolist(), strict=True))


def kinds(space: MappingSpace) -> list[str]:
    graph = space.graph
    found = [] if any(links.bit_count() > 1 for links in (*graph.successors, *graph.predecessors)) else ["chain"]
    found += ["fork"] if any(links.bit_count() > 1 for links in graph.successors) else []
    found += ["join"] if any(links.bit_count() > 1 for links in graph.predecessors) else []
    return found if len(graph) > 1 else ["one task"]


@settings(max_examples=case_count(CASES))
@given(spaces())
def test_exact_is_exhaustive(case: tuple[MappingSpace, Columns]) -> None:
    space, columns = case
    keeps = 0 if space.study.policies == ("reuse",) else len(space.model.network.inputs)
    too_large = (size_of(space).whole_designs or 0) * 4**keeps > (20_000 if not keeps else 4_000)
    too_large = too_large or not tries_all_options(space, columns)
    if too_large or exact_seconds(space, columns, MOST_SECONDS) > MOST_SECONDS:
        seen["too large"] += 1
        return
    try:
        whole = search_exhaustively(SearchContext(space, columns), SearchRequest(), JobRunner())
    except ArrayolError:  # the options of the study make too many
        seen["too large"] += 1
        return
    found = search_exactly(SearchContext(space, columns), SearchRequest(), JobRunner())
    assert points(found) == points(whole)
    assert found.counts.size == found.group_designs
    assert found.whole_designs == whole.whole_designs
    assert found.exact is not bool(space.study.longest_group)
    assert whole.counts.size == whole.whole_designs
    _rounds_come_as_far(space, columns, whole)
    if len(whole.front):
        for bound, least in zip(least_figures(space, columns), whole.front.values.min(axis=0).tolist(), strict=True):
            seen["bounds"] += 1
            seen["bounds that are reached"] += bound == least
            assert bound <= least
    processes = space.model.network.processes.values()
    if seen["compared"] % 4 == 0:
        _designs_have_the_figures(space, columns, whole)
    seen.update(kinds(space))
    seen["compared"] += 1
    groups = [group for row in range(len(whole.front)) for group in whole.design(row).groups]
    seen["keeps on a front"] += any(group.keeps or group.policy != "reuse" for group in groups)
    seen["keeps in bulk"] += any(searches_keeps(space, columns, group.tasks) for group in groups)
    seen["opened"] += space.study.has_options
    seen["several intervals"] += any(len(space.model.platform.intervals(one)) > 1 for one in processes)
    seen["several units at larger intervals"] += isinstance(space.study.intervals, dict) and 2 in space.units
    seen["more than three points"] += len(whole.front) > 3


def _rounds_come_as_far(space: MappingSpace, columns: Columns, whole: Searched) -> None:
    """What is all priced in rounds, options included, has the exact front; the rest nearly all of it."""
    found = search_in_rounds(SearchContext(space, columns), SearchRequest(budget=BUDGET, has_budget=True), JobRunner())
    exact = {tuple(values) for values in whole.front.values.tolist()}
    if found.exact or not space.study.has_options:
        assert {tuple(values) for values in found.front.values.tolist()} == exact
        seen["rounds equal to exact"] += 1
        seen["rounds equal to exact with options"] += space.study.has_options
    if len(whole.front):
        assert share_of(found.front.values, whole.front.values) >= 0.99
    for values in found.front.values:
        assert (whole.front.values <= values).all(axis=1).any()
    for row in range(len(found.front)):
        estimate = space.model.evaluate(found.design(row), reuse_memory=space.study.reuse_memory)
        _require_figures(columns, estimate, found.front.values[row].tolist())


def _designs_have_the_figures(space: MappingSpace, columns: Columns, found: Searched) -> None:
    for row, (values, units) in enumerate(points(found)):
        estimate = space.model.evaluate(found.design(row), reuse_memory=space.study.reuse_memory)
        _require_figures(columns, estimate, values)
        assert estimate.units == units


def _require_figures(columns: Columns, estimate: DesignEstimate, values: Sequence[int]) -> None:
    """The columns are the design's figures; memory that groups share and what stays in it make all of it."""
    known = dict(zip((figure.key for figure in columns.figures), values, strict=True))
    for figure, value in zip(columns.figures, values, strict=True):
        if figure.key in SHARED:
            place = SHARED.index(figure.key)
            assert value + known[RESIDENT[place]] == estimate.objective(MEMORY[place])
        elif figure.key not in RESIDENT:
            assert round(estimate.objective(figure.key) * figure.scale) == value


@pytest.mark.all_cases
def test_how_much_was_compared(capsys: pytest.CaptureFixture[str]) -> None:
    """After the test above; says what it has seen."""
    if not seen:
        pytest.skip("the comparison did not run here")
    with capsys.disabled():
        shown = ", ".join(f"{count} {what}" for what, count in sorted(seen.items()))
        print(f"\nexact against exhaustive: {shown}")  # noqa: T201  what the issue asks to be printed
    assert seen["compared"] >= 100
    wanted = ("chain", "fork", "join", "opened", "rounds equal to exact", "keeps in bulk")
    wanted += ("several intervals", "several units at larger intervals")
    assert all(seen[name] >= CASES // 24 for name in (*wanted, "more than three points"))


def lpsf(**consts: int) -> MappingSpace:
    return shipped("lpsf", narrowed(Study()), **{"H": 8, "W": 16, **consts})


def shipped(name: str, study: Study, **consts: int) -> MappingSpace:
    spec = api.load(shipped_folder() / f"{name}.aol", consts)
    top = choose_top(spec, None)
    network = flatten(run_steps(spec, canonical_steps(spec, top)).spec, top)
    return MappingSpace(
        MachineModel(network, load_platform(GIVEN if name == "lpsf" else shipped_folder() / f"{name}.toml")), study
    )


def default_columns(space: MappingSpace, *limits: str) -> Columns:
    names = "latency_cycles", "internal_memory_elements"
    bounds = [parse_constraint(text) for text in limits]
    return columns_of(names, bounds, space.model, reuse_memory=space.study.reuse_memory)


def test_batch_prices_make_the_front_of_every_whole_design() -> None:
    """The same with groups priced in batches: a platform with few units, so that whole designs can be counted out."""
    space = shipped("lpsf", narrowed(Study(units=(1, 2), orders=("0,1", "1,-0", "-1,-0"))), H=4, W=4)
    columns = default_columns(space)
    assert all(space.model.batch(space.tasks(group)) is not None for group in space.groups)
    whole = search_exhaustively(SearchContext(space, columns), SearchRequest(), JobRunner())
    assert points(search_exactly(SearchContext(space, columns), SearchRequest(), JobRunner())) == points(whole)


def test_isomorphic_groups_are_priced_alike() -> None:
    """Groups that are taken for equal have equal fronts, and their renamed designs are those groups' own."""
    with TemporaryDirectory() as folder:
        space = space_of(chain(9, 16), 3, Path(folder))
    columns = default_columns(space)
    context = SearchContext(space, columns)
    found = search_groups(context, SearchRequest(), JobRunner(), all_options=True)
    isomorphic = IsomorphicGroups(space)
    pairs = {group: twin for group in space.groups if (twin := isomorphic.of(group)) is not None}
    assert len(pairs) == 4 + 3 + 2  # the last window writes the result: it is like no other
    for group, twin in pairs.items():
        (own,) = JobRunner().do(context, [search_group(context, group, all_options=True)])
        assert (own.front.values == found[twin].front.values).all()
        assert own.designs == found[group].designs
        assert own.counts == found[group].counts


def test_no_isomorphic_groups_where_they_differ() -> None:
    """The last task's array leaves the network, the group of all is the whole design, and rows make addresses count."""
    with TemporaryDirectory() as folder:
        space = space_of(chain(5, 16), 5, Path(folder))
    first, last = (space.groups[place] for place in (0, -1))
    assert space.tasks(first) == ("window@s1",)
    assert space.tasks(last) == ("window@out",)
    isomorphic = IsomorphicGroups(space)
    assert [isomorphic.of(group) for group in space.groups] == [None] * len(space.groups)
    rows = RowModel(row_bytes=16, banks=2, word_ns=64.0, row_change_ns=3.0, same_bank_activate_ns=7.0)
    memory = space.model.platform.memory.model_copy(update={"rows": rows})
    platform = space.model.platform.model_copy(update={"memory": memory, "clock_mhz": 100.0})
    with TemporaryDirectory() as folder:
        long = space_of(chain(9, 16), 2, Path(folder))
    model = MachineModel(long.model.network, platform)
    assert not any(map(IsomorphicGroups(MappingSpace(model, long.study)).of, long.groups))


def test_nsga2_tries_the_options_of_the_study() -> None:
    study = Study(fusions=((("hflr", "vftd"), ("hfrl",), ("vfbu",)),), units=(1, 2), links=("fifo",))
    assert '"policy": "reuse"' in _evolved(study)
    # Groups of one task have no array that could be a FIFO: they are plain, not infeasible.
    space = shipped("lpsf", study, H=4, W=8)
    found = search_exactly(SearchContext(space, default_columns(space)), SearchRequest(), JobRunner())
    assert len(found.front)
    assert found.counts.size == found.group_designs


def _evolved(study: Study) -> str:
    spec = api.load(shipped_folder() / "lpsf.aol", {"H": 4, "W": 8})
    result = api.explore(spec, space=api.Space(study=study, verify=False), method="nsga2", seed=0).result
    assert result.evolution is not None
    assert result.evolution.seed == 0
    assert result.evaluated + result.infeasible + result.pruned == result.space.group_designs
    return result.to_json()


def test_nsga2_keeps_constraints() -> None:
    space = lpsf()
    limit = (
        int(
            search_exactly(SearchContext(space, default_columns(space)), SearchRequest(), JobRunner())
            .front.values[:, 1]
            .min()
        )
        * 2
    )
    columns = default_columns(space, f"internal_memory_elements <= {limit}")
    found = search_heuristically(SearchContext(space, columns), SearchRequest(), JobRunner())
    assert len(found.front)
    assert (found.front.values[:, 1] <= limit).all()


def test_what_auto_takes() -> None:
    """Seconds are counted, of structures where each needs its fastest units alone, else of group designs."""
    small, large = lpsf(), shipped("harris", narrowed(Study(units=tuple(range(1, 17)))))
    for space, objectives, name in ((small, (), "exact"), (large, ("units",), "rounds")):
        columns = columns_of(("latency_cycles", *objectives), (), space.model, reuse_memory=False)
        chosen = choose_method("auto", space, columns, size_of(space))
        assert chosen.name == name
    assert chosen.why == "to evaluate every group is more than 60 s of work"


def test_structures_that_are_no_products_count_for_auto() -> None:
    """Two pictures of one array are read in windows, each the later in other columns: most blocks take long each."""
    space = shipped("stereo", Study())
    chosen = choose_method("auto", space, default_columns(space), size_of(space))
    assert (chosen.name, chosen.why) == ("rounds", "to evaluate every group is more than 20 s of work")
    small = shipped("stereo", Study(), H=6, W=8, SHIFTS=2, R=1)
    assert choose_method("auto", small, default_columns(small), size_of(small)).name == "exact"


@pytest.mark.parametrize("policies", [("reuse",), ("reuse", "tile")])
@pytest.mark.parametrize(
    "objectives", [("latency_cycles", "internal_memory_elements"), ("latency_cycles", "port_bytes")]
)
def test_structures_that_are_no_products_go_one_by_one(
    objectives: tuple[str, ...], policies: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plan of each may fill much memory; with bounds and without the front is that of all designs."""
    study = narrowed(Study(units=(1, 2), blocks="divisors")).model_copy(update={"policies": policies})
    space = shipped("stereo", study, H=4, W=6, SHIFTS=2, R=1)
    columns, together = columns_of(objectives, (), space.model, reuse_memory=False), list[int]()

    joined = GroupTables.joined

    def noted(tables: GroupTables, rows: Any, others: Any) -> GroupTables:
        together.append(len(rows))
        return joined(tables, rows, others)

    monkeypatch.setattr(GroupTables, "joined", noted)
    context = SearchContext(space, columns)
    found, whole = (search(context, SearchRequest(), JobRunner()) for search in (search_exactly, search_exhaustively))
    assert max(together) == 1
    (tasks,) = map(space.tasks, space.groups)
    pricer = Evaluator(context, tasks, RateChoices(chosen=((1,), (2,))))
    scan, shapes = next((scan, shapes) for scan, shapes in space.structures(tasks[-1]) if len(shapes) > 2)
    taken, parts = pricer.takes(scan, shapes), [rows.tolist() for rows, _ in pricer.plain(scan, shapes)]
    assert taken.tolist().count(False) > 1
    assert sorted(row for rows in parts for row in rows) == list(range(len(shapes)))
    assert all(len(rows) == 1 or all(taken[row] for row in rows) for rows in parts)
    assert points(found) == points(whole)
    assert found.counts.size == whole.counts.size


def test_methods_that_are_refused() -> None:
    large = lpsf(H=480, W=640)
    with pytest.raises(
        ArrayolError, match="it evaluates every whole design, at most 20,000,000, and there are"
    ) as caught:
        choose_method("exhaustive", large, default_columns(large), size_of(large))
    assert [one.code for one in caught.value.diagnostics] == ["method-refused"]
    with pytest.raises(ArrayolError, match="goes through fusions as a paper does whose model") as caught:
        choose_method("partition", large, default_columns(large), size_of(large))
    assert caught.value.diagnostics[0].hint == "take --method exact, which finds the same front"


@pytest.mark.parametrize("method", ["exhaustive", "nsga2"])
def test_all_designs_are_refused_before_the_search(method: str) -> None:
    told: list[object] = []
    spec = api.load(shipped_folder() / "lpsf.aol", {"H": 4, "W": 8})
    space = api.Space(study=api.Study(units=(1,)), narrow=True, verify=False)
    with pytest.raises(ArrayolError, match="it keeps its front alone, and all designs are asked for") as caught:
        api.explore(spec, GIVEN, space=space, method=method, keep_all=True, announce=told.append, report=told.append)
    assert [one.code for one in caught.value.diagnostics] == ["method-refused"]
    assert told == []


def test_all_designs_of_too_many_fusions_are_refused() -> None:
    with TemporaryDirectory() as folder:
        bounded = space_of(chain(20, 16), 20, Path(folder))
    method = choose_method("exact", bounded, default_columns(bounded), size_of(bounded))
    with pytest.raises(ArrayolError, match="there are more than 16,384 fusions, and all designs are asked for"):
        require_other_fronts(method, bounded)
    require_other_fronts(method, lpsf())


@pytest.mark.parametrize("method", ["exact", "nsga2"])
def test_the_published_model_refuses(method: str) -> None:
    spec = api.load(shipped_folder() / "lpsf.aol")
    with pytest.raises(ArrayolError, match="a fusion is a whole design of the published model"):
        api.explore(spec, model="published", method=method)


def test_the_published_model_by_all_pairs() -> None:
    spec = api.load(shipped_folder() / "lpsf.aol")
    said: list[str] = []
    every = api.explore(spec, GIVEN, model="published", method="exhaustive", announce=said.append).result
    paper = api.explore(spec, GIVEN, model="published").result
    assert every.pareto == paper.pareto
    assert every.designs is None
    assert said == ["lpsf: 8 fusions of 4 tasks; method exhaustive"]


def test_the_size_is_told_before_the_search() -> None:
    said: list[str] = []
    spec = api.load(shipped_folder() / "lpsf.aol", {"H": 8, "W": 16})
    api.explore(
        spec, GIVEN, space=api.Space(narrow=True, verify=False), announce=said.append, report=lambda _: said.append("")
    )
    assert said[0] == (
        "lpsf: 8 fusions of 4 tasks, 10 groups, 18,624 plain group designs, 1.01 x 10^9 whole designs; "
        "method exact: about 0.9 s of work are enough to evaluate every group"
    )
    assert len(said) > 1


def quiet(_: object) -> None:
    pass


@settings(max_examples=case_count(20))
@given(spaces())
def test_the_front_so_far_has_its_designs(case: tuple[MappingSpace, Columns]) -> None:
    """While groups are searched: no better than the front at the end, and each point is what its design costs."""
    space, columns = case
    fronts: list[Searched] = []
    context = SearchContext(space, columns)
    found = search_exactly(context, SearchRequest(keep=lambda _, searched: fronts.append(searched())), JobRunner())
    for early in fronts:
        assert not early.complete
        for row, values in enumerate(early.front.values):
            assert (found.front.values <= values).all(axis=1).any()
            estimate = space.model.evaluate(early.design(row))
            for figure, value in zip(columns.figures, values.tolist(), strict=True):
                if figure.key == LATENCY:
                    assert estimate.latency_cycles == value
    seen["early"] += any(len(early.front) for early in fronts)


@pytest.mark.all_cases
def test_some_fronts_came_early() -> None:
    if "early" not in seen:
        pytest.skip("the searches before did not run here, or few of them")
    assert seen["early"] > 5


def test_single_tasks_and_the_whole_make_the_first_front(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The front so far is there before most groups are, in the folder too, and says how far any other may be.

    The share of the work that is done only rises.
    """
    monkeypatch.setattr(machine, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(runner, "TASK_SECONDS", 1e-9)  # however fast the machine: a task for each job
    monkeypatch.setattr(machine, "WRITE_SECONDS", 1e9)  # and however slow
    reports: list[SearchProgress] = []
    study = Study(units=(1, 2), blocks=dict.fromkeys(("hflr", "vftd", "hfrl", "vfbu"), ((2, 2), (4, 4))))
    api.explore(
        shipped_folder() / "lpsf.aol",
        settings={"H": 16, "W": 24},
        space=api.Space(study=study, narrow=True, verify=False),
        method="exact",
        resources=api.Resources(folder=tmp_path),
        report=reports.append,
    )
    first = api.load_result(tmp_path / "partial")
    assert not first.complete
    assert not first.exact
    assert {len(design.fusion) for design in first.pareto} <= {1, 4}
    searching = [one for one in reports if one.phase == SEARCHING]
    works = [one.work for one in searching if one.work is not None]
    assert works == sorted(works)
    assert 0.0 < works[0] < 0.5 < works[-1] <= 1.0
    assert searching[-1].hypervolume() is not None
    bound = searching[-1].bound()
    assert bound is not None
    assert 0 < bound <= 1


def test_what_a_group_keeps_is_renamed_with_its_arrays() -> None:
    """Of a chain's alike filters each keeps its own input; where a study says of one what it may, that one is apart."""
    with TemporaryDirectory() as folder:
        space = space_of(chain(9, 16), 1, Path(folder))
    isomorphic = IsomorphicGroups(space)
    first, group = next((one, group) for group in space.groups if (one := isomorphic.of(group)) is not None)
    reads = {one: next(iter(space.model.network.processes[space.tasks(one)[0]].reads)) for one in (first, group)}
    processors = (Processor(space.tasks(first)[0]),)
    rank = len(space.accesses.extents(space.tasks(first)[0]))
    design = GroupDesign(processors, Blocks((1,) * rank, row_major(rank)), keeps=((reads[first], ReuseLevel(1)),))
    renamed = isomorphic.design(design, first, group)
    assert renamed.keeps == ((reads[group], ReuseLevel(1)),)
    assert isomorphic.design(renamed, group, first) == design
    study = Study(longest_group=1, array={reads[group]: {"keep": ["whole 1"]}})
    assert IsomorphicGroups(MappingSpace(space.model, study)).of(group) is None
