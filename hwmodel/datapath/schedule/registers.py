"""Which registers hold the values of a repetition, and when they are loaded.

A value comes over a wire, the result of an operator or a bus, and is in registers from the cycle after that one to its
last use. In a datapath of interval I a register repeats what it does every I cycles: it may hold several values of one
repetition, as long as their cycles differ modulo I. Those that come over one wire share registers, so that no register
needs a multiplexer. A value that lives longer than I cycles goes from register to register, I cycles in each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Life:
    """A value in registers from cycle `first` to cycle `last`; none where it is used at once."""

    value: int
    first: int
    last: int


@dataclass(slots=True)
class Register:
    """`before` is the register that it takes its value from, None where that is the wire; `lives` are what it holds."""

    before: int | None
    lives: list[Life] = field(default_factory=list)

    def slots(self, interval: int) -> tuple[int, ...]:
        """The cycles modulo the interval from which on it holds a new value; none where it takes one in every cycle."""
        if all(life.first == life.last for life in self.lives):
            return ()
        return tuple(sorted({life.first % interval for life in self.lives}))


def registers_for(lives: Iterable[Life], interval: int, number: int = 0) -> list[Register]:
    """The registers of the values of one wire, of which the first has this number.

    First those that values hold for a whole interval, then the others, each value in the first one that is free: in the
    order of their cycles, or where that takes no more registers by how long they live. So what is used at once comes
    from one register, and what waits from another, which saves multiplexers.
    """
    registers: list[Register] = []
    rest: list[Life] = []
    for life in lives:
        first, before = life.first, None
        while life.last - first + 1 >= interval:
            registers.append(Register(before, [Life(life.value, first, first + interval - 1)]))
            first, before = first + interval, number + len(registers) - 1
        if first <= life.last:
            if before is None:
                rest.append(Life(life.value, first, life.last))
            else:
                registers.append(Register(before, [Life(life.value, first, life.last)]))
    return registers + shared_registers(rest, interval)


def shared_registers(lives: Sequence[Life], interval: int) -> list[Register]:
    """Those of values of a wire that all live for less than an interval."""
    orders = [(lambda life: (life.last - life.first, life.first % interval)), (lambda life: (life.first % interval,))]
    return min((_shared(sorted(lives, key=order), interval) for order in orders), key=len)


def _shared(lives: Sequence[Life], interval: int) -> list[Register]:
    registers: list[Register] = []
    taken: list[int] = []  # by register: the cycles modulo the interval in which it holds something, as bits
    whole = (1 << interval) - 1
    for life in lives:
        own = (1 << life.last - life.first + 1) - 1 << life.first % interval
        own = (own | own >> interval) & whole
        place = next((place for place, bits in enumerate(taken) if not bits & own), len(taken))
        if place == len(taken):
            registers.append(Register(None))
            taken.append(0)
        registers[place].lives.append(life)
        taken[place] |= own
    return registers
