"""How long the programs of a group may become, before there is a schedule of it: an upper bound, and a cheap one.

A program has at most as many instructions as its agent has rows, and an agent has no more rows than the frame has
cycles. It is mostly far shorter: what agents do in the middle of a loop repeats. So along each loop of the scan only
some *kinds* of blocks are counted, those at both ends, and two rounds of those between, since blocks repeat when words
of the external memory and of banks begin at the same places again. Inside a block only some kinds of rows are counted
along each dimension or axis: for each place of a period in banks and words a first, a middle and a last one, and those
that borders bend. A program of nested loops has about the product of all these kinds.

Programs are made by a search for repetitions (program.py), which may find other loops than these: of 1,664 programs
that were drawn 39 had more instructions than the product, one of them 2.5 times as many. The bound is four times the
product. That no program is longer is not proven. Tests compare it with programs of generated designs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from hwmodel.accesses import Accesses, Touch
from hwmodel.cost_model.estimate import GroupEstimate
from hwmodel.design import GroupDesign
from hwmodel.emit.schedule.frames.travel import Direction, longest, span_of, speeds_in_group
from hwmodel.emit.schedule.port import AddressMap, address_map
from hwmodel.local_memory.bank_functions import BankFunction
from hwmodel.local_words import local_word
from hwmodel.platform import Platform
from hwmodel.residence import ONCE
from hwmodel.units import riding_dimensions, unit_dimension

_PLACES = 3  # of a row in what repeats: the first, one in the middle, the last, whose increments lead elsewhere
_MARGIN = 4  # times the kinds that are counted: of 1,664 drawn programs one had 2.5 times as many instructions
_IDLE = 2  # steps of a block beside those of its tasks: its load and its store


def most_instructions(
    accesses: Accesses, platform: Platform, group: GroupDesign, estimate: GroupEstimate, setup_cycles: int = 0
) -> int:
    """The most instructions that a program of a group of blocks may have; with arrays that are loaded in a setup."""
    rows = estimate.latency_cycles + setup_cycles + 1
    return min(rows, most_by_kinds(accesses, platform, group, estimate) or rows)


def most_by_kinds(accesses: Accesses, platform: Platform, group: GroupDesign, estimate: GroupEstimate) -> int | None:
    """The bound by kinds of blocks and rows, which may be above the number of cycles.

    None for a group with FIFOs, delays, blocks of blocks, cuts, or something that several loops move.
    """
    is_known = not (group.fifos or group.blocks.outer or any(own.cut for own in group.processors))
    if not is_known or any(accesses.delays(task) for task in group.tasks):
        return None
    loops = _loops_of(accesses, group)
    if loops is None:
        return None
    return _MARGIN * _Kinds(accesses, platform, group, estimate, loops).most


@dataclass(frozen=True)
class _Loop:
    """A loop of the scan: its blocks and their side, and how far all that it moves goes while its dimension goes 1.

    `reach` is how far data are needed before and behind where they are made or loaded, in indices of the last task.
    """

    blocks: int
    side: int
    speeds: Mapping[Direction, Fraction]
    reach: int

    def kinds(self, in_block: tuple[int, int], period: int, ends: int) -> int:
        """The kinds of rows, of so many in a block (at an end of the loop; else), if blocks repeat with a period."""
        at_end = min(self.blocks, 2 * ends)
        return at_end * in_block[0] + min(self.blocks - at_end, 2 * period) * in_block[1]


@dataclass(frozen=True)
class _Side:
    """A dimension or an axis along which rows follow each other, `each` data at a time, of `extent` indices in all.

    An index has so many data as are `inside`. Rows repeat with a `period`; at borders as many as `bent` differ.
    """

    along: Direction
    extent: int
    each: int
    period: int
    bent: int
    inside: int = 1

    def kinds(self, indices: int, bent: int, more: int = 0) -> int:
        """The kinds of rows among those of so many indices, and `more` rows."""
        return min(-(-indices * self.inside // self.each) + more, _PLACES * self.period + bent)


def _loops_of(accesses: Accesses, group: GroupDesign) -> list[_Loop] | None:
    """The loops of a group's scan, from dimension 0 of its last task on; None if something moves along several."""
    last, blocks, loops = group.tasks[-1], group.blocks, list[_Loop]()
    for number, (extent, side) in enumerate(zip(accesses.extents(last), blocks.shape, strict=True)):
        own = Direction(last, number, False)
        speeds = speeds_in_group(accesses, group.tasks, own) if extent > 1 else {own: Fraction(1)}
        if speeds is None and side < extent:
            return None
        speeds = speeds or {own: Fraction(1)}
        if any(speeds.keys() & loop.speeds.keys() for loop in loops):
            return None
        loops.append(_Loop(-(-extent // side), side, speeds, _reach(accesses, group.tasks, speeds)))
    return loops


def _reach(accesses: Accesses, tasks: Sequence[str], speeds: Mapping[Direction, Fraction]) -> int:
    """The reach of patterns along a loop, of the tasks in succession that have the most."""
    own: dict[str, int] = {}
    for touch in (touch for task in tasks for touch in (*accesses.reads[task], *accesses.writes[task])):
        for axis in range(len(touch.tiler.paving)):
            speed = speeds.get(Direction(touch.array, axis, True))
            if speed is not None:
                own[touch.process] = max(own.get(touch.process, 0), math.ceil(span_of(touch, axis) / abs(speed)))
    return longest(accesses.network, own)


@dataclass(frozen=True)
class _Kinds:
    """The kinds of rows of a group's agents."""

    accesses: Accesses
    platform: Platform
    group: GroupDesign
    estimate: GroupEstimate
    loops: Sequence[_Loop]

    @property
    def most(self) -> int:
        """The kinds of rows of the agent with the most."""
        return max(*self._of_tasks(), self._of_port())

    def _of_tasks(self) -> Iterator[int]:
        """The kinds of rows of each reader and writer."""
        accesses, scan = self.accesses, self.group.blocks.scan
        riding = riding_dimensions(accesses, self.group.tasks, self.group.tasks[-1])
        for own in self.estimate.processors:
            line = unit_dimension(accesses, riding, scan, own.task)
            for touches in (accesses.reads[own.task], accesses.writes[own.task]):
                arrays = {touch.array for touch in touches}
                sides = [
                    self._side_of_task(own.task, number, own.units if number == line else 1, touches, own.fill)
                    for number in range(len(accesses.extents(own.task)))
                ]
                periods = [self._period(loop, arrays, in_words=False) for loop in self.loops]
                ends = [1 - (-loop.reach // loop.side) for loop in self.loops]
                steps = self._product((), periods, ends)
                # A step has the rows of its repetitions, and rows before and behind in which nothing is accessed.
                alike = self._product(sides, periods, ends, bends=False)
                rows = own.interval * (self._product(sides, periods, ends) - alike)
                yield rows + self._chunks(own.interval, touches) * alike + 2 * steps + 2 * self._filling

    def _chunks(self, interval: int, touches: Sequence[Touch]) -> int:
        """The kinds of chunks of a repetition: few if each is as far from the one before, in all patterns."""
        period = 1
        for touch in touches:
            size = math.prod(touch.pattern)
            long = [place for place, extent in enumerate(touch.pattern) if extent > 1]
            chunk, outer = -(-size // interval), long[0] if long else 0
            is_even = len(long) <= 1 or chunk == size // touch.pattern[outer]
            if chunk == size:
                continue
            if not is_even or touch.array in self._windows or touch.ahead:
                return interval
            step = chunk if len(long) == 1 else 1
            for axis, row in enumerate(touch.tiler.fitting):
                period = math.lcm(
                    period, self._in_banks(touch.array, axis, abs(row[outer]) * step) if row[outer] else 1
                )
        return min(interval, _PLACES * period + 1)

    def _side_of_task(self, task: str, number: int, units: int, touches: Iterable[Touch], fill: int) -> _Side:
        """A dimension of a task, along which so many units share a line."""
        period, bent = 1, 0
        for touch in touches:
            for axis, row in enumerate(touch.tiler.paving):
                step = abs(row[number]) * units
                if step:
                    period = math.lcm(period, self._in_banks(touch.array, axis, step))
                    bent = max(bent, -(-span_of(touch, axis) // step))
        extent = self.accesses.extents(task)[number]
        return _Side(Direction(task, number, False), extent, units, period, bent + fill)

    def _of_port(self) -> int:
        """The kinds of rows at the port: of all arrays that are moved, and of those that come once."""
        moved, once = list[list[_Side]](), 0
        for name in self._addresses.slots:
            array = self.accesses.network.arrays[name]
            reads = any(task in self.group.tasks for task in array.readers)
            writes = any(task in self.group.tasks for task in array.producers)
            stored = writes and (
                name in self.accesses.network.outputs or any(task not in self.group.tasks for task in array.readers)
            )
            if self.accesses.load.get(name) == ONCE:
                # Groups may load in one setup what any of them reads once.
                once += self._product(self._sides_at_port(name, write=False), (), ())
            elif stored or (reads and not writes):
                moved.append(self._sides_at_port(name, write=stored))
        arrays = {side.along.name for sides in moved for side in sides}
        periods = [self._period(loop, arrays, in_words=True) for loop in self.loops]
        ends = [self._ends(number) for number in range(len(self.loops))]
        steps = self._product((), periods, ends)
        return sum(self._product(sides, periods, ends) for sides in moved) + steps + once + 2 * self._filling

    def _sides_at_port(self, name: str, *, write: bool) -> list[_Side]:
        """The axes of an array, along the last of which words pass."""
        shape, size = self.accesses.shape(name), self._addresses.slots[name]
        word, kind = self._addresses.word_bytes, self.accesses.network.arrays[name].type
        local = local_word(self.platform, kind.bytes, shape, write=write)
        width = local.width if local is not None else max(1, word // size)
        # Words run along a row: the last axis, or the last axes together that hold a word.
        first = max((axis for axis in range(len(shape)) if math.prod(shape[axis:]) >= width), default=0)
        inside, sides = math.prod(shape[first + 1 :]), list[_Side]()
        parts = max(-(-word // (size * width)), size // word)  # of a word, or words of an element
        for axis, extent in enumerate(shape[: first + 1]):
            along, row = Direction(name, axis, True), math.prod(shape[axis + 1 :]) * size
            if axis < first:
                period = math.lcm(word // math.gcd(word, row), self._in_banks(name, axis, 1))
                sides.append(_Side(along, extent, 1, period, 2))
            else:
                again = inside * self._in_banks(name, axis, 1)
                period = math.lcm(parts, again // math.gcd(again, width))
                sides.append(_Side(along, extent, width, period, 2 + 2 * parts, inside))
        return sides

    def _product(
        self, sides: Sequence[_Side], periods: Sequence[int], ends: Sequence[int], *, bends: bool = True
    ) -> int:
        """The kinds of rows along all sides, block after block; without those at ends of loops unless it `bends`."""
        known, total = set[Direction](), 1
        for loop, period, end in zip(self.loops, periods, ends, strict=False):
            moving = [side for side in sides if side.along in loop.speeds]
            known |= {side.along for side in moving}
            at_end = math.prod(self._in_block(loop, side, is_end=True) for side in moving) if bends else 0
            inside = math.prod(self._in_block(loop, side, is_end=self.group.recompute) for side in moving)
            total *= loop.kinds((at_end, inside), period, end)
        return total * math.prod(side.kinds(side.extent, side.bent) for side in sides if side.along not in known)

    @staticmethod
    def _in_block(loop: _Loop, side: _Side, *, is_end: bool) -> int:
        """The kinds of rows of a block along a side: at an end of the loop blocks may be longer, and borders bend."""
        speed = abs(loop.speeds[side.along])
        indices = min(side.extent, math.ceil(speed * loop.side) + is_end * math.ceil(speed * loop.reach))
        bent = side.bent * (2 if loop.blocks == 1 else 1) if is_end else 0
        return side.kinds(indices, bent, (speed * loop.side).denominator - 1)

    @property
    def _filling(self) -> int:
        """The steps of a frame in which not all agents work, before its first block and after its last one."""
        return _IDLE + longest(self.accesses.network, dict.fromkeys(self.group.tasks, 1))

    def _ends(self, number: int) -> int:
        """The blocks at an end of a loop whose steps may differ at the port: those that reach further, or fill it."""
        loop, order = self.loops[number], self.group.blocks.scan.dimensions
        inner = math.prod(self.loops[each].blocks for each in order[order.index(number) + 1 :])
        return (self._filling if inner < self._filling else 1) - (-loop.reach // loop.side)

    def _period(self, loop: _Loop, arrays: Iterable[str], *, in_words: bool) -> int:
        """The blocks of a loop after which banks, and words of the external memory, begin at the same places again."""
        period, own = 1, frozenset(arrays)
        for along, speed in loop.speeds.items():
            if not along.is_axis or along.name not in own:
                continue
            step = abs(speed) * loop.side
            period = math.lcm(period, step.denominator, self._in_banks(along.name, along.number, step.numerator))
            if in_words:
                row = math.prod(self.accesses.shape(along.name)[along.number + 1 :]) * self._addresses.slots[along.name]
                word = self._addresses.word_bytes
                period = math.lcm(period, word // math.gcd(word, step.numerator * row))
        return period

    def _in_banks(self, array: str, axis: int, step: int) -> int:
        """The steps along an axis after which all banks begin at the same places again."""
        groups = (function.sharing(axis) for function in self._functions.get(array, ()))
        return math.lcm(*(group // math.gcd(group, step) for group in groups))

    @cached_property
    def _windows(self) -> frozenset[str]:
        """The arrays of memories with windows."""
        uses = ((use.name, use.organisation) for use in self.estimate.memories)
        return frozenset(name for name, built in uses if built is not None and built.way == "window")

    @cached_property
    def _functions(self) -> Mapping[str, list[BankFunction]]:
        """By array the functions to banks of its memories."""
        functions: dict[str, list[BankFunction]] = {}
        for use in self.estimate.memories:
            if use.organisation is not None and use.organisation.is_in_banks and use.organisation.function is not None:
                functions.setdefault(use.name, []).append(use.organisation.function)
        return functions

    @cached_property
    def _addresses(self) -> AddressMap:
        """Where arrays lie outside."""
        return address_map(self.accesses, self.platform)
