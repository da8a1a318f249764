"""Addressed sizes of buffers, for many structures at once (`hwmodel/local_memory/parts` says what they are).

A source's data are products of lines along the dimensions of the blocks (`axis_lines`), put together to an outer and
an inner line. Structures share lines, so what each line says for itself (`line_terms`) is computed once, and of a
structure only what the two say together. Both are kept for all groups of a network (`line_cache`): sources of many
buffers and groups have lines in common.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from hwmodel.local_memory.bank_functions import BankFunction, Linear, Residues, one_bank
from hwmodel.local_memory.lines import CLASSES
from hwmodel.machine.numbering import numbered
from hwmodel.machine.separable.axes import Ints, Mask
from hwmodel.machine.separable.block_order import OrderCounts, Structures
from hwmodel.machine.separable.counts import GroupCounts, Source
from hwmodel.machine.separable.coupled_contents import CoupledBuffer, coupled_memories
from hwmodel.machine.separable.distinct import distinct_rows
from hwmodel.machine.separable.line_runs import ClassLines, LineRuns
from hwmodel.machine.separable.line_terms import InnerTerms, OuterTerms, carries_of

_CELLS = 1 << 16  # of intermediate arrays at a time
_KEPT = 1 << 18  # indices of lines that are kept of a source under one function


@dataclass(frozen=True, eq=False)
class Sizes:
    """The sizes of the buffers of a separable group, each with its sources' data one after another."""

    counts: GroupCounts

    def sizes(self, structures: Structures, first: int | None = None) -> Ints:
        """The words of each buffer, (S, memories); 0 for other memories, and for all but the `first` ones if named."""
        words = np.zeros((len(structures.pairs), len(self.counts.memories)), np.int64)
        coupled = coupled_memories(self.counts, structures.walked)
        for number, source in enumerate(self.counts.sources):
            if source.memory in coupled or (first is not None and source.memory >= first):
                continue
            function = one_bank(len(self._shape(source)))
            words[:, source.memory] += self._of_source(structures, number, source, function) * source.free
        for row, memory in _apart(structures, coupled):
            words[row, memory] = CoupledBuffer(self.counts, structures, row, memory).size
        return words

    def _shape(self, source: Source) -> Sequence[int]:
        return self.counts.parts.group.accesses.shape(self.counts.memories[source.memory].name)

    def depths(self, structures: Structures, memory: int, function: BankFunction) -> Ints:
        """The words of the deepest bank of a buffer under a function from places to banks, (S,)."""
        words = np.zeros(len(structures.pairs), np.int64)
        coupled = coupled_memories(self.counts, structures.walked)
        for number, source in enumerate(self.counts.sources):
            if source.memory == memory and memory not in coupled:
                free = math.prod(
                    _most(self.counts.free_indices(source.piece, axis), function, axis)
                    for axis in self.counts.parts.free_axes(source.piece)
                )
                words += self._of_source(structures, number, source, function) * free
        for row, number in _apart(structures, coupled):
            if number == memory:
                words[row] = CoupledBuffer(self.counts, structures, row, memory).depth(function)
        return words

    def _of_source(self, structures: Structures, number: int, source: Source, function: BankFunction) -> Ints:
        """Words in a bank for each datum of the axes that move with no dimension of the blocks, (S,)."""
        axes = [self.counts.parts.axes[source.piece][block] for block in structures.blocks]
        high, wide = (number, axes[:-1]), (number, axes[-1:])
        outer, inner = (
            _choice_keys(order, own, function) for order, own in ((structures.outer, high), (structures.inner, wide))
        )
        keys = [(source.lag, outer[row], inner[column]) for row, column in structures.pairs.tolist()]

        def words(places: Ints) -> Ints:
            return self._words_of(structures, structures.pairs[places], (high, wide), source.lag, function)

        return self.counts.lines.words(keys, words)

    def _words_of(
        self, structures: Structures, chosen: Ints, sources: tuple[LinesOf, LinesOf], lag: int, function: BankFunction
    ) -> Ints:
        """The same of pairs of choices of sides (n, 2), with the lines that are made for them."""
        (high, wide), sides = sources, (len(structures.outer.picks), len(structures.inner.picks))
        if math.prod(sides) <= _KEPT and all(
            _are_few(order, own, function) for order, own in ((structures.outer, high), (structures.inner, wide))
        ):
            return _words(*self._known_lines(structures, high, wide, lag, function), *chosen.T)
        words = np.zeros(len(chosen), np.int64)
        for columns, own, column in _parts(structures.inner, chosen[:, 1], wide, function):
            inner = SourceLines.of(structures.inner, columns, wide, function)
            carries = carries_of(inner.lines.places, lag)
            terms = InnerTerms.of(inner.lines, lag, carries)
            for rows, of, row in _parts(structures.outer, chosen[own, 0], high, function):
                outer = SourceLines.of(structures.outer, rows, high, function)
                pairs = Pairs(OuterTerms.of(outer.lines, carries), terms)
                words[own[of]] = _words(pairs, outer, inner, row, column[of])
        return words

    def _known_lines(
        self, structures: Structures, high: LinesOf, wide: LinesOf, lag: int, function: BankFunction
    ) -> tuple[Pairs, SourceLines, SourceLines]:
        """The lines of all choices of sides, outer and inner ones, and what they say together."""
        once = self.counts.lines.once
        outer_key = _line_key(structures.outer, high, function)
        inner_key = _line_key(structures.inner, wide, function)

        def lines(order: OrderCounts, source: LinesOf, key: tuple[Hashable, ...]) -> SourceLines:
            return once(lambda: SourceLines.of(order, np.arange(len(order.picks)), source, function), "lines", key)

        outer = lines(structures.outer, high, outer_key)
        inner = lines(structures.inner, wide, inner_key)
        carries = carries_of(inner.lines.places, lag)
        terms = once(lambda: InnerTerms.of(inner.lines, lag, carries), "inner", lag, inner_key)
        others = once(lambda: OuterTerms.of(outer.lines, carries), "outer", carries.tobytes(), outer_key)
        return Pairs(others, terms), outer, inner


