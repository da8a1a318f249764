"""Streaming groups in a search: one front with blocks, and every stream as the simulated machine runs it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import assume, given, settings
from many_cases import case_count
from pydantic import ValidationError
from strategies_streams import Drawn, streams

from arrayol import api
from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.ir.network import flatten
from arrayol.ir.spec import Spec
from dse.jobs.jobs import SearchProgress
from dse.jobs.runner import JobRunner
from dse.search.context import SearchContext, Searched, SearchRequest
from dse.search.exact.exact import search_exactly
from dse.search.exact.exhaustive import search_exhaustively
from dse.search.figures import columns_of
from dse.search.lower_bounds import least_figures
from dse.search.rounds.search import search_in_rounds
from dse.search.streams import stream_search
from dse.search.streams.stream_search import StreamJob, price_streams
from dse.space.mappings import MappingSpace
from dse.space.remarks import size_of
from dse.space.study import Study, narrowed
from dse.verify.testbench import Testbench
from hwmodel.cost_model.model import MachineModel
from hwmodel.platform import Platform, default_platform

OWN = Path(__file__).parents[3] / "hwmodel" / "stream" / "specs"
OBJECTIVES = (
    ("latency_cycles", "internal_memory_elements"),
    ("latency_cycles", "internal_memory_bits", "lut"),
    ("frame_cycles", "port_bytes", "units"),
)
ROWS: dict[str, object] = {
    "word_bits": 64,
    "port": "shared",
    "rows": {"row_bytes": 64, "banks": 2, "word_ns": 8, "row_change_ns": 30, "same_bank_activate_ns": 50},
}
PORTS = (
    {},
    {"memory": {"latency": 3, "word_bits": 64, "port": "separate"}},
    {"memory": {"latency": 2, "word_bits": 32, "port": "separate", "burst": "run", "outstanding": 4}},
    {"memory": ROWS, "clock_mhz": 200},
)
PLAIN = {"cuts": ("none",), "links": ("buffer",), "layouts": ("none",), "policies": ("reuse",), "splits": "none"}


def checked(text: str) -> Spec:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.aol"
        path.write_text(text)
        return load_checked(path, {})


def model_of(spec: Spec, platform: Platform) -> MachineModel:
    return MachineModel(flatten(spec, choose_top(spec, None)), platform)


def platform_with(changes: dict[str, object]) -> Platform:
    platform = default_platform()
    given = platform.model_dump(mode="json", exclude_unset=True)
    return Platform.model_validate({**given, **changes}) if changes else platform


def points(found: Searched) -> list[tuple[list[int], int]]:
    return list(zip(found.front.values.tolist(), found.front.units.tolist(), strict=True))


@pytest.mark.parametrize("changes", PORTS, ids=["shared", "bursts", "runs", "rows"])
@settings(max_examples=case_count(6))
@given(streams())
def test_every_stream_runs_as_priced(changes: dict[str, object], drawn: Drawn) -> None:
    spec, platform = checked(drawn.text), platform_with(changes)
    bench = Testbench(spec, flatten(spec, choose_top(spec, None)), platform)
    tasks = tuple(bench.network.processes)
    found = price_streams(MappingSpace(bench.model, Study(paces=("1", "1/2", "2"))), tasks)
    assume(found.designs)
    for design, estimate in [found.designs[0], found.designs[-1]]:
        assert bench.model.estimate(design) == estimate
        judgement = bench.judge(design)
        assert judgement.reasons == ()
        assert judgement.identical is not False


@settings(max_examples=case_count(4))
@given(streams())
def test_the_front_of_both_styles_is_that_of_all_designs(drawn: Drawn) -> None:
    model = model_of(checked(drawn.text), default_platform())
    blocks = {
        name: ((1,) * len(process.repetition), tuple(extent or 1 for extent in process.repetition))
        for name, process in model.network.processes.items()
    }
    study = Study(blocks=blocks, orders=("0,1", "0", ""), units=(1,), intervals=(1,), paces=("1", "1/2"), **PLAIN)
    space = MappingSpace(model, study)
    columns = columns_of(OBJECTIVES[len(drawn.text) % len(OBJECTIVES)], (), model, reuse_memory=False)
    assume((size_of(space).whole_designs or 0) < 2_000)
    context = SearchContext(space, columns)
    whole = search_exhaustively(context, SearchRequest(), JobRunner())
    assert points(search_exactly(context, SearchRequest(), JobRunner())) == points(whole)


def test_paces_are_whole_numbers_or_one_over_one() -> None:
    for wrong in (["2/3"], ["0"], ["1", "1"], [], [1]):
        with pytest.raises(ValidationError):
            Study.model_validate({"paces": wrong})


def test_a_narrow_study_has_blocks_alone() -> None:
    assert narrowed(Study()).styles == ("block",)
    assert Study().styles == ("block", "stream")


def filters() -> Spec:
    return load_checked(OWN / "unsharp.aol", {"H": 40, "W": 64})


def test_streams_of_a_chain_of_filters() -> None:
    model = model_of(filters(), default_platform())
    tasks = tuple(model.network.processes)
    found = {str(design.stream.pace): own for design, own in price_streams(MappingSpace(model, Study()), tasks).designs}
    assert {"1", "1/2", "1/4"} <= found.keys()
    assert found["1/2"].latency_cycles < found["1"].latency_cycles


@pytest.mark.parametrize("method", ["exact", "exhaustive", "rounds"])
def test_streams_that_take_too_long_to_count_are_told(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    space = api.Space(
        study=Study(styles=("stream",), paces=("1", "1/2"), orders=("0,1",), units=(1,), intervals=(1,)), verify=False
    )
    explored = partial(api.explore, OWN / "halved.aol", settings={"H": 4, "W": 8}, space=space, method=method)
    assert explored().result.exact
    monkeypatch.setattr("hwmodel.stream.model.LISTED_AT_MOST", 0)
    result = explored().result
    assert not result.exact
    assert "streams not tried, whose line buffers take too long to count" in result.method_description


def test_the_share_of_the_work_counts_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a search in rounds, also where the streams of all groups take more than the blocks."""
    monkeypatch.setattr(stream_search, "STREAM_SECONDS", 0.5)
    model = model_of(load_checked(OWN / "halved.aol", {"H": 4, "W": 8}), default_platform())
    few = Study(paces=("1",), orders=("0,1",), units=(1,), intervals=(1,), splits="none")
    space = MappingSpace(model, narrowed(few).model_copy(update={"styles": ("block", "stream")}))
    context = SearchContext(space, columns_of(OBJECTIVES[0], (), model, reuse_memory=False))
    reports: list[SearchProgress] = []
    request = SearchRequest(budget=100.0, report=reports.append)
    found = search_in_rounds(context, request, JobRunner())
    works = [record.work for record in reports if record.work is not None]
    streams = sum(StreamJob.of(space, space.tasks(group)).cost for group in space.groups)
    assert found.work is not None
    assert streams < found.work < 2 * streams
    assert works == sorted(works)
    assert works[-1] * request.budget == pytest.approx(found.work, rel=0.05)


