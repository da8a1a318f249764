"""Costs: what a platform says of a unit, by its names, and the bits of ROMs and locals (docs/machine.md, section 11).

A ROM is there once for each processor that reads it, a local once for each unit. Their bits are costs by themselves,
`rom_bits` and `local_bits`; a platform may say what a bit of either costs in others, as LUTs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hwmodel.accesses import Accesses
from hwmodel.design import interval_of, units_of
from hwmodel.figures import LOCAL_BITS, ROM_BITS
from hwmodel.machine.built.local_ports import terms_of
from hwmodel.machine.estimate import MemoryUse, Number
from hwmodel.machine.schedule.datapaths import Datapaths
from hwmodel.memory_kinds import ROM
from hwmodel.platform import Platform


@dataclass(frozen=True, slots=True)
class Cost:
    """What each unit of a processor costs, and what the processor costs whatever its units."""

    unit: Number
    processor: Number


def cost_names(accesses: Accesses, platform: Platform) -> tuple[str, ...]:
    """The names of costs that some task has at some interval, and of bits of ROMs and locals where there may be any.

    They are the same whatever the loads.
    """
    names, arrays = list(platform.all_cost_names(accesses.network)), accesses.network.arrays.values()
    if any(array.rom_bits is not None and array.readers for array in arrays):
        names.append(ROM_BITS)
    if any(process.local_bits for process in accesses.network.processes.values()):
        names.append(LOCAL_BITS)
    return tuple(dict.fromkeys((*names, *memory_cost_names(platform))))


def memory_cost_names(platform: Platform) -> tuple[str, ...]:
    """The names of costs that memories have; none without a technology."""
    terms = terms_of(platform)
    return terms.kinds.cost_names if terms is not None else ()


def with_memories(costs: Mapping[str, Number], memories: Iterable[MemoryUse]) -> dict[str, Number]:
    """Costs of datapaths with those of memories, by name."""
    built = [use.costs for use in memories]
    return {name: cost + sum(own.get(name, 0) for own in built) for name, cost in costs.items()}


def costs_at(accesses: Accesses, paths: Datapaths, task: str, interval: int) -> dict[str, Cost]:
    """The costs of a task at an interval, by name: the platform's, and bits of ROMs and locals.

    What is not there counts nothing.
    """
    platform, locals_ = paths.platform, accesses.network.processes[task].local_bits
    roms = _rom_bits(accesses, task)
    costs = {}
    path = paths.at(task, interval)
    for name in dict.fromkeys((*path.cost, *platform.cost.rom_bits, *platform.cost.local_bits)):
        per_rom, per_local = (rates.get(name, 0) for rates in (platform.cost.rom_bits, platform.cost.local_bits))
        if path.origins.get(f"cost.{name}") == "derived":
            per_local = 0  # the registers of locals are in it
        costs[name] = Cost(_sum(path.cost.get(name, 0), per_local, locals_), _sum(0, per_rom, roms))
    return costs | {ROM_BITS: Cost(0, roms), LOCAL_BITS: Cost(locals_, 0)}


def processor_costs(accesses: Accesses, paths: Datapaths, task: str, rate: int) -> dict[str, Number]:
    """The costs by name of a processor of so many units at an interval, as its rate says."""
    (costs,) = costs_at_rates(accesses, paths, task, [rate])
    return costs


def costs_at_rates(accesses: Accesses, paths: Datapaths, task: str, rates: Sequence[int]) -> list[dict[str, Number]]:
    """The same of a task at each of some rates."""
    every = np.array(rates, np.int64)
    pairs = list(zip(units_of(every).tolist(), interval_of(every).tolist(), strict=True))
    of = {interval: costs_at(accesses, paths, task, interval) for interval in dict.fromkeys(own for _, own in pairs)}
    return [
        {name: cost.unit * units + cost.processor for name, cost in of[interval].items()} for units, interval in pairs
    ]


def design_costs(accesses: Accesses, paths: Datapaths, rates: Mapping[str, int]) -> dict[str, Number]:
    """All costs by name, of processors at these rates."""
    each = [processor_costs(accesses, paths, task, rate) for task, rate in rates.items()]
    return {name: sum(costs.get(name, 0) for costs in each) for name in cost_names(accesses, paths.platform)}


def all_costs(accesses: Accesses, platform: Platform) -> dict[str, list[tuple[str, Cost]]]:
    """By the name of a cost all that some task has of it at some interval on offer, with the task."""
    paths = Datapaths(accesses.network, platform)
    costs: dict[str, list[tuple[str, Cost]]] = {name: [] for name in cost_names(accesses, platform)}
    for task, process in accesses.network.processes.items():
        for interval in platform.intervals(process):
            for name, cost in costs_at(accesses, paths, task, interval).items():
                if name in costs:
                    costs[name].append((task, cost))
    return costs


def _rom_bits(accesses: Accesses, task: str) -> int:
    """The bits of the ROMs that a task's processor reads."""
    arrays = accesses.network.arrays.values()
    roms = (array for array in arrays if accesses.residents.get(array.name) == ROM)
    return sum(array.rom_bits or 0 for array in roms if task in array.readers)


def scale_of(name: str, costs: Iterable[Cost], platform: Platform) -> int:
    """The least number that makes integers of a cost of all designs, given what tasks have of it and their memories.

    Numbers are taken as the decimals that a platform has.
    """
    amounts = (Fraction(str(amount)) for cost in costs for amount in (cost.unit, cost.processor))
    terms = terms_of(platform) if name in memory_cost_names(platform) else None
    of_memories = terms.kinds.denominator(name) if terms is not None else 1
    return math.lcm(of_memories, *(amount.denominator for amount in amounts))


def _sum(fixed: Number, rate: Number, bits: int) -> Number:
    """A cost and so many bits at a rate: whole where it is whole, else the float nearest to the decimals."""
    if not rate * bits:
        return fixed
    exact = Fraction(str(fixed)) + Fraction(str(rate)) * bits
    return int(exact) if exact.denominator == 1 else float(exact)
