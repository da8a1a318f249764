"""What a result stores of groups, datapaths and what stands beside all groups, from the machine model's estimates."""

from __future__ import annotations

from collections.abc import Iterable

from dse.results.designs import (
    BLOCK,
    STREAM,
    BlocksRecord,
    DatapathRecord,
    Design,
    GroupRecord,
    MappingRecord,
    MemoryRecord,
    Number,
    PeriodRecord,
    ProcessorRecord,
    StreamRecord,
)
from hwmodel.channels import channel_numbers
from hwmodel.cost_model.costs import control_cost_of, parts_of, processor_costs
from hwmodel.cost_model.estimate import DesignEstimate, GroupEstimate
from hwmodel.cost_model.issue.datapaths import Datapaths
from hwmodel.cost_model.issue.occupancy import at_least
from hwmodel.cost_model.model import MachineModel
from hwmodel.cost_model.together import PORT
from hwmodel.design import Blocks, GroupDesign, Splits


def group_record(model: MachineModel, group: GroupDesign, estimate: GroupEstimate) -> GroupRecord:
    """What a result stores of a group."""
    times = {time.task: time for time in estimate.processors}
    paths = Datapaths(model.network, model.platform, at_least({task: time.interval for task, time in times.items()}))
    return GroupRecord(
        tasks=group.tasks,
        processors=tuple(
            ProcessorRecord(
                task=processor.task,
                units=processor.units,
                interval=processor.interval or model.platform.intervals(model.network.processes[processor.task])[0],
                occupancy=times[processor.task].interval,
                block_data=None,
                cut=_blocks(processor.cut) if processor.cut else None,
                cycles=times[processor.task],
                costs=processor_costs(model.accesses, paths, processor.task, processor.rate),
            )
            for processor in group.processors
        ),
        whole_arrays_data=None,
        mapping=MappingRecord(
            style=BLOCK if group.stream is None else STREAM,
            blocks=None if group.stream is not None else _blocks(group.blocks),
            stream=None if group.stream is None else _stream(model, group),
            fifos=tuple(sorted(group.fifos)),
            layouts=group.layouts,
            policy=group.policy,
            keeps={array: keep.text(len(group.blocks.scan.dimensions)) for array, keep in group.keeps},
            recompute=group.recompute,
            latency_cycles=estimate.latency_cycles,
            steps=estimate.steps,
            traffic_bytes=estimate.additive["traffic_bytes"],
            port_bytes=estimate.additive["port_bytes"],
            memories=estimate.memories,
            ends=dict(estimate.ends),
            control=_control(model, estimate),
            single_buffers=tuple(sorted(group.single_buffers)),
        ),
    )


def _stream(model: MachineModel, group: GroupDesign) -> StreamRecord:
    """What a result stores of the decisions of a streaming group."""
    streamed = model.streams_of(group).streamed(group)
    stream = streamed.stream
    return StreamRecord(
        scan=",".join(map(str, stream.scan)),
        pace=str(stream.pace),
        line=streamed.line,
        frame=streamed.frame,
        interface=stream.interface,
        chunk=stream.chunk,
        raster=stream.raster,
        frames=stream.frames,
        starts_for=stream.starts,
        starts={name: node.firing.start for name, node in streamed.nodes.items()},
    )


def _control(model: MachineModel, estimate: GroupEstimate) -> dict[str, Number]:
    amounts = control_cost_of(model.platform, parts_of([estimate]))
    return {name: round(amount) for name, amount in amounts.items() if amount}


def _blocks(blocks: Blocks) -> BlocksRecord:
    return BlocksRecord(shape=blocks.shape, scan=str(blocks.scan), outer=blocks.outer)


def resident_records(estimate: DesignEstimate) -> tuple[MemoryRecord, ...]:
    """What a result stores of what stands beside all groups."""
    return tuple(map(MemoryRecord.model_validate, estimate.resident))


def period_record(estimate: DesignEstimate) -> PeriodRecord | None:
    """What a result stores of groups that run at the same time; None of others."""
    if estimate.period is None:
        return None
    at_port = tuple(group.additive[PORT] for group in estimate.groups)
    period = estimate.period
    return PeriodRecord(cycles=period.cycles, turn=period.turn, port_cycles=at_port, copies=dict(period.copies))


def channels_record(model: MachineModel) -> dict[str, int] | None:
    """The channel of each array outside; None where there is one only."""
    (channel,) = model.platform.channels
    if channel.channels == 1:
        return None
    return channel_numbers(model.accesses, model.platform)


def datapath_records(model: MachineModel, designs: Iterable[Design], splits: Splits) -> tuple[DatapathRecord, ...]:
    """The datapaths of designs with some splits: each task at each occupancy that it has in one, in dataflow order."""
    used = {(task, record.occupancy) for design in designs for task, record in design.processors.items()}
    pairs = sorted((task, interval) for task, interval in used if interval is not None)
    return tuple(
        _datapath(model, task, interval, splits)
        for task in model.network.processes
        for name, interval in pairs
        if name == task
    )


def _datapath(model: MachineModel, task: str, interval: int, splits: Splits) -> DatapathRecord:
    process = model.network.processes[task]
    datapath = model.platform.datapath(process, interval)
    return DatapathRecord(
        task=task,
        splits=splits,
        elementary=process.elementary,
        interval=interval,
        latency=datapath.latency,
        recurrence={_delay(ports): wait for ports, wait in datapath.recurrence.items()},
        through_memory={_delay(ports): wait for ports, wait in datapath.through_memory.items()},
        cost=dict(datapath.cost),
        energy_pj=datapath.energy_pj,
        register_pj=datapath.register_pj,
        origins=dict(datapath.origins),
    )


def _delay(ports: tuple[str, str]) -> str:
    return " -> ".join(ports)
