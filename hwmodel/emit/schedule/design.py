"""A whole design as hardware: its groups, its datapaths, and the external memory before and after a frame.

`schedule_design` goes through the groups of a run on the simulated machine. For each it finds the tables of what its
agents access (`GroupScheduler.tables`), makes their programs (`GroupScheduler.schedule`), and proves these (proofs.py,
value_proof.py). `schedule_repeated` does so for a shorter frame, and then makes the programs of the whole frame, whose
steps repeat those of the shorter one (repetition.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.execute.run import with_tables
from arrayol.ir.network import Network
from arrayol.ir.spec import Spec
from arrayol.text import counted
from hwmodel.accesses import Accesses
from hwmodel.emit.images import MemoryImage, PlacedArray
from hwmodel.emit.schedule.bits import bits_of_values, not_emitted
from hwmodel.emit.schedule.frames.frame_buffers import FrameBuffers, frame_buffers, kept_frames
from hwmodel.emit.schedule.frames.short_frame import ShortFrame
from hwmodel.emit.schedule.frames.whole_frame import WholeFrame, WholeGroup
from hwmodel.emit.schedule.frames.whole_stream import WholeStream
from hwmodel.emit.schedule.group import (
    GroupSchedule,
    GroupScheduler,
    ShorterSchedule,
    without_idle_steps,
)
from hwmodel.emit.schedule.memory_styles import styles_of
from hwmodel.emit.schedule.own_module import Computing, computing_of
from hwmodel.emit.schedule.port import AddressMap, address_map
from hwmodel.emit.schedule.program import MOST_INSTRUCTIONS
from hwmodel.emit.schedule.proofs import reading_apart, require_proofs, require_stored
from hwmodel.emit.schedule.repetition import NotRepeatedError
from hwmodel.emit.schedule.units import FETCH
from hwmodel.emit.schedule.value_proof import require_outputs, require_values, there_before
from hwmodel.emit.schedule.values import Outside
from hwmodel.platform import Platform
from hwmodel.simulator.frame_copies import FrameCopies
from hwmodel.simulator.group import GroupRun, LocalMemories
from hwmodel.simulator.memories.memories import one_frame
from hwmodel.simulator.periods import run_period
from hwmodel.simulator.simulate import Local, Simulation
from hwmodel.simulator.streams.group_run import StreamGroupRun

Arrays = Mapping[str, NDArray[Any]]
Contents = Mapping[str, IntArray]  # by array in a ROM the bits of its elements


@dataclass(frozen=True)
class StreamScheduling:
    """How a language schedules groups that stream."""

    schedule: Callable[
        [Accesses, Platform, AddressMap, Contents, StreamGroupRun, Outside, WholeStream | None],
        tuple[GroupSchedule, Outside],
    ]


FRAMES_BESIDE = 2  # frames of a test bench, in addition to those that fill the groups or the copies of an array


@dataclass(frozen=True)
class Periods:
    """Groups at the same time (docs/machine.md, section 16): the cycles of a period, and the copies of arrays outside.

    `ends` has the cycle of a period in which each group ends if all have a frame.
    """

    cycles: int
    ends: tuple[int, ...]
    copies: Mapping[str, int]

    @property
    def groups(self) -> int:
        """The number of groups."""
        return len(self.ends)

    @property
    def frames(self) -> int:
        """The frames that a test bench runs, so that each copy of an array is used again."""
        return max(self.groups, *self.copies.values()) + FRAMES_BESIDE


@dataclass(frozen=True)
class Frame:
    """By channel the external memory before and after a frame, and where inputs and outputs lie there."""

    before: tuple[MemoryImage, ...]
    after: tuple[MemoryImage, ...]
    inputs: Mapping[str, tuple[int, int]]  # by name, the first word and the number of words
    outputs: Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class HardwareDesign:
    """A network as hardware; `datapaths` has the derived datapath of each task's units, `signed` the signed arrays.

    `cycles` is the time of a frame on the simulated machine; `frame` has data for a test bench. Where values stay from
    frame to frame, `later` has the frames after it. Groups that run at the same time have `periods`, those of a design
    whose tasks read several frames have `buffers`, and both always later frames. An arbiter serves a step that moves
    something within a `turn`, in cycles (0: at once).
    """

    network: Network
    groups: tuple[GroupSchedule, ...]
    addresses: AddressMap
    latency: int
    outstanding: int
    datapaths: Mapping[str, Computing]
    signed: tuple[str, ...]
    frame: Frame
    later: tuple[Frame, ...] = ()
    periods: Periods | None = None
    turn: int = 0
    buffers: FrameBuffers | None = None

    @property
    def top(self) -> str:
        """The design's name."""
        return self.network.name

    @property
    def cycles(self) -> int:
        """The cycles of a frame: of all groups, one after another; or a period for each."""
        if self.periods is not None:
            return self.periods.groups * self.periods.cycles
        return sum(group.cycles for group in self.groups)

    @property
    def lags(self) -> tuple[int, ...]:
        """By group, in how many starts after a reset it does nothing."""
        return self.buffers.lags if self.buffers is not None else (0,) * len(self.groups)

    def cycles_of(self, number: int) -> int:
        """The cycles of a start after a reset: in the first ones not all groups may work."""
        if self.buffers is None:
            return self.cycles
        return sum(group.cycles for group, lag in zip(self.groups, self.lags, strict=True) if lag <= number)