@pytest.mark.parametrize("interfaces", [("port",), ("port", "axis")])
def test_streams_alone(interfaces: tuple[str, ...]) -> None:
    model = model_of(filters(), default_platform())
    space = MappingSpace(model, Study(styles=("stream",), paces=("1",), orders=("0,1",), interfaces=interfaces))
    columns = columns_of(OBJECTIVES[0], (), model, reuse_memory=False)
    found = search_exactly(SearchContext(space, columns), SearchRequest(), JobRunner())
    designs = [found.design(row) for row in range(len(found.front))]
    assert designs
    groups = [group.stream for design in designs for group in design.groups]
    assert all(stream is not None for stream in groups)
    assert {stream.interface for stream in groups if stream} == {interfaces[-1]}  # no port is cheaper
    assert (np.array(least_figures(space, columns)) <= found.front.values.min(axis=0)).all()


@settings(max_examples=case_count(6))
@given(streams())
def test_axis_streams_run_as_priced(drawn: Drawn) -> None:
    spec = checked(drawn.text)
    bench = Testbench(spec, flatten(spec, choose_top(spec, None)), default_platform())
    tasks = tuple(bench.network.processes)
    found = price_streams(MappingSpace(bench.model, Study(paces=("1", "1/2"), interfaces=("axis",))), tasks)
    assume(found.designs)
    for design, estimate in [found.designs[0], found.designs[-1]]:
        assert design.stream is not None
        assert design.stream.interface == "axis"
        assert bench.model.estimate(design) == estimate
        judgement = bench.judge(design)
        assert judgement.reasons == ()
        assert judgement.identical is not False
        assert bench.model.step_cycles(design) == (estimate.latency_cycles,)