def _apart(structures: Structures, coupled: frozenset[int]) -> list[tuple[int, int]]:
    """The structures and buffers that are told by themselves, of structures that are products."""
    apart = structures.listed.copy()
    apart[:, sorted(coupled)] = True
    apart &= structures.holds[:, None]
    return list(zip(*(own.tolist() for own in np.nonzero(apart)), strict=True))


def _words(pairs: Pairs, outer: SourceLines, inner: SourceLines, row: Ints, column: Ints) -> Ints:
    """Words of structures whose lines are these rows of `outer` and columns of `inner`, (S,)."""
    words, each = np.zeros(len(row), np.int64), 4 * outer.whole.shape[1] * inner.whole.shape[1]
    for part in _chunks(len(row), each):
        words[part] = _least_words(pairs, outer, inner, row[part], column[part])
    return words


def _least_words(pairs: Pairs, outer: SourceLines, inner: SourceLines, row: Ints, column: Ints) -> Ints:
    """The same of as many structures as there is room for."""
    several = np.flatnonzero(outer.several[row] | inner.several[column])
    asked = [(outer.whole[row], inner.whole[column])]
    if len(several):
        high, wide = ([own[at[several]] for own in apart] for apart, at in ((outer.apart, row), (inner.apart, column)))
        asked += product(high, wide)
    one, *parts = pairs.least(asked)
    if parts:
        one[several] = np.minimum(one[several], sum(parts))
    words: Ints = one * outer.free[row] * inner.free[column]
    return words


LinesOf = tuple[int, Sequence[int | None]]  # the number of a source, and the axes that move with each dimension


