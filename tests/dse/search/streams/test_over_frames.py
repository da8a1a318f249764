"""Streams that keep frames inside, beside other designs: priced as they run, and in one front."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.ir.network import flatten
from dse.jobs.runner import JobRunner
from dse.search.context import SearchContext, SearchRequest
from dse.search.exact.exact import search_exactly
from dse.search.exact.exhaustive import search_exhaustively
from dse.search.figures import columns_of
from dse.search.lower_bounds import least_figures
from dse.search.streams.stream_search import price_streams
from dse.space.mappings import MappingSpace
from dse.space.study import Study
from dse.space.study_checks import emitted_only
from dse.verify.testbench import Testbench
from hwmodel.emit.verilog.coverage import Coverage
from hwmodel.platform import default_platform

TEMPORAL = Path(__file__).parents[3] / "hwmodel" / "stream" / "specs" / "temporal.aol"
BOTH = {"frames": ("outside", "inside"), "interfaces": ("port", "axis")}
SMALL = {"cuts": ("none",), "links": ("buffer",), "layouts": ("none",), "policies": ("reuse",), "splits": "none"}


def bench_of(path: Path) -> Testbench:
    spec = load_checked(path, {"H": 3, "W": 4})
    return Testbench(spec, flatten(spec, choose_top(spec, None)), default_platform())


@pytest.fixture(scope="module")
def bench() -> Testbench:
    return bench_of(TEMPORAL)


def test_they_run_as_priced(bench: Testbench) -> None:
    space = MappingSpace(bench.model, Study(paces=("1", "1/2"), orders=("0,1,2",), **BOTH))
    found = price_streams(space, ("blurred", "means"))
    assert {(own.stream.scan, own.stream.frames) for own, _ in found.designs if own.stream} == {((0, 1), "inside")}
    for design, estimate in found.designs:
        assert bench.model.estimate(design) == estimate
        judgement = bench.judge(design)
        assert (judgement.identical, judgement.reasons) == (True, ())


def test_one_front(bench: Testbench) -> None:
    """What moves a frame once is in the front, and no bound is above it."""
    study = Study(paces=("1",), orders=("0,1,2",), units=(1,), intervals=(1,), blocks="divisors", **BOTH, **SMALL)
    space = MappingSpace(bench.model, study)
    columns = columns_of(
        ("frame_cycles", "traffic_bytes", "internal_memory_elements"), (), bench.model, reuse_memory=False
    )
    context = SearchContext(space, columns)
    found = search_exactly(context, SearchRequest(), JobRunner())
    every = search_exhaustively(context, SearchRequest(), JobRunner())
    assert sorted(found.front.values.tolist()) == sorted(every.front.values.tolist())
    designs = [found.design(row) for row in range(len(found.front))]
    kept = [row for row, own in enumerate(designs) if any(g.stream and g.stream.frames == "inside" for g in own.groups)]
    assert kept
    assert found.front.values[kept, 1].min() == 2 * 3 * 4
    assert (np.array(least_figures(space, columns)) <= found.front.values.min(axis=0)).all()


def test_only_what_is_emitted(tmp_path: Path) -> None:
    """Frames that do not lie one after another are kept by streams alone."""
    path, text = tmp_path / "temporal.aol", TEMPORAL.read_text(encoding="utf-8")
    text = text.replace("[*, H, W]", "[H, W, *]").replace("[0, 0, -1]", "[0, -1, 0]")
    path.write_text(text.replace("[1; 0; 0]", "[0; 0; 1]").replace("[0; 0; 1] else", "[0; 1; 0] else"))
    bench = bench_of(path)
    study = emitted_only(Study(hardware=True, **BOTH), Coverage(bench.accesses, bench.platform))
    assert (study.styles, study.interfaces, study.frames) == (("stream",), ("port", "axis"), ("inside",))
    space = MappingSpace(bench.model, study)
    streams = [own.stream for own, _ in price_streams(space, ("blurred", "means")).designs]
    assert streams
    assert {(own.interface, own.frames) for own in streams if own} == {("port", "inside"), ("axis", "inside")}
