"""The front of some designs of a group: what a job of its search finds, and what several make together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from itertools import accumulate

import numpy as np
from pydantic import TypeAdapter

from arrayol.arrays import IntArray
from arrayol.text import counted
from dse.pareto.fronts import Front, Rows, front_of
from dse.search.figures import Columns
from hwmodel.design import Blocks, GroupDesign, units_of


@dataclass(frozen=True, slots=True)
class Counts:
    """Group designs: priced, infeasible, and left out by a stated bound; together the size of the space.

    Two kinds are left out too, but may have been better: of those `untried` there were too many rates whose ports
    memories serve, and those `uncounted` are streams whose line buffers take too long to count.
    """

    evaluated: int = 0
    infeasible: int = 0
    pruned: int = 0
    untried: int = 0
    uncounted: int = 0

    @property
    def size(self) -> int:
        """All of them."""
        return self.evaluated + self.infeasible + self.pruned + self.untried + self.uncounted

    @property
    def missed(self) -> str:
        """What was left out that may have been better, in words that go on a sentence; empty where nothing was."""
        text = ""
        if self.untried:
            number = counted(self.untried, "group design")
            text += f"; {number} of the most units not tried, where no memory serves the fastest rates"
        if self.uncounted:
            text += f"; {counted(self.uncounted, 'stream')} not tried, whose line buffers take too long to count"
        return text

    def __add__(self, other: Counts) -> Counts:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Counts(*(own + more for own, more in pairs))


@dataclass(frozen=True)
class GroupPart:
    """A front of points: figures (n, figures), rates (n, tasks), and for each the place of its structure (n,).

    `counts` are of all designs that were looked at, `refusal` is an example of what makes one infeasible. `skipped` are
    plain structures that were not looked at, since only enumeration takes them.
    """

    structures: tuple[GroupDesign, ...]
    values: IntArray
    rates: IntArray
    place: Rows
    counts: Counts
    refusal: str | None = None
    skipped: tuple[Blocks, ...] = ()

    @property
    def known(self) -> tuple[tuple[int, ...], ...]:
        """Its points, and the units of each."""
        return tuple(map(tuple, np.column_stack([self.values, total_units(self.rates)]).tolist()))

    def designs(self, rows: Rows) -> tuple[GroupDesign, ...]:
        """The designs behind some points."""
        return tuple(self.structures[self.place[row]].at_rates(self.rates[row].tolist()) for row in rows)


@dataclass(frozen=True)
class GroupFront:
    """A group's front, the design behind each of its points, what was counted, and an example of a refusal.

    It is `of_wholes` if points are left out that no whole design of the front needs.
    """

    front: Front
    designs: tuple[GroupDesign, ...]
    counts: Counts
    refusal: str | None = None
    of_wholes: bool = False

    @property
    def is_feasible(self) -> bool:
        """Whether it has designs, or had some that no whole design needs."""
        return len(self.front) > 0 or (self.of_wholes and self.counts.pruned > 0)


def nothing(columns: Columns, tasks: int, counts: Counts | None = None, refusal: str | None = None) -> GroupPart:
    """No feasible design of a group of so many tasks."""
    values = np.zeros((0, len(columns.figures)), np.int64)
    return GroupPart((), values, np.zeros((0, tasks), np.int64), np.zeros(0, np.intp), counts or Counts(), refusal)


def joined(parts: Sequence[GroupPart], columns: Columns) -> GroupPart:
    """The front of several parts; among equal points the one with the fewest units, then the first."""
    values, rates = (np.concatenate([getattr(part, name) for part in parts]) for name in ("values", "rates"))
    starts = accumulate((len(part.structures) for part in parts), initial=0)
    place = np.concatenate([part.place + start for part, start in zip(parts, starts, strict=False)])
    rows = front_of(values, total_units(rates), trade_units=columns.combination.trades_units).origin
    structures = [structure for part in parts for structure in part.structures]
    used, place = np.unique(place[rows], return_inverse=True)
    return GroupPart(
        tuple(structures[number] for number in used),
        values[rows],
        rates[rows],
        place.reshape(-1),
        sum((part.counts for part in parts), Counts()),
        next((part.refusal for part in parts if part.refusal), None),
        tuple(blocks for part in parts for blocks in part.skipped),
    )


@dataclass(frozen=True)
class _Record:
    """A part as it is stored."""

    structures: tuple[GroupDesign, ...]
    values: list[list[int]]
    rates: list[list[int]]
    place: list[int]
    figures: int
    tasks: int
    counts: Counts
    refusal: str | None
    skipped: tuple[Blocks, ...] = ()


_RECORDS = TypeAdapter(_Record)


def dump_part(part: GroupPart) -> str:
    """A part as text."""
    record = _Record(
        part.structures,
        part.values.tolist(),
        part.rates.tolist(),
        part.place.tolist(),
        part.values.shape[1],
        part.rates.shape[1],
        part.counts,
        part.refusal,
        part.skipped,
    )
    return _RECORDS.dump_json(record).decode()


def load_part(text: str) -> GroupPart:
    """A part from its text. Raises ValueError (pydantic's own) for anything else."""
    record = _RECORDS.validate_json(text)
    return GroupPart(
        record.structures,
        np.array(record.values, np.int64).reshape(-1, record.figures),
        np.array(record.rates, np.int64).reshape(-1, record.tasks),
        np.array(record.place, np.intp),
        record.counts,
        record.refusal,
        record.skipped,
    )


def total_units(rates: IntArray) -> IntArray:
    """The units of designs with rates (n, tasks), of all tasks together."""
    units: IntArray = units_of(rates).sum(axis=1)
    return units
