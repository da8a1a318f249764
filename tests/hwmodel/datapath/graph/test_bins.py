"""Which outputs of a body lie in memories of the unit, and the least interval at which these take all sums."""

from __future__ import annotations

import pytest
from spec_data import loaded

from arrayol.errors import ArrayolError
from arrayol.ir.spec import Elementary
from hwmodel.datapath.derive import derivation_of
from hwmodel.datapath.graph.bins import binned
from hwmodel.datapath.technology.technology import load_technology

START, SUMS = "n[i] = 0 for i in 0..32", "n[x[k] % 32] += 1 for k in 0..40"


def _count(*statements: str, outputs: str = "n: u16[32]") -> Elementary:
    body = "".join(f"  {statement}\n" for statement in statements)
    elementary = loaded(f"elementary count(x: u8[40], h: u16[32]) -> ({outputs}) {{\n{body}}}\n").components["count"]
    assert isinstance(elementary, Elementary)
    return elementary


@pytest.mark.parametrize(
    "statements",
    [
        (START, SUMS),
        (START, SUMS, "n[3] += 2", "n[x[0] % 32] += 7 where x[1] > 4"),
        ("n[i] = 9 for i in 0..32", "loop k in 0..40 {\n    n[x[k] % 32] += x[k]\n  }"),
    ],
)
def test_an_output_is_a_memory_if_data_say_where_something_is_added(statements: tuple[str, ...]) -> None:
    assert binned(_count(*statements)) == {"n"}


@pytest.mark.parametrize(
    "statements",
    [
        ("n[i] = h[i] for i in 0..32", SUMS),
        ("n[i] = i for i in 0..32", SUMS),
        (START, "n[k % 32] += x[k] for k in 0..40"),
        (START, "n[x[k] % 32] = 1 for k in 0..40"),
        (START, "n[x[k] % 32] += n[0] for k in 0..40"),
        (START, SUMS, "n[0] = 0"),
    ],
)
def test_any_other_output_is_no_memory(statements: tuple[str, ...]) -> None:
    assert not binned(_count(*statements))


@pytest.mark.parametrize(("pixels", "bins", "least"), [(320, 256, 320), (64, 256, 256), (256, 256, 258), (40, 32, 40)])
def test_the_interval_takes_all_sums_and_reads_all_words(pixels: int, bins: int, least: int) -> None:
    text = f"  n[i] = 0 for i in 0..{bins}\n  n[x[k]] += 1 for k in 0..{pixels}\n"
    count = loaded(f"elementary count(x: u8[{pixels}]) -> (n: u32[{bins}]) {{\n{text}}}\n").components["count"]
    assert isinstance(count, Elementary)
    derivation = derivation_of(count, load_technology("ecp5-6"), 100)
    assert derivation.intervals[0] == least
    with pytest.raises(ArrayolError) as raised:
        derivation.at(least - 1)
    assert str(raised.value) == (
        f"error[interval-too-short]: 'count' cannot start a repetition every {least - 1} cycles: data say where it "
        f"adds, and its memory takes one sum in a cycle and gives one word\n  hint: its least interval is {least}"
    )
