"""The interim front of whole designs while groups are searched, against the exact fronts of what is there."""

from __future__ import annotations

from collections.abc import Iterator
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import task_graphs
from strategies_fronts import front_from, point_lists, searches

from dse.pareto import combine
from dse.pareto.combine import listed_front, whole_front
from dse.pareto.fronts import Combination, Front, front_of, non_dominated
from dse.pareto.hypervolume import box_share, corner_of, octaves_of
from dse.search.incumbents import incumbents
from dse.search.incumbents.incumbents import InterimFront
from dse.space.fusions import all_groups, subspaces
from dse.space.task_graph import Mask, TaskGraph, from_links

SUMS = Combination((False, False), (None, None))


def growing(found: dict[Mask, Front]) -> Iterator[dict[Mask, Front]]:
    """The first groups, one more each time."""
    for count in range(len(found) + 1):
        yield dict(list(found.items())[:count])


def exact_values(graph: TaskGraph, combination: Combination, found: dict[Mask, Front]) -> np.ndarray:
    """The exact front of whole designs of these groups alone."""
    empty = front_from([], len(combination.largest))
    return whole_front(graph, lambda group: found.get(group, empty), combination).front.values


def front_in_octaves(values: np.ndarray) -> np.ndarray:
    """On logarithmic axes 0 and 1 are one place."""
    octaves = octaves_of(values)
    return octaves[non_dominated(octaves)]


@given(searches(), st.data())
def test_the_share_of_the_exact_front_so_far(
    case: tuple[TaskGraph, Combination, dict[Mask, Front]], data: st.DataObject
) -> None:
    graph, combination, found = case
    objectives = data.draw(st.integers(1, len(combination.largest)))
    seen, reference = InterimFront(graph, combination, objectives), None
    for some in growing(found):
        values = exact_values(graph, combination, some)[:, :objectives]
        share = seen.hypervolume(some)
        if not len(values):
            assert share is None
            continue
        if reference is None:
            reference = corner_of(front_in_octaves(values))
        assert share == pytest.approx(box_share(octaves_of(values), reference))


@given(searches())
def test_thinned_fronts_give_a_bound_that_rises(case: tuple[TaskGraph, Combination, dict[Mask, Front]]) -> None:
    graph, combination, found = case
    figures = len(combination.largest)
    exact = exact_values(graph, combination, found)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(incumbents, "POINTS_AT_MOST", 2)
        seen = InterimFront(graph, combination, figures)
        shares = [seen.hypervolume(some) for some in growing(found)]
        known = [share for share in shares if share is not None]
        assert shares == [None] * (len(shares) - len(known)) + known
        assert known == sorted(known)
    # The groups may be there and thinned fronts never meet a constraint: then nothing is said, and nothing wrong.
    if known:
        assert seen.reference is not None
        assert known[-1] <= box_share(octaves_of(exact), seen.reference) * (1 + 1e-9)


@given(st.data())
def test_of_listed_fusions_only_these(data: st.DataObject) -> None:
    graph = data.draw(task_graphs(most=4))
    number = {name: place for place, name in enumerate(graph.names)}
    every = [
        [sum(1 << number[name] for name in group) for group in fusion.groups]
        for space in subspaces(graph)
        for fusion in space
    ]
    fusions = data.draw(st.lists(st.sampled_from(every), min_size=1, unique_by=tuple))
    groups = data.draw(st.permutations(sorted({group for fusion in fusions for group in fusion})))
    found = {group: front_from(data.draw(point_lists(2, 1)), 2) for group in groups}
    seen, reference = InterimFront(graph, SUMS, 2, fusions), None
    empty = front_from([], 2)
    for some in growing(found):
        values = listed_front(graph, lambda group: some.get(group, empty), SUMS, fusions).front.values  # noqa: B023
        share = seen.hypervolume(some)
        if not len(values):
            assert share is None
            continue
        if reference is None:
            reference = corner_of(front_in_octaves(values))
        assert share == pytest.approx(box_share(octaves_of(values), reference))


def test_groups_that_wait_for_each_other_make_no_whole() -> None:
    crossed = from_links(("a", "b", "c", "d"), {(0, 2), (0, 3), (1, 2), (1, 3)})
    one = front_from([((1, 1), 1)], 2)
    assert InterimFront(crossed, SUMS, 2).hypervolume({0b0101: one, 0b1010: one}) is None
    assert InterimFront(crossed, SUMS, 2).hypervolume({0b0101: one, 0b0010: one, 0b1000: one}) is not None


