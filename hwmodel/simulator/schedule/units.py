"""The units of a processor: how long a repetition occupies one, and how soon delays can read its results."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arrayol.arrays import IntArray
from arrayol.ir.spec import Delay
from hwmodel.accesses import Accesses, subscripts
from hwmodel.datapath.figures import Datapath
from hwmodel.design import BankLayout, GroupDesign, Processor
from hwmodel.platform import Platform
from hwmodel.simulator.schedule.plan import TaskWork, fault, touched


@dataclass(frozen=True, slots=True)
class Gap:
    """Cycles from an instance's start until a delay can read it: with its chain's state in a register, or in memory."""

    in_register: int
    through_memory: int


def unit_of(
    accesses: Accesses, platform: Platform, design: GroupDesign, processor: Processor, work: TaskWork
) -> Datapath:
    """The datapath of a processor's units, whose interval is the occupancy of an instance.

    It is the design's interval, or the cycles of the accesses to a bank. Raises SimulatorError (`plan`) for an interval
    that is not on offer.
    """
    process = accesses.network.processes[processor.task]
    there = platform.intervals(process)
    interval = min(there) if processor.interval is None else processor.interval
    if interval not in there:
        raise fault("plan", f"'{processor.task}' has an interval of {interval} cycles; there are {sorted(there)}")
    ports = platform.local.read_ports
    conflicts = max((_conflicts(accesses, work, layout, ports) for layout in design.layouts), default=0)
    return platform.datapath(process, max(interval, conflicts * platform.local.access_cycles))


def gap_of(unit: Datapath, delay: Delay) -> Gap:
    """The gap of a delay."""
    pair = delay.output, delay.port
    in_register = unit.recurrence.get(pair, 0)
    return Gap(in_register, in_register + unit.through_memory.get(pair, 0))


def _conflicts(accesses: Accesses, work: TaskWork, layout: BankLayout, read_ports: int) -> int:
    """The most accesses of one repetition through one port of one bank of a buffer with this layout."""
    worst = 0
    for side, ports in ((accesses.reads, read_ports), (accesses.writes, 1)):
        touches = [touch for touch in side[work.task] if touch.array == layout.array]
        if not touches:
            continue
        elements = np.full((len(work.repetition), 0), -1)
        for touch in touches:
            rows, accessed = touched(accesses, touch, work)
            padded = np.full((len(work.repetition), accessed.size), -1)
            padded[rows] = accessed.each
            elements = np.concatenate([elements, padded], axis=1)
        elements = np.sort(elements, axis=1)
        counted = elements >= 0
        counted[:, 1:] &= elements[:, 1:] != elements[:, :-1]
        banks = _banks(accesses, layout, elements)
        for bank in range(layout.banks):
            worst = max(worst, -(-int((counted & (banks == bank)).sum(axis=1).max(initial=0)) // ports))
    return worst


def _banks(accesses: Accesses, layout: BankLayout, elements: IntArray) -> IntArray:
    """The bank of each element under a layout."""
    shape = accesses.shape(layout.array)
    places = subscripts(np.maximum(elements, 0), shape)
    place = sum(
        (factor * subscript for factor, subscript in zip(layout.vector, places, strict=True)),
        np.zeros_like(elements),
    )
    return place // layout.block % layout.banks
