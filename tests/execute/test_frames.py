"""Infinite dimensions at any rate: what is executed, how many frames come of it, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loading import spec_of, unchecked_spec_of
from many_cases import case_count
from numpy.typing import NDArray

from arrayol.errors import ArrayolError
from arrayol.execute.run import execute

Stage = tuple[int, int, int, int]  # frames from one window to the next, of a window, before the first; frames put out

STAGES = st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(0, 2), st.integers(1, 3))


def text_of(stage: Stage, name: str, *, turned: bool = False) -> str:
    """A task over 2 columns that puts out sums of windows of frames, plus the position in the pattern put out."""
    step, window, origin, rate = stage
    first, forwards = (rate - 1, -1) if turned else (0, 1)
    return f"""elementary e{name}(x: i64[{window}]) -> (y: i64[{rate}]) {{
  y[j] = {rate - 1} - j for j in 0..{rate}
  {"" if turned else f"y[j] = j for j in 0..{rate}"}
  y[j] += x[i] for j in 0..{rate}, i in 0..{window}
}}
task {name}(a: i64[*, 2]) -> (b: i64[*, 2]) {{
  repeat [*, 2] of e{name} {{
    x <- a at origin [{origin}, 0] paving [{step}, 0; 0, 1] fitting [1; 0]
    y -> b at origin [{first}, 0] paving [{rate}, 0; 0, 1] fitting [{forwards}; 0]
  }}
}}
"""


def result_of(stage: Stage, a: NDArray[np.int64]) -> NDArray[np.int64]:
    """What such a task makes of all whole windows in `a`."""
    step, window, origin, rate = stage
    windows = [a[first : first + window].sum(axis=0) for first in range(origin, len(a) - window + 1, step)]
    found = [total + number for total in windows for number in range(rate)]
    return np.array(found, np.int64).reshape(-1, 2)


@settings(max_examples=case_count(60), deadline=None)
@given(STAGES, STAGES, st.integers(1, 14), st.booleans())
def test_chains_of_tasks_with_rates_of_their_own(first: Stage, second: Stage, frames: int, turned: bool) -> None:
    spec = spec_of(
        text_of(first, "one", turned=turned)
        + text_of(second, "two")
        + "task t(a: i64[*, 2]) -> (c: i64[*, 2], d: i64[*, 2]) { b = one(a)  c = two(b)  d = two(a) }"
    )
    a = np.random.default_rng(frames).integers(-9, 9, (frames, 2))
    expected = {"c": result_of(second, result_of(first, a)), "d": result_of(second, a)}
    if all(map(len, expected.values())):
        found = execute(spec, "t", {"a": a})
        assert {name: array.tolist() for name, array in found.items()} == {
            name: array.tolist() for name, array in expected.items()
        }
    else:
        with pytest.raises(ArrayolError, match="too-few-frames"):
            execute(spec, "t", {"a": a})


def test_the_first_frames_of_an_input() -> None:
    spec = spec_of(text_of((1, 2, 0, 1), "t"))
    a = np.arange(12).reshape(6, 2)
    assert execute(spec, "t", {"a": a}, frames=4)["b"].tolist() == result_of((1, 2, 0, 1), a[:4]).tolist()
    assert refusal(spec, {"a": a}, frames=7).startswith(
        "t.aol:6:8: error[too-few-frames]: there are 6 frames of input 'a', fewer than the 7 asked for\n"
    )
    assert refusal(spec, {"a": a[:1]}).startswith(
        "t.aol:6:6: error[too-few-frames]: the inputs have too few frames for one of output 'b': 'a' 1\n"
    )


def test_frames_that_are_not_whole_are_left_out() -> None:
    """One link writes a column of one frame for each repetition, another one that of two."""
    text = """elementary e(x: u8) -> (y: u8, z: u8[2]) { y = x  z[j] = x for j in 0..2 }
