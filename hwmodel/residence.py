"""How inputs come to the chip: with each frame, once before the first one, or never, since they are in ROMs.

What is there in every frame is *resident*: it stands beside all groups, and no group loads it (docs/machine.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

from arrayol.ir.network import Network, NetworkArray
from hwmodel import memory_kinds
from hwmodel.memory_kinds import LocalMemoryKind

Load = Literal["rom", "once", "frame"]
LOADS: tuple[Load, ...] = get_args(Load)
ROM, ONCE, FRAME = LOADS
Loads = Mapping[str, Load]
MEMORY_OF_LOAD: Mapping[Load, LocalMemoryKind] = MappingProxyType({ROM: memory_kinds.ROM, ONCE: memory_kinds.ONCE})
NO_LOADS: Loads = MappingProxyType({})  # where nobody says otherwise


def loads_of(network: Network, asked: Loads) -> dict[str, Load]:
    """How each input of a network comes: as asked for, else by default."""
    return {name: asked.get(name, _default(network, network.arrays[name])) for name in network.inputs}


def _default(network: Network, array: NetworkArray) -> Load:
    if array.rom_bits is not None:
        return ROM
    return ONCE if None not in array.shape and _has_frames(network) else FRAME


def _has_frames(network: Network) -> bool:
    """Whether the task runs for ever."""
    return any(None in network.arrays[name].shape for name in (*network.inputs, *network.outputs))


def unfit_load(network: Network, name: str, load: Load) -> tuple[str, str] | None:
    """Why an array of a network cannot come so, and what to do; None where it can."""
    array = network.arrays[name]
    if array.producers:
        hint = "leave it out: a load is for inputs and const arrays"
        return f"'{array.producers[0]}' makes '{name}' in each frame", hint
    if load == ROM and array.rom_bits is None:
        hint = f'write its elements as "const {name}: {array.type}[...] = ...", or take load = "{ONCE}"'
        return f"the elements of the input '{name}' are not known, and a ROM holds them from the start", hint
    if load == ONCE and None in array.shape:
        return f"each frame brings another part of '{name}', which never ends", f'take load = "{FRAME}"'
    return None
