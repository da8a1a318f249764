"""How many seconds jobs are predicted to take: what makes them longer counts."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count

from arrayol import api
from arrayol.checks.check import check_source
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from arrayol.source import SourceFile
from dse.search.exact.exact import combining_seconds, exact_seconds
from dse.search.figures import columns_of
from dse.search.group_front import nothing
from dse.search.groups.job_cost import JobCost
from dse.search.groups.search import GroupJobs
from dse.search.pricing import RateChoices, plain_structure
from dse.space.mappings import MappingSpace, shape_of
from dse.space.study import Study, narrowed
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks
from hwmodel.platform import load_platform

FILTER = """
elementary band(x: i16[{taps}]) -> (y: i32) {{ y += i32(x[k]) for k in 0..{taps} }}
task bands(signal: i16[(4096 - 1) * 16 + {taps}]) -> (out: i32[16, 4096]) {{
  repeat [16, 4096] of band {{
    x <- signal at origin [0] paving [0, 16] fitting [1]
    y -> out
  }}
}}
"""


def keeps(taps: int, folder: Path) -> float:
    """Predicted seconds for what a structure of a filter bank may keep."""
    path = folder / "bands.aol"
    path.write_text(FILTER.format(taps=taps))
    platform = load_platform(shipped_folder() / "platforms" / "default.toml")
    space = MappingSpace(MachineModel(flatten(api.load(path), "bands"), platform), Study())
    return JobCost(space, ("bands",), 1).keeps


@pytest.mark.parametrize(("taps", "least", "most"), [(32, 1.0, 1.0), (64, 4.0, 8.0), (128, 12.0, 24.0)])
def test_what_wide_patterns_keep_takes_longer(taps: int, least: float, most: float, tmp_path: Path) -> None:
    """By the accesses along the axis, which are listed for each choice, beyond what few elements take."""
    assert least <= keeps(taps, tmp_path) / keeps(24, tmp_path) <= most


FRAMES = """
elementary mean(x: u8[3]) -> (y: u8) {{ y = u8((u16(x[0]) + x[1] + x[2]) // 3) }}
task means(video: u8[*, {rows}, {columns}]) -> (out: u8[*, {rows}, {columns}]) {{
  repeat [*, {rows}, {columns}] of mean {{
    x <- video at origin [0, 0, 0] paving [1, 0, 0; 0, 1, 0; 0, 0, 1] fitting [0; 0; 1] wrap
    y -> out at origin [0, 0, 0] paving [1, 0, 0; 0, 1, 0; 0, 0, 1] fitting []
  }}
}}
"""


@settings(max_examples=case_count(25))
@given(st.integers(1, 240), st.integers(1, 240))
def test_pricing_all_takes_as_long_as_its_jobs(rows: int, columns: int) -> None:
    """Also where a dimension has one index, as frames have: some scans take longer than others."""
    spec = check_source(SourceFile("frames.aol", FRAMES.format(rows=rows, columns=columns))).spec
    assert spec is not None
    platform = load_platform(shipped_folder() / "downscaler.toml")
    space = MappingSpace(MachineModel(flatten(spec, "means"), platform), narrowed(Study(policies=("reuse",))))
    priced = columns_of(("latency_cycles", "internal_memory_elements"), (), space.model, reuse_memory=True)
    jobs = GroupJobs(space, priced, ("means",), RateChoices((space.rates("means"),)))
    planned = jobs.plain(nothing(priced, 1), space.structures("means"))
    numbers = [sum(len(shapes) for _, shapes in job.shapes) for job in planned]
    seconds = sum(job.cost - jobs.cost.tables_of(own) for job, own in zip(planned, numbers, strict=True))
    seconds += jobs.cost.tables_of(sum(numbers)) + combining_seconds(space, priced)
    assert exact_seconds(space, priced, math.inf) == pytest.approx(seconds)
    assert (exact_seconds(space, priced, 1.0) > 1.0) == (seconds > 1.0)


@pytest.mark.parametrize(("more", "least", "most"), [("lut", 1.5, 100.0), ("traffic_bytes", 1.0, 1.2)])
def test_costs_that_trade_with_time_take_longer(more: str, least: float, most: float) -> None:
    """Nearly every rate of a task has designs on a front with logic, of which bounds leave out little."""
    spec = check_source(SourceFile("frames.aol", FRAMES.format(rows=24, columns=36))).spec
    assert spec is not None
    platform = load_platform(shipped_folder() / "downscaler.toml")
    space = MappingSpace(MachineModel(flatten(spec, "means"), platform), narrowed(Study(policies=("reuse",))))
    pair = ("latency_cycles", "internal_memory_elements")
    without, beside = (
        exact_seconds(space, columns_of(names, (), space.model, reuse_memory=False), math.inf)
        for names in (pair, (*pair, more))
    )
    assert least <= beside / without <= most


@settings(max_examples=case_count(25))
@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 64))
def test_what_is_prepared_grows_with_the_structures(few: int, more: int, kinds: int) -> None:
    """Up to what many take; where others of the group were before it is less, but never nothing."""
    spec = check_source(SourceFile("frames.aol", FRAMES.format(rows=24, columns=36))).spec
    assert spec is not None
    platform = load_platform(shipped_folder() / "downscaler.toml")
    space = MappingSpace(MachineModel(flatten(spec, "means"), platform), Study())
    cost = JobCost(space, ("means",), 1, kinds=kinds)
    few, more = sorted((few, more))
    assert 0 < cost.tables_of(0) <= cost.tables_of(few) <= cost.tables_of(more) <= cost.tables
    assert cost.tables_of(0) <= cost.tables_of(more, again=True) <= cost.tables_of(more)
    assert (cost.tables_of(more, again=True) < cost.tables_of(more)) == (more > 0)


@pytest.mark.parametrize("options", [False, True])
def test_structures_of_one_batch_take_less_than_the_first(options: bool) -> None:
    """Plain ones under one scan do; those with FIFOs, cuts or the like are each evaluated by themselves."""
    spec = check_source(SourceFile("frames.aol", FRAMES.format(rows=24, columns=36))).spec
    assert spec is not None
    platform = load_platform(shipped_folder() / "downscaler.toml")
    space = MappingSpace(MachineModel(flatten(spec, "means"), platform), Study())
    columns = columns_of(("latency_cycles", "internal_memory_elements"), (), space.model, reuse_memory=False)
    jobs = GroupJobs(space, columns, ("means",), RateChoices((space.rates("means"),)))
    scan, shapes = next(iter(space.structures("means")))
    starts = [plain_structure(("means",), Blocks(shape_of(shape), scan)) for shape in shapes[:4]]
    structures = [replace(one, recompute=True) for one in starts] if options else starts
    first, *others = jobs.seconds_of_each(structures)
    assert len(others) == 3
    assert all((seconds < first / 2) != options for seconds in others)
