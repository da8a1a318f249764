"""Which values share registers: by brute force over the cycles of many repetitions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hwmodel.datapath.schedule.registers import Life, ScheduledRegister, registers_for

REPETITIONS = 6


@st.composite
def lives_on_a_wire(draw: st.DrawFn) -> tuple[list[Life], int]:
    """Values that come over one wire, each in a cycle of its own modulo the interval."""
    interval = draw(st.integers(1, 8))
    slots = draw(st.lists(st.integers(0, interval - 1), min_size=1, unique=True))
    lives = []
    for value, slot in enumerate(slots):
        first = slot + interval * draw(st.integers(0, 2))
        lives.append(Life(value, first, first + draw(st.integers(-1, 3 * interval))))
    return lives, interval


def loads(register: ScheduledRegister, cycle: int, interval: int) -> bool:
    """Whether a register takes a new value at the beginning of a cycle."""
    slots = register.slots(interval)
    return not slots or cycle % interval in slots


@given(lives_on_a_wire(), st.integers(0, 5))
def test_a_value_is_in_the_register_that_is_said_to_hold_it(drawn: tuple[list[Life], int], number: int) -> None:
    lives, interval = drawn
    registers = registers_for(lives, interval, number)
    end = max(life.last for life in lives) + 1 + REPETITIONS * interval
    held: list[object] = [None] * len(registers)
    checked = 0
    for cycle in range(end):
        wire = next(
            ((life.value, (cycle - life.first) // interval) for life in lives if (cycle - life.first) % interval == 0),
            None,
        )
        held = [
            (wire if register.before is None else held[register.before - number])
            if loads(register, cycle, interval)
            else old
            for register, old in zip(registers, held, strict=True)
        ]
        for register, value in zip(registers, held, strict=True):
            for life in register.lives:
                for repetition in range(REPETITIONS):
                    if life.first <= cycle - repetition * interval <= life.last:
                        assert value == (life.value, repetition)
                        checked += 1
    assert checked == REPETITIONS * sum(max(0, life.last - life.first + 1) for life in lives)


@given(lives_on_a_wire())
def test_every_cycle_of_a_life_is_in_one_register(drawn: tuple[list[Life], int]) -> None:
    lives, interval = drawn
    registers = registers_for(lives, interval)
    cycles = sorted(
        (life.value, cycle)
        for register in registers
        for life in register.lives
        for cycle in range(life.first, life.last + 1)
    )
    assert cycles == [(life.value, cycle) for life in lives for cycle in range(life.first, life.last + 1)]


def test_a_sum_in_its_accumulator_takes_one_register() -> None:
    lives = [Life(value, value, value) for value in range(8)]
    assert registers_for(lives, 8) == [ScheduledRegister(None, lives)]


def test_what_waits_takes_another_register_than_what_is_used_at_once() -> None:
    waiting, *others = [Life(0, 0, 1), *(Life(value, value, value) for value in range(1, 8))]
    assert registers_for([waiting, *others], 8) == [ScheduledRegister(None, others), ScheduledRegister(None, [waiting])]


def test_no_register_more_for_that() -> None:
    """By length the first and the third would go to one register, and each of the others to one of its own."""
    lives = [Life(0, 0, 0), Life(1, 1, 2), Life(2, 2, 2), Life(3, 3, 5)]
    assert len(registers_for(lives, 4)) == 2


def test_a_value_that_lives_long_goes_from_register_to_register() -> None:
    assert registers_for([Life(0, 2, 8)], 3) == [
        ScheduledRegister(None, [Life(0, 2, 4)]),
        ScheduledRegister(0, [Life(0, 5, 7)]),
        ScheduledRegister(1, [Life(0, 8, 8)]),
    ]
