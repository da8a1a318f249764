"""How long a repetition occupies a unit: its data, or its accesses to banks (docs/machine.md, sections 4 and 7)."""

from __future__ import annotations

import math

import numpy as np

from arrayol.errors import error
from arrayol.ir.network import Process
from hwmodel.accesses import Extents, Indices, subscripts
from hwmodel.design import BankLayout, GroupDesign
from hwmodel.machine.group import Elements, Group
from hwmodel.machine.ticks import Work
from hwmodel.platform import Platform


def largest_output(process: Process) -> int:
    """e: the data of the elementary's largest output port, 1 if it has none with data."""
    sizes = [math.prod(extent or 1 for extent in port.shape) for port in process.output_ports]
    return max(1, *sizes) if sizes else 1


def plain_occupancy(platform: Platform, process: Process) -> int:
    """The cycles e II of a repetition, whatever the banks."""
    return largest_output(process) * platform.datapath(process.elementary).initiation_interval


def check_layouts(group: Group, layouts: tuple[BankLayout, ...], fifos: frozenset[str], platform: Platform) -> None:
    """Raises ArrayolError (`too-many-banks`, `no-buffer`) for layouts that no buffer of the group can have."""
    buffers = (set(group.made) | set(group.loaded)) - fifos
    for layout in layouts:
        if layout.array not in buffers:
            raise error(
                "no-buffer",
                f"a bank layout is given for '{layout.array}', which has no buffer in the group "
                f"{' '.join(group.tasks)}",
                hint=f"arrays with buffers there: {', '.join(sorted(buffers))}",
            )
        if layout.banks > platform.local.banks:
            raise error(
                "too-many-banks",
                f"the layout of '{layout.array}' needs {layout.banks} banks; the platform has {platform.local.banks}",
                platform.place("local", "banks"),
                hint=f"choose a layout of at most {platform.local.banks} banks, or raise local.banks",
            )


def occupancy(group: Group, design: GroupDesign, platform: Platform, task: str, work: Work) -> int:
    """Cycles that a repetition of a task occupies a unit."""
    found = plain_occupancy(platform, group.network.processes[task])
    for layout in design.layouts:
        repetitions = group.accesses.repetitions(task)[np.unique(work.repetition)]
        found = max(found, platform.local.access_cycles * busiest_bank(group, task, repetitions, layout))
    return found


def busiest_bank(group: Group, task: str, repetitions: Indices, layout: BankLayout) -> int:
    """The most accesses that one of some repetitions (n, rank) makes to one bank; equal elements are one access."""
    runs, elements = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for touch in (*group.reads(task, layout.array), *group.writes(task, layout.array)):
        happening = np.flatnonzero(group.accesses.happens(touch, repetitions))
        found = group.accesses.elements(touch, repetitions[happening])
        runs.append(np.repeat(happening, found.shape[1]))
        elements.append(found.ravel())
    size = group.accesses.size(layout.array)
    distinct = np.unique(np.concatenate(runs) * size + np.concatenate(elements))
    if not len(distinct):
        return 0
    bank = bank_of(group.accesses.shape(layout.array), layout, distinct % size)
    return int(np.unique(distinct // size * layout.banks + bank, return_counts=True)[1].max())


def bank_of(shape: Extents, layout: BankLayout, elements: Elements) -> Elements:
    """The bank of each element of an array, given by its row-major number."""
    if len(layout.vector) != len(shape):
        raise ValueError(f"the layout of '{layout.array}' has {len(layout.vector)} factors for {len(shape)} axes")
    product = np.zeros(len(elements), np.int64)
    for factor, index in zip(layout.vector, subscripts(elements, shape), strict=True):
        product += factor * index
    return product // layout.block % layout.banks
