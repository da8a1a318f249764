"""What execution refuses and where; hierarchies, frames, and orders of repetitions."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from loading import spec_of, unchecked_spec_of
from numpy.typing import NDArray

from arrayol.errors import ArrayolError
from arrayol.execute.run import execute


def vector(body: str, element: str = "i32", result: str | None = None) -> str:
    """A task that runs a body for each element x of an array of 6, with i32 y."""
    return f"""elementary e(x: {element}) -> (y: {result or element}) {{
  {body}
}}
task t(a: {element}[6]) -> (b: {result or element}[6]) {{
  repeat [2, 3] of e {{
    x <- a at origin [0] paving [3, 1] fitting []
    y -> b at origin [0] paving [3, 1] fitting []
  }}
}}"""


def refusal(text: str, a: NDArray[Any]) -> str:
    with pytest.raises(ArrayolError) as caught:
        execute(unchecked_spec_of(text), "t", {"a": a})
    return str(caught.value)


VALUES = np.array([5, 4, 3, 2, 0, 0], np.int32)


def test_division_by_zero_names_the_first_repetition() -> None:
    assert refusal(vector("y = 60 // x"), VALUES) == (
        "t.aol:2:7: error[division-by-zero]: integer division by zero, in repetition (1, 1) of task 't'\n"
        "    2 |   y = 60 // x\n"
        "      |       ^^^^^^^\n"
        "  hint: guard it with a condition, as in `a // b if b != 0 else 0`"
    )


@pytest.mark.parametrize(
    "guarded",
    [
        "60 // x if x != 0 else -1",
        "-1 if x == 0 or 60 // x < 0 else 60 // x",
        "60 // x if x != 0 and 60 // x > 0 else -1",
    ],
)
def test_only_the_branch_taken_is_evaluated(guarded: str) -> None:
    found = execute(spec_of(vector(f"y = {guarded}")), "t", {"a": VALUES})["b"]
    assert found.tolist() == [12, 15, 20, 30, -1, -1]


def test_a_conditional_write_evaluates_only_where_it_acts() -> None:
    found = execute(spec_of(vector("y = -1  y = 60 // x where x != 0")), "t", {"a": VALUES})["b"]
    assert found.tolist() == [12, 15, 20, 30, -1, -1]


SHIFT = "a shift by 40, outside 0..32, in repetition (0, 1)"
LARGE = "40000000000.0 is not a value of i32, -2147483648 to 2147483647, in repetition (0, 1)"
INFINITE = "inf is not a value of i32, -2147483648 to 2147483647, in repetition (0, 0)"
HOLE = "'y' has not been written at the end of 'e', in repetition (0, 0)"
EARLY = "an element of 'y' is read here that has not been written yet, in repetition (0, 0)"
FIRST_VALUE = "statements run in the order written; put the one that writes it before, or give it a first value"


@pytest.mark.parametrize(
    ("body", "place", "code", "message", "hint"),
    [
        ("y = 1 << x", "2:7", "shift-out-of-range", SHIFT, "keep the amount below the width"),
        ("y = i32(f64(x) * 1e9)", "2:7", "conversion-out-of-range", LARGE, "limit it first with min and max"),
        ("y = i32(f32(x) / 0)", "2:7", "conversion-out-of-range", INFINITE, "limit it first with min and max"),
        (
            "y = x where x > 2",
            "1:12",
            "output-not-written",
            HOLE,
            "give every element of an output a value before the conditional writes",
        ),
        ("y = x where x > 2  y += y", "2:27", "read-before-write", EARLY, FIRST_VALUE),
    ],
)
def test_other_execution_errors(body: str, place: str, code: str, message: str, hint: str) -> None:
    found = refusal(vector(body), np.array([1, 40, 3, 4, 5, 6], np.int32)).splitlines()
    assert found[0] == f"t.aol:{place}: error[{code}]: {message} of task 't'"
    assert found[-1] == f"  hint: {hint}"


def test_a_subscript_from_data_is_checked() -> None:
    text = """elementary e(i: i32, x: f32[4]) -> (y: f32) { y = x[i] }
