"""One group of fused processes: what it exchanges, its units (N_cu) and, for a given N_k, its blocks (X_out)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from arrayol.ir.network import Network
from hwmodel.published.estimate import InputBuffer, ProcessorEstimate
from hwmodel.published.rates import ProcessRates, disagreeing, size


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
    found = network.arrays[array]
    return found.is_output or any(reader not in members for reader in found.readers)


def _inputs(network: Network, processes: tuple[ProcessRates, ...]) -> dict[str, tuple[InputPlan, ...]]:
    makers = {array: process for process in processes for array in process.shares}
    kept: set[str] = set()
    plans: dict[str, tuple[InputPlan, ...]] = {}
    for process in processes:
        found = []
        for link in process.inputs:
            maker = makers.get(link.array)
            if maker is None:
                found.append(InputPlan(link.array, link.rate, None, 0))
                continue
            whole = 0
            if link.array not in kept and disagreeing(maker.scans[link.array], link.scan):
                kept.add(link.array)
                whole = size(network.arrays[link.array].shape)
            fused = FusedLink(link.array, maker.name, process.name, link.rate, maker.shares[link.array])
            found.append(InputPlan(link.array, link.rate, fused, whole))
        plans[process.name] = tuple(found)
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
    limit = f"at most {cap} unit{'s' * (cap != 1)}"
    if writes and cap == m:
        who = f"'{link.producer}' writes outside its group, so it has {limit} (the data of a word)"
    else:
        who = f"'{link.producer}' has {limit}"
    return f"{who} and makes {made} data of '{link.array}' per cycle, but one unit of '{link.consumer}' takes {taken}"


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
