"""Figures of a group's memories as built, for many structures under many combinations of rates.

The idea. A memory depends on the rates of the few tasks that touch it, and many of those need the same kind of memory.
So figures are computed once for each kind and structure, and gathered for designs. Only the figures of requested
designs are computed: lower bounds (`least`) are known earlier, and exclude most designs from a front.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.errors import ArrayolError
from arrayol.text import rounded
from hwmodel.cost_model.issue.datapaths import Datapaths
from hwmodel.cost_model.memories.local_ports import Rates
from hwmodel.cost_model.numbering import EXACT_LIMIT, SMALLER, numbered, require_energy, too_large
from hwmodel.local_memory.bank_functions import BankFunction

Figures = NDArray[Any]
Wanted = tuple[
    int, BankFunction, IntArray
]  # a buffer, by number, under a function in some structures, by their rows (n,)
FIGURES = ("data", "bits", "blocks", "lut", "ff", "area", "price")  # of a memory as it is built
ENERGIES = ("read", "write")  # fJ of a datum that is read from one of its banks, and of one written to all copies
ROWS = len(FIGURES) + len(ENERGIES)
PRICE = FIGURES.index("price")
EachRate = tuple[tuple[str, tuple[int, int]], ...]  # by task its units and occupancy
_REMEMBERED = 1 << 20  # bytes of rates, at most
_TOGETHER = 64  # structures whose memories are told at once if one is: it takes hardly longer


@dataclass(frozen=True, eq=False)
class BuiltFigures:
    """The totals of all memories of designs, (n,) each: data, bits, blocks, and costs by name.

    `energy` is that of accesses to them, in fJ.
    """

    data: IntArray
    bits: IntArray
    blocks: IntArray
    costs: Mapping[str, Figures]
    energy: IntArray

    @staticmethod
    def of(figures: Figures, energy: IntArray, names: Sequence[str]) -> BuiltFigures:
        """Split the rows of FIGURES (7, n).

        Raises ArrayolError (`figure-too-large`) if floats cannot represent all bits.
        """
        most = int(figures[FIGURES.index("bits")].max(initial=0))
        if most >= EXACT_LIMIT:
            what = f"the internal memory of a group may come to {rounded(most)} bits as it is built"
            raise too_large(what, SMALLER, EXACT_LIMIT)
        costs = {name: figures[FIGURES.index(name)] for name in names}
        data, bits, blocks = (np.rint(column).astype(np.int64) for column in figures[:3])
        return BuiltFigures(data, bits, blocks, costs, energy)

    def changed(self, change: Callable[[Figures], Figures]) -> BuiltFigures:
        """Apply a function to each array."""
        costs = {name: change(values) for name, values in self.costs.items()}
        return BuiltFigures(change(self.data), change(self.bits), change(self.blocks), costs, change(self.energy))


@dataclass(frozen=True, eq=False)
class BuiltMemory:
    """One memory of structures: the tasks on whose rates it depends, and its `kind` at some rates.

    `figures` gives the ROWS of figures (9, n) of a kind in structures, by their rows (n,). `least`, if given, gives
    lower bounds of the first FIGURES (number, n) faster. Structures in the mask `alone` (S,) take their own time to
    compute. `needs` gives the depths on which the figures of a kind in structures depend.
    """

    touching: tuple[str, ...]
    kind: Callable[[Rates], Hashable]
    figures: Callable[[Any, IntArray], Figures]
    least: Callable[[Any, IntArray], Figures] | None = None
    alone: NDArray[np.bool_] | None = None
    needs: Callable[[Any, IntArray], Iterable[Wanted]] | None = None


def of_rates(touching: tuple[str, ...], figures: Callable[[Rates], tuple[float, ...]]) -> BuiltMemory:
    """A memory that is equal in all structures; its figures are 0 at rates at which it is refused."""

    @cache
    def row(rates: EachRate) -> Figures:
        try:
            return np.array(figures(dict(rates)), np.float64)[:, None]
        except ArrayolError:
            return np.zeros((ROWS, 1))

    def of_kind(rates: EachRate, rows: IntArray) -> Figures:
        return np.repeat(row(rates), len(rows), axis=1)

    return BuiltMemory(touching, each_rate, of_kind)


def each_rate(rates: Rates) -> EachRate:
    """The kind of a memory that differs for all rates."""
    return tuple(rates.items())


@dataclass(frozen=True, eq=False)
class BuiltMemories:
    """The memories of structures under combinations of rates, (1, U, tasks) for all or (S, U, tasks) for each.

    The structures are the `rows` (S,) of those for which the `memories` are given. `accesses` are the data read from
    each memory and written to it, (1,) or (S,) each; empty if no energy is needed. `fetch` computes the depths that
    they need, of all memories together.
    """

    paths: Datapaths
    tasks: tuple[str, ...]
    combinations: IntArray
    rows: IntArray
    memories: Sequence[BuiltMemory]
    names: tuple[str, ...]
    accesses: Sequence[Sequence[IntArray]] = ()
    fetch: Callable[[Iterable[Wanted]], None] | None = None

    def figures(self, places: IntArray, columns: IntArray) -> BuiltFigures:
        """The totals of all memories in designs, given by structure and combination (n,)."""
        total, energy = np.zeros((len(FIGURES), len(places))), np.zeros(len(places), np.int64)
        asked = [
            self._request(of, places, columns, _TOGETHER, memory.alone)
            for memory, of in zip(self.memories, self._kinds, strict=True)
        ]
        if self.fetch is not None:
            self.fetch(
                need
                for memory, each in zip(self.memories, asked, strict=True)
                if memory.needs is not None
                for kind, rows in each.rows()
                for need in memory.needs(kind, self.rows[rows])
            )
        for number, (memory, each) in enumerate(zip(self.memories, asked, strict=True)):
            figures = each.figures_of(memory.figures, self.rows)
            total += figures[: len(FIGURES)]
            if self.accesses:
                energy += _energy(self.accesses[number], figures[len(FIGURES) :], places)
        return BuiltFigures.of(total, energy, self.names)

    def least(self, places: IntArray, columns: IntArray) -> BuiltFigures:
        """Lower bounds of the totals in designs, given by structure and combination (n,)."""
        total = np.zeros((len(FIGURES), len(places)))
        for memory, of in zip(self.memories, self._kinds, strict=True):
            known = self._request(of, places, columns).figures_of(memory.least or memory.figures, self.rows)[
                : len(FIGURES)
            ]
            total[: len(known)] += known
        return BuiltFigures.of(total, np.zeros(len(places), np.int64), self.names)

    @cached_property
    def _kinds(self) -> Sequence[tuple[Sequence[Hashable], IntArray]]:
        """The kinds of each memory, and the kind under each combination (1, U) or (S, U)."""
        return [self._kinds_of(memory) for memory in self.memories]

    def _kinds_of(self, memory: BuiltMemory) -> tuple[Sequence[Hashable], IntArray]:
        distinct, of = distinct_rates(self.combinations[:, :, [self.tasks.index(task) for task in memory.touching]])
        number: dict[Hashable, int] = {}
        rates = (self.paths.at_rates(dict(zip(memory.touching, row, strict=True))) for row in distinct.tolist())
        kinds = np.array([number.setdefault(memory.kind(rate), len(number)) for rate in rates], np.int64)
        return tuple(number), kinds[of]

    def _request(
        self,
        of: tuple[Sequence[Hashable], IntArray],
        places: IntArray,
        columns: IntArray,
        together: int = 1,
        alone: NDArray[np.bool_] | None = None,
    ) -> _Request:
        """The kinds and structures to compute for designs: with one structure, its whole block of `together` ones.

        Structures in the mask `alone` are computed only if they are requested.
        """
        (kinds, numbers), wide = of, len(self.rows)
        cell = numbers[places if len(numbers) > 1 else 0, columns] * wide + places
        asked = np.zeros(len(kinds) * wide, np.bool_)
        asked[cell] = True
        figures_of = asked.reshape(len(kinds), wide)
        if together > 1 and len(places):
            parts = np.logical_or.reduceat(figures_of, np.arange(0, wide, together), axis=1)
            figures_of = np.repeat(parts, together, axis=1)[:, :wide]
            if alone is not None:
                figures_of &= ~alone[self.rows] | asked.reshape(figures_of.shape)
        return _Request(kinds, figures_of, cell)


@dataclass(frozen=True, eq=False)
class _Request:
    """The kinds of a memory, the structures (kinds, S) to compute for each, and each design's kind and structure."""

    kinds: Sequence[Hashable]
    told_of: NDArray[np.bool_]
    cell: IntArray

    def rows(self) -> Iterator[tuple[Hashable, IntArray]]:
        """The structures to compute for each kind, without kinds that have none."""
        rows = ((kind, np.flatnonzero(own)) for kind, own in zip(self.kinds, self.told_of, strict=True))
        return ((kind, own) for kind, own in rows if len(own))

    def figures_of(self, figures: Callable[[Any, IntArray], Figures], every: IntArray) -> Figures:
        """The figures of each design, gathered from those of its memory kind.

        `every` are the rows of the structures in the tables of the memories.
        """
        if not len(self.cell):
            return np.zeros((ROWS, 0))
        known = np.concatenate([figures(kind, every[rows]) for kind, rows in self.rows()], axis=1)
        of_designs: Figures = known[:, np.searchsorted(np.flatnonzero(self.told_of), self.cell)]
        return of_designs


