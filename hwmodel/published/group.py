"""One group of fused processes: what it exchanges, its units (N_cu) and, for a given N_k, its blocks (X_out).

Units follow from the processors that write outside, which have m (criterion 2), against the flow by eq. 6
(docs/published.md, section 2). Blocks follow from the units and from N_k, the flows of the whole network
(docs/published.md, section 3). So what does not depend on N_k is planned once for a group (`plan_group`), and only
the blocks are sized for each fusion that holds it (`size_blocks`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, prod

from arrayol.errors import error
from arrayol.ir.exits import writing_share
from arrayol.ir.network import Flow, Network, Process
from arrayol.ir.spec import Shape, Tiler
from arrayol.text import counted
from hwmodel.accesses import Accesses
from hwmodel.design import Fusion
from hwmodel.platform import Platform
from hwmodel.published.residents import Residents
from hwmodel.residence import ONCE, ROM, Loads


@dataclass(frozen=True, slots=True)
class InputBuffer:
    """The double buffer of one input link: 2 `units` `block` data (paper A, LM_j), beside `whole_array`.

    `block` is x_in, in data of `array` per unit. `whole_array` is the size in data of a fused array that is kept whole
    because its scans disagree, else 0; of several such links to one array the first carries it.
    """

    array: str
    block: int
    from_outside: bool
    whole_array: int


@dataclass(frozen=True, slots=True)
class ProcessorEstimate:
    """One process as a processor.

    `initiation` is C in cycles per datum of the largest linked output port, `units` is N_cu, `block` is X_out in data
    of that port per unit.
    """

    process: str
    initiation: Fraction
    units: int
    block: int
    inputs: tuple[InputBuffer, ...]


@dataclass(frozen=True, slots=True)
class PublishedDesign:
    """A feasible fusion: AL in cycles, IM in elements and in bits, N_k blocks exchanged with the external memory.

    `resident` is what stands beside all groups, with what is loaded once in IM.
    """

    fusion: Fusion
    processors: tuple[ProcessorEstimate, ...]
    latency_cycles: int
    internal_memory_elements: int
    internal_memory_bits: int
    flows: int
    resident: Residents

    @property
    def units(self) -> int:
        """Computation units of all processors together."""
        return sum(processor.units for processor in self.processors)

    @property
    def local_bits(self) -> int:
        """Bits of locals in all units."""
        return sum(processor.units * self.resident.local_bits[processor.process] for processor in self.processors)


@dataclass(frozen=True, slots=True)
class Infeasible:
    """A fusion for which no N_cu satisfies criteria 2 and 3, and why."""

    fusion: Fusion
    reason: str


# Sizes and rates of a network as paper A reads them: k_ij, C, scans and array sizes.

Signs = frozenset[int]
Scan = tuple[Signs, ...]  # one set of signs per array axis


def size(shape: Shape) -> int:
    """Data in an array or pattern; an infinite axis counts 1 (one image), a scalar is one datum."""
    return prod(1 if extent is None else extent for extent in shape)


def scan(tiler: Tiler) -> Scan:
    """The signs of paving along each array axis: the direction in which the author passes over the array."""
    return tuple(frozenset(1 if entry > 0 else -1 for entry in row if entry) for row in tiler.paving)


def scans_agree(written: Scan, read: Scan) -> bool:
    """False where an axis has opposite signs.

    A row without paving agrees with all, one with both signs only with those.
    """
    return all(
        not producer or not consumer or (producer == consumer and len(producer) == 1)
        for producer, consumer in zip(written, read, strict=True)
    )


@dataclass(frozen=True, slots=True)
class InputRate:
    """A link from an array: k_ij data of the array per datum of the largest linked output port."""

    array: str
    rate: Fraction
    scan: Scan


@dataclass(frozen=True, slots=True)
class ProcessRates:
    """A process as the model sees it.

    `initiation` is C in cycles per datum of the largest linked output port; `shares` tells for each array it writes
    the data written there per datum of that port.
    """

    name: str
    initiation: Fraction
    inputs: tuple[InputRate, ...]
    shares: dict[str, Fraction]
    scans: dict[str, frozenset[Scan]]


def process_rates(process: Process, platform: Platform, load: Loads) -> ProcessRates:
    """The rates of a process; links from ROMs have none, and those from arrays that are loaded once bring no block.

    Raises ArrayolError (`no-output`) for a process that writes no array: it has no block to size.
    """
    if not process.outputs:
        raise error(
            "no-output",
            f"'{process.name}' writes no array, so the published model has no output block to size",
            hint="link an output port to an array, or leave the task out",
        )
    # k_ij is per datum of one output; with several it is the largest that is linked to an array (delays count nowhere).
    largest = max(size(flow.port.shape) for flow in process.outputs)
    links = tuple(
        InputRate(flow.array, Fraction(size(flow.port.shape), largest), scan(flow.tiler))
        for flow in process.inputs
        if load.get(flow.array) != ROM
    )
    interval = platform.entry(process.elementary).initiation_interval or 1
    return ProcessRates(
        process.name,
        max((Fraction(interval), *(link.rate for link in links))),
        tuple(link for link in links if load.get(link.array) != ONCE),
        {
            array: sum(_written(process, flow) for flow in process.outputs if flow.array == array) / Fraction(largest)
            for array in process.writes
        },
        {
            array: frozenset(scan(flow.tiler) for flow in process.outputs if flow.array == array)
            for array in process.writes
        },
    )


def _written(process: Process, flow: Flow) -> Fraction:
    """What a repetition writes of an output on average: at an exit only the last ones do."""
    return size(flow.port.shape) * writing_share(flow.exit, process.repetition)


def data_per_word(accesses: Accesses, platform: Platform) -> tuple[int, str | None]:
    """M of paper A (data per word and cycle), and a remark where it had to be derived from the word's bits.

    One m for all fusions of a network keeps them comparable: the word is divided by its widest element. Raises
    ArrayolError (`word-too-narrow`) where a word does not hold one.
    """
    (channel,) = platform.channels
    if channel.data_per_word is not None:
        return channel.data_per_word, None
    bits = channel.word_bits
    assert bits is not None, "a platform has data_per_word or word_bits"
    arrays = [array for name, array in accesses.network.arrays.items() if accesses.lies_outside(name)]
    widest = max(arrays, key=lambda array: array.type.bits)
    needed = 8 * widest.type.bytes
    if bits < needed:
        raise error(
            "word-too-narrow",
            f"memory.word_bits is {bits}, but one element of array '{widest.name}' ({widest.type}) takes "
            f"{needed} bits; the published model moves at least one element per cycle",
            hint=f"raise memory.word_bits to {needed} or more, or give memory.data_per_word instead",
        )
    m = bits // needed
    return m, f"{m} elements per word: memory.word_bits = {bits}, the widest element is {widest.type} ('{widest.name}')"


def memory_latency(platform: Platform) -> int:
    """L_m in cycles. Raises ArrayolError (`no-memory-latency`) for a platform that has only the row model."""
    (channel,) = platform.channels
    if channel.latency is None:
        raise error(
            "no-memory-latency",
            "the published model needs memory.latency; this platform has only memory.rows",
            hint="add 'latency = ...' under [memory]: the cycles before the first word of a burst",
        )
    return channel.latency


@dataclass(frozen=True, slots=True)
class FusedLink:
    """An array that flows inside the group from one processor to another.

    `rate` is k of the consumer's link, `share` what the producer writes of the array per datum of its largest output.
    """

    array: str
    producer: str
    consumer: str
    rate: Fraction
    share: Fraction


@dataclass(frozen=True, slots=True)
class InputPlan:
    """An input link of one processor: fused, or (None) from the external memory at rate k."""

    array: str
    rate: Fraction
    fused: FusedLink | None
    whole_array: int


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """What of a group does not depend on N_k. `units` is empty where `reason` says why none satisfy eq. 6."""

    processes: tuple[ProcessRates, ...]
    inputs: Mapping[str, tuple[InputPlan, ...]]
    written: tuple[str, ...]
    flows: int
    latency_cycles: int
    units: Mapping[str, int]
    reason: str | None

    def links_from(self, producer: str) -> list[FusedLink]:
        """The fused links that leave a processor."""
        plans = (plan for plans in self.inputs.values() for plan in plans)
        return [plan.fused for plan in plans if plan.fused and plan.fused.producer == producer]


def plan_group(network: Network, rates: Mapping[str, ProcessRates], group: tuple[str, ...], m: int) -> GroupPlan:
    """The plan of a group at m data per word. The names are processes of the network."""
    members = frozenset(group)
    processes = tuple(rates[name] for name in network.processes if name in members)
    inputs = _inputs(network, processes)
    written = tuple(
        array for process in processes for array in process.shares if is_written_outside(network, array, members)
    )
    # N_k: one block per link from outside, one per array written outside, however many groups read it.
    loads = sum(plan.fused is None for plans in inputs.values() for plan in plans)
    writers = frozenset(process.name for process in processes if any(array in written for array in process.shares))
    units, reason = _units(processes, inputs, writers, m)
    latency = sum(size(network.arrays[array].shape) for array in written)
    return GroupPlan(processes, inputs, written, loads + len(written), latency, units, reason)


def is_written_outside(network: Network, array: str, members: frozenset[str]) -> bool:
    """Whether an array made in the group goes to external memory: an output, or read in another group.

    An array read there only where a delay leaves its space still has to be written; the read itself is no flow.
    """
    written = network.arrays[array]
    return written.is_output or any(reader not in members for reader in written.readers)


def _inputs(network: Network, processes: tuple[ProcessRates, ...]) -> dict[str, tuple[InputPlan, ...]]:
    makers = {array: process for process in processes for array in process.shares}
    kept: set[str] = set()
    plans: dict[str, tuple[InputPlan, ...]] = {}
    for process in processes:
        plans_of = []
        for link in process.inputs:
            maker = makers.get(link.array)
            if maker is None:
                plans_of.append(InputPlan(link.array, link.rate, None, 0))
                continue
            whole = 0
            if link.array not in kept and not all(scans_agree(scan_, link.scan) for scan_ in maker.scans[link.array]):
                kept.add(link.array)
                whole = size(network.arrays[link.array].shape)
            fused = FusedLink(link.array, maker.name, process.name, link.rate, maker.shares[link.array])
            plans_of.append(InputPlan(link.array, link.rate, fused, whole))
        plans[process.name] = tuple(plans_of)
    return plans


def _units(
    processes: tuple[ProcessRates, ...],
    inputs: Mapping[str, tuple[InputPlan, ...]],
    writers: frozenset[str],
    m: int,
) -> tuple[dict[str, int], str | None]:
    """N_cu of each processor, or why there is none.

    Criterion 2 caps processors that write outside at m. With the flow, eq. 6 caps whatever they feed, directly or not;
    against the flow every other processor takes the fewest units that serve its consumers.
    """
    demand = _demands(processes, inputs)
    caps: dict[str, int] = {}
    for process in processes:
        limits = [m] if process.name in writers else []
        for link, units_per_unit in demand.items():
            if link.consumer == process.name and link.producer in caps:
                limits.append(floor(caps[link.producer] / units_per_unit))
                if not limits[-1]:
                    return {}, _no_units(link, processes, caps[link.producer], link.producer in writers, m)
        if limits:
            caps[process.name] = min(limits)
    units: dict[str, int] = {}
    for process in reversed(processes):
        asked = [
            ceil(units[link.consumer] * units_per_unit)
            for link, units_per_unit in demand.items()
            if link.producer == process.name
        ]
        # A result that nobody reads asks for nothing: one unit.
        units[process.name] = caps[process.name] if process.name in writers else max(asked, default=1)
    return units, None


def _demands(
    processes: tuple[ProcessRates, ...], inputs: Mapping[str, tuple[InputPlan, ...]]
) -> dict[FusedLink, Fraction]:
    """Units of the producer per unit of the consumer, eq. 6: C_l k_kl / C_k, for the array's share of what l makes."""
    initiation = {process.name: process.initiation for process in processes}
    links = [plan.fused for plans in inputs.values() for plan in plans if plan.fused]
    return {link: initiation[link.producer] * link.rate / (initiation[link.consumer] * link.share) for link in links}


