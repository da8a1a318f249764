"""The registers that hold the values of a repetition, and when they are loaded.

A value comes over a wire, from an operator or a bus, and is in registers from the next cycle to its last use. In a
datapath with interval I a register repeats its work every I cycles: it may hold several values of one repetition if
their cycles differ modulo I. Values that come over one wire share registers, so that no register needs a multiplexer. A
value that lives longer than I cycles moves from register to register, I cycles in each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Life:
    """A value in registers from cycle `first` to cycle `last`; in none if it is used at once."""

    value: int
    first: int
    last: int


@dataclass(slots=True)
class ScheduledRegister:
    """A register: the register `before` from which it takes its value (None for the wire), and its `lives`."""

    before: int | None
    lives: list[Life] = field(default_factory=list)

    def slots(self, interval: int) -> tuple[int, ...]:
        """The cycles modulo the interval in which it takes a new value; none if it takes one in every cycle."""
        if all(life.first == life.last for life in self.lives):
            return ()
        return tuple(sorted({life.first % interval for life in self.lives}))


def registers_for(lives: Iterable[Life], interval: int, number: int = 0) -> list[ScheduledRegister]:
    """The registers of the values of one wire, of which the first has this number.

    First come those that a value holds for a whole interval, then all others, each value in the first one that is free:
    in order of cycles, or by length of life if that takes no more registers. So values that are used at once come from
    one register, and values that wait from another, which saves multiplexers.
    """
    registers: list[ScheduledRegister] = []
    short_lives: list[Life] = []
    for life in lives:
        first, before = life.first, None
        while life.last - first + 1 >= interval:
            registers.append(ScheduledRegister(before, [Life(life.value, first, first + interval - 1)]))
            first, before = first + interval, number + len(registers) - 1
        if first <= life.last:
            if before is None:
                short_lives.append(Life(life.value, first, life.last))
            else:
                registers.append(ScheduledRegister(before, [Life(life.value, first, life.last)]))
    return registers + shared_registers(short_lives, interval)


def shared_registers(lives: Sequence[Life], interval: int) -> list[ScheduledRegister]:
    """The registers of values of a wire that all live for less than an interval."""
    orders = [(lambda life: (life.last - life.first, life.first % interval)), (lambda life: (life.first % interval,))]
    return min((_shared(sorted(lives, key=order), interval) for order in orders), key=len)


def _shared(lives: Sequence[Life], interval: int) -> list[ScheduledRegister]:
    """The registers of values, each in the first register that is free in its cycles."""
    registers: list[ScheduledRegister] = []
    occupied: list[int] = []  # by register: the cycles modulo the interval in which it holds something, as bits
    whole = (1 << interval) - 1
    for life in lives:
        cycles = (1 << life.last - life.first + 1) - 1 << life.first % interval
        cycles = (cycles | cycles >> interval) & whole
        place = next((place for place, bits in enumerate(occupied) if not bits & cycles), len(occupied))
        if place == len(occupied):
            registers.append(ScheduledRegister(None))
            occupied.append(0)
        registers[place].lives.append(life)
        occupied[place] |= cycles
    return registers