def _energy(accesses: Sequence[IntArray], prices: Figures, places: IntArray) -> IntArray:
    """The energy of designs (n,) in fJ: data read and written in each structure, times energies (2, n) of designs."""
    energy = np.zeros(len(places), np.int64)
    for data, price in zip(accesses, prices, strict=True):
        if data.any():
            require_energy(float(data.max()) * float(price.max(initial=0)))
            energy += (data[places] if len(data) > 1 else data) * np.rint(price).astype(np.int64)
    return energy


def at_rates(
    paths: Datapaths,
    tasks: Sequence[str],
    combinations: IntArray,
    touching: Sequence[str],
    of: Callable[[Rates], float],
) -> Figures:
    """A figure (1, U) or (S, U) that depends only on the rates of the `touching` tasks, computed once for each."""
    distinct, which = distinct_rates(combinations[:, :, [tasks.index(task) for task in touching]])
    rates = (paths.at_rates(dict(zip(touching, row, strict=True))) for row in distinct.tolist())
    figures: Figures = np.array([of(rate) for rate in rates])[which]
    return figures


def distinct_rates(rates: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct rows of rates (S, U, tasks), and the index of each row among them (S, U)."""
    if rates.nbytes > _REMEMBERED:
        return _distinct_rows(rates)
    return _remembered_rows(rates.tobytes(), rates.shape)


def _distinct_rows(rates: IntArray) -> tuple[IntArray, IntArray]:
    """Compute `distinct_rates` column by column, which is many times faster than sorting rows."""
    rows = rates.reshape(-1, rates.shape[-1])
    distinct, of = np.zeros((1, 0), np.int64), np.zeros(len(rows), np.int64)
    for column in rows.T:  # beginning by beginning: many times faster than a sort of rows
        values, place = numbered(column, int(column.max(initial=0)) + 1)
        distinct_pairs, of = numbered(of * len(values) + place, len(distinct) * len(values))
        distinct = np.column_stack([distinct[distinct_pairs // len(values)], values[distinct_pairs % len(values)]])
    return distinct, of.reshape(rates.shape[:-1])


@lru_cache(maxsize=64)  # all structures of a group are evaluated at the same rates
def _remembered_rows(rates: bytes, shape: tuple[int, ...]) -> tuple[IntArray, IntArray]:
    """Compute `distinct_rates`, cached by content."""
    return _distinct_rows(np.frombuffer(rates, np.int64).reshape(shape))
