"""NSGA-II against the exact front of shipped specifications, and what bounds it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from numpy.typing import NDArray
from shipped_spaces import LEAST, columns_for, shipped_space
from signal_chains import chain, space_of

from dse.jobs.runner import JobRunner
from dse.pareto.hypervolume import share_of
from dse.search.context import SearchContext, Searched, SearchRequest
from dse.search.exact.exact import search_exactly
from dse.search.heuristic import search as heuristic
from dse.search.heuristic import slow_designs
from dse.search.heuristic.nsga2 import Genes, evolve
from dse.search.heuristic.search import search_heuristically
from dse.space.mappings import MappingSpace

SMALL = ("dct", "demosaic", "lpsf", "pyramid", "radar", "solve")  # one, two and four tasks in one and two dimensions


@pytest.mark.parametrize("name", SMALL)
def test_it_comes_near_the_exact_front(name: str) -> None:
    """Plain designs at the sizes of the [verify] tables."""
    space = shipped_space(name)
    columns = columns_for(space)
    context = SearchContext(space, columns)
    exact, found = (
        search_exactly(context, SearchRequest(), JobRunner()),
        search_heuristically(context, SearchRequest(), JobRunner()),
    )
    assert share_of(found.front.values, exact.front.values) >= LEAST
    assert not found.exact
    assert found.counts.size == found.group_designs == exact.group_designs
    has_the_figures(space, found)
    assert found.evolution is not None
    shares = [one.hypervolume for one in found.evolution.generations]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert found.evolution.stalled


def test_groups_are_put_together() -> None:
    """A chain of twelve filters has more whole designs than crossover alone gets through."""
    with TemporaryDirectory() as folder:
        space = space_of(chain(12, 16), 3, Path(folder))
    columns = columns_for(space)
    context = SearchContext(space, columns)
    exact, found = (
        search_exactly(context, SearchRequest(), JobRunner()),
        search_heuristically(context, SearchRequest(), JobRunner()),
    )
    assert share_of(found.front.values, exact.front.values) >= 0.999
    has_the_figures(space, found)
    assert "the best designs of each group were put together" in found.description


def test_slow_structures_are_rationed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it does not price element by element it takes without cuts and FIFOs, and says how often."""
    monkeypatch.setattr(heuristic, "GENERATIONS_AT_MOST", 2)
    space = shipped_space("dct", narrow=False)
    columns = columns_for(space)
    free = search_heuristically(SearchContext(space, columns), SearchRequest(), JobRunner())
    assert "element by element" not in free.description
    monkeypatch.setattr(heuristic, "GENERATIONS_AT_MOST", 10)
    monkeypatch.setattr(slow_designs, "SLOW_ELEMENTS", 10 * slow_designs.LEAST_ELEMENTS)
    monkeypatch.setattr(slow_designs, "PACE", 10)  # so one in each generation
    found = search_heuristically(SearchContext(space, columns), SearchRequest(), JobRunner())
    assert found.evolution is not None
    generations = len(found.evolution.generations)
    granted = int(found.description.partition(" structures evaluated element by element")[0].rpartition(" ")[2])
    assert 0 < granted <= generations
    assert "and cuts, FIFOs and recomputing left out of " in found.description
    has_the_figures(space, found)


def has_the_figures(space: MappingSpace, found: Searched) -> None:
    """Every point is what the model says of its design."""
    for row, values in enumerate(found.front.values.tolist()):
        estimate = space.model.evaluate(found.design(row))
        assert [estimate.latency_cycles, estimate.internal_memory_elements] == values
        assert estimate.units == found.front.units[row]


def quiet(_: object) -> None:
    pass


def distances(genes: Genes, *targets: Sequence[int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How far genes are from each target, and no excess."""
    found = [np.abs(genes - np.array(target)).sum(axis=1) for target in targets]
    return np.stack(found, axis=1).astype(np.float64), np.zeros(len(genes))


def test_mutation_leaves_where_it_starts() -> None:
    """From one design only mutation leads to others."""
    most = np.full(5, 30)
    best = np.inf
    for number, asked in enumerate(evolve(most, 1, np.full((60, 5), 17), np.full(5, 0.3), 0)):
        asked.tell(*distances(asked.genes, (0, 16, 18, 23, 30)))
        best = min(best, asked.objectives.min())
        assert ((asked.genes >= 0) & (asked.genes <= most)).all()
        if number == 100:
            break
    assert best == 0


def test_designs_that_join_have_children() -> None:
    most = np.full(8, 10**9)
    generations = evolve(most, 2, np.arange(40 * 8).reshape(40, 8), np.zeros(8), 0)
    for number, asked in zip(range(3), generations, strict=False):
        asked.tell(*distances(asked.genes, [0] * 8, [777_777] * 8))
        if number == 1:
            guest = np.full((1, 8), 777_777)
            asked.join(guest, distances(guest, [0] * 8, [777_777] * 8)[0])
        if number == 2:
            assert (asked.genes == 777_777).sum() > 8
