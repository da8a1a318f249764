"""Terms of outer lines: the same, however many lines are taken at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwmodel.cost_model.counted.axes.line_runs import LineRuns
from hwmodel.cost_model.counted.buffer_size import line_terms
from hwmodel.cost_model.counted.buffer_size.line_terms import OuterTerms


@st.composite
def lines(draw: st.DrawFn) -> LineRuns:
    """Up to eight lines of up to six indices each."""
    places, line, first, last = list[int](), list[int](), list[int](), list[int]()
    for number in range(draw(st.integers(1, 8))):
        places.append(draw(st.integers(1, 6)))
        for begin, life in draw(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=6)):
            line.append(number)
            first.append(min(begin, places[-1] - 1))
            last.append(min(first[-1] + life, places[-1] - 1))
    columns = (np.array(column, np.int64) for column in (places, line, first, last))
    return LineRuns.of_indices(*columns)


@given(lines(), st.integers(1, 20))
def test_a_few_lines_at_a_time(found: LineRuns, cells: int) -> None:
    carries = np.arange(3)
    whole = OuterTerms.of(found, carries)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_terms, "_CELLS", cells)
        parts = OuterTerms.of(found, carries)
    again = OuterTerms.joined(whole.each())
    for name in ("extent", "own", "before", "moves"):
        for other in (parts, again):
            assert np.array_equal(getattr(whole, name), getattr(other, name)), name
    assert all(np.array_equal(whole.births.number, other.births.number) for other in (parts, again))
    every, most = np.arange(len(found.places)), int(whole.births.number.max())
    vectors = [terms.births.of_lines(every, most) for terms in (whole, parts, again)]
    for carry, number in np.ndindex(vectors[0].shape[1:3]):
        one, *others = ({tuple(row) for row in own[:, carry, number].T.tolist()} for own in vectors)
        assert all(one == other for other in others)
