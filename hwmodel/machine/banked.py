"""The buffers of a group that are built in banks, as the values that a simulated machine runs them by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hwmodel.accesses import Accesses
from hwmodel.design import GroupDesign
from hwmodel.local_memory.banked import BankedMemory, ReaderName, ReadPorts, WindowReads
from hwmodel.local_memory.offsets import Access
from hwmodel.local_memory.organisations import Organisation
from hwmodel.local_memory.port_plan import PortPlan, plan_ports
from hwmodel.local_memory.windows import Window
from hwmodel.local_memory.words import Words
from hwmodel.machine.estimate import GroupEstimate
from hwmodel.machine.local_ports import LocalPorts, Rates
from hwmodel.machine.plan import Plan, plan_group
from hwmodel.platform import Platform


@dataclass(frozen=True, eq=False)
class Buffers:
    """The words of the data of each buffer, and of those in banks their ports; by array."""

    words: Mapping[str, Words]
    banks: Mapping[str, BankedMemory]


def buffers_of(accesses: Accesses, platform: Platform, design: GroupDesign, estimate: GroupEstimate) -> Buffers:
    """The buffers of a group. Those in registers have no banks, and none has without a technology."""
    plan = plan_group(accesses, platform, design)
    words: dict[str, Words] = {array: buffer.contents.words for array, buffer in plan.buffers.items()}
    local = LocalPorts.of(plan.group, plan.platform, plan.design)
    if local.terms is None:
        return Buffers(words, {})
    rates = {one.task: (one.units, one.interval) for one in estimate.processors}
    organisations = {use.name: use.organisation for use in estimate.memories if use.kind == "buffer"}
    banked = {array: _banked(plan, local, array, rates, organisations[array]) for array in plan.buffers}
    built = {array: own for array, own in banked.items() if own is not None}
    in_banks = {array: plan.buffers[array].contents.in_banks(own.function) for array, own in built.items()}
    return Buffers({**words, **in_banks}, built)


def _banked(plan: Plan, local: LocalPorts, array: str, rates: Rates, built: Organisation | None) -> BankedMemory | None:
    """None of registers, and of a bank layout: it is no function of places that serves all ports at once."""
    if built is None or built.way in ("registers", "layout") or built.function is None or local.terms is None:
        return None
    ports = plan_ports(local.ports(array, rates), power_of_two=local.terms.power_of_two)
    readers = dict(zip(_names(plan, array), _reading(ports, built), strict=True))
    written, read = (max(map(len, sets), default=1) for sets in (ports.ports.loaded, ports.ports.stored))
    each = built.copies * local.terms.read_ports // max(1, ports.ports.writing)
    storing = read if built.way == "copies" else 1
    return BankedMemory(built.function, built.depth, each, readers, written, read, storing)


def _names(plan: Plan, array: str) -> Iterator[ReaderName]:
    """The readers of an array in the order of its ports."""
    for task in plan.group.tasks:
        for number, touch in enumerate(plan.group.accesses.reads[task]):
            if touch.array == array:
                yield task, number


def _reading(ports: PortPlan, built: Organisation) -> Iterator[ReadPorts]:
    for access, window in zip(ports.ports.readers, ports.windows, strict=True):
        own = _in_a_cycle(access, window) if built.way == "copies" else 1
        kept = None if window is None else WindowReads(window.fresh, window.fill)
        yield ReadPorts(own, kept, access.random)


def _in_a_cycle(access: Access, window: Window | None) -> int:
    """The most places that a reader takes from the memory in a cycle."""
    if window is None:
        return access.in_a_cycle
    return max(map(len, window.reads(access.cycles)))
