"""What known whole designs leave of groups makes the same front as the groups' whole fronts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies_fronts import front_from, point_lists, points_of, searches
from strategies_spaces import spaces

from arrayol import api
from arrayol.files import shipped_folder
from dse.jobs.jobs import SearchProgress
from dse.jobs.runner import JobRunner
from dse.pareto.combine import completions_of, whole_front
from dse.pareto.fronts import Combination, Front
from dse.results.exploration import Exploration
from dse.search.context import SearchContext, Searched, SearchRequest
from dse.search.exact.exact import exact_seconds, search_exactly, tries_all_options
from dse.search.figures import Columns
from dse.search.incumbents import incumbents
from dse.search.incumbents.incumbents import IncumbentFront, Incumbents, in_turns
from dse.space.fusions import all_groups, subspaces
from dse.space.mappings import MappingSpace
from dse.space.task_graph import Mask, TaskGraph, from_links

SUMS = Combination((False, False), (None, None))
MOST_SECONDS = 1.0  # of predicted work


def space_of(graph: TaskGraph, fusions: Sequence[Sequence[Mask]] = ()) -> Any:
    return SimpleNamespace(graph=graph, groups=all_groups(graph), fusions=fusions)


def turns(graph: TaskGraph, groups: Iterable[Mask]) -> Iterator[list[Mask]]:
    """Each group is of a kind of its own."""
    return in_turns(graph, {group: [group] for group in groups})


def left(known: Incumbents | None, front: Front, combination: Combination) -> Front:
    """What of a front some whole design may need."""
    if known is None:
        return front
    return front.at(np.flatnonzero(~known.beat(front.values, front.units, combination)))


def left_of_all(space: Any, combination: Combination, found: Mapping[Mask, Front]) -> dict[Mask, Front]:
    """What of each group is left after those of the turns before it."""
    kept: dict[Mask, Front] = {}
    for turn in turns(space.graph, found):
        so_far = IncumbentFront(space, combination, dict(kept))
        kept |= {group: left(so_far.compatible_with([group]), found[group], combination) for group in turn}
    return kept


@given(searches(), st.sampled_from([4, 1024]), st.sampled_from([2, 16]), st.sampled_from([3, 1 << 20]))
def test_what_is_left_makes_the_same_front(
    case: tuple[TaskGraph, Combination, dict[Mask, Front]], points: int, few: int, pairs: int
) -> None:
    """However few points stand for all, and however few pairs are looked at at once."""
    graph, combination, found = case
    combination = replace(combination, largest=(False,) * len(combination.largest))
    with pytest.MonkeyPatch.context() as patched:
        for name, value in (("POINTS", points), ("POINTS_OF_MANY", points), ("_FEW", few), ("_PAIRS_AT_ONCE", pairs)):
            patched.setattr(incumbents, name, value)
        kept = left_of_all(space_of(graph), combination, found)
    wholes = [whole_front(graph, fronts.__getitem__, combination).front for fronts in (found, kept)]
    assert points_of(wholes[0]) == points_of(wholes[1])


@pytest.mark.parametrize("points", [4, 6, 1024])
def test_of_many_rests_few_stand_for_all(points: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """None is left out: each has one that stands for it, with no more of anything."""
    monkeypatch.setattr(incumbents, "POINTS", points)
    chain = from_links(("a", "b", "c"), {(0, 1), (1, 2)})
    single = front_from([((5, 5), 1)], 2)
    bent = front_from([((step, (11 - step) ** 2), 1 + step % 3) for step in range(12)], 2)
    known = IncumbentFront(space_of(chain), SUMS, {1: single, 2: single, 4: bent}).compatible_with([0b011])
    assert known is not None
    assert len(known.rests) == min(points, 12)
    rests = np.column_stack([known.rests, known.units_of_rests])
    for values, units in points_of(bent):
        assert (rests <= (*values, units)).all(axis=1).any()
    own = {*map(tuple, (bent.values + 10).tolist())}
    assert {*map(tuple, known.values.tolist())} <= own  # of whole designs those that there are


@given(st.data())
def test_of_listed_fusions_too(data: st.DataObject) -> None:
    graph = from_links(("a", "b", "c", "d"), {(0, 1), (1, 2), (2, 3)})
    number = {name: place for place, name in enumerate(graph.names)}
    every = [
        tuple(sum(1 << number[name] for name in group) for group in fusion.groups)
        for subspace in subspaces(graph)
        for fusion in subspace
    ]
    fusions = data.draw(st.lists(st.sampled_from(every), min_size=1, unique=True))
    groups = sorted({group for fusion in fusions for group in fusion})
    found = {group: front_from(data.draw(point_lists(2, 1)), 2) for group in groups}
    space = SimpleNamespace(graph=graph, groups=tuple(groups), fusions=fusions)
    kept = left_of_all(space, SUMS, found)
    wholes = []
    for fronts in (found, kept):
        completions = completions_of(graph, {group for group, front in fronts.items() if len(front)}, fusions)
        assert completions is not None
        wholes.append(points_of(completions.front(fronts, SUMS, lambda front: front).front))
    assert wholes[0] == wholes[1]


def test_what_is_beaten_beside_every_rest() -> None:
    """Two single tasks make (2, 4), (3, 3) and (4, 2): a design of both is of use if it is less in something."""
    graph = from_links(("a", "b"), {(0, 1)})
    single = front_from([((1, 2), 1), ((2, 1), 1)], 2)
    known = IncumbentFront(space_of(graph), SUMS, {1: single, 2: single}).compatible_with([3])
    assert known is not None
    designs = np.array([[3, 3], [3, 2], [2, 4], [2, 5], [1, 9], [9, 1]])
    assert known.beat(designs, np.full(6, 2), SUMS).tolist() == [True, False, True, True, False, False]
    assert known.beat(designs, np.full(6, 1), SUMS).tolist() == [False, False, False, True, False, False]
    within = Combination((False, False), (8, None))
    assert known.beat(designs, np.full(6, 2), within).tolist() == [True, False, True, True, False, True]


def test_a_rest_that_is_unknown_says_nothing() -> None:
    chain = from_links(("a", "b", "c"), {(0, 1), (1, 2)})
    single = front_from([((1, 1), 1)], 2)
    fronts = {1: single, 2: single, 4: single}
    assert IncumbentFront(space_of(chain), SUMS, fronts).compatible_with([0b11]) is not None
    del fronts[4]
    assert IncumbentFront(space_of(chain), SUMS, fronts).compatible_with([0b11]) is None
    largest = Combination((False, True), (None, None))  # there a dominated rest with fewer units may be needed
    assert IncumbentFront(space_of(chain), largest, {1: single, 2: single, 4: single}).compatible_with([0b11]) is None


def test_groups_of_a_kind_are_beaten_beside_the_rests_of_all() -> None:
    """A design of both ends of a chain: beside one end it is worse than single tasks, beside the other it is not."""
    chain = from_links(("a", "b", "c"), {(0, 1), (1, 2)})
    cheap, dear = front_from([((1, 1), 1)], 2), front_from([((5, 5), 1)], 2)
    fronts = {0b001: cheap, 0b010: cheap, 0b100: dear}
    so_far = IncumbentFront(space_of(chain), SUMS, fronts)
    design = np.array([[3, 3]]), np.array([1])
    first, last, both = (
        so_far.compatible_with([0b011]),
        so_far.compatible_with([0b110]),
        so_far.compatible_with([0b011, 0b110]),
    )
    assert first is not None
    assert last is not None
    assert both is not None
    assert first.beat(*design, SUMS).tolist() == [True]
    assert last.beat(*design, SUMS).tolist() == [False]
    assert both.beat(*design, SUMS).tolist() == [False]


def test_units_of_what_completes_a_group_count() -> None:
    """What equals a whole design is beaten if it has no fewer units together with the rest."""
    chain = from_links(("a", "b", "c"), {(0, 1), (1, 2)})
    fronts = {group: front_from([((1, 1), 3)], 2) for group in (0b001, 0b010, 0b100)}
    known = IncumbentFront(space_of(chain), SUMS, fronts).compatible_with([0b011])
    assert known is not None
    assert known.beat(np.array([[2, 2]] * 3), np.array([5, 6, 7]), SUMS).tolist() == [False, True, True]


def test_groups_beside_which_only_smaller_ones_stand_come_last() -> None:
    chain = from_links(tuple("abcd"), {(0, 1), (1, 2), (2, 3)})
    assert list(turns(chain, sorted(all_groups(chain), key=Mask.bit_count))) == [
        [0b1, 0b10, 0b100, 0b1000, 0b11, 0b1100],
        [0b110],
        [0b111, 0b1110],
        [0b1111],
    ]
    # Of a kind with one beside which a group of its size stands.
    kinds = {0b1: [0b1], 0b110: [0b110, 0b11], 0b111: [0b111]}
    assert list(in_turns(chain, kinds)) == [[0b1, 0b110], [0b111]]


def points(found: Searched) -> list[tuple[list[int], int]]:
    return list(zip(found.front.values.tolist(), found.front.units.tolist(), strict=True))


@settings(max_examples=case_count(60))
@given(spaces())
def test_exact_finds_the_same_front_of_less(case: tuple[MappingSpace, Columns]) -> None:
    """Of each group no more than its whole front, in the same counts, the same partitions."""
    space, columns = case
    if not tries_all_options(space, columns) or exact_seconds(space, columns, MOST_SECONDS) > MOST_SECONDS:
        return
    context = SearchContext(space, columns)
    less, whole = (search_exactly(context, SearchRequest(keep_all=keep_all), JobRunner()) for keep_all in (False, True))
    assert points(less) == points(whole)
    assert less.counts.size == whole.counts.size
    assert less.coverage == whole.coverage
    for group, front in less.groups.items():
        own = {tuple(values) for values in whole.groups[group].front.values.tolist()}
        assert {tuple(values) for values in front.front.values.tolist()} <= own
        assert not whole.groups[group].of_wholes


def test_fronts_of_fusions_are_drawn_where_they_are_whole() -> None:
    """Where all designs are kept they all are; else some are not drawn, and no others in their place."""
    less, whole = (set(explored(keep_all=keep_all).plotted.points) for keep_all in (False, True))
    assert less < whole


def quiet(_: SearchProgress) -> None:
    pass


@cache
def explored(*, keep_all: bool) -> Exploration:
    spec = api.load(shipped_folder() / "lpsf.aol", {"H": 48, "W": 64})
    space = api.Space(narrow=True, verify=False)
    return api.explore(spec, shipped_folder() / "lpsf.toml", space=space, method="exact", keep_all=keep_all)


def test_lpsf_needs_little_of_its_large_groups() -> None:
    """Asked for all designs it searches whole fronts, and finds the same one of whole designs."""
    less, whole = explored(keep_all=False).result, explored(keep_all=True).result
    assert less.evaluated < 0.7 * whole.evaluated
    assert [design.objectives for design in less.pareto] == [design.objectives for design in whole.pareto]
    assert less.partitions == whole.partitions
    assert whole.designs is not None
    assert len(whole.designs) > len(whole.pareto)