task t(a: u8[*]) -> (b: u8[*, 2]) {
  repeat [*] of e {
    x <- a at origin [0] paving [1] fitting []
    y -> b at origin [0, 0] paving [1; 0] fitting []
    z -> b at origin [0, 1] paving [2; 0] fitting [1; 0]
  }
}"""
    found = execute(spec_of(text), "t", {"a": np.arange(3, dtype=np.uint8)})["b"]
    assert found.tolist() == [[0, 0], [1, 0], [2, 1]]


SOURCE = """elementary three() -> (b: u8[3]) { b[j] = 3 + j for j in 0..3 }
elementary add(a: u8, p: u8[2]) -> (b: u8) { b = a + p[0] * p[1] }
task source() -> (y: u8[*]) { repeat [*] of three { b -> y at origin [0] paving [3] fitting [1] } }
task sum(x: u8[*], y: u8[*]) -> (z: u8[*]) {
  repeat [*] of add {
    a <- x at origin [0] paving [1] fitting []
    p <- y at origin [1] paving [2] fitting [1]
    b -> z at origin [0] paving [1] fitting []
  }
}
task t(x: u8[*]) -> (z: u8[*], y: u8[*]) { z = sum(x, y)  y = source() }
"""


@pytest.mark.parametrize("frames", [1, 2, 5])
def test_a_task_that_reads_nothing_makes_as_many_frames_as_are_read(frames: int) -> None:
    found = execute(spec_of(SOURCE), "t", {"x": np.zeros(frames, np.uint8)})
    made = [3, 4, 5] * 4
    assert found["z"].tolist() == [made[2 * t + 1] * made[2 * t + 2] for t in range(frames)]
    assert found["y"].tolist() == made[:frames]


def test_a_task_without_inputs_makes_the_frames_that_are_asked_for() -> None:
    spec = spec_of(SOURCE)
    assert execute(spec, "source", {}, frames=4)["y"].tolist() == [3, 4, 5, 3]
    assert refusal(spec, {}, "source") == (
        "t.aol:3:6: error[no-frames]: no input says how many frames of 'source' to execute\n"
        "    3 | task source() -> (y: u8[*]) { repeat [*] of three { b -> y at origin [0] paving [3] fitting [1] } }\n"
        "      |      ^^^^^^\n"
        "  hint: --frames says it, as in --frames 10"
    )


def test_inputs_of_different_rates_bring_different_numbers_of_frames() -> None:
    spec = spec_of(SOURCE)
    inputs = {"x": np.zeros(3, np.uint8), "y": np.arange(7, dtype=np.uint8)}
    assert execute(spec, "sum", inputs)["z"].tolist() == [2, 12, 30]
    for longer in ({**inputs, "x": np.zeros(4, np.uint8)}, {**inputs, "y": np.zeros(8, np.uint8)}):
        counts = f"'x' {len(longer['x'])}, 'y' {len(longer['y'])}"
        assert refusal(spec, longer, "sum").startswith(
            f"t.aol:4:6: error[frame-mismatch]: the inputs bring different numbers of frames: {counts}\n"
        )
        least = min(map(len, longer.values()))
        assert refusal(spec, longer, "sum").endswith(f"hint: --frames {least} takes the first {least} of each")
    assert execute(spec, "sum", {**inputs, "y": np.arange(7, dtype=np.uint8)}, frames=3)["z"].tolist() == [2]


def test_a_repetition_may_hand_over_whole_streams() -> None:
    text = """elementary pairs(x: i64[2]) -> (y: i64) { y = 10 * x[0] + x[1] }
task inner(a: i64[*]) -> (b: i64[*]) {
  repeat [*] of pairs {
    x <- a at origin [0] paving [2] fitting [1]
    y -> b at origin [0] paving [1] fitting []
  }
}
task t(a: i64[*, 3]) -> (b: i64[3, *]) {
  repeat [3] of inner {
    a <- a at origin [1, 0] paving [0; 1] fitting [1; 0]
    b -> b at origin [0, 0] paving [1; 0] fitting [0; 1]
  }
}"""
    a = np.arange(24).reshape(8, 3)
    expected = [[10 * a[t, column] + a[t + 1, column] for t in (1, 3, 5)] for column in range(3)]
    assert execute(spec_of(text), "t", {"a": a})["b"].tolist() == expected


DELAYED = """elementary e(x: i32, before: i32) -> (y: i32) { y = x + before }
task t(a: i32[*, 6], s: i32[*, 6]) -> (b: i32[*, 6]) {
  repeat [*, 6] of e {
    x <- a at origin [0, 0] paving [1, 0; 0, 1] fitting []
    before <- y delay [2, 0] else s at origin [1, 0] paving [1, 0; 0, 1] fitting []
    y -> b at origin [0, 0] paving [1, 0; 0, 1] fitting []
  }
}"""


def test_a_default_bounds_the_frames_only_where_it_is_read() -> None:
    a, s = np.arange(30, dtype=np.int32).reshape(5, 6), np.full((5, 6), 100, np.int32)
    found = execute(spec_of(DELAYED), "t", {"a": a, "s": s})["b"]
    assert found[:, 0].tolist() == [100, 106, 112, 124, 136]
    found = execute(spec_of(DELAYED), "t", {"a": a[:2], "s": s[:2]})["b"]
    assert found[:, 0].tolist() == [100]


def test_what_hangs_on_later_frames_is_refused() -> None:
    """Here a repetition waits for the next frame, five columns before; where the input ends the stream does not."""
    text = DELAYED.replace(
        "delay [2, 0] else s at origin [1, 0] paving [1, 0; 0, 1] fitting []", "delay [-1, 5] else 0"
    )
    text = text.replace(", s: i32[*, 6]", "")
    assert refusal(spec_of(text), {"a": np.zeros((3, 6), np.int32)}) == (
        "t.aol:5:5: error[frame-rate]: port 'before' takes what a repetition of a later frame puts out, "
        "which is not executed\n"
        "    5 |     before <- y delay [-1, 5] else 0\n"
        "      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "  hint: turn the delay round, or give the dimension * a finite size for the execution"
    )


def test_a_tiler_that_stays_in_its_frame_is_refused_even_unchecked() -> None:
    spec = unchecked_spec_of(
        text_of((1, 1, 0, 1), "t").replace("paving [1, 0; 0, 1] fitting [1; 0]", "paving [0, 0; 0, 1] fitting [1; 0]")
    )
    assert "error[frame-rate]: this tiler goes along the dimension * of 'a' in a way which is not executed" in refusal(
        spec, {"a": np.zeros((3, 2), np.int64)}
    )


def test_frames_of_what_has_none() -> None:
    spec = spec_of("elementary e(x: u8) -> (y: u8) { y = x }")
    assert refusal(spec, {"x": np.uint8(1)}, "e", frames=2) == (
        "t.aol:1:12: error[no-infinite-dimension]: 'e' has no dimension *, so --frames has nothing to count\n"
        "    1 | elementary e(x: u8) -> (y: u8) { y = x }\n"
        "      |            ^\n"
        "  hint: leave --frames out"
    )


def refusal(spec: Any, inputs: dict[str, Any], task: str = "t", frames: int | None = None) -> str:
    with pytest.raises(ArrayolError) as caught:
        execute(spec, task, inputs, frames=frames)
    return str(caught.value)
