"""The words of an AXI4-Stream: what passes in each pulse, with its marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses, Touch
from hwmodel.emit.streams.group import Beat
from hwmodel.emit.streams.words import Limbs, limbs_of
from hwmodel.streamed import Firing


@dataclass(frozen=True)
class StreamWords:
    """The words of a load or a store; `inner` are the node's dimensions along the innermost loop.

    Repetitions follow each other along the dimension of the least stride first, and each moves along an axis.
    """

    accesses: Accesses
    touch: Touch
    firing: Firing
    beat: Beat
    inner: Sequence[int]

    def of(self, bits: NDArray[Any]) -> Limbs:
        """Beats of one frame in the order of the pulses: TUSER, TLAST and TDATA from the highest bits on.

        `bits` has those of the array's elements, row-major.
        """
        order, last = self.order
        marks = self.beat.mark_bits
        first = np.zeros(len(order), np.uint8)
        first[0] = 1
        columns = (
            (place * self.beat.element_bits, np.where(own < 0, 0, bits[own])) for place, own in enumerate(order.T)
        )
        return limbs_of(marks + 2, (*columns, (marks, last), (marks + 1, first)))

    @cached_property
    def order(self) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """The elements of each beat of a frame, as indices of the row-major array, and whether it is a line's last.

        The shape is beats x elements, the element of the lowest bits first; -1 where a beat has no element.
        """
        firing, rank = self.firing, len(self.firing.extents)
        outward = sorted(range(rank), key=lambda at: -firing.strides[at])
        elements: NDArray[np.int32] = np.zeros((), np.int32)
        last: NDArray[np.bool_] = np.ones((), np.bool_)
        for at in outward:
            steps = self._step(at) * self._rounds(at)
            elements = elements[..., None] + steps.astype(np.int32)
            ends = np.ones(len(steps), np.bool_)
            ends[:-1] = at not in self.inner
            last = last[..., None] & ends
        units = np.arange(firing.units)[:, None] * (self._step(firing.shared) if firing.shared is not None else 0)
        beats = elements.reshape(-1, 1) + (units + self._places()).reshape(1, -1).astype(np.int32)
        if firing.shared is not None and firing.extents[firing.shared] % firing.units:
            self._leave_out(beats.reshape(*elements.shape, firing.units, -1), outward.index(firing.shared))
        return beats, last.reshape(-1)

    def _rounds(self, at: int) -> IntArray:
        """The first index of each round along a dimension."""
        return np.arange(0, self.firing.extents[at], self.firing.units if at == self.firing.shared else 1)

    def _leave_out(self, beats: NDArray[np.int32], axis: int) -> None:
        """Leave units out that have no repetition in the last round."""
        there = self.firing.extents[self.firing.shared or 0] % self.firing.units
        np.moveaxis(beats, axis, 0)[-1, ..., there:, :] = -1

    def _places(self) -> IntArray:
        """The elements of the first repetition."""
        elements = self.accesses.elements(self.touch, np.zeros((1, len(self.firing.extents)), np.int64))
        return np.asarray(elements[0])

    def _step(self, at: int) -> int:
        """How many elements further the next repetition along a dimension is."""
        if self.firing.extents[at] == 1:
            return 0
        second = np.zeros((1, len(self.firing.extents)), np.int64)
        second[0, at] = 1
        return int(self.accesses.elements(self.touch, second)[0, 0] - self._places()[0])
