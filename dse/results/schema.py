"""What an exploration leaves behind, as it is stored and printed: the JSON of `explore`, for every model.

What only one model has is null with the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator

from arrayol.limits import LARGEST
from dse.space.study import parse_scan
from dse.space.task_graph import TaskGraph
from hwmodel.datapath.figures import Origin
from hwmodel.design import ArrayLoads, BankLayout, Blocks, Fusion, GroupDesign, Policy, Processor, parse_keep
from hwmodel.design import Design as Decisions
from hwmodel.residence import LOADS, Load

# Of result.json; 1 had no number, 2 no residents, 3 no digests of components, 4 no intervals, 5 no keeps, 6 no words,
# no loads of designs.
FORMAT = 7
LOCAL_MEMORIES = "local memories"  # beside tasks, whose names have no space
_PLAIN_SIZES = 6  # group sizes that an identifier spells one by one

# Decisions are taken up again, so a file that somebody changed must not bring numbers that no exploration has.
Side = Annotated[int, Field(ge=1, lt=1 << 62)]  # of a block; also units, which are repetitions at once
Count = Annotated[int, Field(ge=1, le=LARGEST)]
Interval = Annotated[int, Field(ge=1, le=LARGEST)]  # in cycles
Factor = Annotated[int, Field(ge=-LARGEST, le=LARGEST)]
Number = int | float


class Record(BaseModel):
    """A part of a stored result, or what has its fields as attributes."""

    model_config = ConfigDict(frozen=True, extra="forbid", from_attributes=True, ser_json_inf_nan="constants")


class BlocksRecord(Record):
    """Boxes in repetitions, and the scan over them: dimensions from the outermost, descending ones with a minus.

    `outer` are the sides of blocks of blocks, where the scan names dimensions twice.
    """

    shape: tuple[Side, ...]
    scan: str
    outer: tuple[Side, ...] = ()

    @property
    def decisions(self) -> Blocks:
        """As models and simulator take it."""
        return Blocks(self.shape, parse_scan(self.scan), self.outer)

    @model_validator(mode="after")
    def _they_fit(self) -> BlocksRecord:
        if not self.decisions.fit(len(self.shape)):
            raise ValueError(self)
        return self


class CyclesRecord(Record):
    """A processor's cycles by cause: they sum to the group's."""

    computing: int
    waiting_for_loads: int
    waiting_for_stores: int
    waiting_for_neighbours: int


class ProcessorRecord(Record):
    """A task's units, N_cu.

    `block_data` is X_out in data of the largest output port (published model). `interval` are the cycles from start to
    start on a unit that the design chooses, `occupancy` those that there are: more where accesses to banks take longer.
    `cut` are blocks of its own, `cycles` what it spends them on, `costs` what all its units cost by name, with its ROMs
    and locals (machine model).
    """

    task: str
    units: Side
    interval: Interval | None
    occupancy: Interval | None
    block_data: int | None
    cut: BlocksRecord | None
    cycles: CyclesRecord | None
    costs: dict[str, Number] | None


class DatapathRecord(Record):
    """One unit of a task at one interval, as the machine model takes it, and where each figure is from.

    `latency` in cycles, `recurrence` by "OUTPUT -> PORT" of a delay the cycles until the next repetition of its chain,
    `through_memory` what that takes more where the state leaves the unit. `cost` by name, `energy_pj` of a repetition,
    `register_pj` the part of it that registers take. `origins` says of each figure, of costs as "cost.NAME", whether it
    is "derived", "given", "measured" or "assumed".
    """

    task: str
    elementary: str
    interval: Interval
    latency: int
    recurrence: dict[str, int]
    through_memory: dict[str, int]
    cost: dict[str, Number]
    energy_pj: float | None
    register_pj: float
    origins: dict[str, Origin]


class MemoryRecord(Record):
    """A buffer or FIFO of an array, or the state of a delay ("task.port").

    Or what stands beside all groups: an array that is loaded `once`, a `rom` in all processors that read it, the
    `local` variables of a task in all its units; the last two count in bits alone. Of data of `width` bits each, so
    many are `live` at once, and their addresses take so many words (`addressed`). With a technology there are
    `built_bits`, of all banks, copies and windows, `blocks` are those that are built, and `costs` what else they take.
    """

    kind: str
    name: str
    data: int
    bits: int
    banks: int
    blocks: int | None
    width: int
    live: int
    addressed: int
    built_bits: int
    costs: dict[str, Number]


class LayoutRecord(Record):
    """bank(x) = floor(vector . x / block) mod banks."""

    array: str
    banks: Count
    vector: tuple[Factor, ...]
    block: Count


class MappingRecord(Record):
    """What the machine model decides and says of a group.

    `keeps` says of single arrays from outside what is kept of them in place of the policy (`hwmodel.design.Keep`).
    `ends` has, for port and processors, the cycles of the steps each ends; `path` is the model's, separable or exact.
    """

    blocks: BlocksRecord
    fifos: tuple[str, ...]
    layouts: tuple[LayoutRecord, ...]
    policy: str
    keeps: dict[str, str]
    recompute: bool
    latency_cycles: int
    steps: int
    traffic_bytes: int
    port_bytes: int
    memories: tuple[MemoryRecord, ...]
    ends: dict[str, int]
    path: str

    @property
    def loops(self) -> int:
        """How many loops its scan has."""
        return len(self.blocks.decisions.scan.dimensions)

    @property
    def keeping(self) -> str:
        """What is kept of arrays from outside, in words."""
        return ", ".join([self.policy, *(f"{array}: {text}" for array, text in self.keeps.items())])

    @model_validator(mode="after")
    def _keeps_are_of_its_scan(self) -> MappingRecord:
        for text in self.keeps.values():
            parse_keep(text, self.loops)
        return self


class GroupRecord(Record):
    """The processors of a group of tasks.

    `whole_arrays_data` are the fused arrays that are kept whole because scans disagree (published model), `mapping` is
    the machine model's.
    """

    tasks: tuple[str, ...]
    processors: tuple[ProcessorRecord, ...]
    whole_arrays_data: dict[str, int] | None
    mapping: MappingRecord | None

    @property
    def decisions(self) -> GroupDesign:
        """As models and simulator take them, for a group with a mapping."""
        assert self.mapping is not None, "the published model decides less"
        return GroupDesign(
            tuple(
                Processor(record.task, record.units, record.cut.decisions if record.cut else None, record.interval)
                for record in self.processors
            ),
            self.mapping.blocks.decisions,
            frozenset(self.mapping.fifos),
            tuple(
                BankLayout(layout.array, layout.banks, layout.vector, layout.block) for layout in self.mapping.layouts
            ),
            cast(Policy, self.mapping.policy),
            self.mapping.recompute,
            tuple((array, parse_keep(text, self.mapping.loops)) for array, text in sorted(self.mapping.keeps.items())),
        )


class Design(Record):
    """One design: its decisions by group, and its objectives, the chosen ones first.

    `verified` is null until the simulator has run the design: false says that it disagreed. `verification` says at
    which size, or why not. `loads` says how arrays come of which the study says it. `resident` stands beside all
    groups. `bottleneck` names what ends the steps of the most cycles (machine model), `flows` is N_k (published model).
    Of the internal memory `live_bits` are those of data that are live at once, memory by memory, `addressed_bits` those
    of the words that addresses take, `built_bits` those of all that is built (0 without a technology). `energy_pj` is
    that of one frame by part, null where nobody says what operators take. `steps` are the transformations that make a
    specification of its groups and blocks; null with a `steps_remark` where its blocks do not divide, or fusion by them
    is refused, both null where they were not sought.
    """

    id: str
    fusion: tuple[tuple[str, ...], ...]
    objectives: dict[str, int | float]
    verified: bool | None
    verification: str | None
    bottleneck: str | None
    live_bits: int | None
    addressed_bits: int | None
    built_bits: int | None
    energy_pj: dict[str, float] | None
    flows: int | None
    loads: dict[str, Load]
    groups: tuple[GroupRecord, ...]
    resident: tuple[MemoryRecord, ...]
    steps: tuple[str, ...] | None
    steps_remark: str | None

    @property
    def processors(self) -> dict[str, ProcessorRecord]:
        """By task."""
        return {processor.task: processor for group in self.groups for processor in group.processors}

    @property
    def whole_arrays_data(self) -> dict[str, int]:
        """Over all groups."""
        return {name: size for group in self.groups for name, size in (group.whole_arrays_data or {}).items()}

    @property
    def mappings(self) -> tuple[MappingRecord, ...]:
        """By group; empty for the published model."""
        return tuple(group.mapping for group in self.groups if group.mapping is not None)

    @property
    def array_loads(self) -> ArrayLoads:
        """Its loads by name, as decisions have them."""
        return tuple(sorted(self.loads.items()))

    @property
    def decisions(self) -> Decisions:
        """As models and simulator take them, for a design with mappings."""
        return Decisions(tuple(group.decisions for group in self.groups), self.array_loads)

    @property
    def costs(self) -> dict[str, dict[str, Number]]:
        """By name of a cost that is there, what the processor of each task has of it; empty for the published model.

        With what the local memories have of it, under a name of their own.
        """
        names = dict.fromkeys(name for processor in self.processors.values() for name in processor.costs or ())
        by_task = {
            name: {task: (processor.costs or {}).get(name, 0) for task, processor in self.processors.items()}
            for name in names
        }
        for name, of_memories in self.memory_costs.items():
            by_task.setdefault(name, {})[LOCAL_MEMORIES] = of_memories
        return {name: parts for name, parts in by_task.items() if any(parts.values())}

    @property
    def memory_costs(self) -> dict[str, Number]:
        """What the local memories of all groups cost, by name."""
        each = [memory.costs for mapping in self.mappings for memory in mapping.memories]
        return {
            name: sum(own.get(name, 0) for own in each) for name in dict.fromkeys(name for own in each for name in own)
        }

    @property
    def breakdown(self) -> dict[str, Mapping[str, Number]] | None:
        """Over all groups: cycles by what ends the steps, bits and data by kind of memory, energy by part.

        Bits are those of memories, of the words that addresses take, and of live data. None without mappings.
        """
        if not self.mappings:
            return None
        cycles, bits, data, addressed, live = (Counter[str]() for _ in range(5))
        for mapping in self.mappings:
            cycles.update(mapping.ends)
        for memory in (*(memory for mapping in self.mappings for memory in mapping.memories), *self.resident):
            bits[memory.kind] += memory.bits
            data[memory.kind] += memory.data
            addressed[memory.kind] += memory.addressed * memory.width
            live[memory.kind] += memory.live * memory.width
        sizes = {"memory_bits": bits, "memory_data": +data, "addressed_bits": +addressed, "live_bits": +live}
        energy = {"energy_pj": self.energy_pj} if self.energy_pj is not None else {}
        return {"cycles": cycles, **sizes, **energy}  # ROMs and locals have bits alone


class SubspaceSummary(Record):
    """Fusions by the integer partition they stand for ("3+1"); those that stand for none are left out."""

    groups: int
    fusions: int
    infeasible: int
    pareto: int
    partitions: dict[str, int]


class SpaceSummary(Record):
    """What was searched, for the tasks in dataflow order. Null: too many to be counted, or not of this model.

    `whole_designs` are those of all fusions: with the published model each fusion is one, and `subspaces` are the legal
    ones by number of groups. The machine model has `groups` with `group_designs` over all of them, the `intervals` that
    the platform offers each task, in cycles, and a `study`.
    """

    tasks: tuple[str, ...]
    fusions: int | None
    subspaces: tuple[SubspaceSummary, ...] | None
    groups: int | None
    group_designs: int | None
    whole_designs: int | None
    intervals: dict[str, tuple[Interval, ...]] | None
    study: dict[str, Any] | None


class Comparisons(Record):
    """Ordered pairs compared for the front: subspace by subspace and then among survivors, or all with all.

    Null where there were more designs than are compared pair by pair.
    """

    subspaces: int | None
    all_pairs: int | None


class Hypervolume(Record):
    """What the front dominates up to the reference point, on logarithmic axes whose unit is the octave."""

    value: float
    reference: dict[str, int | float]


class Refusal(Record):
    """An example of what was infeasible, a group or a whole fusion, and why."""

    groups: tuple[tuple[str, ...], ...]
    reason: str

    @property
    def text(self) -> str:
        """In words."""
        return f"{' | '.join(', '.join(group) for group in self.groups)}: {self.reason}"


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


class Result(Record):
    """A whole exploration.

    `evaluated`, `infeasible` and `pruned` count what `counted` says, group designs or whole designs, and sum to the
    number of those in the space. `comparisons` are those of the method `partition`, `evolution` is that of `nsga2`.
    `datapaths` has each task at each occupancy of its designs, `technology` the name of the table that priced their
    bodies, if one did, and `estimates` the figures that are estimates of that table; the published model has none.
    `elements` has a digest of each const array's elements,
    `components` one of each elementary's and task's text.
    `designs` holds more than the front where that was asked for: every feasible design of the published model in the
    order of the space, the front and the fronts of all fusions of the machine model.
    """

    format: int = FORMAT
    arrayol: str
    spec: str
    top: str
    constants: dict[str, int | float | bool | str]
    elements: dict[str, str]
    components: dict[str, str]
    model: str
    platform: str
    technology: str | None
    estimates: tuple[str, ...]
    datapaths: tuple[DatapathRecord, ...]
    remarks: tuple[str, ...]
    objectives: tuple[str, ...]
    constraints: tuple[str, ...]
    method: str
    method_reason: str
    method_description: str
    exact: bool
    space: SpaceSummary
    counted: str
    evaluated: int
    infeasible: int
    pruned: int
    infeasible_example: Refusal | None
    comparisons: Comparisons | None
    evolution: EvolutionRecord | None
    hypervolume: Hypervolume
    pareto: tuple[Design, ...]
    designs: tuple[Design, ...] | None = None

    @model_validator(mode="after")
    def _is_of_one_model(self) -> Result:
        groups = [group for design in self.stored for group in design.groups]
        mapped = {group.mapping is not None for group in groups}
        mapped |= {processor.cycles is not None for group in groups for processor in group.processors}
        mapped |= {processor.block_data is None for group in groups for processor in group.processors}
        if len(mapped) > 1:
            raise ValueError("designs of two models")
        return self

    @property
    def loads(self) -> dict[str, tuple[Load, ...]]:
        """How arrays may come of which the study says it."""
        arrays = (self.space.study or {}).get("array")
        pairs = sorted(arrays.items()) if isinstance(arrays, Mapping) else ()
        said = {name: choice.get("load") for name, choice in pairs if isinstance(choice, Mapping)}
        lists = {name: load if isinstance(load, list | tuple) else (load,) for name, load in said.items() if load}
        return {name: tuple(load for load in LOADS if load in loads) for name, loads in lists.items()}

    def loads_text(self, design: Design) -> str:
        """The loads of a design, of arrays for which the study lists several: "image once"."""
        return ", ".join(f"{name} {load}" for name, load in design.array_loads if len(self.loads.get(name, ())) > 1)

    def rate_text(self, processor: ProcessorRecord, between: str = "@") -> str:
        """The units of a processor, and their occupancy where that is more than the least interval on offer: 1@4."""
        offered = (self.space.intervals or {}).get(processor.task, ())
        if processor.occupancy is None or processor.occupancy <= min(offered, default=processor.occupancy):
            return f"{processor.units:,}"
        return f"{processor.units:,}{between}{processor.occupancy:,}"

    def estimate_text(self, figure: str) -> str:
        """What is said beside a figure that is an estimate: "estimate, ecp5-6"; empty for any other."""
        return f"estimate, {self.technology}" if figure in self.estimates else ""

    @property
    def stored(self) -> tuple[Design, ...]:
        """All designs that it holds."""
        return self.pareto if self.designs is None else self.designs

    @property
    def is_mapped(self) -> bool:
        """Whether its designs have mappings: all the decisions that a simulation needs."""
        return bool(self.pareto and self.pareto[0].mappings)

    def to_json(self) -> str:
        """The document that is stored and printed: the same bytes for the same exploration."""
        return self.model_dump_json(indent=2, exclude={"designs"} if self.designs is None else None) + "\n"


def identifier(fusion: Fusion, graph: TaskGraph) -> str:
    """A short name that tells the fusion apart from every other one of the graph.

    Where the groups in turn take the tasks in dataflow order, their sizes: 2+2, and in long ones equal neighbours
    together: 2+1x9+3. Else the numbers of their tasks in dataflow order, from 1: 1-3.5.4,6 (never without ',' or '-',
    since single tasks alone run in dataflow order).
    """
    number = {name: place for place, name in enumerate(graph.names, 1)}
    groups = [[number[name] for name in group] for group in fusion.groups]
    if [task for group in groups for task in group] == list(range(1, len(number) + 1)):
        sizes = [len(group) for group in groups]
        return _shortened(sizes) if len(sizes) > _PLAIN_SIZES else "+".join(map(str, sizes))
    return ".".join(",".join(_runs(group)) for group in groups)


def _shortened(sizes: Sequence[int]) -> str:
    runs = [(size, sum(1 for _ in run)) for size, run in groupby(sizes)]
    return "+".join(f"{size}x{count}" if count > 1 else str(size) for size, count in runs)


def _runs(numbers: Sequence[int]) -> list[str]:
    """Ascending numbers with runs shortened: [1, 2, 3, 5] gives ["1-3", "5"]."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
