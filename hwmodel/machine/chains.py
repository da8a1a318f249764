"""Chains of delays: how long they are within a step, and how many stand open (docs/machine.md, sections 4 and 5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hwmodel.accesses import Extents, Indices, flat
from hwmodel.machine.group import Elements


@dataclass(frozen=True, eq=False)
class Chains:
    """Repetitions r, r + d, r + 2 d, ... of one delay: for each repetition its chain and its place in it."""

    chain: Elements
    place: Elements

    @staticmethod
    def of(repetitions: Indices, extents: Extents, vector: tuple[int, ...]) -> Chains:
        """Chains of an (n, rank) array of repetitions; a chain is numbered by its first repetition in the space."""
        place = np.full(len(repetitions), np.iinfo(np.int64).max)
        for axis, step in enumerate(vector):
            if step:
                room = repetitions[:, axis] if step > 0 else extents[axis] - 1 - repetitions[:, axis]
                place = np.minimum(place, room // abs(step))
        first = repetitions - place[:, None] * np.array(vector, np.int64)
        return Chains(flat(first, extents), place)


@dataclass(frozen=True, eq=False)
class StepChains:
    """By step, counted from the first: how many chains work in it, and how many repetitions the longest one does."""

    number: Elements
    longest: Elements


def chains_by_step(chains: Chains, step: Elements, steps: int) -> StepChains:
    """What of each chain falls in each step; `step` is that of each repetition, below `steps`."""
    order = np.lexsort((step, chains.chain))
    heads = (np.diff(chains.chain[order], prepend=-1) != 0) | (np.diff(step[order], prepend=-1) != 0)
    starts = np.flatnonzero(heads)
    length = np.diff(np.append(starts, len(order)))
    at = step[order][starts]
    longest = np.zeros(steps, np.int64)
    np.maximum.at(longest, at, length)
    return StepChains(np.bincount(at, minlength=steps), longest)


def open_intervals(chains: Chains, step: Elements) -> tuple[Elements, Elements]:
    """The steps of the first and the last instance of each chain of two instances or more."""
    order = np.lexsort((step, chains.chain))
    starts = np.flatnonzero(np.diff(chains.chain[order], prepend=-1) != 0)
    ends = np.append(starts[1:], len(order)) - 1 if len(starts) else starts
    several = ends > starts
    return step[order][starts[several]], step[order][ends[several]]


def edges(members: NDArray[np.int64], space: int, ahead: Elements) -> tuple[Elements, Elements]:
    """Pairs (source, reader) among `members`: places in it of r and of r + d, where both are members.

    `ahead` gives the number of r + d for each repetition of a space of `space`, -1 where that lies outside.
    """
    place = np.full(space + 1, -1, np.int64)  # the last entry stands for -1, outside
    place[members] = np.arange(len(members))
    reader = place[ahead[members]]
    source = np.flatnonzero(reader >= 0)
    return source, reader[source]


def numbers_ahead(repetitions: Indices, extents: Extents, vector: tuple[int, ...]) -> Elements:
    """The number of r + d for each repetition r, -1 where that lies outside the space."""
    moved = repetitions + np.array(vector, np.int64)
    inside = ((moved >= 0) & (moved < np.array(extents, np.int64))).all(axis=1)
    return np.where(inside, flat(moved, extents), -1)
