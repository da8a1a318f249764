"""Arrays placed on several channels: fronts beside those of all placements, bounds of open channels, equal groups."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from unittest.mock import patch

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from port_designs import memory_of
from strategies_machine import with_channels
from strategies_spaces import spaces

from arrayol import api
from arrayol.arrays import IntArray
from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError
from arrayol.ir.network import flatten
from dse.jobs.runner import JobRunner
from dse.results.exploration import Exploration, Labels
from dse.results.schema import Result
from dse.search import machine
from dse.search.context import SearchContext, SearchRequest
from dse.search.exact.exact import search_exactly, search_groups
from dse.search.figures import Columns, columns_of, objective_values
from dse.search.groups.search import search_group
from dse.search.isomorphic import IsomorphicGroups
from dse.search.machine import explore_mappings
from dse.search.shown import placement
from dse.search.shown.placement import objective_rows, shortfall
from dse.space.mappings import MappingSpace
from dse.space.study import Study, narrowed
from hwmodel.channels import placements
from hwmodel.cost_model.memory_port.port import MOST_PLACED, least_makespan
from hwmodel.cost_model.model import MachineModel
from hwmodel.platform import default_platform

LABELS = Labels("drawn", "machine", "drawn")


def all_placements(space: MappingSpace, names: tuple[str, ...]) -> IntArray:
    """The objectives of the fronts of all placements, each searched by itself."""
    found, (channel,) = [], space.model.platform.channels
    arrays = list(space.channels)
    for numbers in placements(len(arrays), channel.channels):
        own = space.in_channels(tuple(zip(arrays, numbers, strict=True)))
        columns = columns_of(names, space.study.constraints, own.model, reuse_memory=space.study.reuse_memory)
        values = search_exactly(SearchContext(own, columns), SearchRequest(), JobRunner()).front.values
        found.append(objective_values(columns, values))
    return np.concatenate(found)


def shown(exploration: Exploration, space: MappingSpace, columns: Columns) -> IntArray:
    """The objectives of the designs that an exploration shows, as a model with their channels has them."""
    choices = dict.fromkeys(design.choice for design in exploration.decisions)
    own = MappingSpace(space.model, space.study, placements=tuple(choices))
    return objective_rows(own, columns, exploration.decisions)


def dominated(rows: IntArray, by: IntArray) -> bool:
    """Whether each row is no less than some other in all columns."""
    return all(bool((by <= row).all(axis=1).any()) for row in rows)


@settings(max_examples=case_count(20))
@given(drawn=spaces(), channels=st.integers(2, 3), estimated=st.sampled_from((placement.ESTIMATED_AT_MOST, 1)))
def test_no_placement_is_better(drawn: tuple[MappingSpace, Columns], channels: int, estimated: int) -> None:
    """The front is that of all placements if it is said to be exact; else as near as it is said to be.

    So it is where few placements are estimated, too.
    """
    space, columns = drawn
    model = MachineModel(space.model.network, with_channels(space.model.platform, channels))
    space = MappingSpace(model, space.study.model_copy(update={"slack": 0.0}))
    assume(space.may_be_placed and len(space.channels) <= 5)
    partly: list[Result] = []
    try:
        with (
            patch.object(placement, "ESTIMATED_AT_MOST", estimated),
            patch.object(machine, "FIRST_SECONDS", 0.0),
            patch.object(machine, "WRITE_SECONDS", 0.0),
        ):
            request = SearchRequest("exact", write=partly.append)
            found = explore_mappings(space, columns.names, LABELS, request=request)
        best = all_placements(space, columns.names)
    except ArrayolError:
        assume(False)  # nothing is feasible, or its space is too large
    for early in partly:  # with arrays placed by their sizes
        assert all(design.channels for design in early.pareto)
    rows = shown(found, space, columns)
    reported = [[design.objectives[name] for name in columns.names] for design in found.result.pareto]
    assert len(reported) == len(rows)
    assert dominated(rows, best), "a design is better than any placement allows"
    if "suit it best" in found.result.method_description:
        assert dominated(best, rows)
    else:
        assert not found.result.exact
        assert shortfall(best, rows) < 1


def _served(arrays: list[list[int]], stores_from: int) -> int:
    """The cycles of a port that loads these arrays, and then stores."""
    loads, stores = (sum(own[side] for own in arrays) for side in range(2))
    return max(loads, stores_from) + stores if stores else loads


@settings(max_examples=case_count(60))
@given(
    amounts=st.lists(
        st.tuples(*[st.lists(st.integers(0, 40), min_size=3, max_size=3)] * 2), min_size=1, max_size=MOST_PLACED + 2
    ),
    ports=st.integers(1, 4),
    stores_from=st.sampled_from((0, 2, 30)),
)
def test_least_makespans(amounts: list[tuple[list[int], list[int]]], ports: int, stores_from: int) -> None:
    """The least over all assignments, step by step; of many arrays no more than it."""
    table = np.array(amounts, np.int64)
    found = least_makespan(table, ports, stores_from)
    for step in range(3):
        column = table[:, :, step].tolist()
        best = min(
            max(
                _served([own for own, at in zip(column, numbers, strict=True) if at == port], stores_from)
                for port in range(ports)
            )
            for numbers in product(range(ports), repeat=len(column))
        )
        assert found[step] <= best
        if len(column) <= MOST_PLACED:
            assert found[step] == best


CHAIN = """\
const W = 64
elementary add(x: u8[3]) -> (y: u8) {
  y = x[0] + x[1] + x[2] >> 2
}
task f(x: u8[W]) -> (y: u8[W]) {
  repeat [W] of add {
    x <- x at origin [0] paving [1] fitting [1] wrap
    y -> y
  }
}
task chain(x: u8[W]) -> (y: u8[W]) {
  a = f(x)
  b = f(a)
  c = f(b)
  y = f(c)
}
"""


def test_groups_in_other_channels_are_not_alike(tmp_path: Path) -> None:
    """Of tasks that are equal but for names one has both of its arrays in one channel: each has its own front."""
    (tmp_path / "chain.aol").write_text(CHAIN, encoding="utf-8")
    spec = api.load(tmp_path / "chain.aol")
    network = flatten(spec, choose_top(spec, None))
    channels = (("x", 0), ("y", 0), ("a", 0), ("b", 1), ("c", 0))
    platform = memory_of(default_platform(), word_bits=8, latency=3, channels=2)
    study = narrowed(Study(units=(1,), blocks="ladder"))
    space = MappingSpace(MachineModel(network, platform, channels=channels), study)
    context = SearchContext(
        space, columns_of(("latency_cycles", "internal_memory_bits"), (), space.model, reuse_memory=False)
    )
    found = search_groups(context, SearchRequest(), JobRunner(), all_options=True)
    isomorphic = IsomorphicGroups(space)
    twins = {group: twin for group in space.groups if (twin := isomorphic.of(group)) is not None}
    assert twins
    for group in space.groups:
        (own,) = JobRunner().do(context, [search_group(context, group, all_options=True)])
        assert (own.front.values == found[group].front.values).all()
    first, second, *_ = (found[group].front.values for group in space.groups if len(space.tasks(group)) == 1)
    assert first[:, 0].min() > second[:, 0].min(), "the first task has both arrays in one channel"
