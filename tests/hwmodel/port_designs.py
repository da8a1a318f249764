"""Designs with streaming groups behind the memory port, on Icarus: the plain port, or a master of AXI4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from stream_designs import platform_at, write_files
from stream_networks import Case
from verilog_programs import promised_frames

from arrayol.errors import ArrayolError
from dse.output.hardware.later_frames import later_frames, video_of
from dse.space.mappings import MappingSpace
from dse.space.study import Study
from dse.verify.testbench import memories_of_groups, run_simulation
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, Design, GroupDesign, Processor
from hwmodel.emit.schedule.design import (
    HardwareDesign,
    StreamScheduling,
    schedule_design,
    with_frames,
    with_later_frames,
)
from hwmodel.emit.streams.port_schedule import VERILOG_STREAMS
from hwmodel.emit.verilog.coverage import Coverage, keeps_frames
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.emit.verilog.icarus import FrameSeen, run_bench
from hwmodel.platform import Platform
from hwmodel.residence import Loads
from hwmodel.streamed import Stream

SHARES = """\
elementary add(x: u8, t: u8[3]) -> (y: u8) { y = x + t[0] + t[1] + t[2] }

task adds(x: u8[6], t: u8[3]) -> (y: u8[6]) {
  repeat [6] of add {
    x <- x
    t <- t
    y -> y
  }
}

task shares(x: u8[6], s: u8[3], t: u8[3]) -> (z: u8[6]) {
  y = adds(x, s)
  u = adds(y, t)
  z = adds(u, s)
}
"""
ONCE: Loads = {"s": "once", "t": "once"}
Kinds = Sequence[tuple[int, Stream | None]]  # groups: of each how many tasks, and how it streams; None in blocks


def sharing_case(folder: Path) -> Case:
    """Three tasks, two of which read the same array; another reads `t`."""
    path = folder / "shares.aol"
    path.write_text(SHARES)
    return Case.of(path)


def port_design(
    case: Case,
    stream: Stream,
    mhz: float = 2,
    *,
    chunk: int | None = None,
    platform: Platform | None = None,
    loads: Loads | None = None,
    streams: StreamScheduling = VERILOG_STREAMS,
) -> HardwareDesign:
    """A case whose whole network is one group, in chunks of so many pulses, by default the first ones of the model."""
    platform = platform_at(mhz) if platform is None else platform
    model = MachineModel(case.network, platform, loads or {})
    chunks = None if chunk is None else [chunk]
    group, _ = next(model.streams(tuple(case.network.processes), stream.frames).designs(stream, chunks))
    return scheduled_design(case, model, Design((group,)), streams)


def memory_of(platform: Platform, **changes: object) -> Platform:
    """A platform with another external memory."""
    return platform.model_copy(update={"memory": platform.memory.model_copy(update=changes)})


def scheduled_design(
    case: Case, model: MachineModel, design: Design, streams: StreamScheduling = VERILOG_STREAMS
) -> HardwareDesign:
    """A design as hardware, whose simulation agrees with the model and with the reference execution.

    Raises ArrayolError as `emit verilog` does, or as `emit hls` where `streams` is its.
    """
    Coverage(model.accesses, model.platform, as_verilog=streams is VERILOG_STREAMS).require(design)
    estimate, inputs = model.evaluate(design), case.inputs()
    local = memories_of_groups(model.accesses, model.platform, design, estimate)
    simulation = run_simulation(case.spec, model.accesses, model.platform, design, estimate, inputs)
    assert simulation.identical
    assert simulation.cycles == estimate.latency_cycles
    accesses = model.accesses.of_frames("inside" if any(map(keeps_frames, design.groups)) else "outside")
    hardware = schedule_design(case.spec, accesses, model.platform, local, simulation, inputs, streams)
    if hardware.buffers is not None:
        video = video_of(case.spec, accesses, hardware.buffers, inputs)
        return with_frames(hardware, accesses, *video)
    later = later_frames(case.spec, model.accesses, inputs, periods=hardware.periods)
    return with_later_frames(hardware, case.spec, model.accesses, later)


def frames_at_port(files: Mapping[str, str]) -> tuple[FrameSeen, ...]:
    """The frames of a design's files on their test bench."""
    with TemporaryDirectory() as scratch:
        write_files(files, Path(scratch))
        return run_bench(Path(scratch))


def require_port_frames(design: HardwareDesign, setup_cycles: int = 0) -> None:
    """Hold frames at the plain port against the model, in cycles and bits; some cycles go before the first."""
    assert frames_at_port(DesignFiles(design).files()) == promised_frames(design, setup_cycles)


def mixed_design(
    case: Case,
    kinds: Kinds,
    platform: Platform | None = None,
    *,
    chunk: int = 0,
    together: bool = False,
    loads: Loads | None = None,
    streams: StreamScheduling = VERILOG_STREAMS,
) -> HardwareDesign:
    """A case whose tasks are in groups: of each so many tasks in dataflow order, as a stream or (None) in blocks.

    A group in blocks has one task, and the last of its blocks that are legal. Streams go in chunks of `chunk` pulses if
    these divide their frames, else in the first ones of the model.
    """
    model = MachineModel(case.network, platform if platform is not None else platform_at(50), loads or {})
    return scheduled_design(case, model, Design(groups_of(model, kinds, chunk), together=together), streams)


def groups_of(model: MachineModel, kinds: Kinds, chunk: int = 0) -> tuple[GroupDesign, ...]:
    """The groups of `mixed_design`. Raises ArrayolError (`not-streamed`) for tasks that do not stream so."""
    left, groups = list(model.network.processes), list[GroupDesign]()
    for count, stream in kinds:
        tasks, left = tuple(left[:count]), left[count:]
        if stream is not None:
            own = model.streams(tasks)
            found = [*own.designs(stream, [chunk] if chunk else None)] or [*own.designs(stream)]
            groups.append(found[0][0])
        else:
            groups.append(in_blocks(model, tasks))
    assert not left, "all tasks are in groups"
    return tuple(groups)


def in_blocks(model: MachineModel, tasks: tuple[str, ...]) -> GroupDesign:
    processors = tuple(Processor(task, 1, None, None) for task in tasks)
    for blocks in reversed([*MappingSpace(model, Study()).blocks(tasks[-1])]):
        design = GroupDesign(processors, Blocks(blocks.shape, blocks.scan))
        try:
            model.estimate_enumerated(design)
        except ArrayolError:
            continue
        return design
    raise AssertionError(f"no blocks of {tasks} are legal")
