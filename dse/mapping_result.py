"""What an exploration with the machine model found, as it is stored and printed: the JSON of `explore`."""

from __future__ import annotations

from typing import Any

from dse.result import Comparisons, ExplorationRecord, Hypervolume, Record
from dse.steps import DesignSteps
from dse.verify import Verdict
from hwmodel.design import Blocks, Design, GroupDesign
from hwmodel.machine.estimate import DesignEstimate, GroupEstimate


class BlocksRecord(Record):
    """Boxes in repetitions, and the scan over them: dimensions from the outermost, descending ones with a minus."""

    shape: tuple[int, ...]
    scan: str


class ProcessorRecord(Record):
    """A task's units, its own blocks if it has some, and its cycles by cause: they sum to the group's."""

    task: str
    units: int
    cut: BlocksRecord | None
    computing: int
    waiting_for_loads: int
    waiting_for_stores: int
    waiting_for_neighbours: int


class MemoryRecord(Record):
    """A buffer or FIFO of an array, or the state of a delay ("task.port")."""

    kind: str
    name: str
    data: int
    bits: int
    banks: int
    blocks: int | None


class LayoutRecord(Record):
    """bank(x) = floor(vector . x / block) mod banks."""

    array: str
    banks: int
    vector: tuple[int, ...]
    block: int


class GroupRecord(Record):
    """One group's decisions and figures; `ends` has, for port and processors, the cycles of the steps each ends."""

    tasks: tuple[str, ...]
    blocks: BlocksRecord
    processors: tuple[ProcessorRecord, ...]
    fifos: tuple[str, ...]
    layouts: tuple[LayoutRecord, ...]
    policy: str
    recompute: bool
    latency_cycles: int
    steps: int
    traffic_bytes: int
    memories: tuple[MemoryRecord, ...]
    ends: dict[str, int]
    path: str


class MappedDesign(Record):
    """One design: its decisions by group, and its objectives, the chosen ones first.

    `verified` is null until the simulator has run the design: false says that it disagreed. `verification` says at
    which size, or why not. `bottleneck` names what ends the steps of the most cycles. `steps` are the transformations
    that make a specification of its groups and blocks; null with a `steps_remark` where its blocks do not divide, or
    fusion by them is refused.
    """

    id: str
    fusion: tuple[tuple[str, ...], ...]
    objectives: dict[str, int | float]
    verified: bool | None
    verification: str | None
    bottleneck: str
    groups: tuple[GroupRecord, ...]
    steps: tuple[str, ...] | None = None
    steps_remark: str | None = None

    @property
    def path(self) -> str:
        """Whether all its groups took the separable path of the model."""
        return "exact" if any(group.path == "exact" for group in self.groups) else "separable"


class MappingSpaceSummary(Record):
    """What was searched: `group_designs` over all groups, `whole_designs` of all fusions (null: too many fusions)."""

    tasks: tuple[str, ...]
    fusions: int | None
    groups: int
    group_designs: int
    whole_designs: int | None
    study: dict[str, Any]


class Refusal(Record):
    """An example of what was infeasible."""

    tasks: tuple[str, ...]
    reason: str


class GenerationRecord(Record):
    """The designs priced up to a generation, and the hypervolume of the front then, as a share of the last one's."""

    generation: int
    evaluated: int
    hypervolume: float


class EvolutionRecord(Record):
    """How a heuristic search went; `stalled` tells that it ended because nothing more came."""

    seed: int
    population: int
    generations: int
    stalled: bool
    convergence: tuple[GenerationRecord, ...]


class MappingResult(ExplorationRecord):
    """A whole exploration.

    `evaluated`, `infeasible` and `pruned` count what `counted` says, group designs or whole designs, and sum to the
    number of those in the space. `comparisons` are those of the method `partition`, `evolution` is that of `nsga2`.
    `designs` holds the front and the fronts of all fusions where they were asked for.
    """

    constraints: tuple[str, ...]
    method: str
    method_reason: str
    exact: bool
    how: str
    space: MappingSpaceSummary
    counted: str
    evaluated: int
    infeasible: int
    pruned: int
    infeasible_example: Refusal | None
    comparisons: Comparisons | None
    evolution: EvolutionRecord | None
    hypervolume: Hypervolume
    pareto: tuple[MappedDesign, ...]
    designs: tuple[MappedDesign, ...] | None = None


def describe_mapping(
    identifier: str,
    design: Design,
    estimate: DesignEstimate,
    objectives: dict[str, int | float],
    verdict: Verdict,
    steps: DesignSteps | None = None,
) -> MappedDesign:
    """A design with its estimate as a record."""
    return MappedDesign(
        id=identifier,
        fusion=design.fusion.groups,
        objectives=objectives,
        verified=verdict.verified,
        verification=verdict.text,
        bottleneck=estimate.bottleneck,
        groups=tuple(_group(*pair) for pair in zip(design.groups, estimate.groups, strict=True)),
        steps=steps.steps if steps else None,
        steps_remark=steps.remark if steps else None,
    )


def _group(design: GroupDesign, estimate: GroupEstimate) -> GroupRecord:
    times = {time.task: time for time in estimate.processors}
    return GroupRecord(
        tasks=design.tasks,
        blocks=_blocks(design.blocks),
        processors=tuple(
            ProcessorRecord(
                task=processor.task,
                units=processor.units,
                cut=_blocks(processor.cut) if processor.cut else None,
                computing=times[processor.task].computing,
                waiting_for_loads=times[processor.task].waiting_for_loads,
                waiting_for_stores=times[processor.task].waiting_for_stores,
                waiting_for_neighbours=times[processor.task].waiting_for_neighbours,
            )
            for processor in design.processors
        ),
        fifos=tuple(sorted(design.fifos)),
        layouts=tuple(
            LayoutRecord(array=one.array, banks=one.banks, vector=one.vector, block=one.block) for one in design.layouts
        ),
        policy=design.policy,
        recompute=design.recompute,
        latency_cycles=estimate.latency_cycles,
        steps=estimate.steps,
        traffic_bytes=estimate.traffic_bytes,
        memories=tuple(
            MemoryRecord(kind=use.kind, name=use.name, data=use.data, bits=use.bits, banks=use.banks, blocks=use.blocks)
            for use in estimate.memories
        ),
        ends=dict(estimate.ends),
        path=estimate.path,
    )


def _blocks(blocks: Blocks) -> BlocksRecord:
    return BlocksRecord(shape=blocks.shape, scan=str(blocks.scan))
