"""The words of an AXI4-Stream: what passes in each pulse, with its marks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwmodel.accesses import Accesses, Touch
from hwmodel.emit.streams.group import Beat
from hwmodel.stream.enumerated import every_repetition
from hwmodel.stream.nodes import Node
from hwmodel.stream.pulses import fired, unit
from hwmodel.streamed import Firing


@dataclass(frozen=True)
class StreamWords:
    """The words of a load or a store; `inner` are the node's dimensions along the innermost loop."""

    accesses: Accesses
    node: Node
    touch: Touch
    firing: Firing
    beat: Beat
    inner: Sequence[int]

    def of(self, bits: NDArray[Any]) -> Iterator[int]:
        """Of one frame in the order of the pulses: TUSER, TLAST and TDATA from the highest bits on.

        `bits` has those of the array's elements, row-major.
        """
        repetitions = every_repetition(self.node)
        pulses, units = fired(self.firing, repetitions), unit(self.firing, repetitions)
        ends = self._line_ends(repetitions)
        values = bits[self.accesses.elements(self.touch, repetitions)]
        places, width = math.prod(self.touch.pattern), 8 * self.beat.word_bytes
        first = int(pulses.min())
        order = np.argsort(pulses, kind="stable").tolist()
        for pulse, numbers in groupby(order, key=lambda number: int(pulses[number])):
            word = int(pulse == first) << (width + 1)
            for number in numbers:
                word |= int(ends[number]) << width
                for place, value in enumerate(values[number].tolist()):
                    word |= value << ((int(units[number]) * places + place) * self.beat.element_bits)
            yield word

    def _line_ends(self, repetitions: NDArray[Any]) -> NDArray[Any]:
        """Which repetitions are the last of a line, or fire together with that."""
        ends = np.ones(len(repetitions), np.bool_)
        for at in self.inner:
            together = self.firing.units if at == self.firing.shared else 1
            ends &= repetitions[:, at] // together == (self.firing.extents[at] - 1) // together
        return ends
