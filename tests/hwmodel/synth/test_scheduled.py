"""Features of schedules that are small enough to count by hand, and what they say of a design's logic."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hwmodel.synth.logic import COEFFICIENTS, clock_of_model, logic_of
from hwmodel.synth.scheduled import SCHEDULED, scheduled_features


def counter(modulus: int, column: int) -> dict[str, int]:
    return {"modulus": modulus, "initial": 0, "column": column}


def lane(place: dict[str, int], *digits: dict[str, int]) -> dict[str, Any]:
    return {"valid": 0, "section": None, "digits": list(digits), "places": [place]}


def instruction(row: int, cycles: int, *loops: tuple[int, int]) -> dict[str, Any]:
    return {"row": row, "cycles": cycles, "loops": [{"start": 0, "times": t, "depth": d} for d, t in loops]}


def agent(
    name: str, rows: list[list[int]], lanes: dict[str, list[dict[str, Any]]], *program: dict[str, Any]
) -> dict[str, Any]:
    return {
        "name": name,
        "program": list(program),
        "rows": rows,
        "last": 0,
        "lanes": lanes,
        "controls": {},
        "places": {},
    }


def memory(moduli: list[int], depth: int, width: int = 8, *, registers: bool = False) -> dict[str, Any]:
    ends = {"readers": ["out"], "writers": ["in"]}
    return {"name": "m", "width": width, "moduli": moduli, "depth": depth, "registers": registers, **ends}


def group(own: dict[str, Any], reads: list[dict[str, Any]], writes: list[dict[str, Any]]) -> dict[str, Any]:
    """A group whose column 0 is always 1, column 1 steps by 1 and column 2 by 2."""
    rows = [[1, 0, 0], [1, 1, 2]]
    program = instruction(0, 1, (0, 3)), instruction(1, 8, (0, 3), (1, 5))
    agents = [agent("f_write", rows, {"in": writes}, *program), agent("port_storing", rows, {"out": reads}, *program)]
    return {"agents": agents, "memories": [own]}


def test_a_lane_alone_at_a_bank() -> None:
    own = lane(counter(40, 1))
    found = scheduled_features([group(memory([], 40), [own], [own])], 64)
    assert found == {
        "agents": 2,
        "instructions": 4,
        # loops of 3 and 5 take 2 and 3 bits, and the counter below 40 is none of a power of two
        "wraps": 2 * (2 + 3 + 6),
        # columns 1 and 2 change: 1 and 2 bits; up to 8 cycles twice; loops; two places among two instructions
        "states": 2 * (3 + 2 * 3 + 5 + 2 * 1),
        "counters": 2 * 6,
        "queued": 64,
        "joined": 0,
        # 3 cells: of each of 8 bits one of three, and each cell means its words
        "rows": 8 * (0.875 * 3 - 1) + 3,
        # written: valid, word, address; read: address and word of the bank, word of the lane
        "stages": (1 + 8 + 6) + (6 + 8) + 8,
        "longest": 2,
    }


def test_ways_follow_what_lanes_reach() -> None:
    """Of four banks a lane that steps by 2 reaches two, and one that stands still its own."""
    place = counter(16, 1)
    still, some, every = (lane(place, counter(4, column)) for column in (0, 2, 1))
    still = lane(place, {**counter(4, 0), "column": 3})
    found = []
    for own in (still, some, every):
        one = group(memory([4], 16), [own], [own])
        for each in one["agents"]:
            each["rows"] = [[*row, 0] for row in each["rows"]]
        found.append(scheduled_features([one], 64))
    # To banks a lane alone says which it means; from them its word is one of those that it reaches.
    assert [own["joined"] for own in found] == pytest.approx([1 + 1, 2 + 2 + 8 * 1, 4 + 4 + 8 * (2 * 4 - 1) / 3])
    assert [own["rows"] for own in found] == [0, 0, 0]


def test_registers_are_chosen_from() -> None:
    own = lane(counter(4, 1))
    found = scheduled_features([group(memory([], 4, registers=True), [own], [own])], 64)
    assert found["joined"] == 4 + 8 * (0.875 * 4 - 1)
    assert found["stages"] == (1 + 8 + 2) + (8 + 2)


@given(st.integers(1, 4), st.integers(2, 64), st.integers(1, 16))
def test_groups_add_up(count: int, depth: int, width: int) -> None:
    own = lane(counter(depth, 1))
    one = group(memory([], depth, width), [own], [own])
    single = scheduled_features([one], 32)
    added = {name: count * value for name, value in single.items()} | {"longest": 2}
    assert scheduled_features([one] * count, 32) == added


def test_logic_is_units_and_memories_and_what_the_schedule_has() -> None:
    features = dict.fromkeys(SCHEDULED, 0.0) | {"agents": 10.0, "instructions": 100.0}
    own = COEFFICIENTS["lut"]
    said = logic_of(features, {"lut": 500, "ff": 40})
    assert said["lut"] == round(500 + 10 * own["agents"] + 100 * own["instructions"])
    assert said["ff"] == round(40 + 10 * COEFFICIENTS["ff"]["agents"])
    assert logic_of({}, {"lut": 500}) == {}  # a stream alone has no programs


def test_the_clock_is_that_of_the_slower_part() -> None:
    """A unit at 0.97 of its own clock, or a program of 256 instructions, whose numbers have 8 bits."""
    model = {"technology": "ecp5-6-whole", "units_mhz": 100.0, "scheduled": {"longest": 256.0}}
    assert clock_of_model(model) == 97
    assert clock_of_model({**model, "units_mhz": 400.0}) == round(1000 / (3.1 + 8 * 0.47), 1)
    assert clock_of_model({**model, "state_mhz": 100.0}) == round(1000 / (10 + 1.8), 1)
    assert clock_of_model({**model, "technology": "asic45"}) is None
    assert clock_of_model({**model, "units_mhz": None}) is None  # a module of a user
    assert clock_of_model({**model, "scheduled": {}}) is None  # a stream alone
