"""The memories of a group that are built in banks, as values with which the simulated machine runs them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hwmodel.accesses import Accesses
from hwmodel.cost_model.enumerated.plan import EnumeratedPlan
from hwmodel.cost_model.estimate import GroupEstimate
from hwmodel.cost_model.memories.organised import Builder
from hwmodel.design import GroupDesign
from hwmodel.local_memory.addresses import BankedMemory, ReaderName, ReadPorts, WindowReads, Words
from hwmodel.local_memory.offsets import Access
from hwmodel.local_memory.organisations import ROM_READS, Organisation
from hwmodel.local_memory.port_plan import PortPlan, Window


@dataclass(frozen=True, eq=False)
class BankedMemories:
    """The words of each buffer's data by array, and the ports of buffers and resident memories in banks.

    Each task that reads a resident array (loaded once or in a ROM) has its own memory, by task and array. `layouts` are
    the buffers with a bank layout.
    """

    words: Mapping[str, Words]
    banks: Mapping[str, BankedMemory]
    residents: Mapping[tuple[str, str], BankedMemory]
    layouts: Mapping[str, BankedMemory]


def banked_memories(plan: EnumeratedPlan, design: GroupDesign, estimate: GroupEstimate) -> BankedMemories:
    """The memories of a group, from the plan of its structure.

    Registers are in no banks, and neither are memories of a platform without a technology.
    """
    accesses, builder = plan.group.accesses, Builder.of(plan.ports, design.layouts)
    if builder is None:
        return BankedMemories({array: plan.words(array, None) for array in plan.buffers}, {}, {}, {})
    rates = {processor.task: (processor.units, processor.interval) for processor in estimate.processors}
    organised = {(use.kind, use.name): use.organisation for use in estimate.memories}
    words = dict[str, Words]()
    banks, layouts, resident = (
        dict[str, BankedMemory](),
        dict[str, BankedMemory](),
        dict[tuple[str, str], BankedMemory](),
    )
    read_ports = builder.terms.read_ports
    for array in plan.buffers:
        (ports, _), built = builder.ports.ways(array, rates), organised[design.memory_kind(array).name, array]
        is_banked = built is not None and built.is_in_banks
        function = built.function if built is not None and is_banked else None
        words[array] = plan.words(array, function)
        if built is None or function is None:
            continue
        if array in builder.layouts:
            own = builder.layout_ports(array, rates)
            readers = {name: ReadPorts(read_ports) for name in _names(accesses, design.tasks, array)}
            writers = max(1, own.writing)
            there = built.copies * read_ports // writers
            layouts[array] = BankedMemory(function, built.depth, there, readers, own.storing, writers)
        else:
            banks[array] = _banked(ports, built, _names(accesses, design.tasks, array), read_ports)
    for task, array in builder.residents:
        if not builder.needs_resident(task, array, rates):
            continue
        ports, built = builder.resident_ports(task, array, rates), builder.resident(task, array, rates)
        if built.is_in_banks:
            resident[task, array] = _banked(ports, built, _names(accesses, (task,), array), read_ports)
    return BankedMemories(words, banks, resident, layouts)


def _banked(ports: PortPlan, built: Organisation, names: Iterable[ReaderName], read_ports: int) -> BankedMemory:
    """A memory in banks with the ports of its readers."""
    assert built.function is not None, "banks have a function"
    readers = dict(zip(names, _reading(ports, built), strict=True))
    read = max(map(len, ports.ports.stored), default=1)  # data of a word that is stored
    of_a_bank, writers = read_ports if ports.ports.writing else ROM_READS, max(1, ports.ports.writing)
    each, storing = built.copies * of_a_bank // writers, read if built.way == "copies" else 1
    return BankedMemory(built.function, built.depth, each, readers, storing, writers)


def _names(accesses: Accesses, tasks: Sequence[str], array: str) -> Iterator[ReaderName]:
    """The readers of an array in the order of its ports."""
    for task in tasks:
        for number, touch in enumerate(accesses.reads[task]):
            if touch.array == array:
                yield task, number


def _reading(ports: PortPlan, built: Organisation) -> Iterator[ReadPorts]:
    """The read ports of each reader."""
    for access, window in zip(ports.ports.readers, ports.windows, strict=True):
        own = _in_a_cycle(access, window) if built.way == "copies" else 1
        kept = None if window is None else WindowReads(window.fresh, window.each, window.fill)
        yield ReadPorts(own, kept, access.random)


def _in_a_cycle(access: Access, window: Window | None) -> int:
    """The most elements that a reader takes from the memory in a cycle."""
    return access.in_a_cycle if window is None else window.each
