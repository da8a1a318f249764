"""Unroll-and-jam: the same results bit for bit, and refused exactly where the order would be broken."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from blockwise import events, turned
from hypothesis import given, settings
from loading import spec_of
from strategies_nests import Updates, updates

from arrayol.checks.check import check_source
from arrayol.errors import ArrayolError
from arrayol.execute.run import execute
from arrayol.ir.expressions import Loop
from arrayol.ir.spec import Spec
from arrayol.language.emitter import spec_text
from arrayol.polyhedral.nests import statements_of
from arrayol.source import SourceFile
from arrayol.transforms import unroll as module
from arrayol.transforms.unroll import unroll
from arrayol.transforms.unroll_legality import loop_depth


def outputs(text: str, name: str = "e") -> dict[str, np.ndarray]:
    checked = check_source(SourceFile("e.aol", text))
    assert checked.ok, text
    rng = np.random.default_rng(3)
    ports = checked.spec.elementaries[name].inputs
    return execute(checked.spec, name, {port.name: rng.integers(-99, 99, port.shape, "i8") for port in ports})


def test_results_stay_or_the_step_is_refused() -> None:
    """What would not execute as the text says is refused, all else is taken: both against brute force.

    Also with locals, of which each copy of an iteration has its own.
    """
    seen: Counter[str] = Counter()

    @settings(max_examples=80, deadline=None)  # that all kinds are among them
    @given(updates())
    def holds(case: Updates) -> None:
        said = answer(case)
        seen[said] += 1
        seen[f"{said}, a local"] += "a: i64" in case.text

    holds()
    assert min(seen["done"], seen["swapped"]) > 10, seen
    assert min(seen["done, a local"], seen["swapped, a local"]) > 5, seen


def answer(case: Updates) -> str:
    """Whether a nest was unrolled, after a proof that this answer is right."""
    elementary = spec_of(case.text).elementaries["e"]
    factors = case.factors[: loop_depth(elementary)]
    written = events(elementary.body, (1,) * len(factors))
    try:
        found = unroll(elementary, factors)
    except ArrayolError as refused:
        (diagnostic,) = refused.diagnostics
        if diagnostic.code == "bad-unroll":
            return "beyond the range"
        if "is not the same" in diagnostic.message:
            return "other ranges"
        assert "before the other" in diagnostic.message
        assert turned(written, events(elementary.body, factors))
        return "swapped"
    assert not turned(written, events(elementary.body, factors))
    text = spec_text(Spec("e.aol", {}, {"e": found.elementary}))
    assert np.array_equal(outputs(text)["y"], outputs(case.text)["y"])
    assert len(found.copies) == len(statements_of(found.elementary))
    return "done"


NEST = "loop i in 1..6, j in 0..4 {{ {} }}"


@pytest.mark.parametrize(
    ("statement", "factors", "allowed"),
    [
        ("y[i, j] = y[i - 1, j] + x[i, j]", (2, 2), True),
        ("y[i, j] = y[i - 1, j + 1] + x[i, j]", (2, 2), False),
        ("y[i, j] = y[i - 1, j + 1] + x[i, j]", (1, 4), True),
        ("y[i, j] = y[i - 1, j + 1] + x[i, j]", (5, 1), False),
        ("y[i, j] = y[i - 1, j + 2] + x[i, j]", (2, 2), False),
        ("y[i, j] = y[i + 1, j + 1] + x[i, j]", (2, 2), True),
        ("y[i, j] = y[i + 1, j + 3] + x[i, j]", (2, 2), True),
        ("y[i, j] = y[i + 1, 3 - j] + x[i, j]", (2, 4), True),
        ("y[i, j] = y[i - 1, 3 - j] + x[i, j]", (2, 2), False),
        ("y[i, j] = y[i - 1, 3 - j] + x[i, j]", (2, 4), True),
        ("y[i + j, 0] += x[i, j]", (2, 2), False),  # the order of a sum counts
        ("y[i, j + 1] = y[i + 1, j] + x[i, j]", (2, 2), False),  # read first, written later
        ("y[i, 0] += x[i, j]", (2, 2), True),
        ("y[0, j] += x[i, j]", (2, 2), True),
        ("y[i, j] = y[i, j] + 1  y[i, j + 1] = 2 * y[i, j]", (1, 4), True),  # statements of one copy stay together
    ],
)
def test_dependences(statement: str, factors: tuple[int, int], *, allowed: bool) -> None:
    text = f"y[v, w] = x[v, w] for v in 0..9, w in 0..8\n{NEST.format(statement)}"
    spec = spec_of(f"elementary e(x: i64[9, 8]) -> (y: i64[9, 8]) {{\n{text}\n}}")
    elementary = spec.elementaries["e"]
    assert turned(events(elementary.body, (1, 1)), events(elementary.body, factors)) is not allowed
    if allowed:
        unroll(elementary, factors)
        return
    with pytest.raises(ArrayolError, match="unroll-refused"):
        unroll(elementary, factors)


def refusal(body: str, factors: tuple[int, ...]) -> str:
    spec = spec_of(f"elementary e(x: i64[6, 6], n: i64) -> (y: i64[6, 6]) {{\n{body}\n}}")
    with pytest.raises(ArrayolError) as caught:
        unroll(spec.elementaries["e"], factors)
    (found,) = caught.value.diagnostics
    return f"{found.code}: {found.message}"


FILL = "y[i, j] = x[i, j] for i in 0..6, j in 0..6\n"


@pytest.mark.parametrize(
    ("body", "factors", "message"),
    [
        (
            FILL + "y[i, j] = y[i - 1, j + 1] for i in 1..6, j in 0..5",
            (2, 2),
            (
                "unroll-refused: unrolled by 2,2, iteration (i = 2, j = 1) would run before iteration (i = 1, j = 2), "
                "which writes 'y[1, 2]' before the other reads it"
            ),
        ),
        (FILL, (2,), "bad-unroll: 'e' has 2 nested loops, and there is 1 unroll factor"),
        (FILL, (2, 2, 2), "bad-unroll: 'e' has 2 nested loops, and there are 3 unroll factors"),
        (FILL, (2, 0), "bad-unroll: an unroll factor is at least 1, not 0"),
        (FILL, (2, 7), "bad-unroll: loop 'j' of 'e' runs 6 times, so it cannot be unrolled by 7"),
        (
            FILL + "loop i in 0..6 { y[i, j] = x[j, i] for j in 0..i }",
            (2, 1),
            "unroll-refused: the range of 'j' is not the same in the copies of a loop around it that is unrolled",
        ),
    ],
)
def test_refusals(body: str, factors: tuple[int, ...], message: str) -> None:
    assert refusal(body, factors) == message


def test_where_data_decide_any_element_may_be_touched() -> None:
    text = f"{FILL}y[(n + i) % 6, (n + j) % 6] = x[j, i] for i in 0..6, j in 0..6"
    assert refusal(text, (2, 2)).startswith(
        "unroll-refused: unrolled by 2,2, iteration (i = 1, j = 0) would run before"
    )
    spec = spec_of(f"elementary e(x: i64[6, 6], n: i64) -> (y: i64[6, 6]) {{\n{text}\n}}")
    unroll(spec.elementaries["e"], (1, 2))  # the innermost loop alone keeps the order


def test_a_body_that_grows_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAXIMUM_STATEMENTS", 35)
    message = refusal(FILL, (6, 6))
    assert message == "bad-unroll: unrolled by 6,6, 'e' has too many statements"


def test_no_body() -> None:
    spec = spec_of('elementary e(x: i64) -> (y: i64)\nelementary f(x: i64) -> (y: i64) extern "m:f"')
    for name, what in (("e", "is a black box"), ("f", "is a Python function")):
        with pytest.raises(ArrayolError, match=f"'{name}' {what}, so there are no loops"):
            unroll(spec.elementaries[name], ())


def test_text() -> None:
    """The example of the module's docstring, exactly."""
    body = "y[0] = 0\nloop i in 1..6, j in 0..5 { y[i] += x[i, j] }"
    spec = spec_of(f"elementary e(x: f32[6, 5]) -> (y: f32[6]) {{ {body} }}")
    found = unroll(spec.elementaries["e"], (2, 2))
    assert (
        spec_text(Spec("e.aol", {}, {"e": found.elementary}))
        == """\
elementary e(x: f32[6, 5]) -> (y: f32[6]) {
  y[0] = 0
  loop i in 0..2 {
    loop j in 0..2 {
      y[2 * i + 1] += x[2 * i + 1, 2 * j]
      y[2 * i + 1] += x[2 * i + 1, 2 * j + 1]
      y[2 * i + 2] += x[2 * i + 2, 2 * j]
      y[2 * i + 2] += x[2 * i + 2, 2 * j + 1]
    }
    y[2 * i + 1] += x[2 * i + 1, 4]
    y[2 * i + 2] += x[2 * i + 2, 4]
  }
  loop j in 0..2 {
    y[5] += x[5, 2 * j]
    y[5] += x[5, 2 * j + 1]
  }
  y[5] += x[5, 4]
}
"""
    )
    assert isinstance(found.elementary.body[1], Loop)
    assert [copy.full for copy in found.copies].count(True) == 5
    assert [copy.body for copy in found.copies] == [0, *[1] * 9]


