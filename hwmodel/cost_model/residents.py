"""Memories outside all groups: arrays that are loaded once, ROMs and locals (docs/machine.md, section 11)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from hwmodel import memory_kinds
from hwmodel.accesses import Accesses
from hwmodel.cost_model.estimate import MemoryUse, Once, memory_use
from hwmodel.cost_model.memories.local_ports import terms_of
from hwmodel.cost_model.memory_port.port import MemoryPort
from hwmodel.platform import Platform


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
