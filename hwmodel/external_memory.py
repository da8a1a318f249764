"""The external memory: from a sequence of bursts to cycles on its port and changes of row (docs/platform.md, "Rows").

With `[memory.rows]` the memory keeps one row open per bank; row k is in bank k mod banks. Bursts are served in order,
one after another, each from a clock edge on. A word in a row that is not open first opens it: `row_change_ns`, and not
before `same_bank_activate_ns` have passed since the bank's last opening. What a burst takes itself becomes cycles,
rounded up once; a wait in front of it ends at a clock edge. Where the memory inside takes longer for the local words of
a burst, one in a cycle, than the external one for its bytes, the burst takes that much longer. Without rows a burst
takes L_m + ceil(x / m) cycles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwmodel.platform import Platform
from hwmodel.platform_memories import RowModel

Integers = NDArray[Any]  # of int64, or of Python's integers where those could overflow
WORD_BYTES = 64  # `word_ns` is the time of so many


@dataclass(frozen=True, eq=False)
class Bursts:
    """Transfers of consecutive bytes in the order of the port, one entry of each array (length n) per burst.

    `address` and `size` in bytes (size above 0), `data` the array elements moved, `write` true towards the memory.
    `local` are the words that the memory inside takes or gives one by one, 0 where it keeps pace.
    """

    address: Integers
    size: Integers
    data: Integers
    write: NDArray[np.bool_]
    local: Integers | int = 0

    def __len__(self) -> int:
        return len(self.address)

    def only(self, chosen: Integers) -> Bursts:
        """The bursts where `chosen` (shape n, of booleans) holds, or those it numbers, in its order."""
        local = self.local if isinstance(self.local, int) else self.local[chosen]
        return Bursts(self.address[chosen], self.size[chosen], self.data[chosen], self.write[chosen], local)


def joined(parts: Iterable[Bursts]) -> Bursts:
    """Several sequences, one after the other."""
    held = list(parts)
    if not held:
        empty = np.zeros(0, np.int64)
        return Bursts(empty, empty, empty, np.zeros(0, np.bool_))
    names = ("address", "size", "data", "write", "local")
    return Bursts(
        *(np.concatenate([np.broadcast_to(getattr(part, name), len(part)) for part in held]) for name in names)
    )


@dataclass(frozen=True, eq=False)
class PortTime:
    """What the port does for a sequence of n bursts: `cycles` of each (shape n), and the row changes of each.

    `row_changes` is None on a platform without a row model.
    """

    cycles: Integers
    row_changes: Integers | None


def port_time(platform: Platform, bursts: Bursts) -> PortTime:
    """Cycles and row changes of bursts that follow one another without a pause, all rows closed at first.

    On separate ports reads and writes have rows and times of their own.
    """
    (channel,) = platform.channels
    if channel.port == "shared":
        return _one_port(platform, bursts)
    cycles = np.zeros(len(bursts), np.int64)
    changes = np.zeros(len(bursts), np.int64) if channel.rows is not None else None
    for side in (bursts.write, ~bursts.write):
        part = _one_port(platform, bursts.only(side))
        cycles[side] = part.cycles
        if changes is not None and part.row_changes is not None:
            changes[side] = part.row_changes
    return PortTime(cycles, changes)


def _one_port(platform: Platform, bursts: Bursts) -> PortTime:
    (memory,) = platform.channels
    if memory.rows is not None and platform.clock_mhz is not None:
        return row_time(memory.rows, platform.clock_mhz, bursts)
    latency = memory.latency or 0
    if memory.data_per_word is not None:
        words = -(-bursts.data // memory.data_per_word)
    else:
        words = -(-bursts.size * 8 // (memory.word_bits or 1))
    return PortTime(latency + words, None)


def row_time(rows: RowModel, clock_mhz: float, bursts: Bursts) -> PortTime:
    """The open-row model: cycles of `clock_mhz` and row changes of each burst, all rows closed at first.

    Where only the opening just before can delay one, and no burst waits inside, waits have a closed form (array work);
    else the openings are taken one by one. Both give the same: a wait in front of a burst moves the burst and all after
    it alike, so where each wait depends on the opening just before alone, it is the same as if nothing had waited.
    """
    if not len(bursts):
        return PortTime(np.zeros(0, np.int64), np.zeros(0, np.int64))
    ticks = _Ticks.of(rows, clock_mhz)
    parts = _Parts.of(rows, bursts, ticks)
    changes = np.bincount(parts.burst, weights=parts.opens, minlength=len(bursts)).astype(np.int64)
    if parts.waits_are_local:
        return PortTime(_closed_form(parts), changes)
    return PortTime(_sequential_cycles(parts), changes)


@dataclass(frozen=True, slots=True)
class _Ticks:
    """The times of a row model in a unit that all of them are multiples of."""

    cycle: int
    byte: int
    change: int
    activate: int

    @staticmethod
    def of(rows: RowModel, clock_mhz: float) -> _Ticks:
        cycle = 1000 / _exact(clock_mhz)
        byte = _exact(rows.word_ns) / WORD_BYTES
        change, activate = _exact(rows.row_change_ns), _exact(rows.same_bank_activate_ns)
        unit = lcm(*(time.denominator for time in (cycle, byte, change, activate)))
        return _Ticks(*(int(time * unit) for time in (cycle, byte, change, activate)))


def _exact(value: float) -> Fraction:
    """The decimal that the platform's author wrote."""
    return Fraction(str(value))


