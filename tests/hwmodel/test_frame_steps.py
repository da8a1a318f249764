"""How tasks go on from frame to frame, and networks that no hardware follows."""

from __future__ import annotations

import numpy as np
import pytest
from spec_data import loaded

from arrayol.errors import ArrayolError
from arrayol.ir.network import flatten
from hwmodel.accesses import Accesses
from hwmodel.frame_steps import frame_step, of_every_frame, passes_frames, require_in_step

PAIRS = """\
elementary twice(x: u8) -> (y: u8[2]) { y[k] = x  for k in 0..2 }
elementary sum(x: u8[3]) -> (y: u8) { y = u8(x[0] + x[2]) }
task pairs(v: u8[*, 2]) -> (b: u8[*, 2]) {
  repeat [*, 2] of twice { x <- v  y -> b at origin [0, 0] paving [2, 0; 0, 1] fitting [1; 0] }
}
task sums(b: u8[*, 2]) -> (o: u8[*, 2]) {
  repeat [*, 2] of sum { x <- b at origin [0, 0] paving [2, 0; 0, 1] fitting [1; 0]  y -> o }
}
task top(v: u8[*, 2]) -> (o: u8[*, 2]) { b = pairs(v)  o = sums(b) }
"""
ROUND = """\
elementary add(x: u8, w: u8) -> (y: u8) { y = u8(x + w) }
task top(x: u8[*, 4], w: u8[3]) -> (y: u8[*, 4]) {
  repeat [*, 4] of add {
    x <- x at origin [0, 0] paving [1, 0; 0, 1] fitting []
    w <- w at origin [0] paving [3, 1] fitting [] wrap
    y -> y
  }
}
"""


def accesses_of(text: str) -> Accesses:
    return Accesses(flatten(loaded(text), "top"))


def test_two_frames_at_a_time() -> None:
    accesses = accesses_of(PAIRS)
    require_in_step(accesses)
    assert [frame_step(accesses, name) for name in ("v", "b", "o")] == [1, 2, 1]
    assert passes_frames(accesses)
    assert not passes_frames(accesses_of(PAIRS.replace("u8[3]", "u8[2]").replace("x[2]", "x[1]")))
    assert accesses.shape("b") == (3, 2)
    for place in range(6):
        at_place = of_every_frame(accesses, "b", np.arange(6) == place)
        assert [*np.flatnonzero(at_place)] == [at for at in range(6) if at % 4 == place % 4]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            PAIRS.replace(
                "b at origin [0, 0] paving [2, 0; 0, 1] fitting [1; 0]  y",
                "b at origin [0, 0] paving [1, 0; 0, 1] fitting [1; 0]  y",
            ),
            "'pairs' goes on by 2 frames of 'b' in a repetition, and 'sums' by 1",
        ),
        (ROUND.replace("[3, 1]", "[1, 1]"), "from frame to frame, 'top' goes on by 1 along axis 0 of 'w'"),
        (
            ROUND.replace("[1, 0; 0, 1] fitting []", "[1, 0; 1, 1] fitting [] wrap"),
            "from frame to frame, 'top' goes on by 1 along axis 1 of 'x'",
        ),
    ],
    ids=["rates", "a table", "a place in a frame"],
)
def test_frames_that_are_unlike_are_refused(text: str, told: str) -> None:
    with pytest.raises(ArrayolError) as refused:
        require_in_step(accesses_of(text))
    (mistake,) = refused.value.diagnostics
    assert (mistake.code, mistake.message) == ("frames-out-of-step", told)


def test_steps_round_a_whole_axis_are_none() -> None:
    require_in_step(accesses_of(ROUND))
