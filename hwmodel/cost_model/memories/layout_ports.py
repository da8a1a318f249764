"""The ports of a buffer with a bank layout, and the number of its copies (docs/machine.md, section 7).

A layout separates the elements of one pattern that a unit accesses in a cycle, not those of parallel units or of other
tilers, nor those in a word of the external memory's port. So each unit has its own banks for each tiler through which
it reads, and the storer has additional ports of each. Each unit and tiler that writes, or each datum of a loaded word
in one bank, has copies of all of these.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hwmodel.cost_model.memories.local_ports import LocalPorts, Rates
from hwmodel.design import BankLayout
from hwmodel.local_memory.bank_functions import Linear
from hwmodel.local_memory.port_plan import Sets


@dataclass(frozen=True, slots=True)
class LayoutPorts:
    """The units that read by tiler, the ports of a bank that the storer needs, and the simultaneous writers."""

    function: Linear
    reading: int
    storing: int
    writing: int
    read_ports: int  # of a bank

    @staticmethod
    def of(ports: LocalPorts, layout: BankLayout, rates: Rates) -> LayoutPorts:
        """The ports of a buffer of the group at some rates."""
        group, local, array = ports.group, ports.platform.local, layout.array
        function = Linear(layout.vector, layout.banks, layout.block)
        readers, writers = group.touches(array)
        reading = sum(rates[touch.process][0] for touch in readers)
        writing = sum(rates[touch.process][0] for touch in writers)
        loading, storing = (
            most_in_a_bank(function, sets) * local.access_cycles
            for sets in (ports.loaded_words(array), ports.stored_words(array))
        )
        return LayoutPorts(function, reading, storing, writing + loading, local.read_ports)

    @property
    def copies(self) -> int:
        """The number of copies of the layout's banks."""
        return max(1, self.reading + -(-self.storing // self.read_ports)) * max(1, self.writing)


def most_in_a_bank(function: Linear, sets: Sets) -> int:
    """The most elements of a set that lie in one bank, over all sets and all shifts; 0 without sets."""
    most, step = 0, math.gcd(*function.alpha, function.block)
    for places in sets:
        value = np.array(places, np.int64).reshape(len(places), -1) @ np.array(function.alpha, np.int64)
        for shift in range(0, function.block, step):
            bank = (value + shift) // function.block % function.banks
            most = max(most, int(np.bincount(bank).max()))
    return most
