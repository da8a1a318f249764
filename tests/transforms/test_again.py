"""Arrays computed again by their readers: generated networks keep their bits; what is refused, and why."""

from __future__ import annotations

from collections import Counter

import pytest
from drawn_steps import linked_pairs
from hypothesis import strategies as st
from many_cases import full_count, on_many
from proof import prove, transformed
from spec_data import loaded
from strategies_streams import Drawn, streams

from arrayol.errors import ArrayolError

FILTERS = """
elementary pair(x: i32[2], t: i32[3]) -> (y: i32) {
  s: i32 = 1
  s += x[k] * t[k]  for k in 0..2
  y = s
}
elementary three(x: i32[3]) -> (y: i32) {
  s: i32[3]
  s[k] = 2 * x[k]  for k in 0..3
  y = s[0] - s[2]
}
const T: i32[3] = [1, 2, 3]
task first(i: i32[12]) -> (a: i32[12]) {
  repeat [12] of pair { x <- i at origin [-1] paving [1] fitting [1] FIRST  t <- T  y -> a }
}
task second(a: i32[12]) -> (b: i32[LENGTH]) {
  repeat [LENGTH] of three { x <- a at origin [ORIGIN] paving [STEP] fitting [1] SECOND  y -> b }
}
task top(i: i32[12]) -> (b: i32[LENGTH]) {
  a = first(i)
  b = second(a)
}
"""


def filters(first: str, second: str, origin: int = -1, step: int = 1, length: int = 12) -> str:
    """Two filters in a row, with how each reads beyond the ends."""
    sizes = {"ORIGIN": origin, "STEP": step, "LENGTH": length, "FIRST": first, "SECOND": second}
    text = FILTERS
    for name, value in sizes.items():
        text = text.replace(name, str(value))
    return text


@pytest.mark.parametrize(
    ("first", "second", "where"),
    [
        ("wrap", "wrap", (-1, 1, 12)),
        ("else nearest", "", (0, 1, 10)),
        ("else 7", "", (0, 3, 4)),
        ("wrap", "", (1, 2, 4)),
        ("else mirror", "", (0, 1, 10)),
    ],
)
def test_borders_that_make_one(first: str, second: str, where: tuple[int, int, int]) -> None:
    spec = loaded(filters(first, second, *where))
    result = transformed(spec, "again first second")
    prove(spec, result)
    task = result.spec.components["first_second"]
    (port,) = (port for port in result.spec.components["pair_three"].inputs if port.name.startswith("x"))
    assert port.shape == (4,)  # three places of a window of two, side by side
    assert "first" not in result.spec.components
    assert result.task == task.name
    assert result.remarks == ("'first' is computed 3 times in each repetition of 'second'",)


@pytest.mark.parametrize(
    ("first", "second"),
    [("else nearest", "else nearest"), ("wrap", "else nearest"), ("else 7", "wrap"), ("wrap", "else 0")],
)
def test_borders_that_make_none(first: str, second: str) -> None:
    with pytest.raises(ArrayolError) as refused:
        transformed(loaded(filters(first, second)), "again first second")
    (found,) = refused.value.diagnostics
    assert found.code == "step-refused"
    assert found.message == "beyond the ends of 'a', 'second' reads what no border of 'i' gives"


def test_generated_networks_keep_their_bits() -> None:
    """Pairs of a network that can be joined, one after the other."""
    tally = Counter[str]()

    def judge(drawn: Drawn, data: st.DataObject) -> None:
        spec = loaded(drawn.text)
        current, steps = transformed(spec), list[str]()
        for _ in range(2):
            pairs = linked_pairs(current.spec, "top")
            if not pairs:
                return
            step = "again {} {}".format(*data.draw(st.sampled_from(pairs)))
            try:
                current = transformed(spec, *steps, step)
            except ArrayolError as refused:
                tally[refused.diagnostics[0].code] += 1
                continue
            steps.append(step)
            tally["joined"] += 1
            prove(spec, current)

    cases = full_count(40)
    on_many(cases, 1, judge, streams(), st.data())
    assert tally.keys() <= {"joined", "step-refused", "ambiguous-call"}
    assert tally["joined"] >= 0.3 * cases
