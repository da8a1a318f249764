"""Costs: what a platform says of a unit, by its names, and the bits of ROMs and locals (docs/machine.md, section 11).

A ROM is there once for each processor that reads it, a local once for each unit. Their bits are costs by themselves,
`rom_bits` and `local_bits`; a platform may say what a bit of either costs in others, as LUTs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from hwmodel.accesses import Accesses
from hwmodel.machine.estimate import Number
from hwmodel.platform import Platform
from hwmodel.residence import ROM

ROM_BITS, LOCAL_BITS = "rom_bits", "local_bits"


@dataclass(frozen=True, slots=True)
class Cost:
    """What each unit of a processor costs, and what the processor costs whatever its units."""

    unit: Number
    processor: Number


def costs_by_task(accesses: Accesses, platform: Platform) -> dict[str, dict[str, Cost]]:
    """By the name of a cost, that of each task: the platform's, and bits of ROMs and locals where there are any.

    A task without a cost counts nothing.
    """
    network = accesses.network
    roms, locals_ = rom_bits(accesses), {task: process.local_bits for task, process in network.processes.items()}
    names = platform.all_cost_names(network)
    costs: dict[str, dict[str, Cost]] = {}
    for name in names:
        per_rom, per_local = (rates.get(name, 0) for rates in (platform.cost.rom_bits, platform.cost.local_bits))
        costs[name] = {
            task: Cost(
                _sum(platform.datapath(process).cost.get(name, 0), per_local, locals_[task]),
                _sum(0, per_rom, roms[task]),
            )
            for task, process in network.processes.items()
        }
    if accesses.reads_roms:
        costs[ROM_BITS] = {task: Cost(0, bits) for task, bits in roms.items()}
    if any(locals_.values()):
        costs[LOCAL_BITS] = {task: Cost(bits, 0) for task, bits in locals_.items()}
    return costs


def rom_bits(accesses: Accesses) -> dict[str, int]:
    """By task the bits of the ROMs that its processor reads."""
    arrays = accesses.network.arrays.values()
    roms = [array for array in arrays if accesses.load.get(array.name) == ROM]
    return {
        task: sum(array.rom_bits or 0 for array in roms if task in array.readers) for task in accesses.network.processes
    }


def design_costs(accesses: Accesses, platform: Platform, units: Mapping[str, int]) -> dict[str, Number]:
    """All costs by name, of processors with these units."""
    return {
        name: sum(costs[task].unit * number + costs[task].processor for task, number in units.items())
        for name, costs in costs_by_task(accesses, platform).items()
    }


def scale_of(costs: Iterable[Cost]) -> int:
    """The least number that makes integers of all of them, taken as the decimals that a platform has."""
    amounts = (Fraction(str(amount)) for cost in costs for amount in (cost.unit, cost.processor))
    return math.lcm(*(amount.denominator for amount in amounts))


def _sum(fixed: Number, rate: Number, bits: int) -> Number:
    """A cost and so many bits at a rate: whole where it is whole, else the float nearest to the decimals."""
    exact = Fraction(str(fixed)) + Fraction(str(rate)) * bits
    return fixed if not rate * bits else int(exact) if exact.denominator == 1 else float(exact)
