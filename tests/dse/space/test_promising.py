"""Blocks that an estimate says to be best: what they move and hold in truth, and that none of a coarse list beats them.

The truth is the machine model's.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count

from arrayol.checks.check import check_source
from arrayol.ir.network import flatten
from arrayol.source import SourceFile
from dse.jobs.runner import JobRunner
from dse.search.context import SearchContext, SearchRequest
from dse.search.figures import columns_of
from dse.search.group_front import nothing
from dse.search.groups.jobs import StructuresJob
from dse.search.rounds.portions import WorkQueue
from dse.search.rounds.schedule import Schedule
from dse.search.rounds.search import search_in_rounds
from dse.search.rounds.summary import BEATEN
from dse.space.mappings import MappingSpace
from dse.space.promising import promising
from dse.space.study import Study
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, GroupDesign, Processor, ReuseLevel, with_keeps
from hwmodel.platform import Platform, default_platform

PLATFORM = default_platform().model_copy(update={"technology": None, "assume_datapaths": True})
EXTENTS = st.sampled_from((2, 4, 6, 8))


def space_of(rows: int, columns: int, terms: int, platform: Platform = PLATFORM) -> MappingSpace:
    """Of a matrix product whose sums are split term by term."""
    text = f"""
elementary add(x: i32, y: i32, before: i32) -> (z: i32) {{ z = before + x * y }}
task product(a: i32[{rows}, {terms}], b: i32[{terms}, {columns}]) -> (c: i32[{rows}, {columns}]) {{
  repeat [{rows}, {columns}, {terms}] of add {{
    x                 <- a at origin [0, 0]  paving [1, 0, 0; 0, 0, 1]  fitting []
    y                 <- b at origin [0, 0]  paving [0, 0, 1; 0, 1, 0]  fitting []
    before            <- z delay [0, 0, 1] else 0
    z delay [0, 0, 1] -> c at origin [0, 0]  paving [1, 0, 0; 0, 1, 0]  fitting []
  }}
}}
"""
    network = flatten(check_source(SourceFile("product.aol", text)).spec, "product")
    return MappingSpace(MachineModel(network, platform), Study())


def figures_of(space: MappingSpace, structure: GroupDesign) -> tuple[int, int]:
    """Bytes of traffic, and bits that live at once."""
    estimate = space.model.estimate_enumerated(structure)
    return estimate.additive["traffic_bytes"], estimate.live_bits


@settings(max_examples=case_count(6), deadline=None)
@given(EXTENTS, EXTENTS, EXTENTS)
def test_traffic_is_as_estimated_and_memory_hardly_more_than_lives(rows: int, columns: int, terms: int) -> None:
    space = space_of(rows, columns, terms)
    estimated, structures = promising(space, "product")
    assert structures
    for (traffic, bits), structure in zip(estimated.tolist(), structures[:12], strict=False):
        moved, held = figures_of(space, structure)
        assert moved == round(traffic)
        assert held <= bits <= 1.06 * held + 96


@settings(max_examples=case_count(4), deadline=None)
@given(EXTENTS, EXTENTS, EXTENTS, st.data())
def test_nothing_else_moves_less_in_less_memory(rows: int, columns: int, terms: int, data: st.DataObject) -> None:
    """But for a quarter of the memory: some drawn blocks with drawn keeps."""
    space = space_of(rows, columns, terms)
    found = np.array([figures_of(space, one) for one in promising(space, "product")[1]])
    extents = space.accesses.extents("product")
    for _ in range(4):
        shape = tuple(data.draw(st.sampled_from(space.sides(extent))) for extent in extents)
        scan = data.draw(st.sampled_from(list(space.scans("product", shape))))
        keeps = {array: ReuseLevel(data.draw(st.integers(0, 3))) for array in ("a", "b")}
        drawn = with_keeps(GroupDesign((Processor("product"),), Blocks(shape, scan)), keeps)
        moved, held = figures_of(space, drawn)
        assert ((found[:, 0] <= moved) & (found[:, 1] <= 1.25 * held + 64)).any()


def test_blocks_of_blocks_hold_less_for_the_same_traffic() -> None:
    """Of a 24 x 24 x 24 product: two levels where they gain, and one where a block is a single element."""
    space = space_of(24, 24, 24)
    estimated, structures = promising(space, "product")
    twice = [one for one in structures if one.blocks.outer]
    assert 0 < len(twice) < len(structures)
    assert (np.diff(estimated[:, 0]) > 0).all()
    assert (np.diff(estimated[:, 1]) < 0).all()
    best = min(estimated[row, 1] for row, one in enumerate(structures) if estimated[row, 0] <= 4 * 576 * 9)
    plain = [
        figures_of(space, GroupDesign((Processor("product"),), Blocks((6, 6, 1), scan), policy="tile"))
        for scan in space.scans("product", (6, 6, 1))
        if not any(scan.descending)
    ]
    assert best < 0.8 * min(bits for traffic, bits in plain if traffic <= 4 * 576 * 9)


@pytest.mark.parametrize("blocks", ["divisors", None])
def test_sides_are_those_of_the_study(blocks: str | None) -> None:
    space = space_of(6, 6, 6)
    space = MappingSpace(space.model, Study.model_validate({} if blocks is None else {"blocks": blocks}))
    sides = {side for one in promising(space, "product")[1] for side in one.blocks.shape}
    assert sides <= ({1, 2, 3, 6} if blocks else {1, 2, 3, 4, 5, 6})


def test_a_list_of_outer_blocks_leaves_no_others() -> None:
    space = space_of(8, 8, 8)
    space = MappingSpace(space.model, Study.model_validate({"outer_blocks": {}}))
    assert all(not one.blocks.outer for one in promising(space, "product")[1])


def test_every_choice_is_legal() -> None:
    space = space_of(4, 6, 8)
    for one in promising(space, "product")[1]:
        assert one.blocks.fit(3)
        assert space.model.is_legal("product", one.blocks)


def test_designs_with_other_splits_leave_out_what_they_beat() -> None:
    """All of a task that is all there is; a network of which nothing is left is not opened."""
    space = space_of(8, 8, 8)
    columns = columns_of(("traffic_bytes", "internal_memory_bits"), (), space.model, reuse_memory=False)
    figures, structures = promising(space, "product")
    rival = figures[len(figures) // 2].astype(np.int64)[None]
    queue = WorkQueue(space, columns, Schedule(space), 1, 5.0)
    jobs = [job for one in queue.promised([rival]) for job in one.jobs(nothing(columns, 1))]
    priced = {structure for job in jobs if isinstance(job, StructuresJob) for structure in job.structures}
    beaten = {one for one, own in zip(structures, figures, strict=True) if (rival[0] <= own).all()}
    assert priced
    assert beaten
    assert not priced & beaten
    better = np.array([[1, 1]])
    found = search_in_rounds(SearchContext(space, columns), SearchRequest(rivals=(better,)), JobRunner())
    assert found.complete
    assert not len(found.front)
    assert BEATEN in found.description


@pytest.mark.parametrize("compared", [("traffic_bytes", "internal_memory_bits"), ("latency_cycles", "traffic_bytes")])
def test_rounds_begin_with_them_where_data_alone_are_compared(compared: tuple[str, ...]) -> None:
    space = space_of(8, 8, 8)
    columns = columns_of(compared, (), space.model, reuse_memory=False)
    portions = list(WorkQueue(space, columns, Schedule(space), 1, 5.0).promised())
    assert columns.compares_only_data == ("latency_cycles" not in compared)
    if not columns.compares_only_data:
        assert not portions
        return
    jobs = [job for one in portions for job in one.jobs(nothing(columns, 1))]
    priced = [structure for job in jobs if isinstance(job, StructuresJob) for structure in job.structures]
    assert set(priced) == set(promising(space, "product")[1])
    assert all(job.rates.count == 1 for job in jobs)