def _no_units(link: FusedLink, processes: tuple[ProcessRates, ...], cap: int, writes: bool, m: int) -> str:
    initiation = {process.name: process.initiation for process in processes}
    made, taken = cap * link.share / initiation[link.producer], link.rate / initiation[link.consumer]
    limit = f"at most {counted(cap, 'unit')}"
    if writes and cap == m:
        who = f"'{link.producer}' writes outside its group, so it has {limit} (the elements of a word)"
    else:
        who = f"'{link.producer}' has {limit}"
    return (
        f"{who} and makes {made} elements of '{link.array}' per cycle, but one unit of '{link.consumer}' takes {taken}"
    )


def size_blocks(plan: GroupPlan, flows: int, latency: int) -> tuple[ProcessorEstimate, ...]:
    """X_out and x_in of a feasible group when the whole network exchanges `flows` (N_k) blocks of `latency` (L_m)."""
    blocks: dict[str, int] = {}
    for process in reversed(plan.processes):
        hide = ceil(plan.units[process.name] * flows * latency / process.initiation)
        asked = [
            ceil(ceil(link.rate * blocks[link.consumer]) / link.share)  # enough of the array for the consumer's block
            for link in plan.links_from(process.name)
        ]
        blocks[process.name] = max(hide, *asked, 1)  # a memory without latency still moves data one by one
    return tuple(
        ProcessorEstimate(
            process.name,
            process.initiation,
            plan.units[process.name],
            blocks[process.name],
            tuple(_buffer(entry, blocks, process.name) for entry in plan.inputs[process.name]),
        )
        for process in plan.processes
    )


def _buffer(entry: InputPlan, blocks: Mapping[str, int], process: str) -> InputBuffer:
    link = entry.fused
    if link is None:
        return InputBuffer(entry.array, ceil(entry.rate * blocks[process]), True, 0)
    return InputBuffer(entry.array, ceil(link.share * blocks[link.producer]), False, entry.whole_array)
