"""Estimates of groups and designs: objectives, and the breakdown of cycles, memory and energy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeVar, get_args

from arrayol.arrays import IntArray
from hwmodel.cost_model.together import PERIOD_PARTS, PORT, SERVICE, Period, off_port
from hwmodel.figures import ENERGY, FRAME, LATENCY, LOCAL_BITS, POWER, ROM_BITS, SETUP_BYTES, SETUP_CYCLES
from hwmodel.local_memory.organisations import Organisation
from hwmodel.memory_kinds import KINDS, KindName
from hwmodel.platform import Platform

Number = int | float
Whole = TypeVar("Whole", int, IntArray)
Evaluator = Literal["counted", "enumerated"]
LOADS, STORES = "loads", "stores"


@dataclass(frozen=True, slots=True)
class ProcessorTime:
    """Cycles of one processor over a group's steps: computing, and waiting for loads, stores or its neighbours.

    `interval` is the occupancy of a repetition: the design's initiation interval, or the cycles of its accesses to
    banks if those are more. `fill` is the number of additional rounds of each line while windows fill.
    """

    task: str
    units: int
    interval: int
    fill: int
    computing: int
    waiting_for_loads: int
    waiting_for_stores: int
    waiting_for_neighbours: int


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """A local memory: the buffer or FIFO of an array, or the state of a delay (named TASK.PORT).

    Or a memory outside all groups: an array that is loaded `once`, the `rom` of a const array in all processors that
    read it, the `local` variables of a task in all its units. `data` and `bits` are its size as built: all words of all
    banks and copies, and the registers of windows (ROMs outside groups and locals count in bits only). `blocks` are the
    memory blocks that it takes (None without local.block_bits). Its data have `width` bits each; `live` is the live
    count, and `addressed` the words of its addresses in one bank. `organisation` is None without a technology; the size
    is then the addressed one. `segments` are the depths of line buffers, chain by chain.
    """

    kind: KindName
    name: str
    data: int
    bits: int
    banks: int
    blocks: int | None
    width: int = 0
    live: int = 0
    addressed: int = 0
    organisation: Organisation | None = None
    segments: tuple[tuple[int, ...], ...] = ()

    @property
    def is_internal(self) -> bool:
        """Whether it counts as internal memory; ROMs have figures of their own."""
        return KINDS[self.kind].is_internal

    @property
    def is_resident(self) -> bool:
        """Whether it holds the same data through the whole frame, so that no other group can use its space."""
        return KINDS[self.kind].is_resident

    @property
    def costs(self) -> dict[str, Number]:
        """Costs of the built memory by name, those that are not 0 of LUT, FF and um2."""
        if self.organisation is None:
            return {}
        costs = {name: getattr(self.organisation.built, name) for name in ("lut", "ff", "area")}
        return {name: int(cost) if cost == int(cost) else cost for name, cost in costs.items() if cost}

    @property
    def live_bits(self) -> int:
        """The live count in bits."""
        return self.live * self.width

    @property
    def addressed_bits(self) -> int:
        """The addressed size in bits."""
        return self.addressed * self.width


EnergyPart = Literal["operators", "registers", "local memory", "external memory"]


@dataclass(frozen=True, slots=True)
class EnergyUse:
    """Energy of a part of the machine in a frame, in fJ: of a task's datapath, a local memory, or an array outside."""

    part: EnergyPart
    name: str
    femtojoules: int


@dataclass(frozen=True, slots=True)
class GroupEstimate:
    """The estimate of one group. `frame_cycles` is for frames in succession (docs/machine.md, section 8).

    `additive` has the figures that add up over groups, by name (`hwmodel/cost_model/evaluate/additive.py`). `ends` has
    the cycles of the steps that each resource ends: "loads", "stores" or a task. `energy` is that of a frame without
    leakage; None if the platform does not give it.
    """

    tasks: tuple[str, ...]
    latency_cycles: int
    internal_memory_elements: int
    internal_memory_bits: int
    additive: Mapping[str, int]
    units: int
    memory_blocks: int | None
    costs: Mapping[str, Number]
    frame_cycles: int
    processors: tuple[ProcessorTime, ...]
    memories: tuple[MemoryUse, ...]
    ends: Mapping[str, int]
    steps: int
    evaluator: Evaluator
    energy: tuple[EnergyUse, ...] | None = None

    @property
    def live_bits(self) -> int:
        """The live counts of all memories, in bits."""
        return sum(memory.live_bits for memory in self.memories)

    @property
    def addressed_bits(self) -> int:
        """The addressed sizes of all memories in one bank, in bits."""
        return sum(memory.addressed_bits for memory in self.memories)


def internal_memory(memories: Iterable[MemoryUse]) -> tuple[int, int]:
    """The internal memory among some memories, in data and in bits."""
    internal = [memory for memory in memories if memory.is_internal]
    return sum(memory.data for memory in internal), sum(memory.bits for memory in internal)


