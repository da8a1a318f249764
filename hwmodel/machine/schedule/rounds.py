"""How many rounds a processor takes for a step in closed form (docs/machine.md, section 4).

A processor starts at multiples of its occupancy o, so its time goes in rounds of o cycles, in which U units start up to
U repetitions of one line. A line of w repetitions takes q = ceil(w / U) rounds, and `fill` more where something has to
be filled at each line. Without a delay that is all: the lines' rounds follow each other.

With one delay along one dimension a step goes level by level: level k holds what is k-th in its chain. Let g_k be its
rounds. A round starts when the one before has left and its operands are there, r rounds after the start of those that
it reads. If the chains that go on to level k + 1 are the first ones of level k, in the order of issue, then round i of
the one reads round i of the other (equal lines are cut in equal rounds, and of a line that goes on in part the first
rounds do). With s_k the first round of level k, round i of it starting at s_k + i, level k + 1 starts at
s_k + max(g_k, r) and no earlier: its first round is preceded by g_k rounds, and reads the first of level k; and so its
round i has its operands, from s_k + i + r on. So the step takes sum over k < m of max(g_k, r), and g_m.

Where the step's indices along the delay of d are contiguous, all levels but the last have d of them and the last has
the rest, which are its first ones. Then g_k = g for k < m, and the step takes (m - 1) max(g, r) + g_m.

More units make q no larger, and r is `near` where g = 1 and `far`, which is no less, where not: with the same fill no
step gets longer. Fill is for lines without a delay alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Lines:
    """What a processor does in steps: lines of `length` repetitions, `many` in each level but the last, `last` there.

    Without a delay there is one level of `many`. Where nothing is done, nothing of this means anything.
    """

    length: Ints
    many: Ints
    levels: Ints | None = None
    last: Ints | None = None

    def rounds(self, units: int | Ints, near: int | Ints, far: int | Ints, fill: int | Ints = 0) -> Ints:
        """The rounds of each step, element by element."""
        each = -(-self.length // units) + fill
        level: Ints = self.many * each
        if self.levels is None or self.last is None:
            return level
        longest = np.maximum(level, np.where(level == 1, near, far))
        rounds: Ints = (self.levels - 1) * longest + self.last * each
        return rounds

    def fewest_units(self, rounds: Ints, far: int | Ints, fill: int | Ints = 0) -> Ints:
        """The fewest units that need no more than `rounds` in each step, where that is so with some number of them.

        A line may take q rounds if (levels - 1) many q + last q and (levels - 1) far + last q are that much at most.
        Where no q does, the wait is `near`, and q = 1.
        """
        if self.levels is None or self.last is None:
            each = rounds // np.maximum(self.many, 1) - fill
        else:
            before, last = self.levels - 1, np.maximum(self.last, 1)
            busy = rounds // np.maximum(before * self.many + self.last, 1)
            each = np.where(before > 0, np.minimum(busy, (rounds - before * far) // last), busy)
        fewest: Ints = np.maximum(-(-self.length // np.maximum(each, 1)), 1)
        return fewest
