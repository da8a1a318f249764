"""Structures that bounds leave out: nothing of a front is lost, and all designs are counted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given, settings
from many_cases import case_count
from strategies_spaces import spaces

from dse.jobs.runner import JobRunner
from dse.search.context import SearchContext, SearchRequest
from dse.search.exact.exact import search_exactly
from dse.search.figures import Columns
from dse.search.groups.bounded import Waiting
from dse.search.pricing import Evaluator, RateChoices
from dse.space.mappings import MappingSpace
from hwmodel.cost_model.model import MachineModel


@settings(max_examples=case_count(60), deadline=None)
@given(spaces())
def test_the_front_is_that_of_all_designs(case: tuple[MappingSpace, Columns]) -> None:
    space, columns = case
    space = MappingSpace(MachineModel(space.model.network, space.model.platform), space.study)
    found = _searched(space, columns)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dse.search.pricing.has_bounds", lambda *_: False)
        assert not Evaluator(SearchContext(space, columns), space.tasks(1), _rates(space)).has_bounds
        every = _searched(space, columns)
    assert found[0] == every[0]
    assert found[1] == every[1]
    event(f"pruned: {found[2] > every[2]}, free: {columns.units_are_free}")


def _rates(space: MappingSpace) -> RateChoices:
    return RateChoices(tuple(map(space.rates, space.tasks(1))))


def _searched(space: MappingSpace, columns: Columns) -> tuple[list[tuple[list[int], int]], int, int]:
    """The points of the front with their units, how many group designs there are, and how many are left out."""
    found = search_exactly(SearchContext(space, columns), SearchRequest(), JobRunner())
    pairs = zip(found.front.values.tolist(), found.front.units.tolist(), strict=True)
    return sorted(pairs), found.counts.size, found.counts.pruned


def test_what_equals_a_design_is_beaten_by_no_more_units() -> None:
    bounds = np.array([[3, 3], [3, 4], [4, 2], [2, 9], [3, 3]])
    waiting = Waiting(np.zeros(5, np.intp), np.arange(5), bounds, np.array([2, 2, 2, 2, 3]))
    values, units = np.array([[3, 3]]), np.array([2])
    assert waiting.is_beaten(values, units, trade_units=False).tolist() == [True, True, False, False, True]
    assert waiting.is_beaten(values, units, trade_units=True).tolist() == [True, True, False, False, True]
    assert waiting.is_beaten(values, units + 1, trade_units=False).tolist() == [False, True, False, False, True]
    assert waiting.is_beaten(values, units + 1, trade_units=True).tolist() == [False, False, False, False, True]
    assert not waiting.is_beaten(values[:0], units[:0], trade_units=False).any()


def test_the_first_slice_is_the_front_of_the_bounds() -> None:
    bounds = np.array([[1, 9], [2, 2], [9, 1], [5, 5], [6, 6], [7, 7], [8, 8], [9, 9]])
    waiting = Waiting(np.zeros(8, np.intp), np.arange(8), bounds, np.ones(8, np.int64))
    assert np.flatnonzero(waiting.first_slice()).tolist() == [0, 1, 2]
    rest = waiting.only(~waiting.first_slice())
    assert rest.next_slice().all()
    many = Waiting(np.zeros(400, np.intp), np.arange(400), np.arange(800).reshape(400, 2), np.ones(400, np.int64))
    assert np.flatnonzero(many.next_slice()).tolist() == list(range(200))
    assert [(number, rows.tolist()) for number, rows in rest.by_source()] == [(0, [3, 4, 5, 6, 7])]
