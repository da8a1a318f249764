"""Costs of processors, and of the control and interconnect of whole designs, as the platform gives them.

Each processor that reads a ROM has one, and each unit its own locals. Their bits are the costs `rom_bits` and
`local_bits`. A platform may also say what a bit of either costs in other terms, such as LUTs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from hwmodel import memory_kinds
from hwmodel.accesses import Accesses
from hwmodel.cost_model.estimate import GroupEstimate, MemoryUse, Number, Once, memory_use
from hwmodel.cost_model.issue.datapaths import Datapaths
from hwmodel.cost_model.memories.local_ports import terms_of
from hwmodel.cost_model.memory_port.port import MemoryPort
from hwmodel.datapath.figures import Datapath
from hwmodel.datapath.technology.overhead import STEERED
from hwmodel.design import interval_of, units_of
from hwmodel.figures import LOCAL_BITS, ROM_BITS
from hwmodel.memory_kinds import ROM
from hwmodel.platform import Platform


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of each unit of a processor, and of the processor whatever its units."""

    unit: Number
    processor: Number


def cost_names(accesses: Accesses, platform: Platform) -> tuple[str, ...]:
    """The names of costs that some task has at some initiation interval, and of bits of ROMs and locals, if any.

    They are the same for all loads of inputs.
    """
    names, arrays = list(platform.all_cost_names(accesses.network)), accesses.network.arrays.values()
    if any(array.rom_bits is not None and array.readers for array in arrays):
        names.append(ROM_BITS)
    if any(process.local_bits for process in accesses.network.processes.values()):
        names.append(LOCAL_BITS)
    return tuple(dict.fromkeys((*names, *memory_cost_names(platform))))


def memory_cost_names(platform: Platform) -> tuple[str, ...]:
    """The names of the costs of memories; none without a technology."""
    terms = terms_of(platform)
    return terms.kinds.cost_names if terms is not None else ()


def with_memories(costs: Mapping[str, Number], memories: Iterable[MemoryUse]) -> dict[str, Number]:
    """Add the costs of memories to those of datapaths, by name."""
    built = [use.costs for use in memories]
    return {name: cost + sum(figures.get(name, 0) for figures in built) for name, cost in costs.items()}


def costs_at(accesses: Accesses, paths: Datapaths, task: str, interval: int) -> dict[str, Cost]:
    """The costs of a task at an initiation interval, by name: the platform's, and bits of ROMs and locals.

    Costs that a task does not have are missing.
    """
    platform, locals_ = paths.platform, accesses.network.processes[task].local_bits
    costs = {}
    path = paths.at(task, interval)
    roms = _rom_bits(accesses, task, path)
    for name in dict.fromkeys((*path.cost, *platform.cost.rom_bits, *platform.cost.local_bits)):
        per_rom, per_local = (rates.get(name, 0) for rates in (platform.cost.rom_bits, platform.cost.local_bits))
        if path.origins.get(f"cost.{name}") == "derived":
            per_local = 0  # the registers of locals are in it
        costs[name] = Cost(_sum(path.cost.get(name, 0), per_local, locals_), _sum(0, per_rom, roms))
    return costs | {ROM_BITS: Cost(0, roms), LOCAL_BITS: Cost(locals_, 0)}


def processor_costs(accesses: Accesses, paths: Datapaths, task: str, rate: int) -> dict[str, Number]:
    """The costs, by name, of a task's processor with the units and initiation interval of a rate."""
    (costs,) = costs_at_rates(accesses, paths, task, [rate])
    return costs


def costs_at_rates(accesses: Accesses, paths: Datapaths, task: str, rates: Sequence[int]) -> list[dict[str, Number]]:
    """The costs, by name, of a task's processor at each of some rates."""
    every = np.array(rates, np.int64)
    pairs = list(zip(units_of(every).tolist(), interval_of(every).tolist(), strict=True))
    of = {interval: costs_at(accesses, paths, task, interval) for interval in dict.fromkeys(own for _, own in pairs)}
    return [
        {name: cost.unit * units + cost.processor for name, cost in of[interval].items()} for units, interval in pairs
    ]


def design_costs(accesses: Accesses, paths: Datapaths, rates: Mapping[str, int]) -> dict[str, Number]:
    """The costs, by name, of all processors of a design at these rates."""
    each = [processor_costs(accesses, paths, task, rate) for task, rate in rates.items()]
    return {name: sum(costs.get(name, 0) for costs in each) for name in cost_names(accesses, paths.platform)}


def all_costs(accesses: Accesses, platform: Platform) -> dict[str, list[tuple[str, Cost]]]:
    """By name of a cost, the cost of each task at each initiation interval on offer, with the task."""
    paths = Datapaths(accesses.network, platform)
    costs: dict[str, list[tuple[str, Cost]]] = {name: [] for name in cost_names(accesses, platform)}
    for task, process in accesses.network.processes.items():
        for interval in platform.intervals(process):
            for name, cost in costs_at(accesses, paths, task, interval).items():
                if name in costs:
                    costs[name].append((task, cost))
    return costs


