"""The words and banks of delay states (docs/machine.md, sections 5 and 13).

Chains are numbered in the order in which they open. Chain n has the word n mod S, or with B banks the word n div B of
bank n mod B. S words are enough if no chain opens that is S or more after one that is still open. Units work on chains
that open one after another, so they mostly need as many banks as there are units.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.issue.chains import Chains
from hwmodel.cost_model.issue.issue import Issue


@dataclass(frozen=True, eq=False)
class StateChains:
    """The chains of one delay with several instances, in `words` words.

    `number` is the chain of each run in the order of issue, -1 for none, and `place` the run's position in its line.
    """

    words: int
    number: IntArray
    place: IntArray

    @staticmethod
    def of(chains: Chains, step: IntArray, issue: Issue) -> StateChains:
        """The chains of a delay within a frame, whose runs have these chains and steps."""
        issued = np.empty(len(step), np.int64)
        issued[issue.runs] = np.arange(len(step))
        order = np.lexsort((chains.place, chains.chain))
        starts = np.flatnonzero(np.diff(chains.chain[order], prepend=-1) != 0)
        length = np.diff(np.append(starts, len(order)))
        heads, tails = order[starts], order[starts + length - 1]
        several = np.flatnonzero(length > 1)
        several = several[np.argsort(issued[heads[several]])]
        of_chain = np.full(len(starts), -1)
        of_chain[several] = np.arange(len(several))
        number = np.empty(len(step), np.int64)
        number[order] = np.repeat(of_chain, length)
        words = StateChains.words_of(step[heads[several]], step[tails[several]])
        return StateChains(words, number[issue.runs], issue.place)

    @staticmethod
    def words_of(first: IntArray, last: IntArray) -> int:
        """The fewest words for chains that open and close in these steps, in the order in which they open."""
        opened = np.searchsorted(first, last, side="right")
        return int((opened - np.arange(len(first))).max(initial=0))

    @staticmethod
    def of_frames(words: int, issue: Issue) -> StateChains:
        """The chains of a delay that reaches back to other frames.

        Each repetition of these frames has a word, whether it runs or not.
        """
        return StateChains(words, np.arange(len(issue.runs)), issue.place)

    def banks(self, units: int) -> int:
        """The fewest banks, at least as many as units, such that no round has two chains in one bank."""
        start = np.maximum.accumulate(np.where(self.place % units == 0, np.arange(len(self.place)), 0))
        apart = {0}
        for ahead in range(1, units):
            together = (start[ahead:] == start[:-ahead]) & (self.number[ahead:] >= 0) & (self.number[:-ahead] >= 0)
            apart |= set(np.abs(self.number[ahead:] - self.number[:-ahead])[together].tolist())
        banks = max(1, min(units, self.words))
        while any(distance % banks == 0 for distance in apart - {0}):
            banks += 1
        return banks
