"""Windows and bank functions for the ports of a memory.

They depend only on tilers, units and intervals, not on blocks: they are computed once for all designs that have these
in common. A window changes how long a line takes, so it depends neither on prices nor on other tasks: it is taken if
its reader, with the words that the loader writes, needs fewer banks with it than without.

The idea. Repetitions along a line read translates of one joint set A, U steps further each time. An element of A + U
step that is also in A need not be read again: it moves on through registers. Only New, the elements that the round
before has not read, comes from the memory. At the start of a line the registers are empty; they are full after as many
more rounds as the longest way of an element through them has steps.

In a round of several cycles the new elements are read in the order in which units take them, an equal number in each
cycle: the smallest with which each is there when a unit takes it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import distinct_rows
from hwmodel.datapath.figures import read_cycles
from hwmodel.datapath.technology.overhead import Routes, values_seen
from hwmodel.local_memory.bank_functions import MOST_BANKS, BankFunction, Linear, smallest_function
from hwmodel.local_memory.offsets import Access, Edge, Place, as_tuples, differences, joint_sets, numbered, of_units


@dataclass(frozen=True, slots=True)
class Window:
    """A window: the elements that come from the memory in a round (`fresh`), in their order, at most `each` in a cycle.

    `registers` is the number of elements that are kept, and `fill` the number of additional rounds at the start of a
    line.
    """

    fresh: tuple[Place, ...]
    each: int
    registers: int
    fill: int

    @property
    def reads(self) -> tuple[tuple[Place, ...], ...]:
        """The elements that are read in each cycle of a round, up to the last cycle with any."""
        return tuple(self.fresh[start : start + self.each] for start in range(0, len(self.fresh), self.each))


def window_of(access: Access) -> Window | None:
    """The window of an access; None if there is none.

    There is none if repetitions do not start in scan order, if the units' step along the line is 0, or if the next
    elements have none in common with the present ones. `fill` is ceil(|A| / |New|) - 1 for boxes, and `each` is
    ceil(|New| / o) unless that is too late.
    """
    if not access.ordered or access.random or not any(access.step):
        return None
    return _of_places(access.places, access.step, access.units, access.cycles)


@lru_cache(maxsize=1024)
def _of_places(pattern: tuple[Place, ...], step: Place, units: int, cycles: int) -> Window | None:
    """The window of units that move, cached: tasks often have equal patterns at different edges."""
    # Linear numbers: a round later every element has a number larger by `further`, so sets are compared in one sort.
    moved, when = of_units(pattern, step, units), read_cycles(np.arange(len(pattern)), len(pattern), cycles)
    ahead = tuple(units * part for part in step)
    numbers, further = numbered(moved, ahead)
    places, first, place_of = np.unique(numbers, return_index=True, return_inverse=True)
    is_fresh = ~np.isin(places + further, places)
    if is_fresh.all():
        return None
    read_at = np.full(len(places), cycles)
    np.minimum.at(read_at, place_of, np.repeat(when, units))
    fresh = np.flatnonzero(is_fresh)
    fresh = fresh[np.lexsort((first[fresh], read_at[fresh]))]
    # The k-th new element is there in time if k / `each` cycles have passed when a unit takes it, for every k.
    each = max(int((-(-np.arange(1, len(fresh) + 1) // (read_at[fresh] + 1))).max()), -(-len(fresh) // cycles))
    return Window(as_tuples(moved[first[fresh]]), each, len(places), _longest_way(places, places[fresh], further))


def _longest_way(places: NDArray[Any], fresh: NDArray[Any], further: int) -> int:
    """The number of registers after the first on the longest way of a new element."""
    count = 0
    while True:
        behind = fresh - further
        fresh = behind[np.isin(behind, places)]
        if not len(fresh):
            return count
        count += 1


# The number of banks that a lane reaches in all its cycles: fewer than there are if its steps divide their number.
#
# A lane starts at some element and moves by steps: of its repetitions, or of words of the external memory. Each digit
# of a bank's number then only takes values that differ from the first by a multiple of some g. Synthesis tools see that
# if the digit never changes, or if its low bits never change.


Moves = tuple[Place, ...]
Sets = tuple[tuple[Place, ...], ...]


def banks_reached(function: BankFunction, moves: Iterable[Place]) -> int:
    """The number of banks that a lane with such moves reaches."""
    steps = list(moves)
    if isinstance(function, Linear):
        digits = [(function.banks, [sum(a * b for a, b in zip(function.alpha, step, strict=True)) for step in steps])]
        return _values(*digits[0]) if function.block == 1 else function.banks
    return math.prod(_values(modulus, [step[axis] for step in steps]) for axis, modulus in enumerate(function.moduli))


def _values(modulus: int, steps: Sequence[int]) -> int:
    """The number of values of a digit that tools assume."""
    return int(values_seen(modulus, math.gcd(*steps)))


@lru_cache(maxsize=4096)
def lanes_of(access: Access, sets: Sets) -> tuple[tuple[int, Moves], ...]:
    """The lanes of a task by their moves, with the number that have these.

    They move from repetition to repetition, from chunk to chunk, and around an axis that bends their own places.
    """
    rank, steps = len(access.step), list(access.moves)
    first = sets[0] if sets else ()
    for other in sets[1:]:
        steps += [tuple(a - b for a, b in zip(*pair, strict=True)) for pair in zip(other, first, strict=False)]
    found: Counter[Moves] = Counter()
    for lane in range(max(map(len, sets), default=0)):
        moves = list(steps)
        for axis, edge in enumerate(access.edges):
            moved = edge is not None and any(move[axis] for move in moves)
            if edge is not None and moved and any(edge.bends(own[lane][axis]) for own in sets if lane < len(own)):
                by = edge.extent if edge.border is None else 2 if edge.border.mode == "mirror" else 1
                moves.append(tuple(by if own == axis else 0 for own in range(rank)))
        found[tuple(dict.fromkeys(moves))] += 1
    return tuple((count, moves) for moves, count in found.items())


@lru_cache(maxsize=1024)
def moves_of_words(width: int, shape: tuple[int, ...]) -> Moves:
    """The moves of the port's lanes, one for each element of a word of so many data, row-major."""
    if not shape:
        return ()
    rows = (
        tuple(1 if other == axis else -shape[axis + 1] if other == axis + 1 else 0 for other in range(len(shape)))
        for axis in range(len(shape) - 1)
    )
    return (*(0 for _ in shape[1:]), width), *rows