def _parts(
    order: OrderCounts, choice: Ints, source: LinesOf, function: BankFunction
) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Choices of sides of structures (S,), as many at a time as there is room for, those of as long lines together.

    With each part come the structures that have one of them, and of each of these the place in the part.
    """
    choices, of = np.unique(choice, return_inverse=True)
    cells = _cells(order, choices, source, function)
    by_length = np.argsort(cells, kind="stable")
    starts = np.unique(np.cumsum(cells[by_length]) // _CELLS, return_index=True)[1].tolist()
    for start, end in zip(starts, [*starts[1:], len(choices)], strict=False):
        part = by_length[start:end]
        place = np.full(len(choices), -1)
        place[part] = np.arange(len(part))
        own = np.flatnonzero(place[of] >= 0)
        yield choices[part], own, place[of[own]]


def _are_few(order: OrderCounts, source: LinesOf, function: BankFunction) -> bool:
    """Whether the lines of all choices of sides are few enough to be kept for what is asked next."""

    def cells() -> int:
        return int(_cells(order, np.arange(len(order.picks)), source, function).sum())

    number, axes = source
    return order.once(cells, "cells", number, *_residues(axes, function)) <= _KEPT


def _line_key(order: OrderCounts, source: LinesOf, function: BankFunction) -> tuple[Hashable, ...]:
    """What the lines of a source for all choices of sides hang on: what each dimension brings, and the function."""
    along = tuple(table.lines[source[0]].digest for table in order.tables)
    return along, order.once(order.picks.tobytes, "picks"), *_function_key(source, function)


def _choice_keys(order: OrderCounts, source: LinesOf, function: BankFunction) -> Sequence[Hashable]:
    """The same of the lines for each choice of sides."""
    own = _function_key(source, function)

    def keys() -> Sequence[Hashable]:
        along = [table.lines[source[0]].of_sides for table in order.tables]
        return [(own, *(of[side] for of, side in zip(along, pick, strict=True))) for pick in order.picks.tolist()]

    return order.once(keys, "keys", source[0], own)


def _function_key(source: LinesOf, function: BankFunction) -> tuple[Hashable, ...]:
    """What of a function the lines of a source hang on."""
    axes = source[1]
    shared = function.shared if isinstance(function, Linear) else None
    groups = [(shared.number, shared.stride) if shared is not None and axis == shared.axis else None for axis in axes]
    return *_residues(axes, function), *groups


def _cells(order: OrderCounts, chosen: Ints, source: LinesOf, function: BankFunction) -> Ints:
    """How many indices, or places, the lines of a source have for some choices of sides, those of all residues."""
    number, axes = source
    indices, places = np.ones((2, len(chosen)), np.int64)
    for table, pick in zip(order.tables, order.picks[chosen].T, strict=True):
        runs = table.lines[number].line_runs(1)[0]
        indices = np.minimum(indices, _CELLS) * runs.count[pick]
        places = np.minimum(places, _CELLS) * runs.places[pick]
    return np.maximum(indices, places * math.prod(_residues(axes, function)))


def _residues(axes: Sequence[int | None], function: BankFunction) -> list[int]:
    """How many residues the indices of each dimension's axis have."""
    return [function.moduli[axis] if isinstance(function, Residues) and axis is not None else 1 for axis in axes]


def _most(indices: Mask, function: BankFunction, axis: int) -> int:
    """How many indices of an axis that is free have one bank at most."""
    index = np.flatnonzero(indices)
    if isinstance(function, Residues):
        return int(np.bincount(index % function.moduli[axis]).max(initial=0))
    shared = function.shared
    return len(np.unique(shared.group(index - index[:1]))) if axis == shared.axis else len(index)


@dataclass(frozen=True, eq=False)
class SourceLines:
    """The lines of a source for P choices of sides of some dimensions, in groups of residues: those that differ.

    `free` (P,) are the data that are free for each index. `whole` (P, G) are the lines of each choice, `apart` those of
    each class, -1 for none; `several` (P,) says which choices have indices of several classes.
    """

    lines: LineRuns
    free: Ints
    whole: Ints
    apart: tuple[Ints, ...]
    several: Mask

    @staticmethod
    def of(order: OrderCounts, chosen: Ints, source: LinesOf, function: BankFunction) -> SourceLines:
        """Of some choices of sides of dimensions; a source has a number, and the axes that move with each."""
        number, axes = source
        each = _residues(axes, function)
        groups, choices = math.prod(each), len(chosen)
        found, free, kinds = list[LineRuns](), np.ones(choices, np.int64), list[Ints]()
        residues = np.unravel_index(np.tile(np.arange(groups), choices), each) if each else ()
        for place, (table, residue) in enumerate(zip(order.tables, residues, strict=True)):
            pick, axis = order.picks[chosen, place], axes[place]
            if isinstance(function, Linear) and axis == function.shared.axis:
                along, alike = table.lines[number].in_groups(function.shared)
            else:
                along, alike = table.lines[number].line_runs(each[place])
            along, of = along.distinct()
            found.append(along)
            kinds.append(of[np.repeat(pick, groups) * each[place] + residue])
            free = free * alike[pick]
        if not kinds:
            kinds = [np.zeros(choices, np.int64)]
            found = [LineRuns.single(1)]
        first, kind = distinct_rows(np.stack(kinds, axis=1))
        lines = LineRuns.single(len(first))
        for along, of in zip(found, kinds, strict=True):
            lines = lines.times(along.taken(of[first]))
        own = ClassLines.of(lines)
        whole = own.whole[kind].reshape(choices, groups)
        apart = own.apart[kind].reshape(choices, groups, len(CLASSES))
        several = (apart >= 0).any(axis=1).sum(axis=1) > 1
        each_class = [_different(apart[:, :, number]) for number in CLASSES]
        return SourceLines(own.lines, free, _different(whole), tuple(each_class), several)