def schedule_design(
    spec: Spec,
    accesses: Accesses,
    platform: Platform,
    local: Sequence[Local],
    simulation: Simulation,
    inputs: Arrays,
    streams: StreamScheduling | None = None,
) -> HardwareDesign:
    """The hardware of a design, from its simulation on some inputs with the `local` memories of its groups.

    It is one that `hwmodel.emit.verilog.coverage` has nothing against. `streams` makes the schedules of its streaming
    groups. If frames of a window lie in copies, the test bench has no data before `with_frames`. Raises ArrayolError:
    `not-emitted` where only its schedule shows that some part has no hardware, `unproven-schedule` if a proof fails.
    """
    run = simulation.period
    tasks = [own.tasks for own in simulation.groups]
    buffers = frame_buffers(accesses, platform, tasks) if run is None else None
    copies, frames = (buffers.copies, buffers.frames) if buffers is not None else (run.copies if run else None, None)
    addresses = address_map(accesses, platform, copies, frames)
    given = _Given(spec, accesses, platform, addresses, _flat_inputs(spec, accesses, inputs))
    groups, datapaths = given.scheduled(accesses, local, simulation, streams=streams)
    if accesses.frames_inside:
        (stream,) = groups
        return replace(given.design(groups, datapaths, None), buffers=kept_frames(accesses, stream.behind))
    if buffers is not None:
        FrameCopies(accesses, buffers.copies, buffers.ahead).require_frames(tasks, buffers.lags)
        return replace(given.design(groups, datapaths, None), buffers=buffers)
    design = given.design(groups, datapaths, simulation.outputs)
    return design if run is None else replace(design, periods=Periods(run.cycles, run.ends, addresses.copies))


def with_frames(design: HardwareDesign, accesses: Accesses, inputs: Arrays, outputs: Arrays) -> HardwareDesign:
    """A design with frame buffers, and a test bench with as many starts as inputs, of all frames, have frames for.

    Each start finds one more frame of each input in the memory, the first one all that have to be there.
    """
    assert design.buffers is not None, "other designs have frames that are given one by one"
    video = _Video(design, accesses, inputs, outputs)
    starts = min(
        own.shape[0] - design.buffers.ahead[name] for name, own in inputs.items() if name in design.buffers.ahead
    )
    first, *later = (video.start(number) for number in range(starts))
    return replace(design, frame=first, later=tuple(later))


@dataclass(frozen=True)
class _Video:
    """The frames of inputs and outputs, which a test bench runs; arrays have them along their first axis."""

    design: HardwareDesign
    accesses: Accesses
    inputs: Arrays
    outputs: Arrays

    def start(self, number: int) -> Frame:
        """The images of the memory before and after a start: what comes with it, and what is there after it."""
        addresses = self.design.addresses
        before, after = ([list[PlacedArray]() for _ in addresses.words] for _ in range(2))
        inputs, outputs = dict[str, tuple[int, int]](), dict[str, tuple[int, int]]()
        for name, array in self.inputs.items():
            if name in addresses.first:
                last = max(0, number + self._ahead(name))
                for frame in range(last if number else 0, last + 1):
                    self._put(before, name, array, frame)
                # Those that come with the first start are in copies that follow each other.
                count = 1 if number else last + 1
                inputs[name] = addresses.first_of(name, last - count + 1), count * addresses.sizes[name]
        for name, array in self.outputs.items():
            if (frame := number + self._ahead(name)) >= 0:
                self._put(after, name, array, frame)
                outputs[name] = addresses.first_of(name, frame), addresses.sizes[name]
        word = addresses.word_bytes

        def image(channels: Sequence[list[PlacedArray]]) -> tuple[MemoryImage, ...]:
            both = zip(addresses.words, channels, strict=True)
            return tuple(MemoryImage(words * word, word, tuple(placed)) for words, placed in both)

        return Frame(image(before), image(after), inputs, outputs)

    def _ahead(self, name: str) -> int:
        return self.design.buffers.ahead.get(name, 0) if self.design.buffers is not None else 0

    def _put(self, images: Sequence[list[PlacedArray]], name: str, array: NDArray[Any], frame: int) -> None:
        addresses = self.design.addresses
        shape = self.accesses.network.arrays[name].shape
        own = array.take(frame, shape.index(None)) if None in shape else array
        start = addresses.first_of(name, frame) * addresses.word_bytes
        images[addresses.channels[name]].append(PlacedArray(start, addresses.slots[name], own.reshape(-1)))


