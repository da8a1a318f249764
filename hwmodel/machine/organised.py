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

from arrayol.ir.spec import port_named
from hwmodel.design import BankLayout, interval_of, units_of
from hwmodel.local_memory.bank_functions import BankFunction, Linear, box_depth
from hwmodel.local_memory.memory_kinds import Built
from hwmodel.local_memory.organisations import (
    Candidate,
    Organisation,
    Terms,
    candidates,
    in_registers,
    organise,
    organise_fifo,
    organise_layout,
    organise_state,
)
from hwmodel.local_memory.port_plan import PortPlan, Ports, plan_ports
from hwmodel.machine.estimate import MemoryKind, MemoryUse
from hwmodel.machine.local_ports import LocalPorts, Rates
from hwmodel.machine.schedule.datapaths import Datapaths
from hwmodel.residence import ROM

Ints = NDArray[np.int64]
Figures = NDArray[Any]
Depths = Callable[[BankFunction], Ints]  # of many structures the words of the deepest bank
FIGURES = ("bits", "blocks", "lut", "ff", "area", "price")


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

    @staticmethod
    def of(ports: LocalPorts, layouts: Sequence[BankLayout]) -> Builder | None:
        """The builder of a group; None without a technology."""
        terms = ports.terms
        return None if terms is None else Builder(ports, terms, {layout.array: layout for layout in layouts})

    def buffer(self, array: str, rates: Rates, words: int, depth: Callable[[BankFunction], int]) -> Organisation:
        """The buffer of an array of so many words at one address each."""
        bits = self._bits(array)
        if array in self.layouts:
            function, copies = self._of_layout(array, rates)
            return organise_layout(function, copies, depth(function), bits, self.terms)
        return organise(self.buffer_ports(array, rates), bits, words, depth, self.terms)

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
        return organise(plan, self._bits(array), accesses.size(array), depth, self.terms)

    def resident_ports(self, task: str, array: str, rates: Rates) -> PortPlan:
        """The ports of that."""
        readers = tuple(self.ports.access(touch, *rates[task]) for touch in self.ports.group.reads(task, array))
        rank = len(self.ports.group.accesses.shape(array))
        ports = Ports(rank, readers, (), self.ports.loaded_words(array))
        return plan_ports(ports, power_of_two=self.terms.power_of_two)

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

    def resident_use(self, task: str, array: str, rates: Rates) -> MemoryUse:
        """Its use; data and bits of such arrays are counted beside all groups, blocks and logic here."""
        one, load = self.resident(task, array, rates), self.ports.group.accesses.load[array]
        kind: MemoryKind = "rom" if load == ROM else "once"
        return with_organisation(MemoryUse(kind, f"{task}.{array}", 0, 0, 1, None, self._bits(array)), one)

    def touching(self, kind: str, name: str) -> tuple[str, ...]:
        """The tasks on whose rates a memory of the group hangs."""
        group = self.ports.group
        if kind == "state":
            return (name.rpartition(".")[0],)
        return tuple(task for task in group.tasks if group.reads(task, name) or group.writes(task, name))

    def buffer_ports(self, array: str, rates: Rates) -> PortPlan:
        """The ports of the buffer of an array, whatever layout it has."""
        return plan_ports(self.ports.ports(array, rates), power_of_two=self.terms.power_of_two)

    def _of_layout(self, array: str, rates: Rates) -> tuple[Linear, int]:
        """The function of a bank layout, and the units of the task that has most: each has banks of its own."""
        layout = self.layouts[array]
        return layout_function(layout), max(rates[task][0] for task in self.touching("buffer", array))

    def _bits(self, array: str) -> int:
        return self.ports.group.network.arrays[array].type.bits

    def buffers(self, array: str, rates: Rates, words: Ints, depths: Depths) -> Figures:
        """The FIGURES (6, S) of the buffer of an array in many structures, of so many words each (S,)."""
        bits = self._bits(array)
        if array in self.layouts:
            function, copies = self._of_layout(array, rates)
            return of_each(
                depths(function),
                lambda deep: self.figures(organise_layout(function, copies, deep, bits, self.terms)),
            )
        plan = self.buffer_ports(array, rates)
        registers = of_each(words * bits, lambda size: self._figures(self.terms.kinds.registers(size), size))
        within = of_each(words * bits, lambda size: (in_registers(plan, size, self.terms),))[0] > 0
        prices, options = [np.where(within, registers[-1], math.inf)], [registers]
        for one in candidates(plan, self.terms):
            assert one.function is not None, "registers are no candidate"
            deep = words if one.banks == 1 else depths(one.function)
            options.append(of_each(deep, partial(self._candidate, one, bits)))
            prices.append(options[-1][-1])
        best = np.stack(prices).argmin(axis=0)  # where none can be built, registers
        chosen: Figures = np.stack(options)[best, :, np.arange(len(words))].T
        return chosen

    def _candidate(self, one: Candidate, bits: int, deep: int) -> tuple[float, ...]:
        built = one.built(bits, deep, self.terms)
        return (math.inf,) * len(FIGURES) if built is None else self._figures(built, one.bits(bits, deep))

    def figures(self, one: Organisation) -> tuple[float, ...]:
        """Its FIGURES."""
        return self._figures(one.built, one.bits)

    def _figures(self, built: Built, bits: int) -> tuple[float, ...]:
        return bits, math.ceil(built.blocks), built.lut, built.ff, built.area, built.price(self.terms.prices)


