"""Sizes of many buffers at once, beside those of each by itself."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from hwmodel.local_memory.forms import forms_of
from hwmodel.local_memory.lines import Line, Lines
from hwmodel.machine.separable.line_runs import LineRuns, joined
from hwmodel.machine.separable.sizes import Pairs
from tests.strategies_buffers import buffers


def runs(line: Line) -> LineRuns:
    heads = np.append(True, (np.diff(line.first) != 0) | (np.diff(line.last) != 0))
    start = np.flatnonzero(heads)
    length = np.diff(start, append=line.indices)
    return LineRuns(np.array([line.places]), 0 * start, length, line.first[start], line.last[start])


@settings(max_examples=300)
@given(buffers(), buffers(), buffers())
def test_forms_are_as_small_together_as_alone(one: Lines, two: Lines, other: Lines) -> None:
    three = (one, two, other)
    lag = three[0].lag
    outer, inner = joined([runs(own.outer) for own in three]), joined([runs(own.inner) for own in three])
    pairs = Pairs.of(outer, inner, lag)
    rows, columns = np.array([0, 1, 2, 0, 2]), np.array([0, 1, 2, 2, 1])
    found = pairs.forms(rows, columns).T.tolist()
    for sizes, row, column in zip(found, rows.tolist(), columns.tolist(), strict=True):
        alone = Lines(three[row].outer, three[column].inner, lag)
        assert sizes == [form.size for form in forms_of(alone)]
