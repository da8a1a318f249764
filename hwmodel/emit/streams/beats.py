"""The words of an AXI4-Stream: what passes in each pulse, with its marks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hwmodel.accesses import Accesses, Touch
from hwmodel.emit.streams.group import Beat
from hwmodel.stream.enumerated import every_repetition
from hwmodel.stream.nodes import Node
from hwmodel.stream.pulses import fired, unit
from hwmodel.streamed import Firing


def stream_words(
    accesses: Accesses, node: Node, touch: Touch, firing: Firing, beat: Beat, inner: Sequence[int], bits: NDArray[Any]
) -> Iterator[int]:
    """The words of an array of one frame, in the order of the pulses: TUSER, TLAST and TDATA from the highest bits on.

    `inner` are the node's dimensions along the innermost loop, `bits` has those of the array's elements, row-major.
    """
    repetitions = every_repetition(node)
    pulses, units = fired(firing, repetitions), unit(firing, repetitions)
    values = bits[accesses.elements(touch, repetitions)].astype(object)
    ends = np.array([firing.extents[at] - 1 for at in inner], np.int64)
    whole = 8 * beat.word_bytes
    weights = [1 << (place * beat.element_bits) for place in range(math.prod(touch.pattern))]
    order = np.argsort(pulses, kind="stable")
    word, before = 0, None
    last = False
    for number in order.tolist():
        if before is not None and pulses[number] != before:
            yield word | last << whole
            word = 0
        elif before is None:
            word = 1 << (whole + 1)
        if before is not None and pulses[number] == before and number == order[0]:
            word |= 1 << (whole + 1)
        before = pulses[number]
        place = int(units[number]) * len(weights) * beat.element_bits
        word |= sum(int(value) * weight for value, weight in zip(values[number], weights, strict=True)) << place
        last = all(
            index // firing.units == end // firing.units if at == firing.shared else index == end
            for at, index, end in zip(inner, repetitions[number][list(inner)].tolist(), ends.tolist(), strict=True)
        )
    yield word | last << whole
