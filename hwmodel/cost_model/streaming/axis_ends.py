"""AXI4-Streams in place of the memory port, of a group that is all of a network: one for each input and output.

Data come and go in the pulses in which the group takes and makes them, so nothing is cut in chunks, and no step waits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.cost_model.memory_port.port import PortCycles, Service
from hwmodel.cost_model.streaming.port_steps import ListedChunks, PortOfArray, PortSteps, StreamPort
from hwmodel.stream.frames import require_no_earlier
from hwmodel.stream.refusals import not_streamed
from hwmodel.streamed import StreamedGroup

WORDS = 2  # of each end, so that the enable of the group and TREADY come from registers


@dataclass(frozen=True, eq=False)
class AxisSteps(PortSteps):
    """A frame of so many `pulses` as one step in which no port moves anything."""

    pulses: int = 0

    @property
    def number(self) -> int:
        """One step."""
        return 1

    @property
    def port(self) -> PortCycles:
        """No cycles of a port, (1,)."""
        nothing = np.zeros(1, np.int64)
        return PortCycles(nothing, nothing, nothing, self.service.shared)

    @property
    def weight(self) -> IntArray:
        """It comes once, (1,)."""
        return np.ones(1, np.int64)

    @property
    def begins(self) -> IntArray:
        """The first pulse, (1,)."""
        return np.zeros(1, np.int64)

    @property
    def work(self) -> IntArray:
        """All pulses of a frame, (1,)."""
        return np.array([self.pulses])

    @property
    def lengths(self) -> IntArray:
        """As many cycles as pulses, (1,)."""
        return self.work

    @property
    def frame_cycles(self) -> int:
        """From frame to frame."""
        return self.frame


def axis_steps(port: StreamPort, streamed: StreamedGroup, pulses: int) -> AxisSteps:
    """What a group takes and makes in a frame of so many pulses, in words of whole bytes.

    Raises ArrayolError (`not-streamed`) where no input moves, as nothing says then when a frame begins, and for states
    that lie outside.
    """
    require_no_earlier(port.group.accesses, port.group.tasks, "no external memory is there")
    ends = tuple(_ends(port, streamed))
    if not any(node.kind == "load" for node in streamed.nodes.values()):
        raise not_streamed("no input moves with the repetitions, so no AXI4-Stream says when a frame begins")
    return AxisSteps(0, streamed.frame, ends, Service(1, shared=False), ListedChunks(1), pulses=pulses)


def _ends(port: StreamPort, streamed: StreamedGroup) -> Iterator[PortOfArray]:
    """What is set up comes an element a word; of all others a word has what the group takes or makes in a pulse."""
    accesses = port.group.accesses
    for array in port.set_up:
        yield _end(array, False, accesses.size(array), 1, accesses.network.arrays[array].type.bits)
    for node in port.group.nodes.values():
        if node.kind != "task" and node.name in streamed.nodes:
            firing, (touch,) = streamed.nodes[node.name].firing, node.writes or node.reads
            rows = (-(-own // firing.units) if at == firing.shared else own for at, own in enumerate(firing.extents))
            size, bits = math.prod(touch.pattern), accesses.network.arrays[touch.array].type.bits
            yield _end(touch.array, node.kind == "store", math.prod(rows), size * firing.units, bits)


def _end(array: str, write: bool, words: int, wide: int, bits: int) -> PortOfArray:
    """One end: so many words of `wide` elements of some bits, filled up to whole bytes."""
    data = words * wide
    return PortOfArray(array, write, np.zeros(1, np.int64), words, data, data, 8 * -(-wide * bits // 8))