def _different(lines: Ints) -> Ints:
    """The lines of each row (P, G) that differ, the first of them again where others have more."""
    ordered = np.sort(lines, axis=1)
    again = np.zeros(ordered.shape, np.bool_)
    again[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    ordered = np.where(again, ordered[:, :1], ordered)
    wide = int((~again).sum(axis=1).max(initial=1))
    return np.take_along_axis(ordered, np.argsort(again, axis=1, kind="stable")[:, :wide], axis=1)


@dataclass(frozen=True, eq=False)
class Pairs:
    """What outer and inner lines say together."""

    outer: OuterTerms
    inner: InnerTerms

    def least(self, asked: Sequence[tuple[Ints, Ints]]) -> list[Ints]:
        """The size of the smallest form of each of some groups of pairs (n,), one form for all pairs of a group.

        A group has all pairs of an outer line (n, G) and an inner one (n, H); its size is that of its largest pair.
        Lines of -1 are none. Those of all that is `asked` are told together.
        """
        wide, there, pairs = len(self.inner.count), list[Mask](), list[Ints]()
        for outer, inner in asked:
            rows, columns = np.broadcast_arrays(outer[:, :, None], inner[:, None, :])
            there.append((rows >= 0) & (columns >= 0))
            pairs.append(rows[there[-1]] * wide + columns[there[-1]])
        distinct, of = numbered(np.concatenate(pairs), len(self.outer.moves) * wide)
        forms, least = self.forms(distinct // wide, distinct % wide), list[Ints]()
        ends = np.cumsum([len(own) for own in pairs])[:-1]
        for mask, own in zip(there, np.split(of, ends), strict=True):
            sizes = np.zeros((3, *mask.shape), np.int64)
            sizes[:, mask] = forms[:, own]
            least.append(sizes.max(axis=(2, 3)).min(axis=0))
        return least

    def forms(self, outer: Ints, inner: Ints) -> Ints:
        """The least sizes of box, linear and ring of pairs of lines, (3, n)."""
        ring = np.zeros(len(outer), np.int64)
        # Most lines have few vectors; those of many are taken by themselves.
        levels = [
            np.ceil(np.log2(of)).astype(np.int64) for of in (self.outer.vectors[outer], self.inner.vectors[inner])
        ]
        kind = levels[0] * 64 + levels[1]
        for own in (np.flatnonzero(kind == each) for each in np.unique(kind)):
            high, wide = int(self.outer.vectors[outer[own]].max()), int(self.inner.vectors[inner[own]].max())
            for part in _chunks(len(own), len(self.outer.own) * high * wide):
                ring[own[part]] = self._ring(outer[own[part]], inner[own[part]], high, wide)
        flat = np.zeros((2, len(outer)), np.int64)
        for part in _chunks(len(outer), 4 * len(self.outer.own)):
            rows, columns = outer[part], inner[part]
            flat[:, part] = self._box(rows, columns), self._linear(rows, columns)
        return np.concatenate([flat, ring[None]])

    def _box(self, outer: Ints, inner: Ints) -> Ints:
        wide = np.where(self.outer.moves[outer], self.inner.count[inner], self.inner.extent[inner])
        box: Ints = self.outer.extent[self.inner.carry[inner], outer] * wide
        return box

    def _linear(self, outer: Ints, inner: Ints) -> Ints:
        count = self.inner.count[inner]
        own, before = (terms[:, :, None, outer] for terms in (self.outer.own, self.outer.before))
        column, start = (terms[:, None, :, inner] for terms in (self.inner.column, self.inner.start))
        reach = np.maximum(own * count + column, before * count + count - 1 + start).max(axis=0)
        size: Ints = 1 + np.maximum(reach, 0).min(axis=(0, 1))
        return size

    def _ring(self, outer: Ints, inner: Ints, high: int, wide: int) -> Ints:
        rows, columns = self.outer.births[:, :, outer, :high, None], self.inner.births[:, :, inner, None, :wide]
        total = columns[-1]
        for sign, row, column in zip((1, 1, -1, -1), rows, columns[:-1], strict=True):  # both of the last are negative
            total = total + sign * row * column
        size: Ints = np.maximum(total.max(axis=(0, 2, 3)), 0)
        return size


def _chunks(pairs: int, cells: int) -> Iterator[slice]:
    """Pairs of so many cells each, some at a time."""
    step = max(1, _CELLS // cells)
    return (slice(start, start + step) for start in range(0, pairs, step))