def test_a_local_stays_in_its_block_alone() -> None:
    """A loop without iterations is left out, and the local that it reads is all that is left of the block around."""
    body = "loop i in 0..8 {\na: i64 = x[i, 0]\nloop k in 3..3 {\ny[k, 0] = a\n}\n}"
    copied = "y[v, w] = x[v, w] for v in 0..8, w in 0..8"
    text = f"elementary e(x: i64[8, 8], z: i64[12]) -> (y: i64[8, 8]) {{\n{copied}\n{body}\n}}"
    found = spec_text(Spec("e.aol", {}, {"e": unroll(spec_of(text).elementaries["e"], (2, 1)).elementary}))
    assert not check_source(SourceFile("unrolled.aol", found)).diagnostics, found
    assert np.array_equal(outputs(found)["y"], outputs(text)["y"])
    single = unroll(spec_of(text).elementaries["e"], (1, 1)).elementary
    assert "loop i in 0..8 {\n    a: i64 = x[i, 0]\n  }" in spec_text(Spec("e.aol", {}, {"e": single}))


def test_guards_where_outer_loops_bound_inner_ones() -> None:
    body = "y[i] = x[i, 0] for i in 0..6\nloop i in 0..6 { y[i] += x[i, j] for j in i..2 * i where x[i, j] > 0 }"
    text = f"elementary e(x: i64[6, 12]) -> (y: i64[6]) {{ {body} }}"
    spec = spec_of(text)
    found = unroll(spec.elementaries["e"], (1, 3))
    unrolled = spec_text(Spec("e.aol", {}, {"e": found.elementary}))
    assert "loop i in 0..6, j in 0..(i + 2) // 3 {" in unrolled
    assert "y[i] += x[i, i + 3 * j + 2]  where 3 * j + 2 < i and x[i, i + 3 * j + 2] > 0" in unrolled
    assert np.array_equal(outputs(unrolled)["y"], outputs(text)["y"])


