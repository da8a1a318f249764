"""Energy of a frame (docs/machine.md, section 12): the energy of single operations, and sums of them.

The energy of a repetition, an access, or a bit on the port is a whole number of fJ, so that energies of groups are
exact integers as other figures are, and equal for all front ends. Leakage is a power, in whole pW, and belongs to a
whole design: its processors leak as long as a frame takes, whichever group works.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from arrayol.ir.network import Network
from arrayol.text import listed
from hwmodel.accesses import Accesses
from hwmodel.cost_model.costs import once_memories
from hwmodel.cost_model.estimate import EnergyUse, MemoryUse, memory_use
from hwmodel.cost_model.group.access_counts import Counts
from hwmodel.cost_model.memories.local_ports import terms_of
from hwmodel.cost_model.numbering import require_energy
from hwmodel.datapath.figures import Datapath
from hwmodel.datapath.technology.technology import Technology
from hwmodel.platform import Platform

MEMORY_BITS = "internal_memory_bits"
_BIT = "bit"  # what technologies call one of these


@dataclass(frozen=True)
class EnergyCosts:
    """The energies of a technology in whole fJ: of a bit over the port, and of accesses to local memories by size.

    `leaking` has the leakage, in whole pW, of one unit of each cost by name, and of a bit of internal memory.
    """

    technology: Technology
    external: int
    leaking: Mapping[str, int]

    def access(self, bank_bits: int, width: int) -> int:
        """The energy of a datum of so many bits that is read from or written to a bank of so many bits."""
        return _access_fj(self.technology, bank_bits, width)

    def memory(self, use: MemoryUse) -> tuple[int, int]:
        """The energies of a datum that is read from a memory, and of one written to all copies of it."""
        built = use.organisation
        if built is None:
            each = self.access(-(-use.addressed // use.banks) * use.width, use.width)
            return each, each
        each = self.access(built.depth * built.width, use.width)
        return each, each * built.copies


@lru_cache(maxsize=1 << 16)
def _access_fj(technology: Technology, bank_bits: int, width: int) -> int:
    return technology.access_fj(bank_bits, width)


def repetition_fj(path: Datapath) -> tuple[int, int]:
    """The energies of the operators and of the registers of one repetition, in fJ.

    The datapath's energy must be known.
    """
    assert path.energy_pj is not None, "a platform that does not give it has no energies"
    registers = round(1000 * path.register_pj)
    return round(1000 * path.energy_pj) - registers, registers


def energy_prices(platform: Platform, network: Network) -> EnergyCosts | None:
    """The energies of a platform for a network; None if something is lacking (`energy_gap`)."""
    technology = platform.prices
    if technology is None or energy_gap(platform, network) is not None:
        return None
    figures = {_BIT: MEMORY_BITS}
    leaking = {figures.get(name, name): round(1e9 * milliwatts) for name, milliwatts in technology.leakage_mw.items()}
    return EnergyCosts(technology, round(1000 * technology.external_pj_per_bit), leaking)


def energy_gap(platform: Platform, network: Network) -> tuple[str, str] | None:
    """What a platform lacks to compute energies of a network, and the remedy; None if it lacks nothing."""
    technology = platform.prices
    if technology is None:
        return "the platform names no technology", 'name one, as technology = "ecp5-6"'
    processes = network.processes.values()
    without = dict.fromkeys(
        process.elementary
        for process in processes
        for interval in platform.intervals(process)
        if platform.datapath(process, interval).energy_pj is None
    )
    if without:
        names = listed([*without])
        return (
            f"the energy of a repetition of {names} is not given",
            "give energy_pj in [elementary.NAME] of the platform",
        )
    for cost in technology.leakage_mw:
        lacking = dict.fromkeys(
            process.elementary for process in processes if cost != _BIT and cost not in platform.cost_names(process)
        )
        if lacking:
            why = f"the leakage of {listed([*lacking])} is unknown without their cost in {cost}"
            return why, f"give cost = {{ {cost} = NUMBER }} in [elementary.NAME] of the platform"
    return None


def with_residents(
    accesses: Accesses, platform: Platform, tasks: Iterable[str], memories: Sequence[MemoryUse]
) -> tuple[MemoryUse, ...]:
    """The memories of a group and, on a platform without kinds of memories, the resident arrays that its tasks read.

    Each task has an array that is loaded once, in its banks, or a ROM (TASK.ARRAY). Built memories already include
    these.
    """
    if terms_of(platform) is not None:
        return tuple(memories)
    once = {use.name: use for use in once_memories(accesses, platform)}
    arrays, uses = accesses.network.arrays, list(memories)
    pairs = ((reader, touch.array) for reader in tasks for touch in accesses.reads[reader])
    for task, name in dict.fromkeys(pairs):
        if name in once:
            uses.append(replace(once[name], name=f"{task}.{name}"))
        elif accesses.is_resident(name) and accesses.takes_memory(name):
            what = accesses.residents[name].name, f"{task}.{name}", arrays[name].type.bits
            uses.append(memory_use(platform, what, accesses.size(name)))
    return tuple(uses)


def energy_uses(
    prices: EnergyCosts,
    datapaths: Mapping[str, tuple[int, Datapath]],
    counts: Counts,
    memories: Sequence[MemoryUse],
    outside: Mapping[str, int],
) -> tuple[EnergyUse, ...]:
    """Energies of a group, from runs and datapaths by task, accesses and sizes of memories, and port bits by array.

    Raises ArrayolError (`figure-too-large`) if 64 bits do not hold them.
    """
    operators, registers = [], []
    for task, (runs, path) in datapaths.items():
        of_operators, of_registers = repetition_fj(path)
        operators.append(EnergyUse("operators", task, runs * of_operators))
        registers.append(EnergyUse("registers", task, runs * of_registers))
    local = [EnergyUse("local memory", _shown(use), _local_fj(prices, counts, use)) for use in memories]
    external = [EnergyUse("external memory", array, bits * prices.external) for array, bits in outside.items()]
    uses = (*operators, *registers, *local, *external)
    require_energy(sum(use.femtojoules for use in uses))
    return tuple(use for use in uses if use.femtojoules)


def _local_fj(prices: EnergyCosts, counts: Counts, use: MemoryUse) -> int:
    """The energy of all accesses to a memory; 0 without accesses, since it may be too large to have an energy."""
    number = [counts[use.kind, use.name, writes] for writes in (False, True)]
    if not any(number):
        return 0
    return sum(count * price for count, price in zip(number, prices.memory(use), strict=True))


def _shown(use: MemoryUse) -> str:
    return f"{use.kind} {use.name}"
