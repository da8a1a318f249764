"""A streaming group pulse by pulse: every read finds its datum at its tap, and the results are those of the tasks.

`simulate_stream` runs a group without a memory port, for tests of the rules; `group_run` runs it in a whole design.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.execute.extern import Functions
from arrayol.ir.spec import Spec
from hwmodel.accesses import Accesses
from hwmodel.simulator.streams.events import FrameEvents, LaneName, events_of, node_reads
from hwmodel.simulator.streams.faults import stream_fault
from hwmodel.simulator.streams.lines import LineLane
from hwmodel.simulator.streams.values import Operands, StreamEvaluation
from hwmodel.streamed import Chain, StreamedGroup

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
    *,
    frames: int | None = None,
    functions: Functions | None = None,
) -> StreamRun:
    """Run a group over `frames` frames. `arrays` are those that it reads from outside, row-major, of one frame.

    If frames lie inside of the group (`accesses.frames_inside`), arrays have several. The default is
    `frames_to_run`. Raises StreamFaultError if a datum is not where its reader needs it.
    """
    events = events_of(accesses, group)
    frames = frames_to_run(events, group) if frames is None else frames
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
        made = StreamEvaluation(spec, accesses, group, nodes, arrays, functions or {}, given).outputs(operands)
    words = sum(len(segment.words) for lane in lanes for line in lane.lines for segment in line.segments)
    return StreamRun(group_cycles(accesses, events, group), words, _live(events, frames, group.frame), reads, made)


def frames_of(accesses: Accesses, arrays: Arrays) -> int:
    """How many frames the arrays from outside have."""
    shapes = {name: accesses.network.arrays[name].shape for name in arrays}
    counts = [arrays[name].shape[shape.index(None)] for name, shape in shapes.items() if None in shape]
    return min(counts, default=1) if accesses.frames_inside else 1


def lanes_of(events: FrameEvents, group: StreamedGroup, frames: int) -> list[LineLane]:
    """The lanes of a group with their chains, to run over some frames. Raises StreamFaultError where one is missing."""
    chains: dict[LaneName, list[Chain]] = defaultdict(list)
    for chain in group.chains:
        chains[lane_of(chain)].append(chain)
    for name, own in events.lanes.items():
        if own.reads and name not in chains:
            raise stream_fault(f"'{name.node}' has no line buffer for '{name.port}', which is read")
    return [LineLane(name, own, events.lanes[name], frames, group.frame) for name, own in chains.items()]


def lane_of(chain: Chain) -> LaneName:
    """The lane that a chain is of."""
    return LaneName(chain.node, chain.port, chain.place, chain.unit, chain.state)


def last_pulse(events: FrameEvents) -> int:
    """The last pulse of a frame in which anything is read or born."""
    pulses = [read.pulse for own in events.lanes.values() for read in own.reads[-1:]]
    return max([*pulses, *(pulse for own in events.lanes.values() for pulse, _ in own.births[-1:])], default=0)


def _waits(events: FrameEvents) -> list[tuple[int, int]]:
    """The pulses of birth and last read of each element that is read."""
    waits = []
    for own in events.lanes.values():
        last: dict[int, int] = {}
        for read in own.reads:
            last[read.datum] = read.pulse
        waits += [(pulse, last[datum]) for pulse, datum in own.births if datum in last]
    return waits


def frames_to_run(events: FrameEvents, group: StreamedGroup) -> int:
    """How many frames to run, so that the data of one frame meet all later data beside which they wait."""
    return 2 + max((last - born for born, last in _waits(events)), default=0) // group.frame


def _live(events: FrameEvents, frames: int, frame: int) -> int:
    waits = _waits(events)
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
