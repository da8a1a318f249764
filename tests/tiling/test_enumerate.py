"""Points of sets, against isl's own walk and by hand."""

from __future__ import annotations

import islpy as isl
import numpy as np
import pytest

from arrayol.errors import ArrayolError
from arrayol.polyhedral.isl import coordinates
from arrayol.tiling import enumerate as module
from arrayol.tiling.enumerate import points, rows

SETS = [
    "{ [i, j] : 0 <= i <= 10 and i <= j < 2 i }",
    "{ [i, j] : exists k : i = 2 k and 0 <= i <= 20 and j = floor(i / 3) }",
    "{ [i, j, k] : 0 <= i, j, k and i + j + k <= 7 and (i + 2 j) mod 3 = k mod 2 }",
    "{ [i, j] : 0 <= i < 5 and j = 2 i or i = 3 and 0 <= j < 9 or 0 <= j < 3 and i = 3 }",
    "{ [i] : exists a, b : i = 3 a + 5 b and 0 <= a <= 4 and 0 <= b <= 3 }",
    "{ [i, j] : exists a : -5 <= i <= 5 and 2 a <= j <= 2 a + 1 and j = 4 a - i }",
    "{ [i, j] : -7 <= 3 i - 2 j <= 7 and -4 <= 5 j + i <= 9 }",
    "{ [] : }",
    "{ [] : false }",
    "{ [i] : false }",
]


@pytest.mark.parametrize("text", SETS)
def test_points_are_those_that_isl_walks(text: str) -> None:
    found, walked = isl.Set(text), []
    found.foreach_point(lambda point: walked.append(coordinates(point)))
    assert [tuple(row) for row in points(found).tolist()] == sorted(walked)


def test_rows_are_sorted_by_domain_then_image() -> None:
    found = rows(isl.Map("{ [i, j] -> [e] : 0 <= i < 2 and 0 <= j < 2 and i <= e <= i + j }"))
    assert found.domain.tolist() == [[0, 0], [0, 1], [0, 1], [1, 0], [1, 1], [1, 1]]
    assert found.image.tolist() == [[0], [0], [1], [1], [1], [2]]


def test_a_million_points() -> None:
    found = points(isl.Set("{ [i, j] : 0 <= i < 1000 and i <= j < 1000 + i }"))
    assert found.shape == (1_000_000, 2)
    assert found.dtype == np.int64
    assert found.sum() == 999_000_000 // 2 * 3 - 0


def test_more_than_memory_holds_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_NUMBERS", 100)
    with pytest.raises(ArrayolError, match="too large to be walked element by element"):
        points(isl.Set("{ [i, j] : 0 <= i < 10 and 0 <= j < 10 }"))


def test_a_set_without_end_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="no end"):
        points(isl.Set("{ [i] : i >= 0 }"))
