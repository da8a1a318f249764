"""The legal scans of blocks of a shape, as a sequence that need not be listed, and the number of structures.

The idea. A repetition space of rank n has n! 2^n scans: 645,120 at rank 7. What a delay allows along a dimension
depends on the outer dimensions only by whether the delay can still lie in the same block, and not on their order. So
scans are counted over sets of outer dimensions, and the scan at an index is found by these counts.

First come the scans that are also legal for blocks of one repetition. Then, of the others, one stands for all that
differ only in the direction of dimensions with a single block, unless one of these is offered already.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import product
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from arrayol.ir.spec import Delay
from hwmodel.accesses import Extents
from hwmodel.cost_model.group.scans import moves_of
from hwmodel.design import Scan

LISTED_AT_MOST = 1 << 10  # scans that are kept once they were listed
Directions = tuple[bool, ...]  # whether downwards: those that may be taken, upwards first
_BOTH = False, True


class _Along(NamedTuple):
    """Blocks along one dimension: bits of the delays that can lead to a later block, and whether it is a single block.

    Delays can lead to a later block if the dimension ascends, or if it descends; `stays` has those that can lie in the
    same block.
    """

    breaks_up: int
    breaks_down: int
    stays: int
    is_single: bool

    def directions(self, active: int) -> Directions:
        """The directions that none of the `active` delays breaks."""
        breaks = (self.breaks_up, self.breaks_down)
        return tuple(down for down in _BOTH if not breaks[down] & active)


class _Counts(NamedTuple):
    """Numbers of scans: legal for blocks of one repetition too; legal orders; and legal orders that the first include.

    An order stands for all scans that differ only in the direction of dimensions with a single block.
    """

    also_of_ones: int
    orders: int
    orders_of_ones: int

    def times(self, other: _Counts) -> _Counts:
        """The counts of all combinations with independent choices."""
        return _Counts(*(first * second for first, second in zip(self, other, strict=True)))

    def plus(self, other: _Counts) -> _Counts:
        """The sum of the counts."""
        return _Counts(*(first + second for first, second in zip(self, other, strict=True)))

    @property
    def offered(self) -> int:
        """The number of scans that are offered."""
        return self.also_of_ones + self.orders - self.orders_of_ones


_ONE, _NONE = _Counts(1, 1, 1), _Counts(0, 0, 0)


class _Step(NamedTuple):
    """The directions of a dimension at its position in an order, for each of the three kinds of `_Counts`."""

    also_of_ones: Directions
    orders: Directions
    orders_of_ones: Directions

    @property
    def counts(self) -> _Counts:
        """The number of directions of each kind."""
        return _Counts(*map(len, self))

    def only(self, down: bool) -> _Step:
        """The step with a fixed direction."""
        return _Step(*((down,) if down in directions else () for directions in self))


def _step(along: _Along, ones: _Along, active: int, active_ones: int) -> _Step:
    """The directions of a dimension under active delays, for blocks of the shape and blocks of one repetition."""
    legal = along.directions(active)
    both = tuple(down for down in legal if down in ones.directions(active_ones))
    return _Step(both, legal[:1], (False,) if both else ()) if along.is_single else _Step(both, legal, both)


def _along(extent: int, side: int, steps: Sequence[int]) -> _Along:
    """The blocks along a dimension, with the step of each delay there."""
    up = down = stays = 0
    for place, step in enumerate(steps):
        moves = moves_of(extent, (side,), step)[0]
        up |= (moves.behind is not None) << place
        down |= (moves.ahead is not None) << place
        stays |= (moves.same is not None) << place
    return _Along(up, down, stays, bool(steps) and side >= extent)  # without delays all shapes have the same scans


def legal_scans(extents: Extents, delays: Sequence[Delay], shape: Extents) -> LegalScans:
    """The legal scans of blocks of a shape."""
    return _legal(*(_dimensions(extents, delays, sides) for sides in (shape, (1,) * len(extents))), len(delays))


def _dimensions(extents: Extents, delays: Sequence[Delay], shape: Extents) -> tuple[_Along, ...]:
    """The blocks along each dimension."""
    each = enumerate(zip(extents, shape, strict=True))
    return tuple(_along(*pair, [delay.vector[at] for delay in delays]) for at, pair in each)


def rows_of_same_scans(extents: Extents, delays: Sequence[Delay], shapes: NDArray[np.int64]) -> list[NDArray[np.intp]]:
    """Group the rows of block shapes (S, rank) with the same legal scans; groups are ordered by their first row."""
    code = np.zeros(len(shapes), np.int64)
    for at, extent in enumerate(extents):
        steps = [delay.vector[at] for delay in delays]
        sides, of_side = np.unique(shapes[:, at], return_inverse=True)
        kinds = dict[_Along, int]()
        each = [kinds.setdefault(_along(extent, side, steps), len(kinds)) for side in sides.tolist()]
        # Numbered again at each dimension, so that the product of the numbers of kinds stays small.
        code = np.unique(code * len(kinds) + np.array(each)[of_side], return_inverse=True)[1]
    groups = [np.flatnonzero(code == kind) for kind in np.unique(code).tolist()]
    return sorted(groups, key=lambda rows: int(rows[0]))


@lru_cache(maxsize=4096)
def _legal(
    shape: tuple[_Along, ...],
    ones: tuple[_Along, ...],
    delays: int,
    upwards: bool = False,
    outermost: frozenset[int] = frozenset(),
) -> LegalScans:
    """The legal scans, cached."""
    return LegalScans(shape, ones, delays, upwards=upwards, outermost=outermost)


class LegalScans(Sequence[Scan]):
    """Scans in lexicographic order of dimensions, then of directions; `number` is their number, which may exceed `len`.

    With `upwards`, only scans without a descending dimension; with `outermost`, only scans that have these dimensions
    before all others.
    """

    def __init__(
        self,
        shape: tuple[_Along, ...],
        ones: tuple[_Along, ...],
        delays: int,
        *,
        upwards: bool = False,
        outermost: frozenset[int] = frozenset(),
    ) -> None:
        self._made = shape, ones, delays
        self._pairs, self._delays = tuple(zip(shape, ones, strict=True)), delays
        self._upwards, self._outermost = upwards, outermost
        everything = (1 << delays) - 1
        # Along these dimensions no delay does anything: each is like the next but for a single block.
        self._free = frozenset(
            at for at, one in enumerate(ones) if one.stays == everything and not one.breaks_up | one.breaks_down
        )
        self._suffixes: dict[tuple[int, int, int], _Counts] = {}
        self._listed: tuple[Scan, ...] | None = None
        self._known: dict[int, Scan] = {}  # the first that were sought by their places: ends are sought for each shape

    @cached_property
    def number(self) -> int:
        """The number of scans."""
        return self._all.offered

    @cached_property
    def _all(self) -> _Counts:
        """The counts over all dimensions."""
        return self._remaining(frozenset(range(len(self._pairs))))

    def only(self, *, upwards: bool = False, outermost: Collection[int] = ()) -> LegalScans:
        """The scans among them that also satisfy these conditions."""
        upwards, first = upwards or self._upwards, self._outermost | frozenset(outermost)
        if (upwards, first) == (self._upwards, self._outermost):
            return self
        shape, ones, delays = self._made
        if upwards:  # then a single block leaves no choice of directions, and shapes that differ in it are alike
            pairs = enumerate(shape)
            shape = tuple(one._replace(is_single=one.is_single and at not in self._free) for at, one in pairs)
        return _legal(shape, ones, delays, upwards, first)

    @property
    def _key(self) -> object:
        return self._made, self._upwards, self._outermost

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LegalScans) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __len__(self) -> int:
        return self.number

    def __bool__(self) -> bool:
        return self.number > 0

    @overload
    def __getitem__(self, place: int) -> Scan: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Scan, ...]: ...
    def __getitem__(self, place: int | slice) -> Scan | tuple[Scan, ...]:
        if isinstance(place, slice):
            return tuple(self[at] for at in range(*place.indices(self.number)))
        place += self.number if place < 0 else 0
        if not 0 <= place < self.number:
            raise IndexError(place)
        if place not in self._known:
            others = place >= self._all.also_of_ones
            found = self._at(place - self._all.also_of_ones if others else place, others=others)
            if len(self._known) >= LISTED_AT_MOST:
                return found
            self._known[place] = found
        return self._known[place]

    def __iter__(self) -> Iterator[Scan]:
        if self._listed is None and self.number <= LISTED_AT_MOST:
            self._listed = (*self._all_of(others=False), *self._all_of(others=True))
        if self._listed is not None:
            return iter(self._listed)
        return (scan for others in _BOTH for scan in self._all_of(others=others))

    def __contains__(self, scan: object) -> bool:
        return isinstance(scan, Scan) and self._place(scan) is not None

    def index(self, scan: Scan, start: int = 0, stop: int | None = None) -> int:
        """The index of a scan. Raises ValueError if it is not offered."""
        place = self._place(scan)
        if place is None or not start <= place < (self.number if stop is None else stop):
            raise ValueError(f"{scan} is not offered")
        return place

    # Orders, dimension by dimension from the outermost.

    def _active(self, placed: frozenset[int], *, ones: bool) -> int:
        """The delays that can lie in the same block along all placed dimensions.

        `ones` for blocks of one repetition.
        """
        active = (1 << self._delays) - 1
        for at in placed:
            active &= self._pairs[at][ones].stays
        return active

    def _after(self, at: int, placed: frozenset[int]) -> _Step:
        """The directions of a dimension that follows placed ones."""
        step = _step(*self._pairs[at], self._active(placed, ones=False), self._active(placed, ones=True))
        return step.only(False) if self._upwards else step

    def _next(self, left: frozenset[int]) -> list[int]:
        """The dimensions that may follow next, ascending, of those that are not placed."""
        return sorted(left & self._outermost or left)

    def _remaining(self, left: frozenset[int]) -> _Counts:
        """The counts of all completions with the dimensions that are not placed."""
        found = self._orders(left)
        placed = frozenset(range(len(self._pairs))) - left
        for at in left & self._free:
            found = found.times(self._after(at, placed).counts)
        return found

    def _orders(self, left: frozenset[int]) -> _Counts:
        """The counts of all completions, without directions of free dimensions, of which only the number matters."""
        free, first = left & self._free, self._outermost
        key = sum(1 << at for at in left - self._free), len(free & first), len(free - first)
        if key not in self._suffixes:
            placed, found = frozenset(range(len(self._pairs))) - left, _NONE if left else _ONE
            following = self._next(left)
            for at in following:
                if at not in self._free:
                    found = found.plus(self._after(at, placed).counts.times(self._orders(left - {at})))
            alike = [at for at in following if at in self._free]
            if alike:
                others = self._orders(left - {alike[0]})
                found = found.plus(_Counts(*(len(alike) * number for number in others)))
            self._suffixes[key] = found
        return self._suffixes[key]

    def _all_of(self, *, others: bool) -> Iterator[Scan]:
        """All scans that are legal for blocks of one repetition, or (`others`) all further ones."""

        def following(order: tuple[int, ...], steps: tuple[_Step, ...], left: frozenset[int]) -> Iterator[Scan]:
            if not left:
                yield from (Scan(order, directions) for directions in _directions(steps, others=others))
                return
            for at in self._next(left):
                taken = (*steps, self._after(at, frozenset(order)))
                if _number(_product(taken).times(self._remaining(left - {at})), others=others):
                    yield from following((*order, at), taken, left - {at})

        if _number(self._all, others=others):
            yield from following((), (), frozenset(range(len(self._pairs))))

    def _at(self, place: int, *, others: bool) -> Scan:
        """The scan at an index of its kind."""
        order, steps, left = tuple[int, ...](), tuple[_Step, ...](), frozenset(range(len(self._pairs)))
        while left:
            for at in self._next(left):
                taken = (*steps, self._after(at, frozenset(order)))
                number = _number(_product(taken).times(self._remaining(left - {at})), others=others)
                if place < number:
                    order, steps, left = (*order, at), taken, left - {at}
                    break
                place -= number
        for number in range(len(steps)):
            for down in steps[number].also_of_ones if not others else steps[number].orders:
                taken = (*steps[:number], steps[number].only(down), *steps[number + 1 :])
                before = _number(_product(taken), others=others)
                if place < before:
                    steps = taken
                    break
                place -= before
        return Scan(order, tuple((step.orders if others else step.also_of_ones)[0] for step in steps))

    def _place(self, scan: Scan) -> int | None:
        """The index of a scan; None if it is not offered."""
        if sorted(scan.dimensions) != list(range(len(self._pairs))):
            return None
        befores, steps, left = [0, 0], tuple[_Step, ...](), frozenset(range(len(self._pairs)))
        for number, at in enumerate(scan.dimensions):
            following = self._next(left)
            if at not in following:
                return None
            placed = frozenset(scan.dimensions[:number])
            for other in following[: following.index(at)]:
                counts = _product((*steps, self._after(other, placed))).times(self._remaining(left - {other}))
                befores = [before + _number(counts, others=others) for others, before in enumerate(befores)]
            steps, left = (*steps, self._after(at, placed)), left - {at}
        for number, down in enumerate(scan.descending):
            if down:
                counts = _product((*steps[:number], steps[number].only(False), *steps[number + 1 :]))
                befores = [before + _number(counts, others=others) for others, before in enumerate(befores)]
            steps = (*steps[:number], steps[number].only(down), *steps[number + 1 :])
        counts = _product(steps)
        if counts.also_of_ones:
            return befores[False]
        return self._all.also_of_ones + befores[True] if _number(counts, others=True) else None


def _number(counts: _Counts, *, others: bool | int) -> int:
    """The number of scans of a kind."""
    return counts.orders - counts.orders_of_ones if others else counts.also_of_ones


def _product(steps: Sequence[_Step]) -> _Counts:
    """The counts of all combinations of directions of a sequence of dimensions."""
    total = _ONE
    for step in steps:
        total = total.times(step.counts)
    return total


def _directions(steps: Sequence[_Step], *, others: bool) -> Iterator[Directions]:
    """All choices of directions of an order, ascending first."""
    if not others:
        yield from product(*(step.also_of_ones for step in steps))
        return
    for chosen in product(*(step.orders for step in steps)):
        if not all(down in step.orders_of_ones for down, step in zip(chosen, steps, strict=True)):
            yield chosen


def count_structures(
    extents: Extents, delays: Sequence[Delay], sides: Sequence[Sequence[int]], scans: Collection[Scan] | None = None
) -> int:
    """The number of pairs of a block shape (over all choices of `sides`) and a scan that is offered for it.

    With `scans`, only these are counted.
    """
    steps = [[delay.vector[at] for delay in delays] for at in range(len(extents))]
    alike = [
        Counter(_along(extent, side, own) for side in some)
        for extent, some, own in zip(extents, sides, steps, strict=True)
    ]
    ones = [_along(extent, 1, own) for extent, own in zip(extents, steps, strict=True)]
    if scans is None:
        return _of_all_scans(alike, ones, len(delays)).offered
    known = [scan for scan in scans if sorted(scan.dimensions) == list(range(len(extents)))]
    return sum(_of_scan(scan, alike, ones, len(delays)).offered for scan in known)


_States = dict[int, _Counts]  # by the delays that are active in blocks of the shape


def _followed(
    states: _States, along: Counter[_Along], ones: _Along, active_ones: int, directions: Directions = _BOTH
) -> _States:
    """The counts by active delays after one more dimension, for all of its sides."""
    found: _States = {}
    for active, counts in states.items():
        for side, number in along.items():
            step = _step(side, ones, active, active_ones)
            kinds = _Counts(*(number * sum(down in own for down in directions) for own in step))
            key = active & side.stays
            found[key] = found.get(key, _NONE).plus(counts.times(kinds))
    return found


def _of_all_scans(alike: Sequence[Counter[_Along]], ones: Sequence[_Along], delays: int) -> _Counts:
    """The counts over all scans, by sets of dimensions along which a delay acts.

    All others may stand anywhere between.
    """
    everything = (1 << delays) - 1
    moving = [at for at, one in enumerate(ones) if one.stays != everything or one.breaks_up | one.breaks_down]
    states: dict[int, _States] = {0: {everything: _ONE}}
    for placed in range(1 << len(moving)):
        own, active_ones = states.pop(placed, {}), everything
        for place, at in enumerate(moving):
            if placed >> place & 1:
                active_ones &= ones[at].stays
        if placed == (1 << len(moving)) - 1:
            total = _summed(own)
            break
        for place, at in enumerate(moving):
            if not placed >> place & 1:
                after = states.setdefault(placed | 1 << place, {})
                for key, counts in _followed(own, alike[at], ones[at], active_ones).items():
                    after[key] = after.get(key, _NONE).plus(counts)
    for at in set(range(len(ones))) - set(moving):
        total = total.times(_summed(_followed({everything: _ONE}, alike[at], ones[at], everything)))
    orders = math.factorial(len(ones)) // math.factorial(len(moving))
    return _Counts(*(orders * number for number in total))


def _of_scan(scan: Scan, alike: Sequence[Counter[_Along]], ones: Sequence[_Along], delays: int) -> _Counts:
    """The counts of one scan over all block shapes."""
    active_ones = (1 << delays) - 1
    states: _States = {active_ones: _ONE}
    for at, down in zip(scan.dimensions, scan.descending, strict=True):
        states = _followed(states, alike[at], ones[at], active_ones, (down,))
        active_ones &= ones[at].stays
    return _summed(states)


def _summed(states: _States) -> _Counts:
    """The sum of counts over all sets of active delays."""
    total = _NONE
    for counts in states.values():
        total = total.plus(counts)
    return total
