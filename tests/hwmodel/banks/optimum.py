"""The physical mapping with the fewest cycles: exact, for few bodies and memories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

Needs = Sequence[Counter[int]]  # by memory: body -> accesses in one run


def cycles_of(needs: Needs, banks: Sequence[int]) -> int:
    """Cycles of one run of each body: in each the busiest bank decides."""
    loads: Counter[tuple[int, int]] = Counter()
    for own, bank in zip(needs, banks, strict=True):
        for body, count in own.items():
            loads[body, bank] += count
    bodies = {body for own in needs for body in own}
    return sum(max(load for (which, _), load in loads.items() if which == body) for body in bodies)


def least(needs: Needs, banks: int) -> int:
    """What no mapping beats: the accesses of a body spread evenly, or those of one memory."""
    bodies = {body for own in needs for body in own}
    return sum(max(-(-sum(own[body] for own in needs) // banks), *(own[body] for own in needs)) for body in bodies)


def optimum(needs: Needs, banks: int, known: int) -> int:
    """The fewest cycles of any mapping; `known` are those of some mapping."""
    bodies = {body for own in needs for body in own}
    if len(bodies) > 1:
        return _branch_and_bound(needs, banks, known)
    loads = Counter(own.total() for own in needs if own.total())
    values = tuple(sorted(loads, reverse=True))
    start = tuple(loads[value] for value in values)
    return next((cycles for cycles in range(least(needs, banks), known) if _fits(values, start, banks, cycles)), known)


def _fits(values: tuple[int, ...], counts: tuple[int, ...], banks: int, cycles: int) -> bool:
    """Whether so many loads of each value fit in so many banks: equal loads are alike, so there are few cases."""

    @cache
    def fits(left: tuple[int, ...], empty: int) -> bool:
        if not any(left):
            return True
        if empty == 0 or sum(value * count for value, count in zip(values, left, strict=True)) > empty * cycles:
            return False
        first = next(place for place, count in enumerate(left) if count)
        return any(
            fits(tuple(one - other for one, other in zip(left, taken, strict=True)), empty - 1)
            for taken in _fillings(values, left, cycles)
            if taken[first]
        )

    return fits(counts, banks)


def _fillings(values: tuple[int, ...], left: tuple[int, ...], room: int) -> Iterator[tuple[int, ...]]:
    """How many of each value one bank may take."""
    if not values:
        yield ()
        return
    for count in range(min(left[0], room // values[0]), -1, -1):
        for rest in _fillings(values[1:], left[1:], room - count * values[0]):
            yield (count, *rest)


def _branch_and_bound(needs: Needs, banks: int, known: int) -> int:
    """For several bodies; banks that are empty are alike."""
    order = sorted(needs, key=lambda own: -own.total())
    bound, best = least(needs, banks), known
    chosen: list[int] = []

    def place(used: int) -> None:
        nonlocal best
        if best == bound or (chosen and cycles_of(order[: len(chosen)], chosen) >= best):
            return
        if len(chosen) == len(order):
            best = cycles_of(order, chosen)
            return
        for bank in range(min(used + 1, banks)):
            chosen.append(bank)
            place(max(used, bank + 1))
            chosen.pop()

    place(0)
    return best