task t(a: i32[6], w: f32[4]) -> (b: f32[6]) {
  repeat [6] of e {
    i <- a at origin [0] paving [1] fitting []
    x <- w at origin [0] paving [0] fitting [1]
    y -> b at origin [0] paving [1] fitting []
  }
}"""
    w = np.arange(4, dtype=np.float32)
    inputs = {"a": np.array([3, 1, 0, 2, 2, 1], np.int32), "w": w}
    assert execute(spec_of(text), "t", inputs)["b"].tolist() == [3, 1, 0, 2, 2, 1]
    with pytest.raises(ArrayolError) as caught:
        execute(spec_of(text), "t", {"a": np.array([3, 1, -1, 2, 4, 1], np.int32), "w": w})
    assert str(caught.value) == (
        "t.aol:1:51: error[subscript-out-of-range]: the subscript of 'x' is -1, outside 0..4, "
        "in repetition (2) of task 't'\n"
        "    1 | elementary e(i: i32, x: f32[4]) -> (y: f32) { y = x[i] }\n"
        "      |                                                   ^^^^\n"
        "  hint: guard the access with a condition, or bring the subscript into range with min and max"
    )


def test_an_error_inside_a_hierarchy_names_all_repetitions() -> None:
    text = (
        vector("y = 60 // x")
        + """
