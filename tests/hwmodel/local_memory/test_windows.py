"""Windows and joint sets of places, beside following their definitions place by place."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import count

from hypothesis import event, given
from hypothesis import strategies as st

from hwmodel.local_memory.offsets import Access, Place, joined
from hwmodel.local_memory.port_plan import Window, window_of


@dataclass(frozen=True)
class Case:
    """Repetitions that touch `places`, of `units` a `step` apart, for `cycles` each."""

    places: tuple[Place, ...]
    step: Place
    units: int
    cycles: int

    def moved(self, place: Place, steps: int) -> Place:
        return tuple(own + steps * part for own, part in zip(place, self.step, strict=True))

    @property
    def in_order(self) -> list[Place]:
        """What all units touch, each once."""
        return list(dict.fromkeys(self.moved(place, unit) for place in self.places for unit in range(self.units)))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A few places, now and then so far apart that numbers in a box around them are beyond 64 bits."""
    rank, far = draw(st.integers(0, 3)), draw(st.sampled_from([1, 1, 1, 1 << 40]))
    places = st.tuples(*[st.integers(-2, 3).map(lambda own: own * far)] * rank)
    step = st.tuples(*[st.sampled_from([0, 1, 1, 2, -1]).map(lambda own: own * far)] * rank)
    return Case(
        tuple(draw(st.lists(places, min_size=1, max_size=12))),
        draw(step),
        draw(st.integers(1, 5)),
        draw(st.integers(1, 6)),
    )


@given(cases())
def test_what_units_touch_together_is_told_once_in_order(case: Case) -> None:
    assert joined(case.places, case.step, case.units) == tuple(case.in_order)


@given(cases())
def test_a_window_brings_what_no_round_before_had(case: Case) -> None:
    found = window_of(Access(case.places, case.step, case.units, case.cycles, ordered=True))
    expected = window_by_places(case)
    event("none" if expected is None else f"{len(expected.fresh)} of {expected.registers}")
    assert found == expected


def window_by_places(case: Case) -> Window | None:
    """The same by going through all places."""
    every = case.in_order
    fresh = [place for place in every if case.moved(place, case.units) not in every]
    if not any(case.step) or len(fresh) == len(every):
        return None
    of_a_cycle = math.ceil(len(case.places) / case.cycles)
    taken = {
        place: min(
            number // of_a_cycle
            for number, own in enumerate(case.places)
            for unit in range(case.units)
            if case.moved(own, unit) == place
        )
        for place in fresh
    }
    fresh.sort(key=lambda place: taken[place])
    each = next(
        each
        for each in count(math.ceil(len(fresh) / case.cycles))
        if all(number // each <= taken[place] for number, place in enumerate(fresh))
    )
    ways = [next(way for way in count() if case.moved(place, -case.units * (way + 1)) not in every) for place in fresh]
    return Window(tuple(fresh), each, len(every), max(ways))
