"""The organisation of each memory of a group, from its ports, and the figures of buffers as they are built.

Without a technology there are no kinds of memories, and no organisations. An organisation depends on the structure only
by the depths of banks, and on the rates (units, occupancies) of the tasks that touch the memory.

The idea. Many rates need the same ways to serve the ports of a buffer, and a way depends on the structure only by the
depth of its banks. So each way is evaluated once for each structure, when it is first needed.

The depth of banks has a lower bound: live data lie in different words of each copy, so with `banks` banks one is at
least live / banks deep, rounded up. A single bank has the known addressed size. The least over all ways is then a lower
bound for each design, whichever way it takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.ir.spec import port_named
from hwmodel.cost_model.estimate import MemoryUse
from hwmodel.cost_model.group.group import frames_kept
from hwmodel.cost_model.memories.bank_figures import BankFigures, RowCache, SizeTable
from hwmodel.cost_model.memories.figures import FIGURES, PRICE, Figures
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
    Ways,
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


Mask = NDArray[np.bool_]
Kind = Ways | LayoutPorts  # what serves the ports
Sized = Callable[[IntArray], IntArray]  # of some structures, by their rows (n,), so many words
Depths = Callable[[BankFunction, IntArray], IntArray]  # of such the words of the deepest bank
_MOST = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class BufferFigures:
    """The buffer of an array in S structures, with addressed sizes `words` in one bank and `live` counts."""

    builder: Builder
    array: str
    structures: int
    words: Sized
    live: Sized
    depths: Depths
    _known: dict[Ways, RowCache] = field(default_factory=dict, repr=False)
    _ways: dict[Candidate, RowCache] = field(default_factory=dict, repr=False)

    def kind(self, rates: Rates) -> Kind:
        """The ways to serve the ports, or the layout's ports, at some rates."""
        if self.array in self.builder.layouts:
            return self.builder.layout_ports(self.array, rates)
        return self.builder.ports.ways(self.array, rates)[1]

    def figures(self, kind: Kind, which: IntArray) -> Figures:
        """The ROWS of figures (9, n) of a kind of buffer in some structures."""
        if isinstance(kind, Ways):
            if kind not in self._known:
                own = replace(self, _known={})  # without what it is to hold, so that nothing large holds itself
                self._known[kind] = RowCache(self.structures, partial(own.cheapest, kind))
            return self._known[kind](which).T

        def layout(deep: int) -> tuple[float, ...]:
            organisation = organise_layout(kind.function, kind.copies, deep, self._bits, self.builder.terms)
            return self.builder.figures(organisation, self._bits)

        return SizeTable(layout)(self.depths(kind.function, which))

    def needs(self, kind: Kind, which: IntArray) -> Iterator[tuple[BankFunction, IntArray]]:
        """The bank functions whose depths the figures of a kind depend on, and the structures without known figures."""
        if not isinstance(kind, Ways):
            yield kind.function, which
            return
        new = self._known[kind].new(which) if kind in self._known else which
        for candidate in kind.candidates if len(new) else ():
            if candidate.banks > 1 and candidate.function is not None:
                yield candidate.function, self._ways[candidate].new(new) if candidate in self._ways else new

    def least(self, kind: Kind, which: IntArray) -> Figures:
        """Lower bounds of data and bits (2, n) over all designs."""
        data = self._least_data(kind, which)
        return np.stack([data, data * self._bits])

    def _least_data(self, kind: Kind, which: IntArray) -> IntArray:
        """Lower bounds of data (n,) over all designs."""
        words, live = self.words(which), self.live(which)
        if not isinstance(kind, Ways):
            banks = kind.function.banks
            return kind.copies * banks * -(-live // banks)
        if not kind.candidates:
            return words
        least = np.where(self._may_be_registers(kind, words), words, _MOST)
        for candidate in kind.candidates:
            deep = words if candidate.banks == 1 else -(-live // candidate.banks)
            least = np.minimum(
                least,
                _known_data(
                    self._ways.get(candidate), which, candidate.copies * candidate.banks * deep + candidate.window
                ),
            )
        return _known_data(self._known.get(kind), which, least)

    @property
    def _bits(self) -> int:
        return self.builder.bits(self.array)

    def _may_be_registers(self, ways: Ways, words: IntArray) -> Mask:
        """In which structures registers may serve the ports."""
        return np.asarray(words * self._bits <= ways.register_bits(self.builder.terms))

    def cheapest(self, ways: Ways, which: IntArray) -> Figures:
        """The ROWS of figures (n, 9) of the cheapest way to serve the ports in some structures."""
        words = self.words(which)
        options = [self.builder.figures_of_registers(self._bits, words, ways.routes)]
        prices = [np.where(self._may_be_registers(ways, words), options[0][PRICE], math.inf)]
        for candidate in ways.candidates:
            options.append(self._of_way(candidate)(which).T)
            prices.append(options[-1][PRICE])
        best = np.stack(prices).argmin(axis=0)  # where none can be built the design is not legal (`served`)
        chosen: Figures = np.stack(options)[best, :, np.arange(len(words))]
        return chosen

    def _of_way(self, one: Candidate) -> RowCache:
        """The ROWS of figures (n, 9) of one way to serve the ports, which several kinds may share."""
        if one not in self._ways:
            words, depths, figures, bits = self.words, self.depths, self.builder.figures_of_way, self._bits

            def of_rows(which: IntArray) -> Figures:
                assert one.function is not None, "registers are no candidate"
                deep = words(which) if one.banks == 1 else depths(one.function, which)
                return figures(one, bits, deep).T

            self._ways[one] = RowCache(self.structures, of_rows)
        return self._ways[one]


def _known_data(figures: RowCache | None, which: IntArray, data: IntArray) -> IntArray:
    """The data (n,) of some structures, replaced by known figures where there are any."""
    if figures is None:
        return data
    there, known_figures = figures.known(which)
    data[there] = known_figures[:, FIGURES.index("data")]
    return data
