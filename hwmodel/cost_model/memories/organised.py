"""The organisation of each memory of a group, from its ports.

Without a technology there are no kinds of memories, and no organisations. An organisation depends on the structure only
by the depths of banks, and on the rates (units, occupancies) of the tasks that touch the memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from arrayol.arrays import IntArray
from arrayol.ir.spec import port_named
from hwmodel.cost_model.estimate import MemoryUse
from hwmodel.cost_model.group.group import frames_kept
from hwmodel.cost_model.memories.bank_figures import BankFigures
from hwmodel.cost_model.memories.figures import Figures
from hwmodel.cost_model.memories.layout_ports import LayoutPorts
from hwmodel.cost_model.memories.local_ports import LocalPorts, Rates
from hwmodel.datapath.operators.bins import Bins
from hwmodel.datapath.technology.overhead import Routes, memory_features
from hwmodel.design import BankLayout
from hwmodel.local_memory.bank_functions import BankFunction, box_depth
from hwmodel.local_memory.memory_kinds import Built
from hwmodel.local_memory.organisations import (
    Candidate,
    Organisation,
    Terms,
    most_served,
    organise,
    organise_fifo,
    organise_layout,
    organise_state,
    unserved,
    ways_of,
)
from hwmodel.local_memory.port_plan import PortPlan, Ports
from hwmodel.local_memory.state_parts import data_together


@dataclass(frozen=True)
class Builder:
    """Organises the memories of a group with `ports` under `terms`.

    `layouts` by array are those that the design gives.
    """

    ports: LocalPorts
    terms: Terms
    layouts: Mapping[str, BankLayout] = field(default_factory=dict)

    @staticmethod
    def of(ports: LocalPorts, layouts: Sequence[BankLayout]) -> Builder | None:
        """The builder of a group; None without a technology."""
        terms = ports.terms
        return None if terms is None else Builder(ports, terms, {layout.array: layout for layout in layouts})

    @cached_property
    def known(self) -> BankFigures:
        """The figures of banks, cached."""
        return BankFigures.of(self.ports.platform, self.terms)

    def buffer(self, array: str, rates: Rates, words: int, depth: Callable[[BankFunction], int]) -> Organisation:
        """The organisation of an array's buffer; `words` is its addressed size in one bank."""
        bits = self.bits(array)
        if array in self.layouts:
            ports = self.layout_ports(array, rates)
            return organise_layout(ports.function, ports.copies, depth(ports.function), bits, self.terms)
        plan, ways = self.ports.ways(array, rates)
        return organise(plan, bits, words, depth, self.terms, ways=ways, name=array)

    def fifo(self, array: str, rates: Rates, data: int) -> Organisation:
        """The organisation of an array's FIFO for so many data."""
        ends = [*self.ports.writers(array, rates), *self.ports.readers(array, rates)]
        wide = max(end.units * -(-len(end.places) // end.cycles) for end in ends)
        return organise_fifo(data, wide, self.bits(array), self.terms)

    def state(self, name: str, banks: int, data: int, cycles: int) -> Organisation:
        """The organisation of a delay state TASK.PORT, whose chains have words of so many `data` in all, in banks.

        A repetition of the task occupies its unit for so many `cycles`. Where several frames are kept, each bank has as
        many words for each of them.
        """
        task, _, port_name = name.rpartition(".")
        process = self.ports.group.network.processes[task]
        port = port_named(process.input_ports, port_name)
        each = math.prod(extent or 1 for extent in port.shape)
        latency = self.ports.platform.datapath(process, cycles).latency
        together = data_together(each, cycles, latency)
        bits = each * port.type.bits
        delay = next(own for own in process.delays if own.port == port_name)
        words, kept = data // each, max(1, frames_kept(process.repetition, delay))
        if kept > 1:
            words = kept * banks * -(-words // (kept * banks))
        return organise_state(words, banks, bits, self.terms, data=each, together=together)

    def bins(self, task: str) -> tuple[Bins, ...]:
        """The memories of a unit of a task, to whose words sums are added."""
        return self.ports.platform.bins(self.ports.group.network.processes[task])

    def resident(self, task: str, array: str, rates: Rates) -> Organisation:
        """The organisation of a task's memory of an array that is loaded once, or of a ROM."""
        accesses = self.ports.group.accesses
        plan, depth = self.resident_ports(task, array, rates), partial(box_depth, extents=accesses.shape(array))
        return organise(plan, self.bits(array), accesses.size(array), depth, self.terms, name=array)

    def needs_resident(self, task: str, array: str, rates: Rates) -> bool:
        """Whether a task has a memory of a resident array: none where the elements are constants of its datapath."""
        return self.ports.group.accesses.needs_memory(task, array, self.ports.built_in(task, rates[task][1]))

    def resident_ports(self, task: str, array: str, rates: Rates) -> PortPlan:
        """The ports of a task's memory of a resident array."""
        readers = tuple(self.ports.access(touch, *rates[task]) for touch in self.ports.group.reads(task, array))
        shape = tuple(self.ports.group.accesses.shape(array))
        ports = Ports(len(shape), readers, (), self.ports.loaded_words(array), shape=shape)
        return self.ports.planned(ports)

    @property
    def residents(self) -> tuple[tuple[str, str], ...]:
        """The pairs of a task and a resident array that it reads and that takes memory."""
        group = self.ports.group
        return tuple(
            (task, array)
            for task in group.tasks
            for array in dict.fromkeys(touch.array for touch in group.accesses.reads[task])
            if group.accesses.is_resident(array) and group.accesses.takes_memory(array)
        )

    def most_bits(self, array: str, rates: Rates) -> float:
        """The bits of the largest buffer of an array whose ports can be served."""
        return math.inf if array in self.layouts else most_served(self.ports.ways(array, rates)[1], self.terms)

    def refusal(self, array: str, rates: Rates, bits: int) -> str:
        """The reason why no memory serves a buffer of so many bits."""
        plan, _ = self.ports.ways(array, rates)
        return unserved(array, plan, bits, self.terms).diagnostics[0].message

    def is_served(self, task: str, array: str, rates: Rates) -> bool:
        """Whether a memory can serve the ports of a task's resident array, if it has one."""
        if not self.needs_resident(task, array, rates):
            return True
        bits = self.ports.group.accesses.size(array) * self.bits(array)
        return bits <= most_served(ways_of(self.resident_ports(task, array, rates), self.terms), self.terms)

    def layout_ports(self, array: str, rates: Rates) -> LayoutPorts:
        """The ports of a buffer with a bank layout."""
        return LayoutPorts.of(self.ports, self.layouts[array], rates)

    def bits(self, array: str) -> int:
        """The bits of an element of an array."""
        return self.ports.group.network.arrays[array].type.bits

    def figures_of_way(self, one: Candidate, bits: int, deep: IntArray) -> Figures:
        """The FIGURES and ENERGIES (9, n) of a way to serve ports, with banks of so many words (n,)."""
        banks, known = one.copies * one.banks, self.known.banks(deep, bits, one.reads, one.writes)
        built = known[:-1] * banks + self.known.registers(np.array([one.window * bits]))
        built = self._steered(built, memory_features(one.routes, one.banks, one.copies, bits, deep))
        return self._rows(built, banks * deep + one.window, bits, known[-1], one.copies)

    def figures_of_registers(self, bits: int, data: IntArray, routes: Routes) -> Figures:
        """The FIGURES and ENERGIES (9, n) of registers for so many data (n,), with the lanes of `routes`."""
        built, each = self.known.registers(data * bits), self.known.accesses_fj(data * bits, bits)
        built = self._steered(built, memory_features(routes, 1, 1, bits, data, registers=True))
        return self._rows(built, data, bits, each, 1)

    def _steered(self, built: Figures, features: Mapping[str, Any]) -> Figures:
        """Add the control and interconnect that features cost to built figures (4, n)."""
        if self.terms.overhead is None:
            return built
        lut, ff = self.terms.overhead.of(features)
        blocks, own_lut, own_ff, area = built
        return np.stack([blocks, own_lut + lut, own_ff + ff, area])

    def _rows(self, built: Figures, data: IntArray, bits: int, each: Figures, copies: int) -> Figures:
        """The FIGURES and ENERGIES (9, n) of a memory with so many data in all.

        An access takes `each` energy in every copy.
        """
        blocks, lut, ff, area = built
        every = data, data * bits, np.ceil(blocks), lut, ff, area, self.known.price(built), each, each * copies
        rows = np.empty((len(every), len(data)))
        for row, own in enumerate(every):
            rows[row] = own
        return rows

    def figures(self, one: Organisation, width: int) -> tuple[float, ...]:
        """The FIGURES and ENERGIES of an organisation, for data of so many bits."""
        return self._figures(one.built, one.bits, width, (one.copies, one.depth * one.width))

    def _figures(self, built: Built, bits: int, width: int, copies_of: tuple[int, int]) -> tuple[float, ...]:
        """FIGURES and ENERGIES from the built parts, all bits, the bits of a datum, and copies and bits of banks."""
        blocks, price = math.ceil(built.blocks), built.price(self.terms.prices)
        copies, bank_bits = copies_of
        each = self.known.access_fj(bank_bits, width)
        return bits // width, bits, blocks, built.lut, built.ff, built.area, price, each, each * copies


def with_organisation(use: MemoryUse, one: Organisation) -> MemoryUse:
    """Give a memory its organisation, and the size of that."""
    return replace(
        use,
        data=one.bits // use.width,
        bits=one.bits,
        banks=one.banks,
        blocks=math.ceil(one.built.blocks),
        organisation=one,
    )
