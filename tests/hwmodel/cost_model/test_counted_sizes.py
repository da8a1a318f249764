"""Sizes of many buffers at once, beside those of each by itself."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count
from numpy.typing import NDArray
from shipped import SMALL

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from hwmodel.accesses import Accesses, points
from hwmodel.cost_model.counted.axes.line_cache import LineCache
from hwmodel.cost_model.counted.axes.line_runs import LineRuns, joined
from hwmodel.cost_model.counted.batch import open_batch
from hwmodel.cost_model.counted.buffer_size import line_words
from hwmodel.cost_model.counted.buffer_size.line_terms import InnerTerms, OuterTerms, carries_of, distinct_vectors
from hwmodel.cost_model.counted.buffer_size.line_words import Pairs
from hwmodel.cost_model.counted.buffer_size.sizes import Sizes
from hwmodel.design import row_major
from hwmodel.local_memory.bank_functions import Residues
from hwmodel.local_memory.forms import forms_of
from hwmodel.local_memory.lines import BufferLines, Line
from hwmodel.platform import load_platform
from tests.strategies_buffers import buffers, lines_without_order


def runs(line: Line) -> LineRuns:
    heads = np.append(True, (np.diff(line.first) != 0) | (np.diff(line.last) != 0))
    start = np.flatnonzero(heads)
    length = np.diff(start, append=line.indices)
    return LineRuns(np.array([line.places]), 0 * start, length, line.first[start], line.last[start])


@settings(max_examples=case_count(300))
@given(buffers(), buffers(), buffers())
def test_forms_are_as_small_together_as_alone(one: BufferLines, two: BufferLines, other: BufferLines) -> None:
    three = (one, two, other)
    lag = three[0].lag
    outer, inner = joined([runs(own.outer) for own in three]), joined([runs(own.inner) for own in three])
    carries = np.unique(carries_of(inner.places, lag))
    pairs = Pairs(OuterTerms.of(outer, carries), InnerTerms.of(inner, lag, carries))
    rows, columns = np.array([0, 1, 2, 0, 2]), np.array([0, 1, 2, 2, 1])
    found = pairs.forms(rows, columns).T.tolist()
    for forms, row, column in zip(found, rows.tolist(), columns.tolist(), strict=True):
        alone = BufferLines(three[row].outer, three[column].inner, lag)
        assert forms == [form.size for form in forms_of(alone)]


@given(st.lists(lines_without_order(), min_size=1, max_size=6))
def test_equal_lines_are_one(lines: list[Line]) -> None:
    together = joined([runs(line) for line in (*lines, *lines)])
    found, of = together.distinct()
    texts = [(line.places, line.first.tolist(), line.last.tolist()) for line in (*lines, *lines)]
    assert [texts.index(text) for text in texts] == [
        texts.index(texts[of.tolist().index(kind)]) for kind in of.tolist()
    ]
    again = found.selected(of)
    columns = ("places", "line", "length", "first", "last")
    assert all(np.array_equal(getattr(again, name), getattr(together, name)) for name in columns)


@given(st.lists(st.tuples(*[st.integers(0, 6)] * 6), min_size=1, max_size=40))
def test_vectors_that_are_left_out_are_nowhere_largest(rows: list[tuple[int, ...]]) -> None:
    """Of a line, with factors that are not negative, one of those that stay is as large as any."""
    ordered = np.array(sorted(rows), np.int64)
    line, vectors = ordered[:, 0] // 4, ordered[:, 1:] * [1, 1, -1, -1, 1]
    kept_line, kept = distinct_vectors(line, vectors.T)
    factors = np.array(list(product((0, 1, 2, 5), repeat=4)), np.int64)
    for number in np.unique(line).tolist():
        largest, left = (
            (factors @ own[:-1] + own[-1]).max(axis=1)
            for own in (vectors.T[:, line == number], kept[:, kept_line == number])
        )
        assert (largest == left).all()


@pytest.mark.parametrize("name", ["conv3x3", "sobel", "lpsf"])
def test_structures_in_parts_are_as_large_as_together(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = load_checked(shipped_folder() / f"{name}.aol", SMALL[name])
    network, platform = flatten(spec, choose_top(spec, None)), load_platform(shipped_folder() / f"{name}.toml")
    accesses, task = Accesses(network), next(iter(network.processes))
    extents = accesses.extents(task)
    shapes = points(tuple(min(4, extent) for extent in extents)) + 1

    def words() -> NDArray[np.int64]:
        batch = open_batch(accesses, platform, (task,))
        assert batch is not None
        return Sizes(batch.counts).sizes(batch.structures(row_major(len(extents)), shapes))

    together = words()
    monkeypatch.setattr(line_words, "_CELLS", 8)
    assert np.array_equal(words(), together)


@pytest.mark.parametrize("name", ["harris", "lpsf"])
def test_what_is_known_of_lines_holds_for_all_groups(name: str) -> None:
    """Words, and depths of banks, beside those of groups that know nothing of each other."""
    spec = load_checked(shipped_folder() / f"{name}.aol", SMALL[name])
    network, platform = flatten(spec, choose_top(spec, None)), load_platform(shipped_folder() / f"{name}.toml")
    accesses, lines, tasks = Accesses(network), LineCache(), tuple(network.processes)
    neighbours = [tasks[start:end] for end in range(1, len(tasks) + 1) for start in range(max(0, end - 3), end)]

    def has_one_last(group: tuple[str, ...]) -> bool:
        reads = [network.processes[task].reads for task in group]
        return all(any(network.processes[task].writes & read for read in reads) for task in group[:-1])

    def words(group: tuple[str, ...], known: LineCache, buffer: str | None) -> list[int]:
        """Of all memories, or of half of the banks of one buffer."""
        batch, extents = open_batch(accesses, platform, group, known), accesses.extents(group[-1])
        assert batch is not None
        shapes = points(tuple(min(3, extent) for extent in extents)) + 1
        structures, own = batch.structures(row_major(len(extents)), shapes), Sizes(batch.counts)
        if buffer is None:
            return own.sizes(structures).ravel().tolist()
        number = [one.memory.name for one in batch.counts.memories].index(buffer)
        halves = Residues((2,) * len(accesses.shape(buffer)))
        return own.depths(structures, [(number, halves, np.arange(len(structures.pairs)))])[0].tolist()

    for group in filter(has_one_last, neighbours):
        batch = open_batch(accesses, platform, group)
        memories = [] if batch is None else batch.counts.memories
        for buffer in (
            (None, *(one.memory.name for one in memories if one.memory.kind.name == "buffer")) if memories else ()
        ):
            assert words(group, lines, buffer) == words(group, LineCache(), buffer)
