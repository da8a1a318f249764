"""The rates that processors may have, and what studies ask of intervals."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from schemas import fits

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from dse.space.mappings import MappingSpace
from dse.space.rates import rates
from dse.space.remarks import remarks_of
from dse.space.study import Study
from dse.space.study_checks import check_space
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import interval_of, units_of
from hwmodel.platform import load_platform

TEXT = """\
elementary double(a: i32) -> (b: i32) {
  b = 2 * a
}

elementary square(a: i32) -> (b: i32) {
  b = a * a
}

task first(x: i32[8]) -> (y: i32[8]) {
  repeat [8] of double {
    a <- x at origin [0] paving [1] fitting []
    b -> y at origin [0] paving [1] fitting []
  }
}

task second(x: i32[8]) -> (y: i32[8]) {
  repeat [8] of square {
    a <- x at origin [0] paving [1] fitting []
    b -> y at origin [0] paving [1] fitting []
  }
}

task both(x: i32[8]) -> (y: i32[8]) {
  m = first(x)
  y = second(m)
}
"""
PLATFORM = """\
[memory]
latency = 3
data_per_word = 2

[elementary.double]
interval = [1, 3, 4]

[elementary.square]
interval = [2, 4]
"""
ascending = st.lists(st.integers(1, 9), min_size=1, max_size=4, unique=True).map(sorted)


def pairs(found: tuple[int, ...]) -> list[tuple[int, int]]:
    return [(units_of(rate), interval_of(rate)) for rate in found]


def space(folder: Path, study: str = "") -> MappingSpace:
    for name, text in (("both.aol", TEXT), ("both.toml", PLATFORM), ("study.toml", study)):
        (folder / name).write_text(text, encoding="utf-8")
    network = flatten(api.load(folder / "both.aol"), "both")
    model = MachineModel(network, load_platform(folder / "both.toml"))
    return MappingSpace(model, api.Space(study=folder / "study.toml").whole())


@given(ascending, ascending, st.booleans())
def test_several_units_at_the_least_interval_or_every_combination(
    units: list[int], intervals: list[int], every: bool
) -> None:
    found = pairs(rates(units, intervals, every=every))
    asked = {(number, interval) for number in units for interval in intervals}
    assert set(found) == {pair for pair in asked if every or pair[0] == 1 or pair[1] == intervals[0]}
    assert len(set(found)) == len(found)
    assert [Fraction(*pair) for pair in found] == sorted(Fraction(*pair) for pair in found)
    ties = [(one, other) for one, other in pairwise(found) if Fraction(*one) == Fraction(*other)]
    assert all(one[0] < other[0] for one, other in ties)


@given(ascending, ascending, st.sets(st.tuples(st.integers(1, 9), st.integers(1, 9))))
def test_several_units_at_the_least_interval_that_is_served(
    units: list[int], intervals: list[int], refused: set[tuple[int, int]]
) -> None:
    """One unit at all of them; of several those that are served at none are left out, unless nothing else is left."""
    found = set(pairs(rates(units, intervals, every=False, serves=[lambda *pair: pair not in refused])))
    expected = {(1, interval) for interval in intervals if 1 in units}
    for number in units:
        served = [interval for interval in intervals if (number, interval) not in refused or len(intervals) == 1]
        expected |= {(number, interval) for interval in served[:1]}
    assert found == (expected or {(number, intervals[0]) for number in units})


def test_keys_of_attention_are_read_at_an_interval_that_banks_serve() -> None:
    """2,048 numbers of all keys in a cycle are more than there may be banks; 410 are not."""
    path = shipped_folder() / "attention.aol"
    model = MachineModel(flatten(api.load(path), "attention"), load_platform(path.with_suffix(".toml")))
    found = pairs(MappingSpace(model, api.Space(narrow=True).whole()).rates("scores"))
    assert [(number, interval) for number, interval in found if number > 1] == [(2, 5), (3, 5), (4, 5)]
    assert (1, 1) in found  # one unit is tried at every interval; that it is refused there is told


STUDIES = {
    "": [[(1, 4), (1, 3), (1, 1), (2, 1)], [(1, 4), (1, 2), (2, 2)]],
    "units = [1, 3]": [[(1, 4), (1, 3), (1, 1), (3, 1)], [(1, 4), (1, 2), (3, 2)]],
    "units = [3]": [[(3, 1)], [(3, 2)]],
    "intervals = [4]": [[(1, 4), (2, 4)], [(1, 4), (2, 4)]],
    "intervals = [2, 3]": [[(1, 3), (2, 3)], [(1, 2), (2, 2)]],
    "intervals = { second = [4] }": [[(1, 4), (1, 3), (1, 1), (2, 1)], [(1, 4), (2, 4)]],
    "units = [2, 4]\nintervals = [1, 4]": [[(2, 4), (4, 4), (2, 1), (4, 1)], [(2, 4), (4, 4)]],
    "units = [1, 2]\nintervals = [4, 2]": [[(1, 4), (2, 4)], [(1, 4), (1, 2), (2, 4), (2, 2)]],
}


@pytest.mark.parametrize("study", STUDIES)
def test_what_studies_ask(tmp_path: Path, study: str) -> None:
    found = space(tmp_path, study)
    check_space(found)
    assert [pairs(found.rates(task)) for task in ("first", "second")] == STUDIES[study]
    assert found.count_rates(("first", "second")) == len(STUDIES[study][0]) * len(STUDIES[study][1])


MISTAKES = {
    "intervals = []": "'intervals' is an empty list; it must be a list of cycles, or a table task = [1, 4]",
    "intervals = [0]": "'intervals' is [0]; it must be a list of cycles, or a table task = [1, 4], each 1 or more",
    "intervals = 4": "'intervals' is 4; it must be a list of cycles, or a table task = [1, 4], each 1 or more",
    "intervals = { first = 4 }": "it must be a list of cycles, or a table task = [1, 4], each 1 or more",
    "intervals = { fist = [4] }": "'intervals' names 'fist', which is no task here\n  hint: did you mean 'first'?",
    "intervals = [1]": (
        "no datapath of 'second' starts a repetition every 1 cycles\n  hint: list some of its intervals: 2, 4"
    ),
    "intervals = { second = [1, 3] }": (
        "no datapath of 'second' starts a repetition every 1 or 3 cycles\n  hint: list some of its intervals: 2, 4"
    ),
}


@pytest.mark.parametrize("study", MISTAKES)
def test_mistakes_of_intervals(tmp_path: Path, study: str) -> None:
    with pytest.raises(ArrayolError) as caught:
        check_space(space(tmp_path, study))
    assert MISTAKES[study].partition("\n")[0] in str(caught.value)
    assert MISTAKES[study].partition("\n")[2] in str(caught.value)
    assert fits("study", study) == ("bad-value" not in str(caught.value))
    assert "study.toml:1:" in str(caught.value)


def test_intervals_that_are_left_out_are_told(tmp_path: Path) -> None:
    told = [one for one in remarks_of(space(tmp_path, "intervals = [2, 3, 4, 5, 6]"), "x") if "interval" in one]
    assert told == ["the study's intervals 5 and 6 are not available for any task and were skipped"]
    told = [one for one in remarks_of(space(tmp_path, "intervals = { first = [3, 7] }"), "x") if "interval" in one]
    assert told == ["the study's intervals 7 are not available for first and were skipped"]
    assert not [one for one in remarks_of(space(tmp_path, "intervals = [2, 4]"), "x") if "interval" in one]


def test_a_study_object_takes_intervals() -> None:
    assert Study(intervals=(4, 1)).intervals == (4, 1)
    assert Study(intervals={"first": (4,)}).intervals == {"first": (4,)}
