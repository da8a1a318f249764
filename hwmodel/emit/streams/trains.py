"""Trains: the pulses of a frame in which something happens, as nested loops that counters run through.

A *nest* is a pulse and loops, each with a stride and a number, the outermost first. A train is the union of nests that
share no pulse.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray

Loops = tuple[tuple[int, int], ...]  # (stride, number), the outermost first


@dataclass(frozen=True, slots=True, order=True)
class Nest:
    """The pulses first + sum of stride x index over all loops."""

    first: int
    loops: Loops

    @property
    def last(self) -> int:
        """The last of its pulses."""
        return self.first + sum(stride * (number - 1) for stride, number in self.loops)


def nests_of(pulses: IntArray) -> list[Nest]:
    """Pulses, ascending and without repeats, as nests."""
    return sorted(_nests(np.asarray(pulses, np.int64), ()))


def _nests(starts: IntArray, inner: Loops) -> list[Nest]:
    """The nests of loops `inner` that begin in some pulses."""
    if len(starts) == 1:
        return [Nest(int(starts[0]), inner)]
    apart = np.diff(starts)
    stride = int(apart.min())
    ends = np.append(np.flatnonzero(apart != stride), len(starts) - 1)
    firsts = np.append(0, ends[:-1] + 1)
    by_number: dict[int, list[int]] = defaultdict(list)
    for first, number in zip(starts[firsts].tolist(), (ends - firsts + 1).tolist(), strict=True):
        by_number[number].append(first)
    found = []
    for number, own in by_number.items():
        if number == 1 and len(own) == len(starts):
            return [Nest(first, inner) for first in own]
        loops = ((stride, number), *inner) if number > 1 else inner
        found += _nests(np.array(own, np.int64), loops)
    return found


def pulses_of(nests: Sequence[Nest]) -> IntArray:
    """All pulses of some nests, ascending."""
    every = []
    for nest in nests:
        pulses = np.array([nest.first], np.int64)
        for stride, number in nest.loops:
            pulses = (pulses[:, None] + stride * np.arange(number)).ravel()
        every.append(pulses)
    return np.sort(np.concatenate(every)) if every else np.zeros(0, np.int64)
