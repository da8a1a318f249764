"""The schedule of a streaming group behind the memory port for C++: with tasks that take one pulse each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses
from hwmodel.emit.hls.streams.group import CppLiterals
from hwmodel.emit.schedule.design import StreamScheduling
from hwmodel.emit.schedule.frames.whole_stream import WholeStream
from hwmodel.emit.schedule.group import TaskPace
from hwmodel.emit.schedule.own_module import Computing
from hwmodel.emit.schedule.port import AddressMap
from hwmodel.emit.schedule.values import Outside
from hwmodel.emit.streams.hardware import StreamHardware
from hwmodel.emit.streams.port_group import StreamSchedule
from hwmodel.emit.streams.port_schedule import StreamScheduler, require_same_pace
from hwmodel.platform import Platform
from hwmodel.simulator.streams.group_run import StreamGroupRun, moved_by_group
from hwmodel.stream.model import StreamModel


@dataclass(frozen=True)
class UntimedSchedule(StreamSchedule):
    """A group whose tasks take one pulse each; `timed` is the group on its platform, with its units and cycles.

    There it has `timed_steps`.
    """

    timed: StreamHardware
    timed_steps: int

    @property
    def promised(self) -> tuple[int, int]:
        """The steps and the cycles of a frame on the platform."""
        return self.timed_steps, self.cycles

    @property
    def streaming(self) -> Mapping[str, Computing]:
        """The datapaths of its tasks on the platform."""
        return self.timed.datapaths

    @property
    def paces(self) -> Iterator[TaskPace]:
        """How fast each task goes on the platform."""
        for task in self.timed.streamed.tasks:
            firing = self.timed.firing[task]
            yield TaskPace(task, firing.units, firing.interval, firing.latency)


def _schedule(
    accesses: Accesses,
    platform: Platform,
    addresses: AddressMap,
    contents: Mapping[str, IntArray],
    run: StreamGroupRun,
    outside: Outside,
    whole: WholeStream | None = None,
) -> tuple[UntimedSchedule, Outside]:
    """The schedule of a group, with the cycles of its run on the platform; otherwise as that of Verilog."""
    stream = run.group.stream
    large = accesses if whole is None else whole.accesses
    timed = StreamHardware(StreamModel(large, run.tasks, platform), stream, contents)
    blanked = timed.model.blanking(stream)  # so chunks divide these frames too
    hardware, untimed = (
        StreamHardware(StreamModel(own, run.tasks, blanked=blanked), stream, contents, literals=CppLiterals())
        for own in (accesses, large)
    )
    moved = moved_by_group(accesses, platform, hardware.streamed)
    steps, cycles = (
        (sum(length > 0 for length in run.lengths), run.cycles) if whole is None else (whole.steps, whole.cycles)
    )
    if whole is not None:
        require_same_pace(untimed, hardware)
        whole = replace(whole, run=moved)
    scheduler = StreamScheduler(accesses, platform, addresses, moved, hardware, untimed, whole)
    schedule, after = scheduler.scheduled(outside)
    own = {field.name: getattr(schedule, field.name) for field in fields(schedule)}
    return UntimedSchedule(**own | {"cycles": cycles}, timed=timed, timed_steps=steps), after


CPP_STREAMS = StreamScheduling(_schedule)
