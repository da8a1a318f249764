"""Chains of delays: their lengths within a step, and how many are open (docs/machine.md, sections 4 and 5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.accesses import Extents, flat


@dataclass(frozen=True, eq=False)
class Chains:
    """Repetitions r, r + d, r + 2 d, ... of one delay: the chain of each repetition, and its position in it."""

    chain: IntArray
    place: IntArray

    @staticmethod
    def of(repetitions: IntArray, extents: Extents, vector: tuple[int, ...]) -> Chains:
        """Chains of an (n, rank) array of repetitions; a chain is numbered by its first repetition in the space."""
        place = np.full(len(repetitions), np.iinfo(np.int64).max)
        for axis, step in enumerate(vector):
            if step:
                room = repetitions[:, axis] if step > 0 else extents[axis] - 1 - repetitions[:, axis]
                place = np.minimum(place, room // abs(step))
        first = repetitions - place[:, None] * np.array(vector, np.int64)
        return Chains(flat(first, extents), place)


def open_intervals(chains: Chains, step: IntArray) -> tuple[IntArray, IntArray]:
    """The steps of the first and the last instance of each chain of two instances or more."""
    order = np.lexsort((step, chains.chain))
    starts = np.flatnonzero(np.diff(chains.chain[order], prepend=-1) != 0)
    ends = np.append(starts[1:], len(order)) - 1 if len(starts) else starts
    several = ends > starts
    return step[order][starts[several]], step[order][ends[several]]


def pairs_of(
    repetitions: IntArray, number: IntArray, extents: Extents, vector: tuple[int, ...], step: IntArray
) -> tuple[IntArray, IntArray]:
    """Pairs (source, reader) of runs of r and r + d in the same step.

    Runs are given by the `number` of a repetition.
    """
    run = np.full(len(repetitions) + 1, -1, np.int64)  # the last entry stands for what lies outside
    run[number] = np.arange(len(number))
    moved = repetitions[number] + np.array(vector, np.int64)
    inside = ((moved >= 0) & (moved < np.array(extents, np.int64))).all(axis=1)
    reader = run[np.where(inside, flat(moved, extents), -1)]
    source = np.flatnonzero((reader >= 0) & (step == step[reader]))
    return source, reader[source]


def longest_before(count: int, source: IntArray, reader: IntArray) -> IntArray:
    """For each of `count` runs, the length of the longest chain of pairs that leads to it."""
    before = np.zeros(count, np.int64)
    while len(source):
        longer = before.copy()
        np.maximum.at(longer, reader, before[source] + 1)
        if np.array_equal(longer, before):
            break
        before = longer
    return before