def with_organisation(use: MemoryUse, one: Organisation) -> MemoryUse:
    """A memory with what it is built of."""
    return replace(use, banks=one.banks, blocks=math.ceil(one.built.blocks), organisation=one)


def of_each(sizes: Ints, figures: Callable[[int], tuple[float, ...]]) -> Figures:
    """The figures (number, S) at each of some sizes (S,)."""
    distinct, of = np.unique(sizes, return_inverse=True)
    columns: Figures = np.array([figures(size) for size in distinct.tolist()], np.float64)
    return columns[of.ravel()].T


def layout_function(layout: BankLayout) -> Linear:
    """The function from places to banks of a layout."""
    return Linear(layout.vector, layout.banks, layout.block)


# Of many structures under many combinations of rates.

Rows = Callable[[Rates, Ints], Figures]  # the FIGURES (6, n) of n structures at some rates


@dataclass(frozen=True, eq=False)
class BuiltFigures:
    """What all memories of group designs take together, each (S, U): bits, blocks, and costs by name."""

    bits: Ints
    blocks: Ints
    costs: Mapping[str, Figures]

    @staticmethod
    def of(figures: Figures, names: Sequence[str]) -> BuiltFigures:
        """Of FIGURES (6, S, U)."""
        costs = {name: figures[FIGURES.index(name)] for name in names}
        bits, blocks = (np.rint(column).astype(np.int64) for column in figures[:2])
        return BuiltFigures(bits, blocks, costs)


def at_rates(
    paths: Datapaths, tasks: Sequence[str], combinations: Ints, structures: int, touching: Sequence[str], rows: Rows
) -> Figures:
    """The FIGURES (6, S, U) of a memory that hangs on the rates of the `touching` tasks.

    `combinations` are rates (1, U, tasks) of all structures, or (S, U, tasks) of each.
    """
    own = combinations[:, :, [tasks.index(task) for task in touching]]
    distinct, of = np.unique(own.reshape(-1, len(touching)), axis=0, return_inverse=True)
    of, shared = of.reshape(own.shape[:2]), len(own) < structures
    found = np.zeros((len(FIGURES), structures, own.shape[1]))
    for number, row in enumerate(distinct.tolist()):
        rates = rates_at(paths, dict(zip(touching, row, strict=True)))
        there = of == number
        which = np.arange(structures) if shared else np.flatnonzero(there.any(axis=1))
        values = rows(rates, which)[:, :, None]
        found[:, which] = np.where(there if shared else there[which], values, found[:, which])
    return found


def rates_at(paths: Datapaths, rates: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Units and occupancies of tasks at rates."""
    return {task: (units_of(rate), paths.at(task, interval_of(rate)).interval) for task, rate in rates.items()}