def test_groups_that_share_a_task_make_no_whole() -> None:
    forked = from_links(("a", "b", "c", "d"), {(0, 2), (1, 2), (1, 3)})
    one = front_from([((1, 1), 1)], 2)
    assert InterimFront(forked, SUMS, 2).hypervolume({0b1010: one, 0b0111: one}) is None


def test_groups_of_two_listed_fusions_make_no_third() -> None:
    graph = from_links(("a", "b", "c", "d"), {(0, 1), (1, 2), (2, 3)})
    single, pair = front_from([((10, 10), 1)], 2), front_from([((1, 1), 1)], 2)
    fronts = {group: pair if group.bit_count() == 2 else single for group in (1, 2, 4, 8, 0b11, 0b1100)}
    listed = InterimFront(graph, SUMS, 2, [(0b11, 4, 8), (1, 2, 0b1100)])
    assert listed.hypervolume(fronts) == pytest.approx((0.1 / (log2(21) + 0.1)) ** 2)
    assert listed.reference is not None
    assert listed.reference.tolist() == pytest.approx([log2(21) + 0.1] * 2)


def curve(points: int, scale: int) -> Front:
    """A front of so many points on a hyperbola."""
    first = np.linspace(1, 100, points).astype(np.int64) * scale
    return front_of(np.stack([first, 100 * scale * scale * 100 // first], axis=1), np.ones(points, np.int64))


def test_a_chain_is_nearly_as_good_as_exact() -> None:
    tasks = 8
    graph = from_links(tuple(f"t{place}" for place in range(tasks)), {(place, place + 1) for place in range(tasks - 1)})
    fronts = {group: curve(90, 100 + group.bit_count()) for group in all_groups(graph, 3)}
    seen = InterimFront(graph, SUMS, 2)
    share = seen.hypervolume(fronts)
    assert share is not None
    assert seen.reference is not None
    exact = box_share(octaves_of(exact_values(graph, SUMS, fronts)), seen.reference)
    assert 0.98 * exact < share < exact


def test_a_wide_graph_has_no_interim_front_but_keeps_what_it_had() -> None:
    tasks = 14
    wide = from_links(tuple(f"t{place}" for place in range(tasks)), {(place, tasks - 1) for place in range(tasks - 1)})
    one = front_from([((3, 4), 1)], 2)
    # A group with the first task that waits for all others: each set of these may run before it.
    some = {1 << task: one for task in range(tasks)} | {1 | 1 << (tasks - 1): one}
    assert 2 ** (tasks - 2) > combine.DOWN_SETS
    assert InterimFront(wide, SUMS, 2).hypervolume(some) is None
    seen = InterimFront(wide, SUMS, 2)
    share = seen.hypervolume({wide.all: one})
    assert share is not None
    assert seen.hypervolume({wide.all: one, **some}) == share
    assert seen.hypervolume({wide.all: one, **some, 3: one}) == share


def test_where_one_order_stands_for_all_a_wide_graph_is_as_a_chain() -> None:
    tasks = 14
    wide = from_links(tuple(f"t{place}" for place in range(tasks)), {(0, reader) for reader in range(1, tasks)})
    singles = {1 << task: front_from([((3, 4), 1)], 2) for task in range(tasks)}
    assert 2 ** (tasks - 1) > combine.DOWN_SETS
    seen = InterimFront(wide, SUMS, 2)
    assert seen.hypervolume(singles) == pytest.approx(0.1 / (log2(14 * 3) + 0.1) * 0.1 / (log2(14 * 4) + 0.1))


def test_too_many_listed_fusions(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = from_links(("a", "b", "c"), {(0, 1), (1, 2)})
    fronts = {group: front_from([((1, 1), 1)], 2) for group in all_groups(graph)}
    fusions = [(0b11, 0b100), (1, 0b110), (1, 0b10, 0b100), (0b111,)]
    assert InterimFront(graph, SUMS, 2, fusions).hypervolume(fronts) is not None
    monkeypatch.setattr(incumbents, "STEPS_AT_MOST", 3)
    assert InterimFront(graph, SUMS, 2, fusions).hypervolume(fronts) is None


def test_nothing_is_computed_where_nothing_came(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = from_links(("a",), set())
    fronts = {1: front_from([((2, 2), 1)], 2)}
    seen = InterimFront(graph, SUMS, 2)
    share = seen.hypervolume(fronts)
    monkeypatch.setattr(incumbents, "completions_of", None)
    assert seen.hypervolume(fronts) == share
