"""Choices by index: which net, written as comparisons of the counters of a node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.emit.streams.names import bits_below

_RUNS = 4  # of indices, each of which is compared with its ends
_PERIODS = (2, 4, 8, 16, 32, 64)


@dataclass(frozen=True, eq=False)
class Choice:
    """The nets of a place, and by row along each axis the number of the one that it takes; -1 where any will do.

    `rows` are by axis, and by index along it, the row of `taken`.
    """

    nets: tuple[str, ...]
    taken: IntArray
    rows: tuple[IntArray, ...]

    @property
    def weights(self) -> list[IntArray]:
        """By axis how many indices have each row."""
        return [np.bincount(own, minlength=size) for own, size in zip(self.rows, self.taken.shape, strict=True)]


@dataclass(frozen=True, slots=True)
class Index:
    """The counter of a dimension: its net, and how many indices it has."""

    net: str
    extent: int


@dataclass
class Conditions:
    """Nets that say whether an index is one of some, each declared once; `lines` has them, in Verilog.

    A `mark` stands in front of what is added to a name.
    """

    mark: ClassVar[str] = "$"

    lines: list[str] = field(default_factory=list)
    _known: dict[tuple[str, bytes], str] = field(default_factory=dict)

    def net_of_members(self, index: Index, members: NDArray[np.bool_]) -> str:
        """The net that is 1 at some indices."""
        key = index.net, np.packbits(members).tobytes()
        if key not in self._known:
            name = f"{index.net}{self.mark}is{sum(net == index.net for net, _ in self._known)}"
            self._known[key] = name
            self.lines += self._compared(name, index, members)
        return self._known[key]

    def chosen(self, choice: Choice, indices: Sequence[Index]) -> str:
        """The net by the indices along all axes; "" where any will do everywhere."""
        taken, weights = choice.taken, choice.weights
        known = taken >= 0
        if not known.any():
            return ""
        counts = np.ones(taken.shape)
        for axis, own in enumerate(weights):
            counts *= own.reshape([-1 if other == axis else 1 for other in range(taken.ndim)])
        most = int(np.bincount(taken[known], counts[known]).argmax())
        return self._chosen(replace(choice, taken=np.where(known, taken, most)), indices)

    def _chosen(self, choice: Choice, indices: Sequence[Index]) -> str:
        taken = choice.taken
        first = int(taken.flat[0])
        if (taken == first).all():
            return choice.nets[first]
        axis, kinds = min(
            ((axis, _slices(taken, axis)) for axis in range(taken.ndim) if taken.shape[axis] > 1),
            key=lambda own: len(set(own[1])) if len(set(own[1])) > 1 else taken.size,
        )
        counts = Counter[int]()
        for kind, weight in zip(kinds, choice.weights[axis].tolist(), strict=True):
            counts[kind] += weight
        text, numbers = "", np.array(kinds)
        otherwise = max(counts, key=lambda kind: (counts[kind], -kind))
        for kind in counts:
            if kind != otherwise:
                condition = self.net_of_members(indices[axis], numbers[choice.rows[axis]] == kind)
                text += f"{condition} ? {self._at(choice, indices, (axis, kinds.index(kind)))} : "
        return f"({text}{self._at(choice, indices, (axis, kinds.index(otherwise)))})"

    def _at(self, choice: Choice, indices: Sequence[Index], place: tuple[int, int]) -> str:
        axis, row = place
        rows = (*choice.rows[:axis], np.zeros(1, np.int64), *choice.rows[axis + 1 :])
        return self._chosen(Choice(choice.nets, np.take(choice.taken, [row], axis), rows), indices)

    def _compared(self, name: str, index: Index, members: NDArray[np.bool_]) -> list[str]:
        """The declaration of a net that is 1 at some indices."""
        runs = runs_of(members)
        if runs is not None:
            bits = bits_below(index.extent)
            terms = [_between(index, first, last, bits) for first, last in runs]
            return [f"  wire {name} = {' || '.join(terms)};"]
        period = period_of(members)
        if period is not None:
            low = f"{index.net}[{bits_below(period) - 1}:0]"
            terms = [f"{low} == {place}" for place in np.flatnonzero(members[:period])]
            return [f"  wire {name} = {' || '.join(terms)};"]
        table = sum(1 << place for place in np.flatnonzero(members).tolist())
        return [
            f"  localparam [{index.extent - 1}:0] {name}_at = {index.extent}'h{table:x};",
            f"  wire {name} = {name}_at[{index.net}];",
        ]


def _slices(taken: IntArray, axis: int) -> list[int]:
    """By index along an axis the number of the first slice that is the same."""
    rows, known = np.ascontiguousarray(np.moveaxis(taken, axis, 0)), dict[bytes, int]()
    return [known.setdefault(row.tobytes(), at) for at, row in enumerate(rows)]


def runs_of(members: NDArray[np.bool_]) -> list[tuple[int, int]] | None:
    """The first and the last index of each run of members; None where there are many."""
    places = np.flatnonzero(members)
    ends = np.flatnonzero(np.diff(places) > 1)
    runs = list(zip(places[np.append(0, ends + 1)].tolist(), places[np.append(ends, -1)].tolist(), strict=True))
    return runs if len(runs) <= _RUNS else None


def period_of(members: NDArray[np.bool_]) -> int | None:
    """The power of two after which members repeat; None without a small one."""
    fitting = (period for period in _PERIODS if 2 * period <= len(members))
    return next((own for own in fitting if (members == np.resize(members[:own], len(members))).all()), None)


def _between(index: Index, first: int, last: int, bits: int) -> str:
    if first == last:
        return f"{index.net} == {bits}'d{first}"
    parts = [f"{index.net} >= {bits}'d{first}"] if first else []
    parts += [f"{index.net} <= {bits}'d{last}"] if last < index.extent - 1 else []
    return f"({' && '.join(parts)})" if len(parts) > 1 else parts[0]