def test_conditions_that_a_remainder_decides() -> None:
    """Of `and` and `or` only what still decides is left, so nothing is read that it guards."""
    body = """y[i] = -1 for i in 0..7
    y[i] = 1 for i in 0..7 where i > 5 or x[i] > 0
    y[i] = 2 for i in 0..7 where i < 6 and x[i + 1] > 0
    y[i] = 3 if i == 6 or x[i + 1] > 50 else y[i] for i in 0..7 where not (i < 6 and x[i + 1] < 0)"""
    text = f"elementary e(x: i64[7]) -> (y: i64[7]) {{ {body} }}"
    found = unroll(spec_of(text).elementaries["e"], (2,))
    unrolled = spec_text(Spec("e.aol", {}, {"e": found.elementary}))
    assert [line.strip() for line in unrolled.splitlines() if "[6]" in line] == ["y[6] = -1", "y[6] = 1", "y[6] = 3"]
    assert np.array_equal(outputs(unrolled)["y"], outputs(text)["y"])


def test_a_factor_beyond_the_bound_is_refused_before_copies_are_made() -> None:
    spec = spec_of("elementary e(x: i64[1000000000000]) -> (y: i64) {\n  y += x[k] for k in 0..1000000000000\n}")
    with pytest.raises(ArrayolError, match="unrolled by 10000000000, 'e' has too many statements"):
        unroll(spec.elementaries["e"], (10_000_000_000,))
