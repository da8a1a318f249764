"""Tiles executed on local memory that starts as garbage give what the text says: exact, approximated, simplified."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies_tiles import NestCase, nest_cases
from tiled_execution import ORDERS, as_written, inputs, outputs, tile_by_tile, tiled

from arrayol.errors import ArrayolError
from arrayol.tiling.load_store import traffic


@given(nest_cases(), st.integers(0, 9), st.sampled_from([None, *ORDERS]), st.booleans())
@settings(
    max_examples=case_count(80),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    deadline=None,
)
def test_tiles_on_garbage_equal_the_text(case: NestCase, seed: int, order: str | None, simplify: bool) -> None:
    try:
        nest = tiled(case)
    except ArrayolError:
        assume(False)
    found = traffic(nest, simplify=simplify)
    expected, got = inputs(seed) | outputs(), inputs(seed) | outputs()
    as_written(case, expected)
    tile_by_tile(case, found, got, order)
    for name, array in expected.items():
        assert np.array_equal(got[name], array), name
    event("exact" if all(found.exact.values()) else "approximated")
    event("simplified" if simplify else "as it is")
    event("overlapped" if order else "in turn")
