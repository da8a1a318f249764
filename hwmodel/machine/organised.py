"""What each memory of a group is built of: its ports as tilers, units and occupancies make them, and its organisation.

Without a technology there are no kinds of memories to build of, and nothing is said. An organisation hangs on the
structure by the depths of banks alone, and on the rates (units, occupancies) of the tasks that touch the memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import ArrayolError
from arrayol.ir.spec import port_named
from arrayol.text import rounded
from hwmodel.design import BankLayout, interval_of, units_of
from hwmodel.local_memory.bank_functions import BankFunction, box_depth
from hwmodel.local_memory.memory_kinds import Built
from hwmodel.local_memory.organisations import (
    Candidate,
    Organisation,
    Terms,
    candidates,
    in_registers,
    most_served,
    organise,
    organise_fifo,
    organise_layout,
    organise_state,
    unserved,
)
from hwmodel.local_memory.port_plan import PortPlan, Ports, plan_ports
from hwmodel.machine.estimate import MemoryKind, MemoryUse
from hwmodel.machine.int64 import EXACT_LIMIT, SMALLER, require_energy, too_large
from hwmodel.machine.layout_ports import LayoutPorts
from hwmodel.machine.local_ports import LocalPorts, Rates
from hwmodel.machine.schedule.datapaths import Datapaths
from hwmodel.residence import ROM

Ints = NDArray[np.int64]
Figures = NDArray[Any]
Depths = Callable[[BankFunction], Ints]  # of many structures the words of the deepest bank
KnownWays = dict[tuple[str, tuple[Candidate, ...], bool], Figures]
FIGURES = ("data", "bits", "blocks", "lut", "ff", "area", "price")  # of a memory as it is built
ENERGIES = ("read", "write")  # fJ of a datum that is read from one of its banks, and of one written to all copies
ROWS = len(FIGURES) + len(ENERGIES)
_PRICE = FIGURES.index("price")


@dataclass(frozen=True)
class Builder:
    """Builds the memories of a group of `ports` in `terms`; `layouts` by array are those that the design gives.

    `state_banks` says how many banks keep the chains of the units apart, by the state's name and the units; without, a
    bank for each unit does.
    """

    ports: LocalPorts
    terms: Terms
    layouts: Mapping[str, BankLayout] = field(default_factory=dict)
    state_banks: Callable[[str, int], int] | None = None
    _energies: dict[tuple[int, int], int] = field(default_factory=dict, repr=False, compare=False)
    _planned: dict[tuple[object, ...], PortPlan] = field(default_factory=dict, repr=False, compare=False)

    @staticmethod
    def of(ports: LocalPorts, layouts: Sequence[BankLayout]) -> Builder | None:
        """The builder of a group; None without a technology."""
        terms = ports.terms
        return None if terms is None else Builder(ports, terms, {layout.array: layout for layout in layouts})

    def buffer(self, array: str, rates: Rates, words: int, depth: Callable[[BankFunction], int]) -> Organisation:
        """The buffer of an array of so many words at one address each."""
        bits = self._bits(array)
        if array in self.layouts:
            own = self.layout_ports(array, rates)
            return organise_layout(own.function, own.copies, depth(own.function), bits, self.terms)
        return organise(self.buffer_ports(array, rates), bits, words, depth, self.terms, name=array)

    def fifo(self, array: str, rates: Rates, data: int) -> Organisation:
        """The FIFO of an array for so many data."""
        ends = [*self.ports.writers(array, rates), *self.ports.readers(array, rates)]
        wide = max(end.units * -(-len(end.places) // end.cycles) for end in ends)
        return organise_fifo(data, wide, self._bits(array), self.terms)

    def state(self, name: str, rates: Rates, data: int) -> Organisation:
        """The state of a delay, TASK.PORT, whose chains take so many words of data."""
        task, _, port_name = name.rpartition(".")
        port = port_named(self.ports.group.network.processes[task].input_ports, port_name)
        each = math.prod(extent or 1 for extent in port.shape)
        chains, units = data // each, rates[task][0]
        banks = max(1, min(units, chains)) if self.state_banks is None else self.state_banks(name, units)
        return organise_state(chains, banks, each * port.type.bits, self.terms)

    def resident(self, task: str, array: str, rates: Rates) -> Organisation:
        """What a task has of an array that is loaded once, or of a ROM: each that reads it has a memory of its own."""
        accesses = self.ports.group.accesses
        plan, depth = self.resident_ports(task, array, rates), partial(box_depth, extents=accesses.shape(array))
        return organise(plan, self._bits(array), accesses.size(array), depth, self.terms, name=array)

    def resident_ports(self, task: str, array: str, rates: Rates) -> PortPlan:
        """The ports of that."""
        readers = tuple(self.ports.access(touch, *rates[task]) for touch in self.ports.group.reads(task, array))
        rank = len(self.ports.group.accesses.shape(array))
        ports = Ports(rank, readers, (), self.ports.loaded_words(array))
        return self._plan(ports)

    @property
    def residents(self) -> tuple[tuple[str, str], ...]:
        """The pairs of a task and a resident array that it reads and that takes memory."""
        group = self.ports.group
        return tuple(
            (task, array)
            for task in group.tasks
            for array in dict.fromkeys(touch.array for touch in group.accesses.reads[task])
            if group.accesses.is_resident(array)
            and (group.accesses.load[array] != ROM or group.network.arrays[array].rom_bits)
        )

    @property
    def once_data(self) -> tuple[tuple[int, int], ...]:
        """What tasks have of arrays that are loaded once: the data of each, and the bits of one."""
        accesses = self.ports.group.accesses
        arrays = [array for _, array in self.residents if accesses.load[array] != ROM]
        return tuple((accesses.size(array), self._bits(array)) for array in arrays)

    def resident_use(self, task: str, array: str, rates: Rates) -> MemoryUse:
        """Its use; what is live and what addresses take of such arrays is counted beside all groups."""
        use = MemoryUse(self.resident_kind(array), f"{task}.{array}", 0, 0, 1, None, self._bits(array))
        return with_organisation(use, self.resident(task, array, rates))

    def resident_kind(self, array: str) -> MemoryKind:
        """What a resident array lies in."""
        return "rom" if self.ports.group.accesses.load[array] == ROM else "once"

    def touching(self, kind: str, name: str) -> tuple[str, ...]:
        """The tasks on whose rates a memory of the group hangs."""
        group = self.ports.group
        if kind == "state":
            return (name.rpartition(".")[0],)
        return tuple(task for task in group.tasks if group.reads(task, name) or group.writes(task, name))

    def buffer_ports(self, array: str, rates: Rates) -> PortPlan:
        """The ports of the buffer of an array, whatever layout it has."""
        key = array, tuple(rates[task] for task in self.touching("buffer", array))
        if key not in self._planned:
            self._planned[key] = self._plan(self.ports.ports(array, rates))
        return self._planned[key]

    def _plan(self, ports: Ports) -> PortPlan:
        return plan_ports(ports, power_of_two=self.terms.power_of_two, most=self.terms.banks_most)

    def most_bits(self, array: str, rates: Rates) -> float:
        """The bits of the largest buffer of an array whose ports something serves."""
        return math.inf if array in self.layouts else most_served(self.buffer_ports(array, rates), self.terms)

    def refusal(self, array: str, rates: Rates, bits: int) -> str:
        """Why nothing serves a buffer of so many bits."""
        plan = self.buffer_ports(array, rates)
        return unserved(array, plan, bits, self.terms).diagnostics[0].message

    def is_served(self, task: str, array: str, rates: Rates) -> bool:
        """Whether something serves the ports of what a task has of a resident array."""
        bits = self.ports.group.accesses.size(array) * self._bits(array)
        return bits <= most_served(self.resident_ports(task, array, rates), self.terms)

    def layout_ports(self, array: str, rates: Rates) -> LayoutPorts:
        """The ports of a buffer with a bank layout."""
        return LayoutPorts.of(self.ports, self.layouts[array], rates)

    def _bits(self, array: str) -> int:
        return self.ports.group.network.arrays[array].type.bits

    def buffers(self, array: str, rates: Rates, words: Ints, depths: Depths, known: KnownWays) -> Figures:
        """The ROWS of figures (9, S) of the buffer of an array in many structures, of so many words each (S,).

        Many rates ask for the same ways to serve the ports: `known` has those that came before, of these structures.
        """
        bits = self._bits(array)
        if array in self.layouts:
            own = self.layout_ports(array, rates)
            return of_each(
                depths(own.function),
                lambda deep: self.figures(organise_layout(own.function, own.copies, deep, bits, self.terms), bits),
            )
        plan = self.buffer_ports(array, rates)
        ways = candidates(plan, self.terms)
        key = array, ways, plan.is_random
        if key not in known:
            known[key] = self._cheapest(plan, ways, bits, words, depths)
        return known[key]

    def _cheapest(self, plan: PortPlan, ways: Sequence[Candidate], bits: int, words: Ints, depths: Depths) -> Figures:
        registers = of_each(words, partial(self._registers, bits))
        within = of_each(words * bits, lambda size: (in_registers(plan, size, self.terms),))[0] > 0
        prices, options = [np.where(within, registers[_PRICE], math.inf)], [registers]
        for one in ways:
            assert one.function is not None, "registers are no candidate"
            deep = words if one.banks == 1 else depths(one.function)
            options.append(of_each(deep, partial(self._candidate, one, bits)))
            prices.append(options[-1][_PRICE])
        best = np.stack(prices).argmin(axis=0)  # where none can be built the design is not legal (`served`)
        chosen: Figures = np.stack(options)[best, :, np.arange(len(words))].T
        return chosen

    def _candidate(self, one: Candidate, bits: int, deep: int) -> tuple[float, ...]:
        built = one.built(bits, deep, self.terms)
        if built is None:
            return (math.inf,) * ROWS
        return self._figures(built, one.bits(bits, deep), bits, (one.copies, deep * bits))

    def _registers(self, bits: int, data: int) -> tuple[float, ...]:
        return self._figures(self.terms.kinds.registers(data * bits), data * bits, bits, (1, data * bits))

    def figures(self, one: Organisation, width: int) -> tuple[float, ...]:
        """Its FIGURES and ENERGIES, for data of so many bits."""
        return self._figures(one.built, one.bits, width, (one.copies, one.depth * one.width))

    def figures_of_resident(self, task: str, array: str, rates: Rates) -> tuple[float, ...]:
        """Those of what a task has of a resident array; a ROM is no internal memory."""
        figures = self.figures(self.resident(task, array, rates), self._bits(array))
        return (0, 0, *figures[2:]) if self.ports.group.accesses.load[array] == ROM else figures

    def _figures(self, built: Built, bits: int, width: int, copies_of: tuple[int, int]) -> tuple[float, ...]:
        """Of what is built: all bits, those of a datum, and copies of banks of so many bits."""
        blocks, price = math.ceil(built.blocks), built.price(self.terms.prices)
        copies, bank_bits = copies_of
        each = self._access_fj(bank_bits, width)
        return bits // width, bits, blocks, built.lut, built.ff, built.area, price, each, each * copies

    def _access_fj(self, bank_bits: int, width: int) -> int:
        technology = self.ports.platform.prices
        assert technology is not None, "there is something to build with"
        if (bank_bits, width) not in self._energies:
            self._energies[bank_bits, width] = technology.access_fj(bank_bits, width)
        return self._energies[bank_bits, width]


def figures_or_none(figures: Callable[[Rates], tuple[float, ...]], rates: Rates) -> tuple[float, ...]:
    """The FIGURES and ENERGIES of a memory at some rates; none of one that is refused there."""
    try:
        return figures(rates)
    except ArrayolError:
        return (0,) * ROWS


def with_organisation(use: MemoryUse, one: Organisation) -> MemoryUse:
    """A memory with what it is built of, and that size."""
    return replace(
        use,
        data=one.bits // use.width,
        bits=one.bits,
        banks=one.banks,
        blocks=math.ceil(one.built.blocks),
        organisation=one,
    )


def of_each(sizes: Ints, figures: Callable[[int], tuple[float, ...]]) -> Figures:
    """The figures (number, S) at each of some sizes (S,)."""
    distinct, of = np.unique(sizes, return_inverse=True)
    columns: Figures = np.array([figures(size) for size in distinct.tolist()], np.float64)
    return columns[of.ravel()].T


# Of many structures under many combinations of rates.

Rows = Callable[[Rates, Ints], Figures]  # the ROWS of figures (9, n) of n structures at some rates


@dataclass(frozen=True, eq=False)
class BuiltFigures:
    """What all memories of group designs take together, each (S, U): data, bits, blocks, and costs by name.

    `energy` is that of accesses to them, in fJ.
    """

    data: Ints
    bits: Ints
    blocks: Ints
    costs: Mapping[str, Figures]
    energy: Ints

    @staticmethod
    def of(figures: Figures, energy: Ints, names: Sequence[str]) -> BuiltFigures:
        """Of FIGURES (7, S, U). Raises ArrayolError (`figure-too-large`) where floats do not tell all bits apart."""
        most = int(figures[FIGURES.index("bits")].max(initial=0))
        if most >= EXACT_LIMIT:
            what = f"the internal memory of a group may come to {rounded(most)} bits as it is built"
            raise too_large(what, SMALLER, EXACT_LIMIT)
        costs = {name: figures[FIGURES.index(name)] for name in names}
        data, bits, blocks = (np.rint(column).astype(np.int64) for column in figures[:3])
        return BuiltFigures(data, bits, blocks, costs, energy)


@dataclass(eq=False)
class BuiltTotals:
    """Adds up the memories of S structures under U combinations: their FIGURES, and energies of so many accesses."""

    figures: Figures
    energy: Ints

    @staticmethod
    def of(structures: int, combinations: int) -> BuiltTotals:
        """Of nothing yet."""
        shape = structures, combinations
        return BuiltTotals(np.zeros((len(FIGURES), *shape)), np.zeros(shape, np.int64))

    def add(self, rows: Figures, accesses: Sequence[Ints]) -> None:
        """A memory of these ROWS (9, S, U), of which so many data are read and written (1,) or (S,)."""
        self.figures += rows[: len(FIGURES)]
        for number, price in zip(accesses, rows[len(FIGURES) :], strict=True):
            if number.any():
                require_energy(float(number.max()) * float(price.max(initial=0)))
                self.energy += number[:, None] * np.rint(price).astype(np.int64)


def at_rates(
    paths: Datapaths, tasks: Sequence[str], combinations: Ints, structures: int, touching: Sequence[str], rows: Rows
) -> Figures:
    """The ROWS of figures (9, S, U) of a memory that hangs on the rates of the `touching` tasks.

    `combinations` are rates (1, U, tasks) of all structures, or (S, U, tasks) of each.
    """
    own = combinations[:, :, [tasks.index(task) for task in touching]]
    distinct, of = np.unique(own.reshape(-1, len(touching)), axis=0, return_inverse=True)
    of = of.reshape(own.shape[:2])
    each = [rates_at(paths, dict(zip(touching, row, strict=True))) for row in distinct.tolist()]
    if len(own) < structures or structures == 1:
        shared = np.stack([rows(rates, np.arange(structures)) for rates in each], axis=2)
        return shared[:, :, of[0]]
    found = np.zeros((ROWS, structures, own.shape[1]))
    for number, rates in enumerate(each):
        there = of == number
        which = np.flatnonzero(there.any(axis=1))
        found[:, which] = np.where(there[which], rows(rates, which)[:, :, None], found[:, which])
    return found


def rates_at(paths: Datapaths, rates: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Units and occupancies of tasks at rates."""
    return {task: (units_of(rate), paths.at(task, interval_of(rate)).interval) for task, rate in rates.items()}
