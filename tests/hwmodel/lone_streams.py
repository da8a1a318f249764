"""A streaming group without a memory port, pulse by pulse: every read finds its datum, and the values are right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.ir.spec import Spec
from hwmodel.accesses import Accesses
from hwmodel.simulator.streams.events import FrameEvents, events_of, node_reads
from hwmodel.simulator.streams.lines import frames_to_run, lanes_of, last_pulse, waits_of
from hwmodel.simulator.streams.values import Operands, StreamEvaluation, frames_of
from hwmodel.streamed import StreamedGroup

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class StreamRun:
    """The run of a streaming group over some frames in succession, all with the same data.

    `cycles` to the end of the first frame's last store, `words` of all segments, `live` the most data that waited at
    once between birth and last read, `reads` of the first frame. `arrays` has what the group made, row-major; none
    where no arrays were given.
    """

    cycles: int
    words: int
    live: int
    reads: int
    arrays: Arrays


def simulate_stream(
    spec: Spec,
    accesses: Accesses,
    group: StreamedGroup,
    arrays: Arrays | None = None,
) -> StreamRun:
    """Run a group over `frames_to_run` frames. `arrays` are those that it reads from outside, row-major, of one frame.

    If frames lie inside of the group (`accesses.frames_inside`), arrays have several. Raises StreamFaultError if a
    datum is not where its reader needs it.
    """
    events = events_of(accesses, group)
    frames = frames_to_run(events, group)
    operands, lanes = Operands(), lanes_of(events, group, frames)
    reads = 0
    for lane in lanes:
        for number, read in lane.run(last_pulse(events) + (frames - 1) * group.frame):
            if number == 0:
                operands.add(lane.name, read)
                reads += 1
    nodes = node_reads(accesses, group)
    made: Arrays = {}
    if arrays is not None:
        given = frames_of(accesses, arrays)
        made = StreamEvaluation(spec, accesses, group, nodes, arrays, {}, given).outputs(operands)
    words = sum(len(segment.words) for lane in lanes for line in lane.lines for segment in line.segments)
    return StreamRun(group_cycles(accesses, events, group), words, _live(events, frames, group.frame), reads, made)


def _live(events: FrameEvents, frames: int, frame: int) -> int:
    waits = waits_of(events)
    if not waits:
        return 0
    change = np.zeros(max(last for _, last in waits) + frames * frame + 1, np.int64)
    for number in range(frames):
        for born, last in waits:
            change[born + number * frame] += 1
            change[last + number * frame] -= 1
    return int(np.cumsum(change).max())


def group_cycles(accesses: Accesses, events: FrameEvents, group: StreamedGroup) -> int:
    """The pulse after the last one in which a store takes a datum, or one is made that leaves as it is made."""
    stores = [name for name, node in group.nodes.items() if node.kind == "store"]
    if stores:
        return 1 + max(read.pulse for own in events.lanes.values() for read in own.reads if read.tap.node in stores)
    leaving = set(_leaving(accesses, group.tasks))
    return 1 + max(
        events_birth
        for task in group.tasks
        for touch in accesses.writes[task]
        if touch.array in leaving
        for events_birth in _last_births(events, task, touch.port)
    )


def _leaving(accesses: Accesses, tasks: Sequence[str]) -> list[str]:
    made = {touch.array for task in tasks for touch in accesses.writes[task]}
    arrays = accesses.network.arrays
    return [name for name in made if arrays[name].is_output or not set(arrays[name].readers) <= set(tasks)]


def _last_births(events: FrameEvents, task: str, port: str) -> list[int]:
    return [
        pulse
        for name, own in events.lanes.items()
        if name.node == task and name.port == port and not name.state
        for pulse, _ in own.births[-1:]
    ]
