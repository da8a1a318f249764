"""Methods against each other on generated networks: exact and partition find the front of every whole design."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from strategies_machine import networks, platforms

from arrayol.errors import ArrayolError
from arrayol.ir.network import Network
from dse.columns import Columns, columns_of
from dse.constraints import parse_constraint
from dse.exact import search_exactly, search_groups
from dse.exhaustive import search_exhaustively
from dse.graph import task_graph
from dse.group_search import search_group
from dse.heuristic import search_heuristically
from dse.mapping_space import MappingSpace
from dse.method_names import Search
from dse.methods import choose_method
from dse.partition import search_by_partition
from dse.search.indicators import share_of
from dse.searched import Searched
from dse.space_size import size_of
from dse.study import Study, narrowed
from dse.twins import Twins
from hwmodel.design import GroupDesign
from hwmodel.machine.model import MachineModel
from hwmodel.machine.priced import Priced
from hwmodel.platform import Platform

CASES = 240
OBJECTIVES = (
    ("latency_cycles", "internal_memory_data"),
    ("internal_memory_bits", "latency_cycles", "units"),
    ("traffic_bytes", "lut"),
    ("frame_cycles", "internal_memory_data", "dsp"),
)
SCANS = {0: ("",), 1: ("0", "-0"), 2: ("0,1", "1,0", "-0,-1"), 3: ("0,1,2", "-0,1,2")}

seen: Counter[str] = Counter()


@st.composite
def studies(draw: st.DrawFn, network: Network) -> Study:
    """Few block shapes, orders and units, and at times all that can be opened."""
    blocks = {}
    ranks = set()
    for name, process in network.processes.items():
        extents = [extent or 1 for extent in process.repetition]
        ranks.add(len(extents))
        shape = st.tuples(*(st.integers(1, extent) for extent in extents))
        blocks[name] = tuple(draw(st.lists(shape, min_size=1, max_size=draw(st.integers(1, 2)), unique=True)))
    orders = tuple(text for rank in sorted(ranks) for text in SCANS[rank])
    study = Study(
        blocks=blocks,
        orders=orders,
        units=draw(st.sampled_from([(1,), (1, 2)])),
        reuse_memory=draw(st.booleans()),
        longest_group=draw(st.sampled_from([None, None, None, 2])),
    )
    return study if draw(st.integers(0, 5)) == 0 else narrowed(study)


class RememberingModel(MachineModel):
    """Prices each structure once for all methods, and none in bulk: that those agree is tested with the model."""

    def __init__(self, network: Network, platform: Platform) -> None:
        super().__init__(network, platform)
        self.priced: dict[tuple[GroupDesign, bytes], Priced | ArrayolError] = {}

    def price_structure(self, structure: GroupDesign, units: NDArray[np.int64]) -> Priced:
        key = structure, units.tobytes()
        if key not in self.priced:
            try:
                self.priced[key] = super().price_structure(structure, units)
            except ArrayolError as refused:
                self.priced[key] = refused
        found = self.priced[key]
        if isinstance(found, ArrayolError):
            raise found
        return found

    def batch(self, tasks: tuple[str, ...]) -> None:
        del tasks


@st.composite
def spaces(draw: st.DrawFn) -> tuple[MappingSpace, Columns]:
    network = draw(networks(most=4))
    platform = draw(platforms()).model_copy(update={"clock_mhz": 100.0})
    model = draw(st.sampled_from([RememberingModel] * 9 + [MachineModel]))(network, platform)
    space = MappingSpace(model, draw(studies(network)))
    objectives = draw(st.sampled_from(OBJECTIVES))
    limits = draw(st.sampled_from([(), (), (), (parse_constraint("units <= 5"),)]))
    return space, columns_of(objectives, limits, platform, reuse_memory=space.study.reuse_memory)


def points(found: Searched) -> list[tuple[list[int], int]]:
    return list(zip(found.front.values.tolist(), found.front.units.tolist(), strict=True))


def kind(space: MappingSpace) -> str:
    graph = space.graph
    if any(links.bit_count() > 1 for links in graph.successors):
        return "fork"
    if any(links.bit_count() > 1 for links in graph.predecessors):
        return "join"
    return "chain" if len(graph) > 1 else "one task"


@settings(max_examples=CASES)
@given(spaces())
def test_exact_is_exhaustive(case: tuple[MappingSpace, Columns]) -> None:
    space, columns = case
    if (size_of(space).whole_designs or 0) > 20_000:
        seen["too large"] += 1
        return
    try:
        whole = search_exhaustively(space, columns, lambda _: None)
    except ArrayolError as refused:
        assert [one.code for one in refused.diagnostics] == ["method-refused"]
        seen["too large"] += 1
        return
    for search in (search_exactly, search_by_partition):
        found = search(space, columns, lambda _: None)
        assert points(found) == points(whole)
        assert found.counts.size == found.group_designs
        assert found.whole_designs == whole.whole_designs
        assert found.exact is not bool(space.study.longest_group)
    assert whole.counts.size == whole.whole_designs
    if seen["compared"] % 4 == 0:
        _designs_have_the_figures(space, columns, whole)
    seen[kind(space)] += 1
    seen["compared"] += 1
    seen["opened"] += space.study.opens
    seen["more than three points"] += len(whole.front) > 3


def _designs_have_the_figures(space: MappingSpace, columns: Columns, found: Searched) -> None:
    for row, (values, units) in enumerate(points(found)):
        estimate = space.model.evaluate(found.design(row), reuse_memory=space.study.reuse_memory)
        assert [round(estimate.objective(figure.key) * figure.scale) for figure in columns.figures] == values
        assert estimate.units == units


def test_how_much_was_compared(capsys: pytest.CaptureFixture[str]) -> None:
    """After the test above; says what it has seen."""
    if not seen:
        pytest.skip("the comparison did not run here")
    with capsys.disabled():
        shown = ", ".join(f"{count} {what}" for what, count in sorted(seen.items()))
        print(f"\nexact against exhaustive: {shown}")  # noqa: T201  what the issue asks to be printed
    assert seen["compared"] >= 200
    assert all(seen[name] >= 10 for name in ("chain", "fork", "join", "opened", "more than three points"))
