"""A streaming group as hardware: its nodes, datapaths, lanes, and what is there before its first frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import lcm, prod

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.accesses import Touch
from hwmodel.emit.schedule.frames.short_frame import WHOLE_AT_MOST
from hwmodel.emit.schedule.own_module import Computing, computing_of
from hwmodel.emit.streams.names import node_name
from hwmodel.emit.streams.nets.grown import grown_nets
from hwmodel.emit.streams.nets.whole import GroupNets, LaneEnables, whole_nets
from hwmodel.emit.streams.positions import LaneNets, positions_of
from hwmodel.emit.streams.sources import Literals, Sources, VerilogLiterals, ports_read
from hwmodel.emit.verilog.wiring import UnitModule
from hwmodel.stream.lanes import Lane
from hwmodel.stream.model import StreamModel
from hwmodel.stream.nodes import Node
from hwmodel.streamed import Firing, Stream, StreamedGroup


@dataclass(frozen=True)
class StreamHardware:
    """A group under decisions; `contents` has the bits of arrays that are resident, row-major.

    The nets of a frame of more than `whole_at_most` repetitions are derived from smaller frames; `known` are such.
    `literals` write constants and what is set up. Of a model without a platform there are no datapaths.
    """

    model: StreamModel
    stream: Stream
    contents: Mapping[str, IntArray]
    whole_at_most: int = WHOLE_AT_MOST
    known: GroupNets | None = None
    literals: Literals = field(default_factory=VerilogLiterals)

    @cached_property
    def streamed(self) -> StreamedGroup:
        """Nodes and chains, as the model has them."""
        return self.model.streamed(self.stream)

    @property
    def keeps_frames(self) -> bool:
        """Whether frames lie inside: then what waits of one frame passes with the pulses of the next."""
        return self.stream.frames == "inside"

    @property
    def frame(self) -> int:
        """The pulses from frame to frame."""
        return self.streamed.frame

    @cached_property
    def firing(self) -> Mapping[str, Firing]:
        """By node when it fires."""
        return {name: node.firing for name, node in self.streamed.nodes.items()}

    @cached_property
    def nets(self) -> GroupNets:
        """What its frame decides of its module: of a large frame derived from small ones, where they say it."""
        model = self.model
        found = self.known
        if found is None and model.repetitions > self.whole_at_most:
            found = grown_nets(model, self.stream, self.streamed, self.nets_of)
        return self.nets_of(model) if found is None else found

    def nets_of(self, model: StreamModel) -> GroupNets:
        """The nets of the group at a size, from all its repetitions."""
        streamed = model.streamed(self.stream)
        firing = {name: node.firing for name, node in streamed.nodes.items()}
        lanes = {own.lane: LaneNets(own, tuple(positions_of(own)), streamed.frame) for own in model.passes(self.stream)}
        inputs = [(model.group.nodes[node], port, size) for node, port, size in self._inputs]
        return whole_nets(Sources(model.group, firing, lanes, self.contents, self.literals), inputs, streamed.frame)

    @cached_property
    def _inputs(self) -> list[tuple[str, str, int]]:
        """The inputs of nodes that data of lanes reach, with the sizes of their patterns."""
        found = []
        for name in self.firing:
            node = self.model.group.nodes[name]
            if node.kind == "store":
                found += [(name, touch.port, prod(touch.pattern)) for touch in node.reads]
            elif node.kind == "task":
                found += [(name, port, size) for port, size, _ in ports_read(node) if self._takes(node, port)]
        return found

    def _takes(self, node: Node, port: str) -> bool:
        """Whether units take data of an input in operands: of one that is a whole table only where a datapath does."""
        if self.model.platform is None:
            return self.table_of(node, port) is None
        return port in self.unit_module(node.name).buses

    def table_of(self, node: Node, port: str) -> list[int] | None:
        """The bits of all that each repetition reads of a resident array; None where that is not one and the same."""
        accesses, first = self.model.accesses, np.zeros((1, len(node.extents)), np.int64)
        for touch in accesses.reads[node.name]:
            contents = self.contents.get(touch.array)
            moves = any(any(row) for row in touch.tiler.paving)
            if touch.port != port or contents is None or moves or prod(touch.pattern) == 1:
                continue
            if not accesses.beyond(touch, first).any() and len(accesses.touched(touch, first)[0]):
                return [int(contents[at]) for at in accesses.elements(touch, first)[0]]
        return None

    @property
    def lanes(self) -> Mapping[Lane, LaneEnables]:
        """All lanes that are read."""
        return self.nets.lanes

    @cached_property
    def datapaths(self) -> Mapping[str, Computing]:
        """By task that of its units."""
        platform, found = self.model.platform, {}
        assert platform is not None, "a stream on a platform"
        for task in self.streamed.tasks:
            process, firing = self.model.accesses.network.processes[task], self.firing[task]
            computing = computing_of(process, platform, firing.interval, firing.latency)
            assert computing is not None, "refused before"
            found[task] = computing
        return found

    def unit_module(self, task: str, prefix: str = "") -> UnitModule:
        """The module of a task's units; a derived one has a name that begins with `prefix`."""
        return UnitModule.of(self.datapaths[task], f"{prefix}unit_{node_name(task)}", enabled=True)

    @property
    def cleared(self) -> int:
        """The cycles after a reset in which no frame begins, since memories of units are cleared; 0 without such."""
        return max((bins.words for own in self.datapaths.values() for bins in own.bins), default=0)

    @cached_property
    def multiple(self) -> int:
        """Frames begin in pulses that are multiples of this number: counters that go round are in step with them.

        A frame is one itself: intervals divide it (`StreamModel`), and only data that are born at one distance for
        ever shift (`steady_segments`).
        """
        periods = {1}
        for own in self.lanes.values():
            if any(position.segment.shifts for position in own.positions):
                periods.add(own.period)
        periods |= {self.firing[task].interval for task in self.streamed.tasks}
        assert self.frame % lcm(*periods) == 0, "all periods divide a frame"
        return lcm(*periods)

    @cached_property
    def begins(self) -> tuple[int, ...]:
        """After how many pulses the next frame may begin, the last time also every `multiple` pulses later.

        Where more data would wait of frames that are not in step, the next one begins whole frames later, or when
        nothing waits any more. With frames inside the group stands still until it begins.
        """
        if self.keeps_frames:
            return (self.frame,)
        over = [
            position.through
            for own in self.lanes.values()
            for position in own.positions
            if position.through is not None
        ]
        if not over:
            return (self.frame,)
        rounds = -(-max(over) // self.frame)
        return tuple(self.frame * number for number in range(1, rounds + 1))

    @cached_property
    def unordered_outputs(self) -> tuple[tuple[Node, Touch], ...]:
        """The tasks and tilers that make what leaves in the order in which it is made."""
        stores = (node for node in self.model.group.nodes.values() if node.kind == "store")
        arrays = [node.reads[0].array for node in stores if node.name not in self.streamed.nodes]
        return tuple(pair for array in arrays for pair in self.model.group.writers(array))

    def inner_dimensions(self, node: str) -> list[int]:
        """The dimensions of a node along the innermost loop."""
        loops = self.model.loops
        scan = self.stream.scan or tuple(range(len(loops.members)))
        return sorted(at for name, at in loops.members[scan[-1]] if name == node) if scan else []

    @property
    def set_up(self) -> tuple[str, ...]:
        """The arrays from outside that are there before the first frame."""
        arrays = {
            touch.array: None
            for task in self.streamed.tasks
            for touch in self.model.accesses.reads[task]
            if self.model.group.is_set_up(touch.array) and touch.array not in self.contents
        }
        return tuple(arrays)