@dataclass(frozen=True, slots=True)
class Once:
    """The total of all arrays that are loaded before the first frame, the same for every design.

    `data` and `bits` are the loaded amounts. `memory_data`, `memory_bits` and `blocks` are internal memory outside the
    groups: 0 if each task has its own memory of an array that it reads, which counts in its group.
    """

    setup_cycles: int
    setup_bytes: int
    data: int
    bits: int
    memory_data: int
    memory_bits: int
    blocks: int

    @property
    def takes_something(self) -> bool:
        """Whether there are such arrays."""
        return self.data > 0


NOTHING_ONCE = Once(0, 0, 0, 0, 0, 0, 0)


@dataclass(frozen=True)
class DesignEstimate:
    """The estimate of a whole design: sums over its groups.

    With `reuse_memory`, internal memory is the largest of theirs.

    The tasks' memories of resident arrays add up even then, since they last through the frame. Arrays that are loaded
    once are outside all groups, and internal memory includes them. `leaking` has the leakage of one unit of each cost
    (or of `internal_memory_bits`), in pW; None if there are no energies. With a `period` the groups run at
    the same time.
    """

    groups: tuple[GroupEstimate, ...]
    clock_mhz: float | None
    reuse_memory: bool = False
    once: Once = NOTHING_ONCE
    resident: tuple[MemoryUse, ...] = ()
    leaking: Mapping[str, int] | None = None
    period: Period | None = None

    @property
    def latency_cycles(self) -> int:
        """AL: from the first load to the last store, in cycles; a period for each group if there are periods."""
        if self.period is not None:
            return len(self.groups) * self.period.cycles
        return sum(group.latency_cycles for group in self.groups)

    @property
    def internal_memory_elements(self) -> int:
        """Internal memory in elements."""
        sizes = [group.internal_memory_elements for group in self.groups]
        return self._memory(sizes, lambda memory: memory.data if memory.is_internal else 0) + self.once.memory_data

    @property
    def internal_memory_bits(self) -> int:
        """Internal memory in bits."""
        sizes = [group.internal_memory_bits for group in self.groups]
        return self._memory(sizes, lambda memory: memory.bits if memory.is_internal else 0) + self.once.memory_bits

    @property
    def live_bits(self) -> int:
        """The live counts of all memories, in bits."""
        return (
            self._memory([group.live_bits for group in self.groups], lambda memory: memory.live_bits) + self.once.bits
        )

    @property
    def addressed_bits(self) -> int:
        """The addressed sizes of all memories in one bank, in bits."""
        sizes = [group.addressed_bits for group in self.groups]
        return self._memory(sizes, lambda memory: memory.addressed_bits) + self.once.bits

    @property
    def memory_blocks(self) -> int | None:
        """Memory blocks of the platform's size; None if the platform names none."""
        blocks = [group.memory_blocks for group in self.groups if group.memory_blocks is not None]
        if len(blocks) < len(self.groups):
            return None
        return self._memory(blocks, lambda memory: memory.blocks or 0) + self.once.blocks

    @cached_property
    def additive(self) -> dict[str, int]:
        """The figures that add up over groups, by name."""
        names = dict.fromkeys(name for group in self.groups for name in group.additive)
        return {name: sum(group.additive[name] for group in self.groups) for name in names}

    @property
    def setup_cycles(self) -> int:
        """Cycles of the setup before the first frame."""
        return self.once.setup_cycles

    @property
    def setup_bytes(self) -> int:
        """Bytes that are loaded in the setup before the first frame."""
        return self.once.setup_bytes

    @property
    def units(self) -> int:
        """Computation units of all processors."""
        return sum(group.units for group in self.groups)

    @cached_property
    def costs(self) -> dict[str, Number]:
        """The platform's costs by name, summed over units."""
        names = dict.fromkeys(name for group in self.groups for name in group.costs)
        return {name: sum(group.costs.get(name, 0) for group in self.groups) for name in names}

    @property
    def frame_cycles(self) -> int:
        """Cycles per frame where frames follow each other; with several groups the latency, or a period."""
        if self.period is not None:
            return self.period.cycles
        return self.groups[0].frame_cycles if len(self.groups) == 1 else self.latency_cycles

    @cached_property
    def ends(self) -> dict[str, int]:
        """The cycles of the steps that each resource ends, by "loads", "stores" or task."""
        names = dict.fromkeys(name for group in self.groups for name in group.ends)
        return {name: sum(group.ends.get(name, 0) for group in self.groups) for name in names}

    @property
    def bottleneck(self) -> str:
        """The resource that ends the steps of the most cycles; the first named of several."""
        return max(self.ends, key=self.ends.__getitem__, default=LOADS)

    @property
    def evaluator(self) -> Evaluator:
        """What evaluated the groups: "counted" if all of them were; "enumerated" otherwise. Both are exact."""
        return "counted" if all(group.evaluator == "counted" for group in self.groups) else "enumerated"

    @property
    def frames_per_second(self) -> float | None:
        """Frames per second, if they follow each other without pause and the platform has a clock."""
        return self.clock_mhz * 1e6 / self.frame_cycles if self.clock_mhz and self.frame_cycles else None

    @property
    def leakage_pw(self) -> int | None:
        """The leakage of all groups and internal memory, in pW."""
        if self.leaking is None:
            return None
        of_memory = self.leaking.get("internal_memory_bits", 0) * self.internal_memory_bits
        return sum(leakage_of_costs(self.leaking, group.costs) for group in self.groups) + of_memory

    @cached_property
    def energy_pj(self) -> dict[str, float] | None:
        """The energy of a frame in pJ, by part of the machine; leakage lasts as long as a frame."""
        uses = [group.energy for group in self.groups]
        if self.leakage_pw is None or not self.clock_mhz or None in uses:
            return None
        parts = dict.fromkeys(get_args(EnergyPart), 0)
        for use in (use for group in uses for use in group or ()):
            parts[use.part] += use.femtojoules
        leakage = leakage_fj(self.leakage_pw, self.frame_cycles, self.clock_mhz)
        return {**{part: amount / 1000 for part, amount in parts.items()}, "leakage": leakage / 1000}

    @property
    def energy_nj(self) -> float | None:
        """The energy of a frame in nJ."""
        return None if self.energy_pj is None else sum(self.energy_pj.values()) / 1000

    @property
    def power_mw(self) -> float | None:
        """The power in mW where frames follow each other."""
        energy, frames = self.energy_nj, self.frames_per_second
        return energy * frames / 1e6 if energy is not None and frames is not None else None

    def objectives(self, names: Iterable[str]) -> dict[str, Number]:
        """The values of some objectives and costs by their names. Raises KeyError for a name that is neither."""
        return {name: self.objective(name) for name in names}

    def objective(self, name: str) -> Number:
        """The value of an objective or cost by its name. Raises KeyError for a name that is neither."""
        if name in self.additive:
            return self.additive[name]
        if name in PERIOD_PARTS:
            return self._period_parts[name]
        if name in OBJECTIVES or name in SETUP or name in ENERGIES:
            value: Number | None = getattr(self, name)
            if value is None:
                raise KeyError(name)
            return value
        return self.costs.get(name, 0) if name in BITS else self.costs[name]

    @property
    def _period_parts(self) -> dict[str, int]:
        """What the times of a design are made of whose groups, if several, run at the same time."""
        if len(self.groups) == 1:
            values = [self.groups[0].latency_cycles, self.groups[0].frame_cycles, 0, 1, 0]
        else:
            turn = self.period.turn if self.period is not None else 0
            most = max(off_port(group.latency_cycles, group.additive[PORT], turn) for group in self.groups)
            values = [most, most, self.additive[PORT], len(self.groups), self.additive[SERVICE]]
        return dict(zip(PERIOD_PARTS, values, strict=True))

    def _memory(self, sizes: list[int], size: Callable[[MemoryUse], int]) -> int:
        """The memory of the design from that of its groups (`sizes`), in which each memory has some `size`."""
        if not self.reuse_memory:
            return sum(sizes)
        resident = [sum(size(memory) for memory in group.memories if memory.is_resident) for group in self.groups]
        return max(
            (all_ - resident_size for all_, resident_size in zip(sizes, resident, strict=True)), default=0
        ) + sum(resident)


