"""State that blocks hand on: only what leaves them by an exit, where blocks stand side by side; also tiled again."""

from __future__ import annotations

from itertools import product

import pytest
from proof import prove, transformed
from spec_data import loaded

from arrayol.errors import ArrayolError
from arrayol.ir.spec import RepetitiveTask, Spec
from arrayol.language.emitter import spec_text

CHAINS = """elementary add(x: i64, p: i64[2]) -> (y: i64, s: i64[2]) {{
  y = x + 3 * p[0] + 5 * p[1]
  s[k] = y + k * p[1 - k]  for k in 0..2
}}
task top(a: i64[12, 3], z: i64[12, 3, 2]) -> (b: i64[12, 3]) {{
  repeat [12, 3] of add {{
    x <- a
    p <- s delay [{step}, 0] else {default}
    y -> b
  }}
}}
"""
DEFAULTS = ["7", "z at origin [11, 1, 0] paving [-1, 0; 0, 0; 0, 0] fitting [0; 0; 1]"]


def chains(step: int, default: str = "7") -> Spec:
    return loaded(CHAINS.format(step=step, default=default))


def handed_on(spec: Spec, name: str) -> dict[str, tuple[object, ...]]:
    """What a task hands on: the exit by which it leaves, and its shape."""
    task = spec.components[name]
    assert isinstance(task, RepetitiveTask)
    shapes = {port.name: port.shape for port in task.outputs}
    return {link.array: (link.exit, shapes[link.array]) for link in task.output_links if "after" in link.array}


@pytest.mark.parametrize("default", DEFAULTS, ids=["constant", "tiled"])
@pytest.mark.parametrize("step", [1, 2, -3, 5])
def test_a_block_hands_on_the_last_places_of_its_chains(step: int, default: str) -> None:
    """As many as the delay is long; a delay as long as a block, or longer, needs all of them."""
    spec = chains(step, default)
    for rows, columns in ((2, 3), (4, 1), (6, 3)):
        tiled = transformed(spec, f"tile top {rows},{columns}")
        prove(spec, tiled)
        leaves, height = ((step, 0), abs(step)) if abs(step) < rows else (None, rows)
        shape = (*(extent for extent in (height, columns) if extent > 1), 2)
        assert handed_on(tiled.spec, "top_block") == {"s_after": (leaves, shape)}
        afresh = loaded(spec_text(tiled.spec), "tiled.aol")
        assert spec_text(transformed(afresh, "collapse top").spec) == spec_text(spec)


def test_all_places_of_a_block_hand_on_where_no_exit_has_what_is_needed() -> None:
    """Two delays that cross carry one output, or one goes along two dimensions; what stays inside does not matter."""
    text = (
        "elementary add(x: i64, p: i64, q: i64) -> (s: i64) { s = x + 3 * p + 5 * q }\n"
        "task top(a: i64[6, 4]) -> (b: i64[6, 4]) { repeat [6, 4] of add {\n"
        "  x <- a  p <- s delay [1, 0] else 1  q <- s delay SECOND else 2  s -> b } }\n"
    )
    cases = [("[2, 0]", "3,2", None), ("[1, 1]", "3,2", None), ("[0, 1]", "3,2", None), ("[0, 1]", "3,4", (1, 0))]
    for second, sizes, leaves in cases:
        spec = loaded(text.replace("SECOND", second))
        tiled = transformed(spec, f"tile top {sizes}")
        (state,) = handed_on(tiled.spec, "top_block").values()
        assert state[0] == leaves, second
        prove(spec, tiled)


def test_what_leaves_blocks_is_cut_again() -> None:
    for step, again in product((1, -2, 3), ("tile top_block 3,1", "tile top 2,3")):
        spec = chains(step, DEFAULTS[1])
        prove(spec, transformed(spec, "tile top 6,1", again))


def test_a_block_is_not_cut_in_blocks_of_which_other_places_would_leave() -> None:
    for step, sizes, reason, nearest in [
        (3, "2,1", "it is longer than a block and no multiple of it", "1,1 or 3,1"),
        (-5, "3,3", "it is longer than a block and no multiple of it", "1,3 or 6,3"),
    ]:
        with pytest.raises(ArrayolError) as failure:
            transformed(chains(step), "tile top 6,3", f"tile top_block {sizes}")
        (found,) = failure.value.diagnostics
        assert found.message == (
            f"the exit [{step}, 0] of 's' is not kept by blocks of {sizes}: {reason}, so other repetitions would write"
        )
        assert found.hint == f"the nearest sizes that keep it: {nearest}"
        assert "step-refused" in found.code


SUMS = """elementary add(x: i64, p: i64) -> (y: i64, s: i64) {{ y = x + p  s = 2 * y }}
elementary window(a: i64[{width}]) -> (b: i64) {{ b += (k + 1) * a[k]  for k in 0..{width} }}
task sums(a: i64[24]) -> (b: i64[24], last: i64[2]) {{ repeat [24] of add {{
  x <- a  p <- s delay [2] else 3  y -> b  s delay [2] -> last at origin [-22] paving [1] fitting [] }} }}
task windows(b: i64[24]) -> (c: i64[{count}]) {{ repeat [{count}] of window {{
  a <- b at origin [0] paving [2] fitting [1]  b -> c }} }}
task top(a: i64[24]) -> (c: i64[{count}], last: i64[2]) {{ (b, last) = sums(a)  c = windows(b) }}
"""


def test_a_producer_is_fused_by_blocks_where_the_consumer_does_not_read_what_leaves_it() -> None:
    spec = loaded(SUMS.format(width=2, count=12))
    for steps in (["fuse sums windows 3"], ["fuse sums windows 6", "fuse sums_block windows_block 2"]):
        fused = transformed(spec, *steps)
        assert not any("stays beside" in remark or "whole chains" in remark for remark in fused.remarks)
        prove(spec, fused)
    overlapping = loaded(SUMS.format(width=3, count=11))
    fused = transformed(overlapping, "fuse sums windows 1")
    assert any("'sums' also stays beside" in remark for remark in fused.remarks)
    prove(overlapping, fused)
