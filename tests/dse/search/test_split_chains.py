"""Chains of matrix products: the default finds designs no worse than those of splits that are written by hand."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count

from arrayol import api
from arrayol.arrays import IntArray
from arrayol.ir.divisors import divisors
from dse.space.study import Study

OBJECTIVES = ("traffic_bytes", "internal_memory_bits")
PLATFORM = """\
clock_mhz = 100
technology = "ecp5-6"
[memory]
latency = 0
word_bits = 128
port = "shared"
"""
SIDES = st.sampled_from((4, 8, 12, 16))
SUMS = st.sampled_from((16, 24))


def product(number: int, rows: int, terms: int, columns: int) -> str:
    """A task that multiplies two matrices."""
    return f"""\
elementary dot{number}(a: f32[1, {terms}], b: f32[{terms}, 1]) -> (c: f32[1, 1]) {{
  c[i, j] += a[i, k] * b[k, j]  for i in 0..1, j in 0..1, k in 0..{terms}
}}
task product{number}(left: f32[{rows}, {terms}], right: f32[{terms}, {columns}]) -> (result: f32[{rows}, {columns}]) {{
  repeat [{rows}, {columns}] of dot{number} {{
    a <- left   at origin [0, 0]  paving [1, 0; 0, 0]  fitting [1, 0; 0, 1]
    b <- right  at origin [0, 0]  paving [0, 0; 0, 1]  fitting [1, 0; 0, 1]
    c -> result at origin [0, 0]  paving [1, 0; 0, 1]  fitting [1, 0; 0, 1]
  }}
}}
"""


def chain(rows: int, sizes: Sequence[int]) -> str:
    """The product of a matrix of so many rows with others, of `sizes` one after the other."""
    pairs = list(enumerate(pairwise(sizes)))
    inputs = [f"t0: f32[{rows}, {sizes[0]}]"]
    inputs += [f"w{number}: f32[{terms}, {columns}]" for number, (terms, columns) in pairs]
    calls = "\n".join(f"  t{number + 1} = product{number}(t{number}, w{number})" for number, _ in pairs)
    tasks = "".join(product(number, rows, *pair) for number, pair in pairs)
    output = f"t{len(pairs)}: f32[{rows}, {sizes[-1]}]"
    return f"{tasks}task chain({', '.join(inputs)}) -> ({output}) {{\n{calls}\n}}\n"


def front(path: Path, splits: str, budget: float | None) -> IntArray:
    """Traffic and memory of what rounds find, (n, 2)."""
    space = api.Space(Study(splits=splits, slack=0), reuse_memory=True, verify=False)
    platform = path.with_name("platform.toml")
    found = api.explore(path, platform, top="chain", objectives=OBJECTIVES, space=space, method="rounds", budget=budget)
    return np.array([[design.objectives[name] for name in OBJECTIVES] for design in found.result.pareto])


@settings(max_examples=case_count(1), deadline=None)
@given(SIDES, st.lists(SUMS, min_size=1, max_size=2), SIDES, st.data())
def test_the_default_is_no_worse_than_a_split_by_hand(
    rows: int, terms: list[int], columns: int, data: st.DataObject
) -> None:
    """Of each design of the hand-written splits there is one that moves and holds hardly more."""
    sizes = [*terms, columns]
    splits = [
        f"split product{number} k {data.draw(st.sampled_from([one for one in divisors(many) if 1 < one < many]))}"
        for number, many in reversed(list(enumerate(terms)))
    ]
    with tempfile.TemporaryDirectory() as folder:
        path, by_hand = Path(folder, "chain.aol"), Path(folder, "by_hand.aol")
        Path(folder, "platform.toml").write_text(PLATFORM, encoding="utf-8")
        path.write_text(chain(rows, sizes), encoding="utf-8")
        by_hand.write_text(api.spec_text(api.transform(api.load(path), splits).spec), encoding="utf-8")
        found, wanted = front(path, "ladder", None), front(by_hand, "none", 2.0)
    factors = (found[None] / wanted[:, None]).max(axis=2).min(axis=1)
    assert (factors <= 1.05).all(), wanted[factors > 1.05]