def _rom_bits(accesses: Accesses, task: str, path: Datapath) -> int:
    """The bits of the ROMs that a task's processor reads with such a datapath."""
    arrays = accesses.network.arrays.values()
    roms = (array for array in arrays if accesses.residents.get(array.name) == ROM and task in array.readers)
    return sum(array.rom_bits or 0 for array in roms if accesses.needs_memory(task, array.name, path.built_in))


def scale_of(name: str, costs: Iterable[Cost], platform: Platform) -> int:
    """The smallest factor that turns a cost of every design into an integer, given the costs of tasks and memories.

    Numbers are read as the decimals that the platform file has.
    """
    amounts = (Fraction(str(amount)) for cost in costs for amount in (cost.unit, cost.processor))
    terms = terms_of(platform) if name in memory_cost_names(platform) else None
    of_memories = terms.kinds.denominator(name) if terms is not None else 1
    return math.lcm(of_memories, *(amount.denominator for amount in amounts))


def _sum(fixed: Number, rate: Number, bits: int) -> Number:
    """A fixed cost plus a rate times bits: an integer if it is one, else the nearest float."""
    if not rate * bits:
        return fixed
    exact = Fraction(str(fixed)) + Fraction(str(rate)) * bits
    return int(exact) if exact.denominator == 1 else float(exact)


def parts_of(groups: Sequence[GroupEstimate]) -> list[Mapping[str, Any]]:
    """The features of each memory that is built."""
    built = [use.organisation for group in groups for use in group.memories]
    return [memory.features for memory in built if memory is not None]


def control_cost_of(platform: Platform, parts: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The share of control and interconnect in a design's costs, by name; empty if the technology has no such model."""
    overhead = platform.prices.overhead if platform.prices is not None else None
    each = [overhead.of(part) for part in parts] if overhead is not None else []
    return {name: float(sum(amounts[number] for amounts in each)) for number, name in enumerate(STEERED)}


def once_memories(accesses: Accesses, platform: Platform) -> tuple[MemoryUse, ...]:
    """The memories of arrays that are loaded once, each whole: a bank for each element of the largest pattern.

    With a technology their sizes count in the groups, where each task that reads one has its own memory.
    """
    network = accesses.network
    patterns = {name: 1 for name, kind in accesses.residents.items() if kind == memory_kinds.ONCE}
    for touches in accesses.reads.values():
        for touch in touches:
            if touch.array in patterns:
                patterns[touch.array] = max(patterns[touch.array], math.prod(touch.pattern))
    uses = (
        memory_use(platform, (memory_kinds.ONCE.name, name, network.arrays[name].type.bits), accesses.size(name), banks)
        for name, banks in patterns.items()
    )
    # What is built for the ports of those that read them is counted in their groups.
    return tuple(uses if terms_of(platform) is None else (replace(use, data=0, bits=0, blocks=None) for use in uses))


def loaded_once(accesses: Accesses, platform: Platform) -> Once:
    """The total size and load time of these arrays: each is one burst, one after another, before the first frame."""
    memories, port = once_memories(accesses, platform), MemoryPort(accesses, platform)
    return Once(
        setup_cycles=port.whole_arrays([memory.name for memory in memories]),
        setup_bytes=sum(memory.addressed * port.element_bytes(memory.name) for memory in memories),
        data=sum(memory.addressed for memory in memories),
        bits=sum(memory.addressed_bits for memory in memories),
        memory_data=sum(memory.data for memory in memories),
        memory_bits=sum(memory.bits for memory in memories),
        blocks=sum(memory.blocks or 0 for memory in memories),
    )


def resident_memories(
    accesses: Accesses, platform: Platform, rates: Mapping[str, tuple[int, int]]
) -> tuple[MemoryUse, ...]:
    """All memories outside the groups of a design with these units and occupancies by task."""
    network = accesses.network
    roms = [network.arrays[name] for name, kind in accesses.residents.items() if kind == memory_kinds.ROM]
    built_in = {
        task: platform.datapath(network.processes[task], occupancy).built_in for task, (_, occupancy) in rates.items()
    }
    readers = {
        rom.name: sum(accesses.needs_memory(task, rom.name, built_in[task]) for task in rom.readers) for rom in roms
    }
    return (
        *once_memories(accesses, platform),
        *(
            MemoryUse(
                memory_kinds.ROM.name,
                array.name,
                0,
                (array.rom_bits or 0) * readers[array.name],
                readers[array.name],
                None,
            )
            for array in roms
            if array.rom_bits and readers[array.name]
        ),
        *(
            MemoryUse(memory_kinds.LOCAL.name, task, 0, process.local_bits * rates[task][0], rates[task][0], None)
            for task, process in network.processes.items()
            if process.local_bits
        ),
    )
