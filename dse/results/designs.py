"""What a result stores of one design: its decisions by group, its figures, and where these come from.

What only one model has is null with the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, Literal, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from arrayol.limits import LARGEST
from arrayol.text import counted, few
from dse.space.study import parse_scan
from hwmodel.datapath.figures import Origin
from hwmodel.design import ArrayLoads, BankLayout, Blocks, Choice, GroupDesign, Policy, Processor, parse_keep
from hwmodel.design import Design as Decisions
from hwmodel.memory_kinds import ROM
from hwmodel.platform_memories import ArrayChannels
from hwmodel.residence import Load
from hwmodel.streamed import Frames, Interface, Starts, Stream

LOCAL_MEMORIES = "local memories"  # beside tasks, whose names have no space

# Decisions are taken up again, so a file that somebody changed must not bring numbers that no exploration has.
Side = Annotated[int, Field(ge=1, lt=1 << 62)]  # of a block; also units, which are repetitions at once
Pulses = Annotated[int, Field(ge=0, lt=1 << 62)]  # of a step of the memory port
Count = Annotated[int, Field(ge=1, le=LARGEST)]
Interval = Annotated[int, Field(ge=1, le=LARGEST)]  # in cycles
Factor = Annotated[int, Field(ge=-LARGEST, le=LARGEST)]
Number = int | float
Style = Literal["block", "stream"]
BLOCK: Style = "block"
STREAM: Style = "stream"


class Record(BaseModel):
    """A part of a stored result, or what has its fields as attributes."""

    model_config = ConfigDict(frozen=True, extra="forbid", from_attributes=True, ser_json_inf_nan="constants")

    def __str__(self) -> str:
        return repr(self)


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


class StreamRecord(Record):
    """What a streaming group decides, in pulses, and when each of its nodes starts (docs/machine.md, section 15).

    `scan` is the order of its loops, `pace` a whole number of pulses or one over a whole number; a `line` and a `frame`
    take so many. Starts are those of the least latency or of the least memory (`starts_for`). The memory port works in
    steps of `chunk` pulses; with AXI4-Streams in its place (`interface`) it is 0. With `frames` inside, the group keeps
    what it reads of other frames.
    """

    scan: str
    pace: str
    line: int
    frame: int
    interface: Interface
    chunk: Pulses
    raster: bool
    starts_for: Starts
    starts: dict[str, int]
    frames: Frames = "outside"

    @property
    def decisions(self) -> Stream:
        """As models and simulator take it."""
        scan = tuple(map(int, self.scan.split(","))) if self.scan else ()
        return Stream(scan, Fraction(self.pace), self.starts_for, self.interface, self.raster, self.chunk, self.frames)

    @property
    def port(self) -> str:
        """How data come and go, in words: "chunks of 16 pulses", "AXI4-Streams", "AXI4-Streams, frames inside"."""
        ends = "AXI4-Streams" if self.interface == "axis" else f"chunks of {counted(self.chunk, 'pulse')}"
        return f"{ends}, frames inside" if self.frames == "inside" else ends

    @model_validator(mode="after")
    def _has_a_pace(self) -> StreamRecord:
        try:
            pace = self.decisions.pace
        except (ValueError, ZeroDivisionError):
            raise ValueError(self) from None
        if (self.chunk == 0) is not (self.interface == "axis"):
            raise ValueError(self)
        if pace <= 0 or 1 not in (pace.numerator, pace.denominator) or str(pace) != self.pace:
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

    The task is one of designs with these `splits`.
    `latency` in cycles, `recurrence` by "OUTPUT -> PORT" of a delay the cycles until the next repetition of its chain,
    `through_memory` what that takes more where the state leaves the unit. `cost` by name, `energy_pj` of a repetition,
    `register_pj` the part of it that registers take. `origins` says of each figure, of costs as "cost.NAME", whether it
    is "derived", "given", "measured" or "assumed".
    """

    task: str
    splits: tuple[str, ...] = ()
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
    `local` variables of a task in all its units; the last two count in bits alone. `data` and `bits` are those that are
    built, of all banks, copies and windows, with `blocks` and what else they cost; of an array that is loaded `once`,
    or a ROM, in the memories that tasks have of it ("TASK.ARRAY"). Of data of `width` bits each, so many are `live` at
    once, and their addresses in one bank take so many words (`addressed`): without a technology that is the size.
    `segments` are the depths of the line buffers of a streaming group, chain by chain.
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
    costs: dict[str, Number]
    segments: tuple[tuple[int, ...], ...] = ()

    @model_serializer(mode="wrap")
    def _without_nothing(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        document: dict[str, Any] = dump(self)
        if not self.segments:
            document.pop("segments", None)
        return document

    @property
    def held_bits(self) -> int:
        """The bits of what it holds: where its memories are in the groups, those of its data."""
        return self.bits or self.addressed * self.width


class LayoutRecord(Record):
    """bank(x) = floor(vector . x / block) mod banks."""

    array: str
    banks: Count
    vector: tuple[Factor, ...]
    block: Count


class MappingRecord(Record):
    """What the machine model decides and says of a group.

    `keeps` has the reuse levels of single arrays from outside, in place of the policy (`hwmodel.design.ReuseLevel`);
    `single_buffers` names those that have one buffer in place of two.
    `ends` has, for port and processors, the cycles of the steps each ends.
    A group works in `blocks`, or as a `stream`, and its `style` says which.
    `control` is what of the costs of its memories is control logic, by name; empty where the technology has none.
    """

    style: Style = BLOCK
    blocks: BlocksRecord | None
    stream: StreamRecord | None = None
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
    control: dict[str, Number] = {}
    single_buffers: tuple[str, ...] = ()

    @model_serializer(mode="wrap")
    def _without_nothing(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        document: dict[str, Any] = dump(self)
        for name in ("control", "single_buffers"):
            if not getattr(self, name):
                document.pop(name, None)
        if self.stream is None:
            document.pop("style", None)
            document.pop("stream", None)
        return document

    @property
    def schedule(self) -> Blocks | Stream:
        """Its blocks, or what it decides as a stream."""
        chosen = self.blocks or self.stream
        assert chosen is not None, "it has one of both"
        return chosen.decisions

    @property
    def sides(self) -> str:
        """The sides of its blocks in words, "1" of a single repetition; of a stream its pace: "stream 1/4"."""
        return self.schedule.text or "1"

    @property
    def scan(self) -> str:
        """The order of its blocks, or of the loops of a stream."""
        return self.stream.scan if self.stream is not None else str(self.blocks.scan) if self.blocks else ""

    @property
    def loops(self) -> int:
        """How many loops its scan has."""
        return len(self.blocks.decisions.scan.dimensions) if self.blocks is not None else 0

    @property
    def keeping(self) -> str:
        """What is kept of arrays from outside, and which have a single buffer, in words."""
        kept = [f"{array}: {text}" for array, text in self.keeps.items()]
        return ", ".join([self.policy, *kept, *(f"{array}: single buffer" for array in self.single_buffers)])

    @model_validator(mode="after")
    def _keeps_are_of_its_scan(self) -> MappingRecord:
        if (self.blocks is None) is (self.stream is None) or (self.style == BLOCK) is (self.blocks is None):
            raise ValueError(self)
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

    def __repr__(self) -> str:
        return f"GroupRecord({few([f'{one.task} x {one.units}' for one in self.processors])})"

    @property
    def decisions(self) -> GroupDesign:
        """As models and simulator take them, for a group with a mapping."""
        assert self.mapping is not None, "the published model decides less"
        return GroupDesign(
            tuple(
                Processor(record.task, record.units, record.cut.decisions if record.cut else None, record.interval)
                for record in self.processors
            ),
            self.mapping.schedule,
            frozenset(self.mapping.fifos),
            tuple(
                BankLayout(layout.array, layout.banks, layout.vector, layout.block) for layout in self.mapping.layouts
            ),
            cast(Policy, self.mapping.policy),
            self.mapping.recompute,
            tuple((array, parse_keep(text, self.mapping.loops)) for array, text in sorted(self.mapping.keeps.items())),
            frozenset(self.mapping.single_buffers),
        )


class PeriodRecord(Record):
    """The period of groups that run at the same time: its cycles, those of each group at the port, and copies.

    The port serves in turns of so many cycles (0: in none). `copies` has for arrays outside, by name, how many frames
    are in use (docs/machine.md, section 16).
    """

    cycles: int
    turn: int
    port_cycles: tuple[int, ...]
    copies: dict[str, Count]


class ProgramsRecord(Record):
    """The instructions of a design's longest program, `exact` as it would be emitted, or else an upper bound."""

    instructions: Count
    exact: bool


class Design(Record):
    """One design: its decisions by group, and its objectives, the chosen ones first.

    `verified` is null until the simulator has run the design: false says that it disagreed. `verification` says at
    which size, or why not. `loads` says how arrays come of which the study says it. `splits` are the
    steps that split its sums, so that its tasks are others than those of the space. `resident` stands beside all
    groups. `bottleneck` names what ends the steps of the most cycles (machine model), `flows` is N_k (published model).
    Of the internal memory `live_bits` are those of data that are live at once, memory by memory, `addressed_bits` those
    of the words that addresses take in one bank, beside the `internal_memory_bits` that are built. `energy_pj` is
    that of one frame by part, null where nobody says what operators take. `steps` are the transformations that make a
    specification of its groups and blocks; null with a `steps_remark` where its blocks do not divide, or fusion by them
    is refused, both null where they were not sought. `not_emitted` says why no Verilog is emitted for it, as far as
    that is known before it is tried; it is absent where nothing is known. Groups that run at the same time have a
    `period`. Where the external memory has several `channels`, they have by array outside the number of its own.
    `programs` are there where they may be too long for Verilog.
    """

    id: str
    fusion: tuple[tuple[str, ...], ...]
    objectives: dict[str, int | float]
    verified: bool | None
    verification: str | None
    bottleneck: str | None
    live_bits: int | None
    addressed_bits: int | None
    energy_pj: dict[str, float] | None
    flows: int | None
    loads: dict[str, Load]
    splits: tuple[str, ...] = ()
    groups: tuple[GroupRecord, ...]
    resident: tuple[MemoryRecord, ...]
    steps: tuple[str, ...] | None
    steps_remark: str | None
    not_emitted: str | None = None
    period: PeriodRecord | None = None
    channels: dict[str, int] | None = None
    programs: ProgramsRecord | None = None

    @model_serializer(mode="wrap")
    def _without_nothing(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        document: dict[str, Any] = dump(self)
        for name in ("not_emitted", "period", "channels", "programs"):
            if document[name] is None:
                del document[name]
        return document

    @model_validator(mode="after")
    def _axis_streams_are_of_one_group(self) -> Design:
        streams = [mapping.stream for mapping in self.mappings if mapping.stream is not None]
        if len(self.groups) > 1 and any(own.interface == "axis" for own in streams):
            raise ValueError(self)
        return self

    def __repr__(self) -> str:
        return f"Design({self.id!r}: {few([f'{name} = {value:,}' for name, value in self.objectives.items()], 3)})"

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
    def array_channels(self) -> ArrayChannels:
        """Where its arrays lie, as decisions have it."""
        return tuple((self.channels or {}).items())

    @property
    def choice(self) -> Choice:
        """What it chooses for all its groups."""
        return self.array_loads, self.splits, self.array_channels

    @property
    def decisions(self) -> Decisions:
        """As models and simulator take them, for a design with mappings."""
        groups = tuple(group.decisions for group in self.groups)
        return Decisions(groups, *self.choice, together=self.period is not None)

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
    def control(self) -> dict[str, Number]:
        """What of the local memories' costs is control logic, over all groups, by name."""
        total = Counter[str]()
        for mapping in self.mappings:
            total.update(mapping.control)
        return dict(total)

    @property
    def breakdown(self) -> dict[str, Mapping[str, Number]] | None:
        """Over all groups: cycles by what ends the steps, bits and data by kind of memory, energy by part.

        Bits are those of memories, of the words that addresses take in one bank, and of live data. What tasks have of
        ROMs stands for these, where it is built. None without mappings.
        """
        if not self.mappings:
            return None
        cycles, bits, data, addressed, live = (Counter[str]() for _ in range(5))
        for mapping in self.mappings:
            cycles.update(mapping.ends)
        in_groups = [memory for mapping in self.mappings for memory in mapping.memories]
        built = {memory.kind for memory in in_groups}
        beside = [memory for memory in self.resident if memory.kind != ROM.name or ROM.name not in built]
        for memory in (*in_groups, *beside):
            bits[memory.kind] += memory.bits
            data[memory.kind] += memory.data
            addressed[memory.kind] += memory.addressed * memory.width
            live[memory.kind] += memory.live * memory.width
        sizes = {"memory_bits": bits, "memory_data": +data, "addressed_bits": +addressed, "live_bits": +live}
        energy = {"energy_pj": self.energy_pj} if self.energy_pj is not None else {}
        return {"cycles": cycles, **sizes, **energy}  # ROMs and locals have bits alone
