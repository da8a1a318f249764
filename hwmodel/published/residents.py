"""What stands beside all groups in the published model (docs/published.md, section 6): the paper has no word on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hwmodel.accesses import Accesses
from hwmodel.residence import ONCE, ROM


@dataclass(frozen=True, slots=True)
class Residents:
    """Arrays that are loaded once, together; bits of ROMs in all processors that read them; bits of locals by task."""

    setup_cycles: int
    setup_bytes: int
    data: int
    bits: int
    rom_bits: int
    local_bits: Mapping[str, int]


def residents_of(accesses: Accesses, m: int, latency: int) -> Residents:
    """For m data per word and a burst's latency in cycles: a burst for each array, one after another."""
    arrays, load = accesses.network.arrays, accesses.load
    once = [(arrays[name], accesses.size(name)) for name in load if load[name] == ONCE]
    roms = [arrays[name] for name in load if load[name] == ROM]
    return Residents(
        setup_cycles=sum(latency - (-data // m) for _, data in once),
        setup_bytes=sum(array.type.bytes * data for array, data in once),
        data=sum(data for _, data in once),
        bits=sum(array.type.bits * data for array, data in once),
        rom_bits=sum((array.rom_bits or 0) * len(array.readers) for array in roms),
        local_bits={name: process.local_bits for name, process in accesses.network.processes.items()},
    )
