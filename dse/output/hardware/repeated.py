"""A design's hardware from a shorter frame: simulated and proven there, and repeated to the whole frame.

The shorter frame (hwmodel/emit/schedule/frames/short_frame.py) has every kind of step, and the same memories. Of the
whole frame it is checked that its groups take the steps and cycles of the model, and that every element is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from arrayol.execute.run import execute
from arrayol.ir.spec import Spec
from dse.output.hardware.shorter_stream import by_smaller_frame, moved
from dse.output.open_design import Simulated, StoredDesign
from dse.verify.shorter_frames import is_run_whole, shorter_frames
from dse.verify.testbench import memories_of_groups
from hwmodel.accesses import Accesses
from hwmodel.cost_model.estimate import DesignEstimate
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Design
from hwmodel.emit.schedule.design import HardwareDesign, ShortRun, StreamScheduling, schedule_repeated
from hwmodel.emit.schedule.frames.short_frame import ShortFrame
from hwmodel.emit.schedule.repetition import NotRepeatedError
from hwmodel.platform import Platform
from hwmodel.simulator.group import GroupRun
from hwmodel.simulator.schedule.plan import SimulatorError
from hwmodel.simulator.simulate import Simulation, in_periods, run_groups
from hwmodel.stream.model import StreamModel


@dataclass(frozen=True)
class Repeated:
    """A simulation of a shorter frame, and the hardware for the whole one."""

    simulated: Simulated
    hardware: HardwareDesign


@dataclass(frozen=True)
class WholeDesign:
    """A design with the model's estimate, and the inputs of a whole frame; `streams` schedules groups that stream."""

    spec: Spec
    accesses: Accesses
    platform: Platform
    design: Design
    estimate: DesignEstimate
    inputs: Mapping[str, NDArray[Any]]
    streams: StreamScheduling | None = None


def repeated(
    opened: StoredDesign, inputs: Mapping[str, NDArray[Any]], streams: StreamScheduling | None
) -> Repeated | None:
    """The hardware of a stored design by a shorter frame; None where the whole frame has few repetitions.

    Otherwise as `by_shorter_frame`.
    """
    accesses = opened.accesses
    if is_run_whole(accesses):
        return None
    return by_shorter_frame(
        WholeDesign(opened.spec, accesses, opened.platform, opened.design, opened.estimate, inputs, streams)
    )


def by_shorter_frame(whole: WholeDesign) -> Repeated | None:
    """The hardware of a design by a shorter frame; None if no shorter frame has all that the whole one has.

    Raises ArrayolError as `schedule_design` does.
    """
    accesses = whole.accesses
    for short, model, estimate in shorter_frames(accesses, whole.platform, whole.design, whole.estimate):
        try:
            found = _from(whole, short, model, estimate)
        except (NotRepeatedError, SimulatorError):
            continue
        if found is not None:
            return found
    return None


def _from(whole: WholeDesign, short: ShortFrame, model: MachineModel, estimate: DesignEstimate) -> Repeated | None:
    """The hardware by one shorter frame; None if the whole frame is not as the model says."""
    local = memories_of_groups(model.accesses, whole.platform, whole.design, estimate)
    alone = _of_one_stream(whole, model, estimate)
    if alone is not None:
        return _scheduled(whole, ShortRun(short, local, alone[1]), alone[0])
    runs = tuple(run for run, _ in run_groups(model.accesses, whole.platform, whole.design, local))
    if any(isinstance(run, GroupRun) and run.random for run in runs):
        return None  # what is read at subscripts of data is checked on the data of the whole frame
    simulation, period, copies = Simulation(runs, {}, None), whole.estimate.period, dict[str, int]()
    if estimate.period is not None:
        copies |= estimate.period.copies
        simulation = in_periods(model.accesses, simulation, estimate.period.cycles, copies)
    simulated = Simulated(simulation, estimate)
    simulated.require_agreement()
    run = ShortRun(short, local, simulation, period.cycles if period is not None else None, copies)
    return _scheduled(whole, run, simulated)


def _of_one_stream(
    whole: WholeDesign, model: MachineModel, estimate: DesignEstimate
) -> tuple[Simulated, Simulation] | None:
    """A run of a design that is one large stream, on a frame with shorter lines, too, and what the port moves.

    None for other designs. Lines of the shorter frame are as long as those of the whole one, and take long to run.
    """
    group, *others = whole.design.groups
    if group.stream is None or others:
        return None
    stream_model = StreamModel(whole.accesses, group.tasks, whole.platform)
    simulated = by_smaller_frame(whole.design, stream_model, group.stream)
    if simulated is None:
        return None
    return simulated, moved(StreamModel(model.accesses, group.tasks, whole.platform), group.stream, estimate, {})


def _scheduled(whole: WholeDesign, run: ShortRun, simulated: Simulated) -> Repeated | None:
    """The hardware by a run on a shorter frame; None if the whole frame is not as the model says."""
    outputs = execute(whole.spec, whole.accesses.network.name, whole.inputs)
    hardware = schedule_repeated(whole.spec, whole.accesses, whole.platform, run, whole.inputs, outputs, whole.streams)
    expected = [(group.steps, group.latency_cycles) for group in whole.estimate.groups]
    if [group.promised for group in hardware.groups] != expected:
        return None
    return Repeated(simulated, hardware)
