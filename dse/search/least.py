"""What no whole design goes below: a bound on each figure, and so on every front.

Whatever the fusion and the blocks, what the network's outputs need has to run, be loaded and be stored at least once.
How much that is the model counts where it takes the whole network as one group in one block: each repetition that is
needed, each element of an input that is read and of an output that is made, once. In the time of a design

- the port moves all of it, in words that hold no more than they can, at least one burst for each array;
- each task, with the rate at which that is quickest, runs all of its repetitions.

Steps take as long as the longest of what happens in them, and groups run one after another; so their sum is no less
than either. While a repetition runs, what it reads of an input of the network is in a memory of its group. Where the
whole network is no such group (it has several outputs, or is not separable), each output's last task alone says as
much of itself.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from arrayol.errors import ArrayolError
from dse.search.figures import Columns
from dse.space.mappings import MappingSpace
from hwmodel.design import interval_of, row_major, units_of
from hwmodel.machine.estimate import SETUP
from hwmodel.machine.port import Port
from hwmodel.machine.priced import LATENCY
from hwmodel.machine.schedule.datapaths import Datapaths
from hwmodel.machine.separable.energy import moved_data
from hwmodel.machine.separable.links import AxisLink, separate

DATA, BITS, TRAFFIC = "internal_memory_data", "internal_memory_bits", "traffic_bytes"
Bounds = Mapping[str, int]  # by the model's name of a figure


@dataclass(frozen=True)
class _Work:
    """What has to happen: elements moved by kind and array, and repetitions by task."""

    moved: Mapping[tuple[str, str], int]
    runs: Mapping[str, int]


def least_figures(space: MappingSpace, columns: Columns) -> tuple[int | None, ...]:
    """A bound on each column of whole designs, in its integers; None where none is known."""
    found: dict[str, int] = {}
    for work in _works(space):
        for name, bound in _bounds(space, work).items():
            found[name] = max(found.get(name, 0), bound)
    pairs = zip(columns.figures, columns.beside, strict=True)
    return tuple(
        found[figure.key] * figure.scale + beside if figure.key in found and figure.key not in SETUP else None
        for figure, beside in pairs
    )


def _works(space: MappingSpace) -> Iterator[_Work]:
    graph = space.graph
    whole = _work(space, graph.names) if space.last(graph.all) is not None else None
    if whole is not None:
        yield whole
        return
    for number, name in enumerate(graph.names):
        if not graph.successors[number] and (work := _work(space, (name,))) is not None:
            yield work


def _work(space: MappingSpace, tasks: tuple[str, ...]) -> _Work | None:
    """Of a group in one block; None where it is not separable."""
    try:
        batch = space.model.batch(tasks)
    except ArrayolError:
        return None
    if batch is None:
        return None
    extents = space.accesses.extents(tasks[-1])
    structures = batch.structures(row_major(len(extents)), np.array([extents], np.int64).reshape(1, -1))
    if not structures.holds.all():
        return None
    moved: dict[tuple[str, str], int] = {}
    for counted, number in zip(batch.counts.counted, moved_data(batch.counts, structures)[0].tolist(), strict=True):
        key = counted.kind, counted.name
        moved[key] = moved.get(key, 0) + number
    runs = {name: number for (kind, name), number in moved.items() if kind == "task"}
    return _Work({key: number for key, number in moved.items() if key[0] != "task"}, runs)


def _bounds(space: MappingSpace, work: _Work) -> dict[str, int]:
    port = Port(space.accesses, space.model.platform)
    memory = space.model.platform.memory
    ends = _of_network(space, work)
    cycles = {"load": 0, "store": 0}
    for (kind, array), data in ends.items():
        bursts = 0 if memory.rows is not None or memory.burst == "run" else memory.latency or 0
        cycles[kind] += int(port.words(array, np.array(data))) + (bursts if data else 0)
    moving = sum(cycles.values()) if memory.port == "shared" else max(cycles.values())
    latency = max([moving, *(_quickest(space, task, number) for task, number in work.runs.items())])
    data, bits = _patterns(space, work, {array for kind, array in ends if kind == "load"})
    traffic = sum(number * port.element_bytes(array) for (_, array), number in ends.items())
    return {LATENCY: latency, DATA: data, BITS: bits, TRAFFIC: traffic}


def _of_network(space: MappingSpace, work: _Work) -> dict[tuple[str, str], int]:
    """What is moved of the network's own inputs and outputs; what one task hands another need not be."""
    network = space.model.network
    made = {array for process in network.processes.values() for array in process.writes}
    return {
        (kind, array): number
        for (kind, array), number in work.moved.items()
        if (kind == "store" and array in network.outputs) or (kind == "load" and array not in made)
    }


def _quickest(space: MappingSpace, task: str, runs: int) -> int:
    """The fewest cycles in which a task's repetitions run."""
    paths = Datapaths(space.model.network, space.model.platform)
    if not runs:
        return 0
    cycles = []
    for rate in space.rates(task):
        path = paths.at(task, interval_of(rate))
        cycles.append(-(-runs // units_of(rate)) * path.interval + path.latency)
    return min(cycles)


def _patterns(space: MappingSpace, work: _Work, inputs: Collection[str]) -> tuple[int, int]:
    """Data and bits of the inputs that the repetition which reads most of them reads, of tasks that run whole."""
    network, accesses = space.model.network, space.accesses
    data, bits = [0], [0]
    for task, runs in work.runs.items():
        sizes: dict[str, int] = {}
        for touch in accesses.reads[task] if runs == math.prod(accesses.extents(task)) else ():
            link = separate(accesses, touch) if touch.array in inputs and touch.outside is None else None
            if link is not None:
                elements = math.prod(_most(axis) for axis in link.axes)
                sizes[touch.array] = max(sizes.get(touch.array, 0), elements)
        data.append(sum(sizes.values()))
        bits.append(sum(size * network.arrays[array].type.bits for array, size in sizes.items()))
    return max(data), max(bits)


def _most(axis: AxisLink) -> int:
    """The elements of an axis that one index of the repetition touches, at most; each axis has a dimension of its own.

    So one repetition has the most of all axes.
    """
    runs = axis.by_repetition
    return int(np.diff(runs.start, append=len(runs.value)).max(initial=0))
