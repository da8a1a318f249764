"""What the memories of a group take as they are built, in many structures under many combinations of rates.

A memory hangs on the rates of the few tasks that touch it, and many of those ask for one kind of memory. So figures are
computed once for each kind and structure, and handed out to designs. Only those of designs that are asked for are: what
a memory takes at the least is known sooner (`least`), and tells most designs out of a front.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import ArrayolError
from arrayol.text import rounded
from hwmodel.local_memory.bank_functions import BankFunction
from hwmodel.machine.built.local_ports import Rates
from hwmodel.machine.int64 import EXACT_LIMIT, SMALLER, require_energy, too_large
from hwmodel.machine.numbering import numbered
from hwmodel.machine.schedule.datapaths import Datapaths

Ints = NDArray[np.int64]
Figures = NDArray[Any]
Wanted = tuple[int, BankFunction, Ints]  # a buffer, by number, under a function in some structures, by their rows (n,)
FIGURES = ("data", "bits", "blocks", "lut", "ff", "area", "price")  # of a memory as it is built
ENERGIES = ("read", "write")  # fJ of a datum that is read from one of its banks, and of one written to all copies
ROWS = len(FIGURES) + len(ENERGIES)
PRICE = FIGURES.index("price")
EachRate = tuple[tuple[str, tuple[int, int]], ...]  # by task its units and occupancy
_REMEMBERED = 1 << 20  # bytes of rates, at most
_TOGETHER = 64  # structures whose memories are told at once if one is: it takes hardly longer


@dataclass(frozen=True, eq=False)
class BuiltFigures:
    """What all memories of designs take together, each (n,): data, bits, blocks, and costs by name.

    `energy` is that of accesses to them, in fJ.
    """

    data: Ints
    bits: Ints
    blocks: Ints
    costs: Mapping[str, Figures]
    energy: Ints

    @staticmethod
    def of(figures: Figures, energy: Ints, names: Sequence[str]) -> BuiltFigures:
        """Of FIGURES (7, n). Raises ArrayolError (`figure-too-large`) where floats do not tell all bits apart."""
        most = int(figures[FIGURES.index("bits")].max(initial=0))
        if most >= EXACT_LIMIT:
            what = f"the internal memory of a group may come to {rounded(most)} bits as it is built"
            raise too_large(what, SMALLER, EXACT_LIMIT)
        costs = {name: figures[FIGURES.index(name)] for name in names}
        data, bits, blocks = (np.rint(column).astype(np.int64) for column in figures[:3])
        return BuiltFigures(data, bits, blocks, costs, energy)

    def changed(self, change: Callable[[Figures], Figures]) -> BuiltFigures:
        """The same with each array changed."""
        costs = {name: change(own) for name, own in self.costs.items()}
        return BuiltFigures(change(self.data), change(self.bits), change(self.blocks), costs, change(self.energy))


@dataclass(frozen=True, eq=False)
class BuiltMemory:
    """One memory of structures: the tasks on whose rates it hangs, which `kind` of memory it is at some rates.

    `figures` are the ROWS of figures (9, n) of a kind in structures, by their rows (n,). `least` are the first of the
    FIGURES (number, n) of which it has no less, quicker to come by, where there are such. Of structures `alone` (S,)
    each takes its own time to tell.
    `needs` are the depths that figures of a kind in structures hang on.
    """

    touching: tuple[str, ...]
    kind: Callable[[Rates], Hashable]
    figures: Callable[[Any, Ints], Figures]
    least: Callable[[Any, Ints], Figures] | None = None
    alone: NDArray[np.bool_] | None = None
    needs: Callable[[Any, Ints], Iterable[Wanted]] | None = None


def of_rates(touching: tuple[str, ...], figures: Callable[[Rates], tuple[float, ...]]) -> BuiltMemory:
    """A memory that is the same in all structures; it has no figures where it is refused at some rates."""

    @cache
    def row(rates: EachRate) -> Figures:
        try:
            return np.array(figures(dict(rates)), np.float64)[:, None]
        except ArrayolError:
            return np.zeros((ROWS, 1))

    def of_kind(rates: EachRate, rows: Ints) -> Figures:
        return np.repeat(row(rates), len(rows), axis=1)

    return BuiltMemory(touching, each_rate, of_kind)


def each_rate(rates: Rates) -> EachRate:
    """The kind of a memory that is another one at all rates."""
    return tuple(rates.items())


@dataclass(frozen=True, eq=False)
class BuiltMemories:
    """The memories of structures under combinations of rates, (1, U, tasks) of all or (S, U, tasks) of each.

    The structures are those of the `rows` (S,) of all that the `memories` are of. `accesses` are by memory how many
    data are read from it and written to it, (1,) or (S,) each; none where no energy is asked for. `fetch` finds out
    depths that they need, of all memories together.
    """

    paths: Datapaths
    tasks: tuple[str, ...]
    combinations: Ints
    rows: Ints
    memories: Sequence[BuiltMemory]
    names: tuple[str, ...]
    accesses: Sequence[Sequence[Ints]] = ()
    fetch: Callable[[Iterable[Wanted]], None] | None = None

    def figures(self, places: Ints, columns: Ints) -> BuiltFigures:
        """What all take together in designs, by structure and combination (n,)."""
        total, energy = np.zeros((len(FIGURES), len(places))), np.zeros(len(places), np.int64)
        asked = [
            self._asked(of, places, columns, _TOGETHER, memory.alone)
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
            figures = each.told(memory.figures, self.rows)
            total += figures[: len(FIGURES)]
            if self.accesses:
                energy += _energy(self.accesses[number], figures[len(FIGURES) :], places)
        return BuiltFigures.of(total, energy, self.names)

    def least(self, places: Ints, columns: Ints) -> BuiltFigures:
        """What they have no less of."""
        total = np.zeros((len(FIGURES), len(places)))
        for memory, of in zip(self.memories, self._kinds, strict=True):
            known = self._asked(of, places, columns).told(memory.least or memory.figures, self.rows)[: len(FIGURES)]
            total[: len(known)] += known
        return BuiltFigures.of(total, np.zeros(len(places), np.int64), self.names)

    @cached_property
    def _kinds(self) -> Sequence[tuple[Sequence[Hashable], Ints]]:
        """Of each memory its kinds, and which of them each combination (1, U) or (S, U) has."""
        return [self._kinds_of(memory) for memory in self.memories]

    def _kinds_of(self, memory: BuiltMemory) -> tuple[Sequence[Hashable], Ints]:
        distinct, of = distinct_rates(self.combinations[:, :, [self.tasks.index(task) for task in memory.touching]])
        number: dict[Hashable, int] = {}
        rates = (self.paths.at_rates(dict(zip(memory.touching, row, strict=True))) for row in distinct.tolist())
        kinds = np.array([number.setdefault(memory.kind(own), len(number)) for own in rates], np.int64)
        return tuple(number), kinds[of]

    def _asked(
        self,
        of: tuple[Sequence[Hashable], Ints],
        places: Ints,
        columns: Ints,
        together: int = 1,
        alone: NDArray[np.bool_] | None = None,
    ) -> _Asked:
        """What is asked of a memory for designs: each kind for so many structures together as soon as one is asked for.

        But for those that are told `alone`.
        """
        (kinds, numbers), wide = of, len(self.rows)
        cell = numbers[places if len(numbers) > 1 else 0, columns] * wide + places
        asked = np.zeros(len(kinds) * wide, np.bool_)
        asked[cell] = True
        told = asked.reshape(len(kinds), wide)
        if together > 1 and len(places):
            parts = np.logical_or.reduceat(told, np.arange(0, wide, together), axis=1)
            told = np.repeat(parts, together, axis=1)[:, :wide]
            if alone is not None:
                told &= ~alone[self.rows] | asked.reshape(told.shape)
        return _Asked(kinds, told, cell)


@dataclass(frozen=True, eq=False)
class _Asked:
    """The kinds of a memory, the structures (kinds, S) that each is told of, and by design its kind and structure."""

    kinds: Sequence[Hashable]
    told_of: NDArray[np.bool_]
    cell: Ints

    def rows(self) -> Iterator[tuple[Hashable, Ints]]:
        """The structures of each kind, of those that have any."""
        rows = ((kind, np.flatnonzero(own)) for kind, own in zip(self.kinds, self.told_of, strict=True))
        return ((kind, own) for kind, own in rows if len(own))

    def told(self, figures: Callable[[Any, Ints], Figures], every: Ints) -> Figures:
        """The figures of the designs, by those of a kind in structures; these have such rows of `every` one."""
        if not len(self.cell):
            return np.zeros((ROWS, 0))
        known = np.concatenate([figures(kind, every[rows]) for kind, rows in self.rows()], axis=1)
        of_designs: Figures = known[:, np.searchsorted(np.flatnonzero(self.told_of), self.cell)]
        return of_designs


def _energy(accesses: Sequence[Ints], prices: Figures, places: Ints) -> Ints:
    """The fJ of designs (n,), of data read and written in each structure at prices of designs (2, n)."""
    energy = np.zeros(len(places), np.int64)
    for data, price in zip(accesses, prices, strict=True):
        if data.any():
            require_energy(float(data.max()) * float(price.max(initial=0)))
            energy += (data[places] if len(data) > 1 else data) * np.rint(price).astype(np.int64)
    return energy


def at_rates(
    paths: Datapaths, tasks: Sequence[str], combinations: Ints, touching: Sequence[str], of: Callable[[Rates], float]
) -> Figures:
    """A figure (1, U) or (S, U) that hangs on the rates of the `touching` tasks alone, of combinations of all."""
    distinct, which = distinct_rates(combinations[:, :, [tasks.index(task) for task in touching]])
    rates = (paths.at_rates(dict(zip(touching, row, strict=True))) for row in distinct.tolist())
    figures: Figures = np.array([of(own) for own in rates])[which]
    return figures


def distinct_rates(rates: Ints) -> tuple[Ints, Ints]:
    """The rows that differ, of rates (S, U, tasks), and which of them each is (S, U)."""
    if rates.nbytes > _REMEMBERED:
        return _distinct_rows(rates)
    return _remembered_rows(rates.tobytes(), rates.shape)


def _distinct_rows(rates: Ints) -> tuple[Ints, Ints]:
    rows = rates.reshape(-1, rates.shape[-1])
    distinct, of = np.zeros((1, 0), np.int64), np.zeros(len(rows), np.int64)
    for column in rows.T:  # beginning by beginning: many times faster than a sort of rows
        values, place = numbered(column, int(column.max(initial=0)) + 1)
        found, of = numbered(of * len(values) + place, len(distinct) * len(values))
        distinct = np.column_stack([distinct[found // len(values)], values[found % len(values)]])
    return distinct, of.reshape(rates.shape[:-1])


@lru_cache(maxsize=64)  # all structures of a group are priced at the same rates
def _remembered_rows(rates: bytes, shape: tuple[int, ...]) -> tuple[Ints, Ints]:
    return _distinct_rows(np.frombuffer(rates, np.int64).reshape(shape))