def step_along(accesses: Iterable[tuple[Access, Sets]], shape: Place) -> int:
    """The greatest common divisor of the moves of tasks in row-major order; 1 if subscripts are computed from data."""
    sizes = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    steps = [0]
    for access, sets in accesses:
        moves = [(1,)] if access.random else [move for _, own in lanes_of(access, sets) for move in own]
        steps += [
            sum(part * size for part, size in zip(reversed(move), reversed(sizes), strict=False)) for move in moves
        ]
    return math.gcd(*steps)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A choice that is not possible, by its code (docs/machine.md, section 6), and the reason."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Ports:
    """All readers and writers of a memory in one step; elements have `rank` subscripts.

    `readers` and `writers` are tasks; `loaded` and `stored` the joint sets of a word of the external memory, empty
    without loads or stores. `shape` is that of the array; blocks move along rows from `axis` on, None if they move
    along none.
    """

    rank: int
    readers: tuple[Access, ...]
    writers: tuple[Access, ...] = ()
    loaded: Sets = ()
    stored: Sets = ()
    shape: Place = ()
    axis: int | None = -1

    @property
    def reading(self) -> int:
        """The number of readers: each takes a read port in the same step."""
        return len(self.readers) + bool(self.stored)

    @property
    def writing(self) -> int:
        """The number of writers; a ROM has none."""
        return len(self.writers) + bool(self.loaded)


