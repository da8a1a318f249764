"""The words of an AXI4-Stream: what passes in each pulse, with its marks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwmodel.accesses import Accesses, Touch
from hwmodel.emit.streams.group import Beat
from hwmodel.stream.enumerated import every_repetition
from hwmodel.stream.nodes import Node
from hwmodel.stream.pulses import fired, unit
from hwmodel.streamed import Firing

_WIDE = 61  # bits of data from which on words with their marks are no 64-bit numbers


@dataclass(frozen=True)
class StreamWords:
    """The words of a load or a store; `inner` are the node's dimensions along the innermost loop."""

    accesses: Accesses
    node: Node
    touch: Touch
    firing: Firing
    beat: Beat
    inner: Sequence[int]

    def of(self, bits: NDArray[Any]) -> list[int]:
        """Beats of one frame in the order of the pulses: TUSER, TLAST and TDATA from the highest bits on.

        `bits` has those of the array's elements, row-major.
        """
        width = 8 * self.beat.word_bytes
        kind = np.dtype(np.int64 if width < _WIDE else object)
        order, last = self.order
        values = np.where(order < 0, 0, bits.astype(kind)[order])
        words = np.zeros(len(order), kind)
        for place in range(order.shape[1]):
            words += values[:, place] << (place * self.beat.element_bits)
        words += last.astype(kind) << width
        words[0] += 1 << (width + 1)
        found: list[int] = words.tolist()
        return found

    @cached_property
    def order(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The elements of each beat of a frame, as indices of the row-major array, and whether it is a line's last.

        The shape is beats x elements, the element of the lowest bits first; -1 where a beat has no element.
        """
        repetitions = every_repetition(self.node)
        pulses, number = np.unique(fired(self.firing, repetitions), return_inverse=True)
        elements, places = self.accesses.elements(self.touch, repetitions), math.prod(self.touch.pattern)
        order = np.full((len(pulses), self.beat.elements), -1, np.int64)
        order[number[:, None], unit(self.firing, repetitions)[:, None] * places + np.arange(places)] = elements
        last = np.zeros(len(pulses), np.bool_)
        np.logical_or.at(last, number, self._line_ends(repetitions))
        return order, last

    def _line_ends(self, repetitions: NDArray[Any]) -> NDArray[Any]:
        """Which repetitions are the last of a line, or fire together with that."""
        ends = np.ones(len(repetitions), np.bool_)
        for at in self.inner:
            together = self.firing.units if at == self.firing.shared else 1
            ends &= repetitions[:, at] // together == (self.firing.extents[at] - 1) // together
        return ends
