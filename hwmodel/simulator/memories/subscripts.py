"""Reads at subscripts computed from data: each is checked at its word and cycle.

While a group runs, tokens move and no such subscript is known: as many reads as the design allows have a port of every
bank to themselves. Once the values are known, the body tells which pattern elements each repetition reads, and in which
order. These are read one after another: if a repetition occupies its unit for o cycles and has ports for r reads,
ceil(r / o) in each cycle. Equal elements are one read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.execute.compile_body import compile_body
from arrayol.execute.environment import DTYPES, LeadingTask, empty
from arrayol.ir.spec import Elementary
from arrayol.text import counted
from hwmodel.local_memory.addresses import BankedMemory, ReaderName, ReadPorts
from hwmodel.simulator.memories.rows import BankUse, Rows, require_ports
from hwmodel.simulator.schedule.patterns import Patterns
from hwmodel.simulator.schedule.plan import fault


@dataclass(frozen=True)
class RandomReads:
    """A task's reads through one tiler at subscripts of its data: repetitions, and the word of each pattern element."""

    name: ReaderName
    memory: BankedMemory
    ports: ReadPorts
    rows: Rows
    words: Patterns

    def check(self, row: IntArray, place: IntArray) -> None:
        """Check pattern elements (`place`) that repetitions (`row`) read, in the order of reading.

        Raises SimulatorError (`port`).
        """
        array, interval = self.rows.touch.array, self.rows.interval
        words = self.words.distinct[self.words.of[row], place]
        inside = words >= 0  # no constant of a border
        row, place, words = row[inside], place[inside], words[inside]
        order = np.argsort(row, kind="stable")
        row, words = row[order], words[order]
        number = np.arange(len(row)) - np.searchsorted(row, row)
        for late in np.flatnonzero(number >= self.ports.random)[:1].tolist():
            cycle = self.rows.cycle[row[late]] + interval - 1
            text = f"{self.rows.named(int(row[late]))} reads {counted(int(number[row == row[late]].max()) + 1, 'word')}"
            bank = words[late] // self.memory.depth
            text += f" of '{array}' at places that follow from data, up to cycle {cycle} and bank {bank}"
            raise fault("port", f"{text}, where it has ports for {self.ports.random}")
        cycle = self.rows.cycle[row] + number // -(-self.ports.random // interval)
        banks = self.memory.function.banks
        key = cycle * banks + words // self.memory.depth
        use = BankUse(key, 1, lambda entry: self.rows.named(int(row[entry])))
        require_ports(array, banks, "read", [use], self.ports.ports)


@dataclass(frozen=True)
class _Recorded:
    """A port's patterns (pattern, repetitions) that record which elements are read, and of which repetitions.

    Positions and repetitions are broadcast views. Only with `fixed` those are recorded whose subscripts are no data.
    """

    values: NDArray[Any]
    places: IntArray
    repetitions: IntArray
    fixed: bool
    read: list[IntArray] = field(default_factory=list)

    @staticmethod
    def of(values: NDArray[Any], *, fixed: bool) -> _Recorded:
        """Patterns of which nothing has been read yet."""
        *shape, count = values.shape
        places = np.arange(math.prod(shape)).reshape(*shape, 1)
        return _Recorded(
            values, np.broadcast_to(places, values.shape), np.broadcast_to(np.arange(count), values.shape), fixed
        )

    def __getitem__(self, key: Any) -> Any:
        """Read values, and record their positions."""
        number = self.places[key] * self.values.shape[-1] + self.repetitions[key]
        if self.fixed or key[-1] is not Ellipsis:  # data give each repetition subscripts of its own
            self.read.append(np.asarray(number).reshape(-1))
        return self.values[key]


def places_read(
    elementary: Elementary, port: str, patterns: Mapping[str, NDArray[Any]], repetitions: int
) -> tuple[IntArray, IntArray]:
    """The pattern elements of a port that repetitions of a body read: the repetition and the element of each read.

    `patterns` is (repetitions, pattern) by port. Each element of a repetition occurs once, in the order of reading. Of
    the elementary's `constants` only elements that data say are read.
    """
    arrays: dict[str, Any] = {name: np.moveaxis(values, 0, -1) for name, values in patterns.items()}
    recorded = arrays[port] = _Recorded.of(arrays[port], fixed=port not in dict(elementary.constants))
    for output in elementary.outputs:
        shape: Sequence[int] = [extent or 1 for extent in output.shape]
        arrays[output.name] = empty((*shape, repetitions), DTYPES[output.type])
    compile_body(elementary, 1).run(arrays, (repetitions,), LeadingTask(elementary.name, None))
    read = np.concatenate([np.zeros(0, np.int64), *recorded.read])
    first = np.unique(read, return_index=True)[1]
    place, repetition = np.divmod(read[np.sort(first)], repetitions)
    return repetition, place
