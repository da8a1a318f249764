"""Tilers with factors of any size: along an axis that wraps, and where there is but one index."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loading import spec_of
from many_cases import case_count

from arrayol.execute.run import execute
from arrayol.ir.network import flatten
from hwmodel.accesses import Accesses

FACTORS = st.integers(-20, 20) | st.integers(-(2**70), 2**70)


@settings(max_examples=case_count(60), deadline=None)
@given(*[FACTORS] * 5, st.integers(1, 12))
def test_what_wraps_is_taken_modulo_the_extent(
    origin: int, paving: int, fitting: int, none: int, pattern: int, extent: int
) -> None:
    side = 1 + pattern % 3
    text = f"""elementary e(x: u8[{side}, 1]) -> (y: u8[{side}]) {{
  y[k] = x[k, 0]  for k in 0..{side}
}}
task t(a: u8[{extent}]) -> (b: u8[5, {side}, 1]) {{
  repeat [5, 1] of e {{
    x <- a at origin [{origin}] paving [{paving}, {none}] fitting [{fitting}, {none}] wrap
    y -> b at origin [0, 0, 0] paving [1, {none}; 0, 0; 0, 0] fitting [0; 1; 0]
  }}
}}"""
    read = [[(origin + paving * r + fitting * f) % extent for f in range(side)] for r in range(5)]
    spec = spec_of(text)
    assert execute(spec, "t", {"a": np.arange(extent, dtype=np.uint8)})["b"][:, :, 0].tolist() == read
    accesses = Accesses(flatten(spec, "t"))
    (touch,) = accesses.reads["t"]
    assert accesses.elements(touch, accesses.repetitions("t")).tolist() == read
    assert accesses.elements(accesses.writes["t"][0], accesses.repetitions("t")).tolist() == [
        [side * r + f for f in range(side)] for r in range(5)
    ]


@pytest.mark.parametrize("length", [2**62, 2**60])
def test_arrays_that_no_memory_holds(length: int) -> None:
    text = f"""elementary e() -> (y: i64) {{
  y = 1
}}
task t() -> (b: i64[{length}]) {{
  repeat [{length}] of e {{
    y -> b at origin [0] paving [1] fitting []
  }}
}}"""
    with pytest.raises(MemoryError):
        execute(spec_of(text), "t", {})
