"""Cycles by cause: what ends each step, and what a processor waits for (docs/machine.md, section 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hwmodel.machine.estimate import LOADS, STORES, ProcessorTime
from hwmodel.machine.group import Elements
from hwmodel.machine.port import PortCycles


def step_ends(port: PortCycles, busy: Mapping[str, Elements]) -> tuple[Elements, Elements]:
    """Each step's length, and what ends it: 0 its loads, 1 its stores, 2 + k the k-th processor.

    Of several that end it together the port comes first, then the processors in dataflow order.
    """
    of_port = port.cycles
    processors = np.stack([*busy.values()])
    longest = processors.max(axis=0)
    port_ends = of_port >= longest
    side = (port.stores > port.loads).astype(np.int64)
    return np.maximum(of_port, longest), np.where(port_ends, side, 2 + processors.argmax(axis=0))


def cycles_by_end(length: Elements, end: Elements, tasks: Sequence[str]) -> dict[str, int]:
    """The cycles of the steps that each resource ends, those that end none left out."""
    names = (LOADS, STORES, *tasks)
    found = {name: int(length[end == number].sum()) for number, name in enumerate(names)}
    return {name: cycles for name, cycles in found.items() if cycles}


def processor_times(
    length: Elements, end: Elements, busy: Mapping[str, Elements], units: Mapping[str, int]
) -> tuple[ProcessorTime, ...]:
    """How each processor spends the steps."""
    times = []
    for task, cycles in busy.items():
        waiting = length - cycles
        causes = (waiting[end == 0], waiting[end == 1], waiting[end > 1])
        times.append(ProcessorTime(task, units[task], int(cycles.sum()), *(int(cause.sum()) for cause in causes)))
    return tuple(times)
