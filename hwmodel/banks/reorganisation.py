"""What it costs to bring arrays into a custom layout and back, and when that pays (paper B, section 4.5)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from hwmodel.banks.custom import Custom
from hwmodel.banks.live import count_in, touched
from hwmodel.banks.references import UnrolledNest


@dataclass(frozen=True, slots=True)
class Reorganisation:
    """Elements moved by one reorganisation before and one restoration after a nest, and their cycles.

    Only what is live moves: elements that the nest reads from before it, and those it writes that are used after it.
    Banks work in parallel, one access each per cycle, and the other side keeps pace, so the busiest bank decides.
    `exact` is false where elements may be counted that the nest does not touch. `break_even` is the number of
    executions of the nest between the two from which the custom layout, reorganisation included, takes no more cycles
    than one memory does (remainders taken as equal); None where it always takes more.
    """

    elements_in: int
    elements_out: int
    cycles_in: int
    cycles_out: int
    exact: bool
    break_even: int | None

    @property
    def cycles(self) -> int:
        return self.cycles_in + self.cycles_out


def reorganisation(base: UnrolledNest, custom: Custom, saved: int | None) -> Reorganisation | None:
    """The cost of a layout for `base`, the nest before unrolling; None where an array is infinite or too large.

    `saved` are the cycles that one execution of the nest takes less than with one memory, None for an endless nest.
    """
    counts = {False: Counter[int](), True: Counter[int]()}
    elements, exact = {False: 0, True: 0}, True
    for array in base.arrays.values():
        for out, live in ((False, array.live_in), (True, array.live_out)):
            memories = [(number, memory) for number, memory in enumerate(custom.memories) if memory.array == array.name]
            if not live or not memories:
                continue
            found = touched(base, array.name, writes=out)
            if found is None:
                return None
            exact = exact and found.exact
            for number, memory in memories:
                held = count_in(memory, found.mask)
                counts[out][custom.bank[number]] += held
                elements[out] += held
    cycles = {out: max(counts[out].values(), default=0) for out in counts}
    break_even = max(1, -(-sum(cycles.values()) // saved)) if saved is not None and saved > 0 else None
    return Reorganisation(elements[False], elements[True], cycles[False], cycles[True], exact, break_even)
