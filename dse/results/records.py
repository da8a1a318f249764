"""What a result stores of groups, datapaths and what stands beside all groups, from the machine model's estimates."""

from __future__ import annotations

from collections.abc import Iterable

from dse.results.schema import (
    BlocksRecord,
    DatapathRecord,
    Design,
    GroupRecord,
    MappingRecord,
    MemoryRecord,
    Number,
    ProcessorRecord,
)
from hwmodel.design import Blocks, GroupDesign, Processor
from hwmodel.machine.costs import costs_by_task
from hwmodel.machine.estimate import DesignEstimate, GroupEstimate
from hwmodel.machine.model import MachineModel


def group_record(model: MachineModel, group: GroupDesign, estimate: GroupEstimate) -> GroupRecord:
    """What a result stores of a group."""
    times = {time.task: time for time in estimate.processors}
    return GroupRecord(
        tasks=group.tasks,
        processors=tuple(
            ProcessorRecord(
                task=processor.task,
                units=processor.units,
                interval=interval_of_processor(model, processor),
                block_data=None,
                cut=_blocks(processor.cut) if processor.cut else None,
                cycles=times[processor.task],
                costs=processor_costs(model, processor),
            )
            for processor in group.processors
        ),
        whole_arrays_data=None,
        mapping=MappingRecord(
            blocks=_blocks(group.blocks),
            fifos=tuple(sorted(group.fifos)),
            layouts=group.layouts,
            policy=group.policy,
            recompute=group.recompute,
            latency_cycles=estimate.latency_cycles,
            steps=estimate.steps,
            traffic_bytes=estimate.traffic_bytes,
            memories=estimate.memories,
            ends=dict(estimate.ends),
            path=estimate.path,
        ),
    )


def _blocks(blocks: Blocks) -> BlocksRecord:
    return BlocksRecord(shape=blocks.shape, scan=str(blocks.scan))


def interval_of_processor(model: MachineModel, processor: Processor) -> int:
    """The interval of a processor in cycles: its own, else the least that the platform offers."""
    return processor.interval or model.platform.intervals(model.network.processes[processor.task])[0]


def processor_costs(model: MachineModel, processor: Processor) -> dict[str, Number]:
    """What a processor costs by name: its units, its ROMs and its locals."""
    costs = costs_by_task(model.accesses, model.platform)
    return {
        name: by_task[processor.task].unit * processor.units + by_task[processor.task].processor
        for name, by_task in costs.items()
    }


def resident_records(estimate: DesignEstimate) -> tuple[MemoryRecord, ...]:
    """What a result stores of what stands beside all groups."""
    return tuple(map(MemoryRecord.model_validate, estimate.resident))


def datapath_records(model: MachineModel, designs: Iterable[Design]) -> tuple[DatapathRecord, ...]:
    """The datapaths of some designs: each task at each interval that it has in one of them, in dataflow order."""
    used = {(task, record.interval) for design in designs for task, record in design.processors.items()}
    pairs = sorted((task, interval) for task, interval in used if interval is not None)
    return tuple(
        _datapath(model, task, interval) for task in model.network.processes for name, interval in pairs if name == task
    )


def _datapath(model: MachineModel, task: str, interval: int) -> DatapathRecord:
    process = model.network.processes[task]
    datapath = model.platform.datapath(process, interval)
    return DatapathRecord(
        task=task,
        elementary=process.elementary,
        interval=interval,
        latency=datapath.latency,
        recurrence={f"{output} -> {port}": wait for (output, port), wait in datapath.recurrence.items()},
        through_memory=datapath.through_memory,
        cost=dict(datapath.cost),
        energy_pj=datapath.energy_pj,
        origins=dict(datapath.origins),
    )