task outer(a: i32[4, 6]) -> (b: i32[4, 6]) {
  repeat [4] of t {
    a <- a at origin [0, 0] paving [1; 0] fitting [0; 1]
    b -> b at origin [0, 0] paving [1; 0] fitting [0; 1]
  }
}"""
    )
    a = np.arange(1, 25, dtype=np.int32).reshape(4, 6)
    assert execute(spec_of(text), "outer", {"a": a})["b"].tolist() == (60 // a).tolist()
    a[2, 4] = 0
    with pytest.raises(
        ArrayolError, match=r"in repetition \(1, 1\) of task 't', in repetition \(2\) of task 'outer'\n"
    ):
        execute(spec_of(text), "outer", {"a": a})


def test_an_elementary_runs_by_itself_and_in_a_compound_task() -> None:
    text = """elementary sums(x: i64[3, 4]) -> (rows: i64[3], total: i64) {
  rows[i] += x[i, j] for i in 0..3, j in 0..4
  total += rows[i] for i in 0..3
}
elementary scale(x: i64[3], by: i64) -> (y: i64[3]) { y[i] = x[i] // by for i in 0..3 }
task t(x: i64[3, 4]) -> (y: i64[3]) {
  y = scale(rows, total)
  (rows, total) = sums(x)
}"""
    x = np.arange(12).reshape(3, 4)
    alone = execute(spec_of(text), "sums", {"x": x})
    assert (alone["rows"].tolist(), alone["total"].tolist()) == (x.sum(1).tolist(), 66)
    assert execute(spec_of(text), "t", {"x": x})["y"].tolist() == [0, 0, 0]
    with pytest.raises(ArrayolError, match="integer division by zero, in 'scale'\n"):
        execute(spec_of(text), "t", {"x": x * 0})


def test_statements_run_in_order_and_see_the_last_write() -> None:
    """A triangular solve, in place."""
    text = """elementary solve(m: f64[5, 5], b: f64[5]) -> (x: f64[5]) {
  loop i in 0..5 {
    x[i] = b[i]
    x[i] += -m[i, j] * x[j] for j in 0..i
    x[i] = x[i] / m[i, i]
  }
}"""
    rng = np.random.default_rng(5)
    m, b = np.tril(rng.uniform(1, 2, (5, 5))), rng.uniform(1, 2, 5)
    x = np.zeros(5)
    for i in range(5):
        total = b[i]
        for j in range(i):
            total = total + -m[i, j] * x[j]
        x[i] = total / m[i, i]
    assert execute(spec_of(text), "solve", {"m": m, "b": b})["x"].tolist() == x.tolist()


def test_a_sum_starts_at_plus_zero() -> None:
    found = execute(spec_of("elementary e(x: f32) -> (y: f32) { y += x }"), "e", {"x": np.array(-0.0, np.float32)})
    assert not np.signbit(found["y"])


@pytest.mark.parametrize(
    ("written", "terms"),
    [("y = {}", 20_000), ("y = {} for k in 0..2", 2000), ("loop k in 0..3 {{ y = {} }}", 2000), ("y += {}", 2000)],
)
def test_sums_may_be_longer_than_any_stack(written: str, terms: int) -> None:
    text = f"elementary e(x: i32) -> (y: i32) {{ {written.format('x' + ' + x' * terms)} }}"
    assert execute(spec_of(text), "e", {"x": np.array(3, np.int32)})["y"] == 3 * (terms + 1)


@pytest.mark.parametrize("sign", ["and", "or"])
def test_conditions_may_be_longer_than_any_stack(sign: str) -> None:
    text = f"elementary e(x: i32) -> (y: bool) {{ y = x > 0{f' {sign} x > 1' * 1500} }}"
    assert bool(execute(spec_of(text), "e", {"x": np.array(1, np.int32)})["y"]) == (sign == "or")


def test_subscripts_may_be_longer_than_any_stack() -> None:
    text = f"elementary e(x: i32[4]) -> (y: i32[4]) {{ y[k] = x[k{' + k - k' * 3000}] for k in 0..4 }}"
    assert execute(spec_of(text), "e", {"x": np.arange(4, dtype=np.int32)})["y"].tolist() == [0, 1, 2, 3]


def test_a_wide_window_takes_no_copy_of_each_of_its_elements() -> None:
    """A 9 x 9 window on 200 x 200: what a batch reads is a view, whose memory is the array's."""
    text = """elementary e(x: f32[9, 9]) -> (y: f32) { y += x[i, j] for i in 0..9, j in 0..9 }
task t(a: f32[208, 208]) -> (b: f32[200, 200]) {
  repeat [200, 200] of e {
    x <- a at origin [0, 0] paving [1, 0; 0, 1] fitting [1, 0; 0, 1]
    y -> b at origin [0, 0] paving [1, 0; 0, 1] fitting []
  }
}"""
    a = np.ones((208, 208), np.float32)
    spec = spec_of(text)
    tracemalloc.start()
    found = execute(spec, "t", {"a": a})["b"]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (found == 81).all()
    assert peak < 4 * found.nbytes


FRAMES = """elementary e(x: i32, before: i32) -> (y: i32) { y = x + before }
task t(a: i32[*, 3]) -> (b: i32[*, 3]) {
  repeat [*, 3] of e {
    x <- a at origin [0, 0] paving [1, 0; 0, 1] fitting []
    before <- y delay [1, 0] else 100
    y -> b at origin [0, 0] paving [1, 0; 0, 1] fitting []
  }
}"""


@pytest.mark.parametrize("frames", [1, 4])
def test_an_infinite_dimension_has_the_inputs_frames(frames: int) -> None:
    a = np.arange(3 * frames, dtype=np.int32).reshape(frames, 3)
    assert np.array_equal(execute(spec_of(FRAMES), "t", {"a": a})["b"], np.cumsum(a, axis=0) + 100)


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        ("", "error[black-box]: 'e' has no body, so there is nothing to execute"),
        (
            ' extern "os:getcwd"',
            "error[extern-not-allowed]: 'e' is the Python function os:getcwd, which runs only when you allow it",
        ),
    ],
)
def test_what_has_no_body_is_refused(ending: str, said: str) -> None:
    with pytest.raises(ArrayolError) as caught:
        execute(spec_of(f"elementary e(x: f32) -> (y: f32){ending}"), "e", {"x": np.array(1, np.float32)})
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({}, "error[missing-input]: there is no array for input 'a'"),
        ({"a": VALUES, "c": VALUES}, "error[unknown-port]: 't' has no input 'c'"),
        ({"a": VALUES[:5]}, "error[shape-mismatch]: input 'a' has the shape (5,), expected (6,)"),
        ({"a": VALUES.astype("i8")}, "error[type-mismatch]: input 'a' has the type int64, expected int32 (i32)"),
    ],
)
def test_inputs_that_do_not_fit(inputs: dict[str, NDArray[Any]], said: str) -> None:
    with pytest.raises(ArrayolError) as caught:
        execute(spec_of(vector("y = x")), "t", inputs)
    assert said in str(caught.value)


def test_a_tiler_out_of_bounds_is_refused_even_unchecked() -> None:
    text = vector("y = x").replace("x <- a at origin [0]", "x <- a at origin [1]")
    assert refusal(text, VALUES).startswith(
        "t.aol:6:15: error[tiler-out-of-bounds]: this tiler leaves its array of shape 6"
    )
