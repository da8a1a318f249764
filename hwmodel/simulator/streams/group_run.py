"""A streaming group of a whole design: its data pulse by pulse, and the chunks that the memory port moves.

A token is a number that stands for a value: data move as tokens, and values are computed once all data have moved.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.execute.extern import Functions
from arrayol.ir.spec import Spec
from hwmodel.accesses import Accesses
from hwmodel.memory_kinds import CHAIN, CHUNK
from hwmodel.platform import Platform
from hwmodel.simulator.events import Events as StepEvents
from hwmodel.simulator.memories.memories import Memory, Setup, external_memory, set_up
from hwmodel.simulator.streams.chunked_port import ChunkedPort, ChunkMoves
from hwmodel.simulator.streams.events import NodeReads, events_of, node_reads
from hwmodel.simulator.streams.lines import LineLane, frames_to_run, lanes_of, last_pulse
from hwmodel.simulator.streams.values import Operands, StreamEvaluation, frames_of
from hwmodel.streamed import Chain, StreamedGroup

Values = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class StreamGroupRun:
    """A streaming group's run: the length and the events of every step, and what its memories held.

    `pulses` are those from the first load to the last datum that leaves. If frames have blanking, the steps are those
    of each, and `behind` has by array in how many frames before its first one nothing of it passes. `first_token` is by
    array the token of its first element, of the arrays that the group writes. `moves` are those of the port.
    """

    group: StreamedGroup
    lengths: tuple[int, ...]
    events: StepEvents
    peaks: Mapping[tuple[str, str], int]
    setup: Setup
    pulses: int
    operands: Operands
    nodes: Mapping[str, NodeReads]
    first_token: Mapping[str, int]
    moves: ChunkMoves
    behind: Mapping[str, int]
    words: Mapping[str, int] = field(default_factory=dict)  # of buffers, which a stream has none of

    @property
    def tasks(self) -> tuple[str, ...]:
        """The names of its tasks in dataflow order."""
        return self.group.tasks

    @property
    def cycles(self) -> int:
        """Cycles from the first load to the last store."""
        return (1 + max(self.behind[array] for array in self.moves.stores)) * sum(self.lengths)

    def evaluate(self, spec: Spec, accesses: Accesses, functions: Functions, values: Values, memory: Memory) -> None:
        """Enter the values of all tokens that the group made, given those of what it read."""
        given = {
            name: values[name] if accesses.is_resident(name) else _by_element(memory[name], values[name])
            for name in self._reads(accesses)
            if name in values
        }
        evaluation = StreamEvaluation(spec, accesses, self.group, self.nodes, given, functions)
        for name, made in evaluation.outputs(self.operands).items():
            flat = made.reshape(-1)
            values[name] = np.concatenate([values[name], flat]) if self.first_token.get(name) else flat

    def over_frames(self, spec: Spec, accesses: Accesses, functions: Functions, inputs: Values) -> Values:
        """The arrays that the group makes of several frames, which lie inside of it; `inputs` is all that it reads."""
        frames = frames_of(accesses, inputs)
        evaluation = StreamEvaluation(spec, accesses, self.group, self.nodes, inputs, functions, frames)
        return evaluation.outputs(self.operands)

    def _reads(self, accesses: Accesses) -> set[str]:
        made = {touch.array for task in self.tasks for touch in accesses.writes[task]}
        return {touch.array for task in self.tasks for touch in accesses.reads[task]} - made


def run_stream_group(
    accesses: Accesses,
    platform: Platform,
    group: StreamedGroup,
    memory: Memory,
    setup: Setup,
    earlier: Mapping[str, int] | None = None,
) -> StreamGroupRun:
    """Run a group after the setup; `memory` holds tokens of what it loads and receives tokens of what it stores.

    `earlier` is the number of tokens that other groups have made of arrays of which this one makes a part. Raises
    SimulatorError if the design breaks a rule of the machine.
    """
    events = events_of(accesses, group)
    frames = frames_to_run(events, group)
    operands, lanes = Operands(), lanes_of(events, group, frames)
    for lane in lanes:
        for number, read in lane.run(last_pulse(events) + (frames - 1) * group.frame):
            if number == 0:
                operands.add(lane.name, read)
    port = ChunkedPort(accesses, platform, group)
    port.require_loaded(memory)
    lengths, steps, moves = port.run()
    tokens = dict(earlier or {})
    first = {}
    for array, elements in port.stored():
        first[array] = tokens.get(array, 0)
        memory[array][elements] = first[array] + elements
    peaks = _words(lanes, group.chains) | {(CHUNK.name, name): most for name, most in port.held()}
    nodes = node_reads(accesses, group)
    made = setup, port.pulses, operands, nodes, first, moves, port.behind
    return StreamGroupRun(group, lengths, steps, peaks, *made)


def moved_by_group(accesses: Accesses, platform: Platform, group: StreamedGroup) -> StreamGroupRun:
    """The lengths and the moves of a group's steps, without data: nothing runs through its line buffers."""
    port = ChunkedPort(accesses, platform, group)
    lengths, steps, moves = port.run()
    setup = set_up(accesses, platform, external_memory(accesses, accesses.network.there_before))
    nodes = node_reads(accesses, group)
    return StreamGroupRun(group, lengths, steps, {}, setup, port.pulses, Operands(), nodes, {}, moves, port.behind)


def _by_element(tokens: IntArray, values: NDArray[Any]) -> NDArray[Any]:
    """The values of an array's elements; zeros of those that nobody has made."""
    found = np.zeros(len(tokens), values.dtype)
    known = tokens >= 0
    found[known] = values[tokens[known]]
    return found


def _words(lanes: Sequence[LineLane], chains: Sequence[Chain]) -> dict[tuple[str, str], int]:
    """By kind and name of a memory its words: the line buffers of each output, and those kept beside its lanes."""
    words: Counter[tuple[str, str]] = Counter()
    beside: dict[object, list[Chain]] = defaultdict(list)
    for chain in chains:
        beside[chain.node, chain.port, chain.place, chain.unit, chain.state].append(chain)
    for lane in lanes:
        name = lane.name
        for chain, line in zip(
            beside[name.node, name.port, name.place, name.unit, name.state], lane.lines, strict=True
        ):
            own = chain.port if chain.node == f"load {chain.port}" else f"{chain.node}.{chain.port}"
            own += f"{' kept' if chain.kept else ''}{' state' if chain.state else ''}"
            words[CHAIN.name, own] += sum(len(segment.words) for segment in line.segments)
    return +words
