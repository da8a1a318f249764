"""What is kept of single arrays: texts, and a matrix product by hand (docs/machine.md, section 2)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies_machine import keeps

from arrayol.checks.check import check_source
from arrayol.checks.top import choose_top
from arrayol.ir.network import flatten
from arrayol.source import SourceFile
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, GroupDesign, Processor, ReuseLevel, parse_keep, row_major
from hwmodel.platform import default_platform
from hwmodel.simulator.schedule.moves import moves_of
from hwmodel.simulator.schedule.plan import plan_of

PRODUCT = """elementary mul(a: i16[1], b: i16[1]) -> (p: i16) {
  p = a[0] * b[0]
}
task top(a: i16[4, 4], b: i16[4, 4]) -> (p: i16[4, 4, 4]) {
  repeat [4, 4, 4] of mul {
    a <- a at origin [0, 0] paving [1, 0, 0; 0, 0, 1] fitting [0; 1]
    b <- b at origin [0, 0] paving [0, 0, 1; 0, 1, 0] fitting [0; 1]
    p -> p
  }
}
"""


@given(st.data())
def test_a_keep_is_read_as_it_is_written(data: st.DataObject) -> None:
    loops = data.draw(st.integers(0, 4))
    keep = data.draw(keeps(loops))
    assert parse_keep(keep.text(loops), loops) == keep


@pytest.mark.parametrize(("text", "keep"), [
    ("reuse", ReuseLevel(0)), ("strip", ReuseLevel(2)), ("tile", ReuseLevel(3)), ("whole", ReuseLevel(2, eager=True)),
    ("1", ReuseLevel(1)), ("3", ReuseLevel(3)), ("whole 3", ReuseLevel(3)), ("shared 0", ReuseLevel(0)),
    ("shared whole 1", ReuseLevel(1, shared=True, eager=True)),
])  # fmt: skip
def test_the_names_are_some_of_the_levels(text: str, keep: ReuseLevel) -> None:
    assert parse_keep(text, 3) == keep


@pytest.mark.parametrize("text", ["4", "whole 4", "-1", "shared", "tile 1", "always"])
def test_other_texts_are_no_keeps(text: str) -> None:
    with pytest.raises(ValueError, match=text):
        parse_keep(text, 3)


# Blocks of 2 x 2 x 2: A[i, k] has 16 elements in 2 x 2 boxes of 4, each read by the two blocks of j.
LOADED = {"0": 16, "1": 16, "2": 32, "3": 32, "shared 1": 16, "shared 2": 16, "shared 3": 32}


def loaded(text: str, array: str) -> tuple[int, int]:
    """Elements of an array that a product in blocks of 2 x 2 x 2 loads, and its largest number on the chip."""
    spec = check_source(SourceFile("product.aol", PRODUCT)).spec
    model = MachineModel(flatten(spec, choose_top(spec, None)), default_platform())
    tops = tuple(model.network.processes)
    design = GroupDesign(
        tuple(map(Processor, tops)), Blocks((2, 2, 2), row_major(3)), keeps=((array, parse_keep(text, 3)),)
    )
    plain = model.estimate_enumerated(GroupDesign(design.processors, design.blocks))
    found = model.estimate(design)
    assert found.evaluator == "counted"
    assert replace(found, evaluator="enumerated") == model.estimate_enumerated(design)
    moved = moves_of(model.accesses, plan_of(model.accesses, design)).arrays
    assert (
        sum(len(one.element if one.loaded else one.stored) for one in moved.values()) * 2
        == found.additive["traffic_bytes"]
    )
    size = next(memory.data for memory in found.memories if memory.name == array)
    return 16 + (found.additive["traffic_bytes"] - plain.additive["traffic_bytes"]) // 2, size


@pytest.mark.parametrize("text", LOADED)
def test_a_product_loads_each_row_again_below_its_loop(text: str) -> None:
    assert loaded(text, "a")[0] == LOADED[text]


def test_what_is_shared_stays_from_one_prefix_to_the_next() -> None:
    # b[k, j] is read at all four blocks of each i: 8 ticks, in boxes of 4; from one tick to the next no box stays.
    assert {text: loaded(text, "b")[0] for text in ("0", "1", "shared 1", "2", "3")} == {
        "0": 16, "1": 32, "shared 1": 16, "2": 32, "3": 32,
    }  # fmt: skip


def test_less_is_kept_at_inner_loops() -> None:
    sizes = [loaded(text, "b")[1] for text in ("0", "1", "3")]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]