@dataclass(frozen=True, eq=False)
class _Parts:
    """Bursts cut at the ends of rows: burst, bank, whether the row has to be opened, and ticks without waits."""

    burst: Integers
    bank: Integers
    opens: NDArray[np.bool_]
    own: Integers
    ticks: _Ticks

    @staticmethod
    def of(rows: RowModel, bursts: Bursts, ticks: _Ticks) -> _Parts:
        first = bursts.address // rows.row_bytes
        last = (bursts.address + bursts.size - 1) // rows.row_bytes
        count = last - first + 1
        burst = np.repeat(np.arange(len(bursts)), count)
        place = np.arange(len(burst)) - np.repeat(np.cumsum(count) - count, count)
        row = first[burst] + place
        start = np.maximum(bursts.address[burst], row * rows.row_bytes)
        end = np.minimum((bursts.address + bursts.size)[burst], (row + 1) * rows.row_bytes)
        bank = row % rows.banks
        opens = _opens(row, bank)
        largest = int(bursts.size.max()) * ticks.byte + int(count.max()) * (ticks.change + ticks.activate)
        largest += int(np.max(bursts.local)) * ticks.cycle
        exact = np.int64 if max(largest, ticks.cycle) < 1 << 61 else object
        own = (end - start).astype(exact) * ticks.byte + opens.astype(exact) * ticks.change
        inside = np.broadcast_to(bursts.local, len(bursts)).astype(exact) * ticks.cycle
        own[np.cumsum(count) - 1] += np.maximum(inside - bursts.size.astype(exact) * ticks.byte, 0)
        return _Parts(burst, bank, opens, own, ticks)

    @cached_property
    def is_first(self) -> NDArray[np.bool_]:
        """The first part of each burst."""
        return np.concatenate([[True], self.burst[1:] != self.burst[:-1]])

    @cached_property
    def opening(self) -> Integers:
        """The parts that open a row, in order."""
        return np.flatnonzero(self.opens)

    @cached_property
    def conflicts(self) -> NDArray[np.bool_]:
        """For each opening, whether the opening before it was in the same bank."""
        bank = self.bank[self.opening]
        return np.concatenate([[False], bank[1:] == bank[:-1]])

    @property
    def waits_are_local(self) -> bool:
        """Whether only the opening just before can delay one, and only at the start of a burst."""
        one_between = 2 * self.ticks.change >= self.ticks.activate
        return one_between and bool(self.is_first[self.opening][self.conflicts].all())


def _opens(row: Integers, bank: Integers) -> NDArray[np.bool_]:
    """Whether each access finds another row open in its bank, or none."""
    order = np.argsort(bank, kind="stable")
    changed = np.diff(row[order], prepend=-1) != 0  # rows of two banks differ too
    opens = np.empty(len(order), np.bool_)
    opens[order] = changed
    return opens


def _closed_form(parts: _Parts) -> Integers:
    """Cycles of each burst: its own, rounded up once, and what is missing between two openings of one bank."""
    starts = np.flatnonzero(parts.is_first)
    cycle = parts.ticks.cycle
    own = -(-np.add.reduceat(parts.own, starts) // cycle)
    began = np.cumsum(own) - own  # when bursts would begin if nothing waited, in cycles
    inside = np.cumsum(parts.own) - parts.own
    inside = inside - inside[starts][parts.burst]  # ticks from the start of its burst to each part
    late = np.flatnonzero(parts.conflicts)
    before, after = parts.opening[late - 1], parts.opening[late]
    ready = began[parts.burst[before]] - (-(inside[before] + parts.ticks.activate) // cycle)
    waits = np.zeros_like(own)
    waits[parts.burst[after]] = np.maximum(ready - began[parts.burst[after]], 0)
    cycles: Integers = own + waits
    return cycles


def _sequential_cycles(parts: _Parts) -> Integers:
    """Cycles of each burst, one opening after the other."""
    cycle, activate = parts.ticks.cycle, parts.ticks.activate
    opened: dict[int, int] = {}
    ends = [0]
    time = 0
    for is_first, is_last, bank, opens, own in _plain(parts):
        if is_first:
            time = -(-time // cycle) * cycle
        if opens:
            ready = opened.get(bank, time - activate) + activate
            time = max(time, -(-ready // cycle) * cycle if is_first else ready)
            opened[bank] = time
        time += own
        if is_last:
            ends.append(-(-time // cycle))
    cycles: Integers = np.diff(np.array(ends))
    return cycles


def _plain(parts: _Parts) -> Iterator[tuple[bool, bool, int, bool, int]]:
    is_last = np.concatenate([parts.is_first[1:], [True]])
    columns = (parts.is_first, is_last, parts.bank, parts.opens, parts.own)
    return zip(*(column.tolist() for column in columns), strict=True)