def with_later_frames(
    design: HardwareDesign, spec: Spec, accesses: Accesses, later: Sequence[tuple[Arrays, Arrays]]
) -> HardwareDesign:
    """A design whose test bench goes on with further frames, by their inputs and outputs."""
    frames = (
        _frame(design.addresses, _flat_inputs(spec, accesses, own), outputs, number)
        for number, (own, outputs) in enumerate(later, 1)
    )
    return replace(design, later=tuple(frames))


@dataclass(frozen=True)
class ShortRun:
    """The run of a design on a shorter frame: its simulation, with the `local` memories of its groups there.

    Groups that run at the same time have in the whole frame a `period` in cycles, and `copies` of arrays outside.
    """

    frame: ShortFrame
    local: Sequence[Local]
    simulation: Simulation
    period: int | None = None
    copies: Mapping[str, int] = field(default_factory=dict)


def schedule_repeated(
    spec: Spec,
    accesses: Accesses,
    platform: Platform,
    short: ShortRun,
    inputs: Arrays,
    outputs: Arrays,
    streams: StreamScheduling | None = None,
) -> HardwareDesign:
    """The hardware of a design, from its run on a shorter frame; `inputs` and `outputs` are those of the whole frame.

    `streams` makes the schedules of its streaming groups. Raises ArrayolError as `schedule_design`; NotRepeatedError if
    the whole frame does not repeat the shorter one, SimulatorError if its period is too short.
    """
    addresses = address_map(accesses, platform, short.copies)
    given = _Given(spec, accesses, platform, addresses, _flat_inputs(spec, accesses, inputs))
    there = Accesses(short.frame.network, accesses.loads, channels=accesses.channels)
    groups, datapaths = given.scheduled(there, short.local, short.simulation, short.frame, streams)
    require_stored(accesses, addresses, groups)
    design = given.design(groups, datapaths, outputs)
    if short.period is None:
        return design
    uses = [given.whole(short.frame, number, run).uses for number, run in enumerate(short.simulation.groups)]
    ends = run_period(uses, short.period).ends
    return replace(design, periods=Periods(short.period, ends, addresses.copies))


def _flat_inputs(spec: Spec, accesses: Accesses, inputs: Arrays) -> Arrays:
    """The elements of each input of the network, row-major."""
    network = accesses.network
    given = with_tables(spec, spec.components[network.name], inputs)
    return {name: one_frame(accesses, name, given[name]).reshape(-1) for name in network.inputs}


