"""Exits: what they write is the last plane of the array of all instances' results, at every distance."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
from hypothesis import event, given, settings
from hypothesis import strategies as st
from many_cases import case_count

from arrayol.checks.check import check_source
from arrayol.execute.run import execute
from arrayol.ir.exits import exit_boxes, writing_share
from arrayol.language.syntax.diagnose import shown_shape
from arrayol.source import SourceFile

SPACES = st.lists(st.integers(1, 5), min_size=1, max_size=3).map(tuple)


@st.composite
def vectors(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A space and a distance in it, which may be longer than the space."""
    space = draw(SPACES)
    return space, draw(st.tuples(*[st.integers(-3, 3)] * len(space)).filter(any))


def leaves(space: tuple[int, ...], vector: tuple[int, ...], r: tuple[int, ...]) -> bool:
    """Whether r + d lies outside."""
    return any(not 0 <= place + step < extent for place, step, extent in zip(r, vector, space, strict=True))


@given(vectors())
def test_the_boxes_hold_each_instance_that_writes_once(case: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    space, vector = case
    wanted = [r for r in product(*map(range, space)) if leaves(space, vector, r)]
    found = [
        tuple(low + place for low, place in zip(lows, inner, strict=True))
        for lows, extents in exit_boxes(vector, space)
        for inner in product(*(range(extent or 0) for extent in extents))
    ]
    assert sorted(found) == wanted
    assert writing_share(vector, space) * prod(space) == len(wanted)


@given(SPACES, st.data())
@settings(max_examples=case_count(60), deadline=None)
def test_an_exit_is_the_last_plane_of_the_full_array(space: tuple[int, ...], data: st.DataObject) -> None:
    """The same fold twice: once with an array of all states, once with an exit alone."""
    axis = data.draw(st.integers(0, len(space) - 1))
    step = data.draw(st.sampled_from([one for one in (-3, -2, -1, 1, 2, 3) if abs(one) < space[axis]] or [1]))
    vector = [step if other == axis else 0 for other in range(len(space))]
    delay = data.draw(st.sampled_from(["", "across"])) and len(space) > 1
    extra = [0] * len(space)
    if delay:
        extra[(axis + 1) % len(space)] = 1
    write = min(abs(step), space[axis])
    low = space[axis] - write if step > 0 else 0
    kept = tuple(write if other == axis else extent for other, extent in enumerate(space))
    rows = "; ".join(", ".join(str(int(row == column)) for column in range(len(space))) for row in range(len(space)))
    origin = [-low if other == axis else 0 for other in range(len(space))]
    links = f"p <- y delay {vector} else 1\n" + (f"q <- y delay {extra} else 2\n" if delay else "")
    text = (
        f"elementary e(x: f32, p: f32{', q: f32' if delay else ''}) -> (y: f32) {{ y = x + 0.3 * p"
        f"{' + 0.7 * q' if delay else ''} }}\n"
        f"task all(x: f32{shown_shape(space)}) -> (y: f32{shown_shape(space)}) {{\n"
        f"repeat {shown_shape(space)} of e {{ x <- x\n{links} y -> y }}\n}}\n"
        f"task last(x: f32{shown_shape(space)}) -> (y: f32{shown_shape(kept)}) {{\n"
        f"repeat {shown_shape(space)} of e {{ x <- x\n{links} y delay {vector} -> y at origin {origin} "
        f"paving [{rows}] fitting [] }}\n}}\n"
    )
    checked = check_source(SourceFile("exits.aol", text))
    assert checked.ok, checked.diagnostics
    event(f"rank {len(space)}, step {step}, {'two delays' if delay else 'one delay'}")
    x = {"x": np.random.default_rng(len(text)).random(space).astype("f4")}
    plane = tuple(slice(low, low + write) if other == axis else slice(None) for other in range(len(space)))
    whole, last = execute(checked.spec, "all", x)["y"], execute(checked.spec, "last", x)["y"]
    assert whole[plane].tobytes() == last.tobytes()


def test_frames_come_out_as_they_end() -> None:
    """Along an infinite dimension each frame has a last row; an exit across frames counts the frame's end alone."""
    text = """elementary add(x: i32, p: i32) -> (y: i32) { y = x + p }
task sums(x: i32[*, 4]) -> (y: i32[*]) {
  repeat [*, 4] of add { x <- x  p <- y delay [0, 1] else 0  y delay [0, 1] -> y }
}
task later(x: i32[*, 4]) -> (y: i32[*]) {
  repeat [*, 4] of add {
    x <- x  p <- y delay [0, 1] else 0
    y delay [1, 1] -> y at origin [0] paving [1, 0] fitting []
  }
}
"""
    checked = check_source(SourceFile("frames.aol", text))
    assert checked.ok, checked.diagnostics
    x = np.arange(12, dtype="i4").reshape(3, 4)
    for task in ("sums", "later"):
        assert execute(checked.spec, task, {"x": x})["y"].tolist() == x.sum(axis=1).tolist()
