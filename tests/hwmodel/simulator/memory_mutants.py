"""Local memories with one thing less each: a bank, a port, a copy, a word, a place of a queue, a round of a window."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice

from hwmodel.cost_model.enumerated.plan import plan_group
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Design, GroupDesign
from hwmodel.local_memory.addresses import BankedMemory
from hwmodel.local_memory.bank_functions import BankFunction, Linear, Residues, factors
from hwmodel.simulator.group import LocalMemories, run_group
from hwmodel.simulator.memories.memories import external_memory, set_up
from hwmodel.simulator.schedule.plan import SimulatorError

RULES: Mapping[str, frozenset[str]] = {  # what stops each mutant, where something does
    "a bank fewer": frozenset({"bank", "window"}),
    "a port fewer": frozenset({"port"}),
    "a copy fewer": frozenset({"bank", "port"}),
    "a writer fewer": frozenset({"port"}),
    "a layout's port fewer": frozenset({"port"}),
    "a layout's writer fewer": frozenset({"port"}),
    "a fresh place fewer": frozenset({"window"}),
    "a round of fill fewer": frozenset({"window", "bank", "port"}),
    "a FIFO narrower": frozenset({"port"}),
    "a FIFO shallower": frozenset({"overwrite"}),
    "a state shallower": frozenset({"overwrite"}),
    "a state's bank fewer": frozenset({"port", "overwrite"}),
    "a datum fewer": frozenset({"overflow"}),
}


@dataclass
class Caught:
    """How many mutants of each kind there were, and how many stopped the machine."""

    tried: Counter[str] = field(default_factory=Counter)
    stopped: Counter[str] = field(default_factory=Counter)
    unexpected: list[str] = field(default_factory=list)

    def judge(self, model: MachineModel, design: Design, local: list[LocalMemories]) -> None:
        """Every mutant of a design's memories: it runs through, or stops by a rule, `unexpected` if not of its kind.

        Only the group of the mutant is run: those before it have been, with the memories that they have.
        """
        memory = external_memory(model.accesses, model.network.inputs)
        setup, made = set_up(model.accesses, model.platform, memory), Counter[str]()
        for group, own in zip(design.groups, local, strict=True):
            run = partial(run_group, model.accesses, model.platform, group, setup=setup, earlier=made)
            for kind, wrong in mutants(model, group, own):
                self.tried[kind] += 1
                rule = rule_of(partial(run, wrong, {name: tokens.copy() for name, tokens in memory.items()}))
                if rule is not None and rule not in RULES[kind]:
                    self.unexpected.append(f"{kind}: {rule}")
                self.stopped[kind] += rule is not None
            moves = run(own, memory).moves
            made.update({name: len(moved.element) for name, moved in moves.arrays.items() if not moved.loaded})

    def lines(self) -> Iterator[str]:
        """What came of it, in words."""
        for kind, tried in sorted(self.tried.items()):
            yield f"{kind:24} {self.stopped[kind]:4} of {tried}"


def rule_of(run: Callable[[], object]) -> str | None:
    """The rule at which the machine stops; None where it runs through."""
    try:
        run()
    except SimulatorError as stopped:
        return stopped.rule
    return None


def mutants(model: MachineModel, group: GroupDesign, own: LocalMemories) -> Iterator[tuple[str, LocalMemories]]:
    """The local memories of a group with one thing less, by kind."""
    for name, size in own.sizes.items():
        if size:
            yield "a datum fewer", replace(own, sizes={**own.sizes, name: size - 1})
    for task, fill in own.fills.items():
        if fill:
            yield "a round of fill fewer", replace(own, fills={**own.fills, task: fill - 1})
    yield from _of_banks(model, group, own)
    yield from _of_queues(model, own)


def _of_banks(model: MachineModel, group: GroupDesign, own: LocalMemories) -> Iterator[tuple[str, LocalMemories]]:
    for array, memory in own.banks.items():
        for kind, wrong in _of_ports(memory):
            yield kind, replace(own, banks={**own.banks, array: wrong})
        buffer = plan_group(model.accesses, model.platform, group).buffers[array]
        for function in islice(fewer(memory.function), 1):
            words = buffer.contents.in_banks(function)
            less = replace(memory, function=function, depth=words.depth)
            yield "a bank fewer", replace(own, words={**own.words, array: words}, banks={**own.banks, array: less})
    for array, memory in own.layouts.items():
        for kind, wrong in (
            ("a layout's port fewer", replace(memory, ports=memory.ports - 1)),
            ("a layout's writer fewer", replace(memory, writers=memory.writers - 1)),
        ):
            yield kind, replace(own, layouts={**own.layouts, array: wrong})
    for pair, memory in own.residents.items():
        for kind, wrong in _of_ports(memory):
            yield kind, replace(own, residents={**own.residents, pair: wrong})


def _of_queues(model: MachineModel, own: LocalMemories) -> Iterator[tuple[str, LocalMemories]]:
    for array, (wide, depth) in own.fifos.items():
        if depth > 1:
            yield "a FIFO shallower", replace(own, fifos={**own.fifos, array: (wide, depth - 1)})
        if wide > 1:
            yield "a FIFO narrower", replace(own, fifos={**own.fifos, array: (wide - 1, 2 * depth)})
    for name, (banks, data) in own.states.items():
        less = data - model_data(model, name) * max(1, banks)
        if less:
            yield "a state shallower", replace(own, states={**own.states, name: (banks, less)})
        if banks > 1:
            yield "a state's bank fewer", replace(own, states={**own.states, name: (banks - 1, data)})


def model_data(model: MachineModel, state: str) -> int:
    """The data of one chain of a delay."""
    task, _, port = state.rpartition(".")
    (shape,) = (own.shape for own in model.network.processes[task].input_ports if own.name == port)
    size = 1
    for extent in shape:
        size *= extent or 1
    return size


def _of_ports(memory: BankedMemory) -> Iterator[tuple[str, BankedMemory]]:
    yield "a port fewer", replace(memory, ports=memory.ports - 1)
    if memory.writers > 1:
        yield "a writer fewer", replace(memory, writers=memory.writers - 1)
    for name, reader in memory.readers.items():
        readers = {**memory.readers}
        if reader.ports > 1:
            yield "a copy fewer", replace(memory, readers={**readers, name: replace(reader, ports=reader.ports - 1)})
        if reader.window is not None:
            window = replace(reader.window, fresh=reader.window.fresh[1:])
            yield "a fresh place fewer", replace(memory, readers={**readers, name: replace(reader, window=window)})
    if memory.storing > 1:
        yield "a copy fewer", replace(memory, storing=memory.storing - 1)


def fewer(function: BankFunction) -> Iterator[BankFunction]:
    """Functions of a bank fewer."""
    rank = len(function.moduli if isinstance(function, Residues) else function.alpha)
    banks = function.banks - 1
    yield from (Residues(moduli) for moduli in factors(banks, rank)) if banks else ()
    if banks and isinstance(function, Linear):
        yield Linear((*(entry % banks for entry in function.alpha[:-1]), 1), banks)
