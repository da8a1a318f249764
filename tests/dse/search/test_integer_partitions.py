"""Which integer partitions fusions stand for, against every fusion by itself, and what results say of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import task_graphs

from arrayol import api
from arrayol.files import shipped_folder
from dse.search import integer_partitions
from dse.search.context import Method
from dse.search.integer_partitions import Coverage, code_of, codes_of, coverage
from dse.space.fusions import all_groups, partitions, subspaces
from dse.space.study import Study
from dse.space.task_graph import Mask, TaskGraph

PLATFORM = shipped_folder() / "platforms" / "default.toml"


def space_of(graph: TaskGraph, longest: int | None = None) -> Any:
    groups = all_groups(graph, longest, 10**5)
    return SimpleNamespace(
        graph=graph, groups=groups, fusions=(), lists_groups=True, study=Study(longest_group=longest)
    )


def all_partitions(tasks: int) -> list[tuple[int, ...]]:
    return [sizes for parts in range(1, tasks + 1) for sizes in partitions(tasks, parts)]


@given(task_graphs(), st.data())
def test_partitions_are_those_of_the_fusions(graph: TaskGraph, data: st.DataObject) -> None:
    """Of all legal fusions that some groups make, whatever the groups."""
    tasks, space = len(graph), space_of(graph)
    numbers = {name: place for place, name in enumerate(graph.names)}
    fusions = [
        [sum(1 << numbers[task] for task in group) for group in fusion.groups]
        for subspace in subspaces(graph)
        for fusion in subspace
    ]
    some = {group for group in space.groups if data.draw(st.booleans())}
    for groups in (set(space.groups), some):
        expected = {code_of(map(Mask.bit_count, one), tasks) for one in fusions if groups.issuperset(one)}
        assert codes_of(space, groups) == expected
    found = coverage(space, some, is_whole=data.draw(st.booleans()))
    assert found is not None
    counts = found.counts()
    assert counts.total == len(all_partitions(tasks))
    assert counts.covered + counts.partly + sum(counts.pruned.values()) == counts.total
    assert counts.covered + counts.partly == len(expected)


@given(st.integers(1, 20), st.integers(1, 20))
def test_long_groups_are_told_apart(tasks: int, longest: int) -> None:
    """A chain has a fusion for each partition."""
    short = [sizes for sizes in all_partitions(tasks) if max(sizes) <= longest]
    codes = frozenset(code_of(sizes, tasks) for sizes in short)
    assert len(codes) == len(short)
    counts = Coverage(tasks, longest, codes, codes, is_whole=True).counts()
    long = len(all_partitions(tasks)) - len(short)
    assert counts.covered == len(short)
    assert counts.pruned == ({integer_partitions.LONG: long} if long else {})


def test_of_many_tasks_subspaces_are_counted() -> None:
    tasks = 30
    codes = frozenset(code_of([1] * count, tasks) for count in (3, 30))
    counts = Coverage(tasks, 10, None, codes, is_whole=False).counts()
    assert (counts.counted, counts.total, counts.covered, counts.partly) == ("subspaces", 30, 0, 2)
    assert counts.pruned == {integer_partitions.LONG: 2, integer_partitions.UNKNOWN: 26}


@pytest.mark.parametrize("method", ["exact", "rounds"])
def test_results_state_them(method: Method) -> None:
    """LPSF, a chain of four tasks: [4], [3, 1], [2, 2], [2, 1, 1], [1, 1, 1, 1]."""
    study = Study(units=(1,), blocks=dict.fromkeys(("hflr", "vftd", "hfrl", "vfbu"), ((2, 2), (4, 4))))
    result = api.explore(
        shipped_folder() / "lpsf.aol",
        PLATFORM,
        settings={"H": 8, "W": 16},
        space=api.Space(study=study, narrow=True, verify=False),
        method=method,
    ).result
    counts = result.partitions
    assert counts is not None
    assert (counts.counted, counts.total) == ("integer partitions", 5)
    assert (counts.covered, counts.partly) == (5, 0)
    assert counts.pruned == {}