@dataclass(frozen=True)
class PortPlan:
    """Windows by reader; `function` serves all joint sets, and `writes` only those that are written.

    `reads` is the number of elements that all readers together read in a cycle, and `written` of those written.
    `refused` has the reasons why there is no window or function.
    """

    ports: Ports
    windows: tuple[Window | None, ...]
    function: BankFunction | None
    writes: BankFunction | None
    reads: int
    refused: tuple[Refusal, ...]
    written: int = 0

    @cached_property
    def routes(self) -> Routes:
        """The lanes of the memory in banks."""
        return self._routes(self.windows)

    @cached_property
    def register_routes(self) -> Routes:
        """The lanes of the memory as registers, which have no windows beside them."""
        return self._routes((None,) * len(self.windows))

    def _routes(self, windows: Sequence[Window | None]) -> Routes:
        """The lanes with windows for readers. A lane that reads the same element again and again does not move."""
        still = sum(
            reader.in_a_cycle
            for reader in self.ports.readers
            if not any(map(any, reader.moves)) and not reader.random and reader.cycles == 1
        )
        stored = max(map(len, self.ports.stored), default=0)
        loaded = max(map(len, self.ports.loaded), default=0)
        reading = [(reader, _read(reader, own)[0]) for reader, own in zip(self.ports.readers, windows, strict=True)]
        reads = _lanes_that_read(reading, self.ports.stored)
        return Routes(
            reads,
            self.written,
            reads - still - stored,
            stored=stored,
            loaded=loaded,
            read_step=step_along(reading, self.ports.shape),
            write_step=step_along(((writer, joint_sets(writer)) for writer in self.ports.writers), self.ports.shape),
            in_rows=self.ports.axis is not None,
            pieces=max(1, self.ports.writing),
            stored_rows=max((_rows(writer, self.ports.axis) for writer in self.ports.writers), default=1),
            bent=sum(
                math.sqrt(len(sets)) for reader, sets in reading if any(edge is not None for edge in reader.edges)
            ),
        )

    def reach(self, function: BankFunction) -> tuple[float, float]:
        """The average number of banks that a reading lane reaches under a function, and that a writing lane reaches."""
        if function not in self._reaches:
            self._reaches[function] = self._reach(function)
        return self._reaches[function]

    @cached_property
    def _reaches(self) -> dict[BankFunction, tuple[float, float]]:
        """A cache of `reach`."""
        return {}

    def _reach(self, function: BankFunction) -> tuple[float, float]:
        """Compute `reach`."""
        ports = self.ports
        reading = [(reader.in_a_cycle, function.banks) for reader in ports.readers if reader.random]
        for reader, window in zip(ports.readers, self.windows, strict=True):
            reading += _reached(function, lanes_of(reader, _read(reader, window)[0]))
        writing = [one for own in ports.writers for one in _reached(function, lanes_of(own, joint_sets(own)))]
        for words, lanes in ((ports.stored, reading), (ports.loaded, writing)):
            if words:
                width = max(map(len, words))
                lanes.extend(_reached(function, [(width, moves_of_words(width, ports.shape))]))
        return _average(reading), _average(writing)

    @property
    def is_table(self) -> bool:
        """Whether it is only read, and only at subscripts computed from data: units ask it, and no program does."""
        return not self.ports.writing and all(reader.random for reader in self.ports.readers)

    @property
    def is_random(self) -> bool:
        """Whether a reader reads at subscripts computed from data."""
        return any(reader.random for reader in self.ports.readers)


def _rows(access: Access, axis: int | None) -> int:
    """The number of rows of an array, from an axis on, that a repetition accesses."""
    return len({place[:axis] for place in access.places})


def _lanes_that_read(reading: Iterable[tuple[Access, Sets]], stored: Sets) -> int:
    """The number of elements that tasks and the port read in a cycle."""
    lanes = (own.in_a_cycle if own.random else max(map(len, sets), default=0) for own, sets in reading)
    return sum(lanes) + max(map(len, stored), default=0)


def _reached(function: BankFunction, lanes: Iterable[tuple[int, Moves]]) -> list[tuple[int, int]]:
    """The numbers of lanes with some moves, and the banks that each of them reaches."""
    return [(count, banks_reached(function, moves)) for count, moves in lanes]


def _average(lanes: Sequence[tuple[int, int]]) -> float:
    """The average number of banks, over lanes."""
    return sum(count * banks for count, banks in lanes) / max(1, sum(count for count, _ in lanes))


@dataclass(frozen=True, slots=True)
class _Search:
    """Joint sets with the edges of their axes, that one function has to serve."""

    rank: int
    parts: tuple[tuple[Sets, tuple[Edge | None, ...]], ...]
    power_of_two: bool
    most: int

    @property
    def largest(self) -> int:
        """The size of the largest set."""
        return max((len(places) for sets, _ in self.parts for places in sets), default=1)

    def function(self, *, bent: bool = True, most: int = MOST_BANKS) -> BankFunction | None:
        """The first function that serves all sets, with at most so many banks."""
        most = min(most, self.most)
        return _function(self, bent, most) if self.largest <= most else None


@lru_cache(maxsize=4096)
def _function(search: _Search, bent: bool, most: int) -> BankFunction | None:
    """The first function of a search, cached."""
    if search.rank == 0:
        return smallest_function(differences(()), 1)
    apart = [_apart(sets, edges if bent else ()).reshape(-1, search.rank) for sets, edges in search.parts]
    rows = distinct_rows(np.concatenate([np.zeros((0, search.rank), np.int64), *apart]))
    return smallest_function(rows, search.largest, most, power_of_two=search.power_of_two)


