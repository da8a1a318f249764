"""The source and the last user of a datum of a buffer, in words for messages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hwmodel.accesses import Accesses
from hwmodel.simulator.schedule.moves import Moved, Moves
from hwmodel.simulator.schedule.plan import named, touched


@dataclass(frozen=True)
class DataNames:
    """The data of an array in a group's moves."""

    accesses: Accesses
    moves: Moves
    moved: Moved

    def brings(self, datum: int) -> str:
        """The loader, or the repetition that makes a datum."""
        if self.moved.loaded:
            return "the loader"
        for task in self.accesses.network.arrays[self.moved.array].producers:
            for touch in self.accesses.writes[task] if task in self.moves.plan.works else ():
                if touch.array == self.moved.array:
                    work = self.moves.plan.works[task]
                    rows, patterns = touched(self.accesses, touch, work)
                    size = len(rows) * patterns.size
                    if datum < size:
                        return named(self.accesses, work, int(rows[datum // patterns.size]))
                    datum -= size
        raise AssertionError("a datum is loaded or made")

    def uses(self, datum: int) -> str:
        """The storer, or the first repetition that reads a datum in its last step; else its source."""
        stored = np.flatnonzero(self.moved.stored == datum)
        if (self.moved.stored_step[stored] == self.moved.last[datum]).any():
            return "the storer"
        for (task, _), read in self.moves.reads.items():
            work = self.moves.plan.works[task]
            if read.touch.array == self.moved.array:
                step = self.moves.step(work)[read.rows]
                reading = (read.data.distinct == datum).any(axis=1)[read.data.of]
                for row in np.flatnonzero(reading & (step == self.moved.last[datum]))[:1]:
                    return named(self.accesses, work, int(read.rows[row]))
        return self.brings(datum)