@dataclass(frozen=True)
class _Given:
    """The givens of hardware: a specification, its accesses and its external memory, and the `values` of inputs."""

    spec: Spec
    accesses: Accesses
    platform: Platform
    addresses: AddressMap
    values: Arrays

    def scheduled(
        self,
        accesses: Accesses,
        local: Sequence[Local],
        simulation: Simulation,
        short: ShortFrame | None = None,
        streams: StreamScheduling | None = None,
    ) -> tuple[list[GroupSchedule], dict[str, Computing]]:
        """The groups and the datapaths of a simulation with such accesses, which may be those of a shorter frame."""
        contents = {
            name: bits_of_values(self.values[name], array.type)
            for name, array in accesses.network.arrays.items()
            if name in self.values and not accesses.lies_outside(name)
        }
        groups, datapaths = list[GroupSchedule](), datapaths_of(accesses, self.platform, simulation)
        outside = there_before(accesses)
        for number, (memories, run) in enumerate(zip(local, simulation.groups, strict=True)):
            if isinstance(run, StreamGroupRun):
                assert streams is not None, "a group that streams is refused before"
                stream = self.whole(short, number, run) if short is not None else None
                assert stream is None or isinstance(stream, WholeStream), "of a group that streams"
                given = accesses, self.platform, self.addresses, contents, run, outside, stream
                schedule, outside = streams.schedule(*given)
                groups.append(schedule)
                datapaths |= schedule.streaming
                continue
            assert isinstance(memories, LocalMemories), "those of a group of blocks"
            busy = without_idle_steps(run)
            if short is not None and busy is not run:
                raise NotRepeatedError("steps of the shorter frame are idle")
            scheduler = GroupScheduler(accesses, self.platform, memories, busy, self.addresses, datapaths, contents)
            # Each group is proven with the elements that the groups before it have stored.
            schedule, outside = self._of_blocks(scheduler, outside, short, number)
            groups.append(schedule)
        require_outputs(accesses, outside)
        for agent in (agent for group in groups for agent in group.agents):
            require_short(agent.name, len(agent.program.instructions))
        return [replace(own, styles=styles_of(self.platform, own.memories)) for own in groups], datapaths

    def _of_blocks(
        self, scheduler: GroupScheduler, outside: Outside, short: ShortFrame | None, number: int
    ) -> tuple[GroupSchedule, Outside]:
        """The schedule of a group of blocks, proven, and what is in the external memory after it."""
        accesses, run, tables = scheduler.accesses, scheduler.run, scheduler.tables()
        schedule = scheduler.schedule(tables)
        require_proofs(accesses, tables, schedule, run)
        outside = require_values(accesses, self.addresses, scheduler.datapaths, tables, run, outside)
        if short is not None:
            whole = WholeGroup(self.accesses, self.addresses, short, number, schedule.setup, run)
            shorter = ShorterSchedule(schedule, whole.repetition)
            schedule = replace(scheduler.schedule(tables, whole), shorter=shorter)
        return replace(schedule, apart=reading_apart(tables)), outside

    def whole(self, short: ShortFrame, number: int, run: GroupRun | StreamGroupRun) -> WholeFrame:
        """A group in the whole frame, by its run in a shorter one, of which nothing is there before the first frame."""
        if isinstance(run, StreamGroupRun):
            return WholeStream(self.accesses, self.addresses, short, number, False, run)
        return WholeGroup(self.accesses, self.addresses, short, number, False, run)

    def design(
        self, groups: Sequence[GroupSchedule], datapaths: Mapping[str, Computing], outputs: Arrays | None
    ) -> HardwareDesign:
        """The whole design; without `outputs` it has no frame."""
        (channel,), network = self.platform.channels, self.accesses.network
        return HardwareDesign(
            network,
            tuple(groups),
            self.addresses,
            channel.latency or 0,
            channel.outstanding,
            datapaths,
            tuple(name for name, array in network.arrays.items() if array.type.is_signed),
            _frame(self.addresses, self.values, {name: outputs[name] for name in network.outputs})
            if outputs is not None
            else Frame((), (), {}, {}),
            turn=channel.turn,
        )


def require_short(agent: str, instructions: int) -> None:
    """Require that the program of an agent is short enough for its ROM. Raises ArrayolError (`not-emitted`)."""
    if instructions > MOST_INSTRUCTIONS:
        raise not_emitted(
            f"the program of '{agent}' would have {counted(instructions, 'instruction')}",
            "take a design whose steps repeat: blocks of whole rows, or sides that divide the frame and words",
        )


def datapaths_of(accesses: Accesses, platform: Platform, simulation: Simulation) -> dict[str, Computing]:
    """The datapath of the units of each task in a group of blocks, derived or a user's."""
    datapaths: dict[str, Computing] = {}
    for task, processor in (
        (task, processor)
        for group in simulation.groups
        if isinstance(group, GroupRun)
        for task, processor in group.processors.items()
    ):
        interval, process = processor.unit.interval, accesses.network.processes[task]
        computing = computing_of(process, platform, interval, processor.unit.latency - FETCH)
        if computing is None or computing.interval != interval:
            raise not_emitted(
                f"'{task}' takes a repetition every {counted(interval, 'cycle')} with its memories, too long for the "
                "latency that the platform gives, or the interval of a module",
                f"take a design without bank layouts of what '{task}' reads and writes",
            )
        datapaths[task] = computing
    return datapaths


def _frame(addresses: AddressMap, values: Arrays, outputs: Arrays, number: int = 0) -> Frame:
    """The images of the external memory before and after a frame of that number."""
    word = addresses.word_bytes

    def image(arrays: Arrays, channel: int, words: int) -> MemoryImage:
        placed = (
            PlacedArray(addresses.first_of(name, number) * word, addresses.slots[name], array.reshape(-1))
            for name, array in arrays.items()
            if addresses.channels.get(name) == channel and name in addresses.first
        )
        return MemoryImage(words * word, word, tuple(placed))

    before, after = (
        tuple(image(arrays, channel, words) for channel, words in enumerate(addresses.words))
        for arrays in (values, {**values, **outputs})
    )
    inputs, located = (
        {name: (addresses.first_of(name, number), addresses.sizes[name]) for name in arrays if name in addresses.first}
        for arrays in (values, outputs)
    )
    return Frame(before, after, inputs, located)