def _in_turn(search: _Search, shape: Place) -> BankFunction | None:
    """The function that puts the elements of an array into the fewest banks in turn, a power of two, for all sets."""
    strides, banks = [math.prod(shape[axis + 1 :]) for axis in range(search.rank)], 1
    apart = [_apart(*part).reshape(-1, search.rank) @ np.array(strides, np.int64) for part in search.parts]
    while banks <= search.most:
        if all((own % banks != 0).all() for own in apart):
            return Linear(tuple(stride % banks for stride in strides), banks)
        banks *= 2
    return None


_apart = lru_cache(maxsize=256)(differences)  # many searches have parts in common


@lru_cache(maxsize=4096)
def plan_ports(ports: Ports, *, power_of_two: bool = False, most: int = MOST_BANKS) -> PortPlan:
    """The windows and functions, with at most so many banks, of a memory with these ports.

    A memory that is looked up has its elements in a power of two of banks in turn, whatever its dimensions are: the low
    bits of an element's number name the bank.
    """
    random = any(reader.random for reader in ports.readers)
    power_of_two |= random
    written = [(joint_sets(writer), writer.edges) for writer in ports.writers]
    written += [(ports.loaded, ())] if ports.loaded else []
    writes = _Search(ports.rank, tuple(written), power_of_two, most)
    windows = tuple(
        reader_window(reader, ports.loaded, power_of_two=power_of_two, most=most) for reader in ports.readers
    )
    read = [_read(reader, window) for reader, window in zip(ports.readers, windows, strict=True)]
    read += [(ports.stored, ())] if ports.stored else []
    whole = _Search(ports.rank, (*writes.parts, *read), power_of_two, most)
    function = None if random else whole.function()
    refused = [refusal for reader in ports.readers if (refusal := _no_window(reader)) is not None]
    refused += [] if function is not None else [_no_banks(whole, random=random)]
    each = [(reader, sets) for reader, (sets, _) in zip(ports.readers, read, strict=False)]
    reads = _lanes_that_read(each, ports.stored)
    lanes = sum(max(map(len, sets), default=0) for sets, _ in written)
    writing = _in_turn(writes, ports.shape) if random else writes.function()
    return PortPlan(ports, windows, function, writing, reads, tuple(dict.fromkeys(refused)), lanes)


def _read(reader: Access, window: Window | None) -> tuple[Sets, tuple[Edge | None, ...]]:
    """The joint sets that a reader reads from the memory, and their edges."""
    if reader.random:
        return (), ()
    return (joint_sets(reader) if window is None else window.reads), reader.edges


@lru_cache(maxsize=4096)
def reader_window(reader: Access, loaded: Sets, *, power_of_two: bool = False, most: int = MOST_BANKS) -> Window | None:
    """The window of a reader, if it needs fewer banks with it than without, together with the words that are loaded."""
    window = window_of(reader)
    if window is None:
        return None
    words: tuple[tuple[Sets, tuple[Edge | None, ...]], ...] = ((loaded, ()),) if loaded else ()
    kept, plain = (
        _Search(len(reader.step), (*words, _read(reader, choice)), power_of_two, most) for choice in (window, None)
    )
    banks = kept.function()
    if banks is None or (plain.largest <= banks.banks and plain.function(most=banks.banks) is not None):
        return None
    return window


def _no_window(reader: Access) -> Refusal | None:
    """The reason why a reader can have no window; None if it can, or if a window would keep nothing."""
    if reader.random:
        return Refusal("window", "no window: its subscripts come from data")
    if not any(reader.step):
        return Refusal("window", "no window: it does not move along the line")
    if not reader.ordered:
        return Refusal("window", "no window: repetitions do not start in scan order")
    return None


def _no_banks(search: _Search, *, random: bool) -> Refusal:
    """The reason why no function serves a search."""
    if random:
        return Refusal("random-port", "no banks: subscripts from data may meet in one")
    if any(any(edges) for _, edges in search.parts) and search.function(bent=False) is not None:
        return Refusal("wrap-banks", "no banks: places that wrap, or a border leads back, meet in one")
    least = f"{search.largest:,} places are touched in a cycle"
    return Refusal("no-banks", f"no banks: {least}, and no function with up to {search.most:,} banks keeps them apart")