OBJECTIVES = (
    LATENCY,
    "internal_memory_elements",
    "internal_memory_bits",
    "units",
    FRAME,
    "memory_blocks",
)
SETUP = (SETUP_CYCLES, SETUP_BYTES)  # of the whole network, whatever the design
BITS = (ROM_BITS, LOCAL_BITS)  # costs that a network may lack which splits of sums have made of one that has them
ENERGIES = (ENERGY, POWER)  # of a frame; no sums of those of groups, since all leaks as long as all work
DYNAMIC, LEAKAGE = "energy_fj", "leakage_pw"  # of a group: what energies are made of, beside time


def leakage_of_costs(leaking: Mapping[str, int], costs: Mapping[str, Number]) -> int:
    """The leakage of processors with these costs, in whole pW."""
    return round(sum(each * costs[name] for name, each in leaking.items() if name != "internal_memory_bits"))


def leakage_fj(leakage_pw: float, frame_cycles: float, clock_mhz: float) -> float:
    """The leakage of a frame in fJ: 1 pW takes 0.001 fJ in a cycle at 1 MHz."""
    return leakage_pw * frame_cycles / (1000 * clock_mhz)


# Sizes of local memories in data, bits and memory blocks (docs/machine.md, section 5).


def block_count(words: Whole, bits: Whole, banks: Whole, size: int) -> Whole:
    """The memory blocks (of `size` bits) of words with so many bits, divided evenly over banks."""
    return banks * -(-(-(-words // banks) * bits) // size)


def memory_use(
    platform: Platform, what: tuple[KindName, str, int], live: int, banks: int = 1, addressed: int | None = None
) -> MemoryUse:
    """A memory (kind, name, bits of a datum) with a live count, and as many words as addresses take.

    Its words are divided evenly over `banks`. Without `addressed`, the live count is enough.
    """
    kind, name, width = what
    addressed = live if addressed is None else addressed
    size = platform.local.block_bits
    blocks = None if size is None else block_count(addressed, width, banks, size)
    return MemoryUse(kind, name, addressed, addressed * width, banks, blocks, width, live, addressed)
