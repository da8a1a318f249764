"""What each memory of a design is built of: its ports as tilers, units and occupancies make them, and its organisation.

Without a technology there are no kinds of memories to build of, and nothing is said. Sizes are those of the estimate:
a bank is taken to hold an equal share of its memory's data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from arrayol.ir.spec import port_named
from hwmodel.accesses import Accesses
from hwmodel.design import GroupDesign
from hwmodel.local_memory.bank_functions import BankFunction
from hwmodel.local_memory.organisations import Organisation, Terms, organise, organise_fifo, organise_state
from hwmodel.local_memory.port_plan import Ports, plan_ports
from hwmodel.machine.estimate import DesignEstimate, GroupEstimate, MemoryUse
from hwmodel.machine.group import Group
from hwmodel.machine.local_ports import LocalPorts, Rates, terms_of
from hwmodel.platform import Platform

Organised = tuple[MemoryUse, Organisation]


def organisations(
    accesses: Accesses, platform: Platform, groups: Sequence[GroupDesign], estimate: DesignEstimate
) -> tuple[Organised, ...]:
    """The organisation of each memory of a design, the groups' in order, then what stands beside them.

    Locals are left out: they are registers of the datapath. Nothing without a technology.
    """
    terms = terms_of(platform)
    if terms is None:
        return ()
    views = [
        _View(accesses, design, own, LocalPorts.of(Group(accesses, design.tasks), platform, design))
        for design, own in zip(groups, estimate.groups, strict=True)
    ]
    inside = ((use, view.organisation(use, terms)) for view in views for use in view.estimate.memories)
    return (*inside, *_beside(accesses, views, estimate.resident, terms))


def _beside(
    accesses: Accesses, views: Sequence[_View], resident: Sequence[MemoryUse], terms: Terms
) -> Iterator[Organised]:
    """Arrays that are loaded once are read by all tasks; a ROM is one of its own for each task that reads it."""
    for use in resident:
        if use.kind == "local":
            continue
        readers = [reader for view in views for reader in view.ports.readers(use.name, view.rates)]
        bits, size = accesses.network.arrays[use.name].type.bits, accesses.size(use.name)
        rank = len(accesses.shape(use.name))
        loaded = views[0].ports.loaded_words(use.name)
        for ports in [(reader,) for reader in readers] if use.kind == "rom" else [tuple(readers)]:
            plan = plan_ports(Ports(rank, ports, (), loaded), power_of_two=terms.power_of_two)
            yield use, organise(plan, bits, size, _shared(size), terms)


def _shared(data: int) -> Callable[[BankFunction], int]:
    def depth(function: BankFunction) -> int:
        return -(-data // function.banks)

    return depth


@dataclass(frozen=True)
class _View:
    """A group of a design with its estimate."""

    accesses: Accesses
    design: GroupDesign
    estimate: GroupEstimate
    ports: LocalPorts

    @cached_property
    def rates(self) -> Rates:
        """Units and occupancy of each task."""
        return {one.task: (one.units, one.interval) for one in self.estimate.processors}

    def organisation(self, use: MemoryUse, terms: Terms) -> Organisation:
        """That of a buffer, a FIFO or a state of the group."""
        if use.kind == "state":
            task, _, port = use.name.rpartition(".")
            shape = port_named(self.accesses.network.processes[task].input_ports, port).shape
            data = math.prod(extent or 1 for extent in shape)
            return organise_state(use.data // data, self.rates[task][0], use.bits // max(1, use.data) * data, terms)
        bits = self.accesses.network.arrays[use.name].type.bits
        if use.kind == "fifo":
            ends = [*self.ports.writers(use.name, self.rates), *self.ports.readers(use.name, self.rates)]
            wide = max(end.units * -(-len(end.places) // end.cycles) for end in ends)
            return organise_fifo(use.data, wide, bits, terms)
        plan = plan_ports(self.ports.ports(use.name, self.rates), power_of_two=terms.power_of_two)
        return organise(plan, bits, use.data, _shared(use.data), terms)
