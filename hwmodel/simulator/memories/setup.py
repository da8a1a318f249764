"""The chip before the first frame: arrays that are loaded once, and ROMs (docs/machine.md, section 11).

The setup is a separate phase: the loader fetches each array whole, word after word, and nothing else happens. In frames
these memories are read and never written, so every frame finds them as the first one did.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses
from hwmodel.platform import Platform
from hwmodel.residence import ONCE
from hwmodel.simulator.memories.memories import Memory
from hwmodel.simulator.port import Port
from hwmodel.simulator.schedule.plan import fault


@dataclass(frozen=True)
class Setup:
    """The tokens of every element of every resident array.

    The cycles and bytes of loading them, and the data they hold.

    `loaded` has, for arrays that are loaded, the cycle in which each element is written to the memories.
    """

    tokens: Mapping[str, IntArray]
    loaded: Mapping[str, IntArray]
    cycles: int
    bytes: int
    data: int

    def read(self, array: str, elements: IntArray) -> IntArray:
        """The tokens of some elements. Raises SimulatorError (`read-before-write`)."""
        tokens = self.tokens[array][elements]
        if (tokens < 0).any():
            raise fault("read-before-write", f"an element of '{array}' is read that the setup has not loaded")
        return tokens


def set_up(accesses: Accesses, platform: Platform, memory: Memory) -> Setup:
    """Load the arrays that are loaded once from the external memory; ROMs hold their elements from the start."""
    port, tokens, loaded, size, data = Port(accesses, platform), dict[str, IntArray](), dict[str, IntArray](), 0, 0
    port.begin()
    for name in accesses.network.arrays:
        if not accesses.is_resident(name):
            continue
        elements = np.arange(accesses.size(name))
        tokens[name] = elements
        if accesses.load[name] == ONCE:
            tokens[name] = memory[name].copy()
            port.expect(name, [elements], write=False)
            loaded[name] = port.serve(name, elements, write=False)
            size += len(elements) * accesses.network.arrays[name].type.bytes
            data += len(elements)
    for held in tokens.values():
        held.setflags(write=False)
    return Setup(tokens, loaded, port.now, size, data)
