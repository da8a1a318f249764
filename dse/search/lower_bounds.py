"""What no whole design goes below: a bound on each figure, and so on every front.

Whatever the fusion and the blocks, what the network's outputs need has to run, be loaded and be stored at least once.
How much that is the model counts where it takes the whole network as one group in one block: each repetition that is
needed, each element of an input that is read and of an output that is made, once. In the time of a design

- the port moves all of it, in words that hold no more than they can, at least one burst for each array;
- each task, with the rate at which that is quickest, runs all of its repetitions.

Steps take as long as the longest of what happens in them, and groups run one after another; so their sum is no less
than either. Where frames overlap in one group it is the same: each load, store and task has its steps one by one.
While a repetition runs, what it reads of an input of the network, and writes of an output, is in buffers of its group.
Where the whole network is no such group (no blocks cut its last tasks alike, or it is not separable), each last task
alone says as much of itself, or where that is not separable only that it runs whole, as last tasks do. What they say
of their inputs, outputs and runs adds up.

Each task has a processor in some group, at one of its rates: each figure is taken at the rate that has least of it.
Energy is that of all runs and of what the port moves, and what leaks in the shortest time; power is what leaks, since
nobody says how long a frame may take. Streams fetch and store no operands, have one unit or as many as their paces
say, and two chunks of each array outside. With AXI4-Streams in the study the port bounds no time, and words have no
more bits than their data. Of what memories cost, and of accesses to them, it is only known that it is not negative; so
it is of the blocks of memories that a technology builds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from arrayol.errors import ArrayolError
from dse.search.figures import Columns
from dse.space.mappings import MappingSpace
from dse.space.streams import paces_of
from hwmodel.cost_model.costs import processor_costs
from hwmodel.cost_model.counted.axes.links import AxisLink, separate
from hwmodel.cost_model.counted.counted_accesses import moved_data
from hwmodel.cost_model.energy import MEMORY_BITS, repetition_fj
from hwmodel.cost_model.estimate import DYNAMIC, LEAKAGE, SETUP, Number
from hwmodel.cost_model.issue.datapaths import Datapaths
from hwmodel.cost_model.issue.occupancy import at_least
from hwmodel.cost_model.memories.local_ports import terms_of
from hwmodel.cost_model.memory_port.port import MemoryPort
from hwmodel.cost_model.metrics import MEMORY, RESIDENT, SHARED, TIMES, TRAFFIC
from hwmodel.cost_model.numbering import LIMIT
from hwmodel.cost_model.together import GROUPS, OFF_PORT, SERVICES, SHARED_PORT
from hwmodel.datapath.figures import Datapath
from hwmodel.design import interval_of, rate_of, row_major, units_of
from hwmodel.figures import LATENCY
from hwmodel.residence import ONCE

Bounds = dict[str, int]  # by the model's name of a figure, in its integers
_RAISED_AT_MOST = 64  # cycles of accesses to banks, up to which datapaths are told for each number of them


@dataclass(frozen=True)
class _Work:
    """What has to happen in a group: elements moved by kind and array, and repetitions by task."""

    moved: Mapping[tuple[str, str], int]
    runs: Mapping[str, int]


@dataclass(frozen=True)
class _Choice:
    """A rate of a task: its units, the datapath of one for as long as a repetition occupies it, and all costs."""

    units: int
    path: Datapath
    costs: Mapping[str, Number]


Ends = Mapping[tuple[str, str], int]  # data, by kind ("load" or "store") and array
Choices = Mapping[str, list[_Choice]]  # by task; none of a task of which nothing is known


def least_figures(space: MappingSpace, columns: Columns) -> tuple[int, ...]:
    """A bound on each column of whole designs, in its integers."""
    choices = {task: _choices(space, task) for task in space.graph.names}
    found = _least(space, choices)
    least = []
    for figure, beside in zip(columns.figures, columns.beside, strict=True):
        if figure.scale < 0:
            least.append(-LIMIT)  # longer times are better, and none is longer
        elif figure.key in found:
            least.append(found[figure.key] + beside)
        else:
            least.append(sum(_least_cost(own, figure.key, figure.scale) for own in choices.values()))
    return tuple(least)


def least_objectives(space: MappingSpace, columns: Columns) -> tuple[int, ...]:
    """A bound on each objective of whole designs; one that is made of parts only grows with each of them."""
    values = np.array([least_figures(space, columns)], np.int64)
    if space.study.together:  # cycles off the port may be none, but no period is shorter than a group is by itself
        choices = {task: _choices(space, task) for task in space.graph.names}
        cycles = max((_of_work(space, work, choices)[LATENCY] for work in _works(space)), default=0)
        values[0, [figure.key in OFF_PORT for figure in columns.figures]] = cycles
    return tuple(int(columns.whole(objective, values)[0]) for objective in columns.objectives)


def _least(space: MappingSpace, choices: Choices) -> Bounds:
    """Bounds on all figures but costs, without what all groups share."""
    found = _of_residents(space) | dict.fromkeys((*SETUP, *OFF_PORT, SHARED_PORT, SERVICES), 0) | {GROUPS: 1}
    fewest = (1 if space.study.has_streams else min(map(units_of, space.rates(task))) for task in choices)
    found["units"] = sum(fewest)
    found[LEAKAGE] = sum(_least_leakage(space, own) for own in choices.values())
    for work in _works(space):
        for name, amount in _of_work(space, work, choices).items():
            known, largest = found.get(name, 0), space.study.reuse_memory and name in SHARED
            found[name] = max(known, amount) if largest else known + amount
    return found | {
        name: found[shared] + found[resident] for name, shared, resident in zip(MEMORY, SHARED, RESIDENT, strict=True)
    }


# What processors take.


def _choices(space: MappingSpace, task: str) -> list[_Choice]:
    """All rates of a task; each several times where accesses to the banks of layouts may raise what it occupies."""
    accesses, platform, most = space.accesses, space.model.platform, _most_cycles(space, task)
    if most > _RAISED_AT_MOST:
        return []
    every = range(0, most + 1, platform.local.access_cycles)
    streams = list(_stream_choices(space, task)) if space.study.has_streams else []
    if not space.study.has_blocks:
        return streams
    paths = [Datapaths(space.model.network, platform, at_least({task: cycles})) for cycles in every]
    return streams + [
        _Choice(units_of(rate), own.at(task, interval_of(rate)), processor_costs(accesses, own, task, rate))
        for own in paths
        for rate in space.rates(task)
    ]


def _stream_choices(space: MappingSpace, task: str) -> Iterator[_Choice]:
    """One unit of a task that streams, and the most that any pace has, at each interval on offer.

    No operand is fetched from a memory, and no result stored in one.
    """
    platform = space.model.platform
    paths = Datapaths(space.model.network, platform)
    most = max(pace.denominator for pace in paces_of(space, (task,)))
    for interval in platform.intervals(space.model.network.processes[task]):
        path = paths.at(task, interval)
        path = replace(path, latency=max(0, path.latency - platform.local_cycles))
        for units in dict.fromkeys((1, most)):
            costs = processor_costs(space.accesses, paths, task, rate_of(units, interval))
            yield _Choice(units, path, costs)


def _tries_layouts(space: MappingSpace) -> bool:
    return "linear" in space.study.layouts and space.model.platform.local.block_bits is not None


def _most_cycles(space: MappingSpace, task: str) -> int:
    """The most that accesses of a repetition to one bank of a layout may take; 0 where no layouts are tried."""
    accesses, local = space.accesses, space.model.platform.local
    if not _tries_layouts(space):
        return 0
    data = Counter[str]()
    for touch in (*accesses.reads[task], *accesses.writes[task]):
        data[touch.array] += 0 if accesses.is_resident(touch.array) else math.prod(touch.pattern)
    return local.access_cycles * max(data.values(), default=0)


def _least_cost(choices: Collection[_Choice], name: str, scale: int) -> int:
    """The least of a cost times its scale; rounded down, as that of a group with others may be."""
    costs = (choice.costs.get(name, 0) for choice in choices)
    return math.floor(Fraction(str(min(costs, default=0))) * scale)


def _least_leakage(space: MappingSpace, choices: Collection[_Choice]) -> int:
    """In pW, rounded down for the same reason."""
    prices = space.model.energy_prices
    leaking = {name: each for name, each in prices.leaking.items() if name != MEMORY_BITS} if prices else {}
    powers = (sum(each * choice.costs[name] for name, each in leaking.items()) for choice in choices)
    return math.floor(min(powers, default=0))


def _quickest(choices: Collection[_Choice], runs: int) -> int:
    """The fewest cycles in which a task's repetitions run."""
    cycles = (-(-runs // choice.units) * choice.path.interval + choice.path.latency for choice in choices)
    return min(cycles, default=0) if runs else 0


# What has to happen.


def _works(space: MappingSpace) -> list[_Work]:
    """Work of groups that share no task; of those whose counts are unknown, that their last tasks run whole."""
    graph = space.graph
    whole = _work(space, graph.names) if space.last(graph.all) is not None else None
    if whole is not None:
        return [whole]
    last = [name for number, name in enumerate(graph.names) if not graph.successors[number]]
    return [_work(space, (name,)) or _Work({}, {name: math.prod(space.accesses.extents(name))}) for name in last]


def _work(space: MappingSpace, tasks: tuple[str, ...]) -> _Work | None:
    """Work of a group in one block; None where it is not counted axis by axis."""
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


def _of_work(space: MappingSpace, work: _Work, choices: Choices) -> Bounds:
    """What a group that does it takes, at the least."""
    port, prices = MemoryPort(space.accesses, space.model.platform), space.model.energy_prices
    ends = _of_network(space, work)
    has_port = "axis" not in space.study.interfaces
    moved = {(kind, array): _least_bits(port, array, data, has_port=has_port) for (kind, array), data in ends.items()}
    cycles = max(
        [
            _port_cycles(space, ends) if has_port else 0,
            *(_quickest(choices[task], runs) for task, runs in work.runs.items()),
        ]
    )
    found = dict.fromkeys(TIMES, cycles) | dict(zip(SHARED, _memory(space, work), strict=True))
    data, by_port = TRAFFIC
    found[data] = sum(number * port.element_bytes(array) for (_, array), number in ends.items())
    found[by_port] = sum(-(-bits // 8) for bits in moved.values())
    if prices is not None:
        found[DYNAMIC] = sum(moved.values()) * prices.external + sum(
            runs * min((sum(repetition_fj(choice.path)) for choice in choices[task]), default=0)
            for task, runs in work.runs.items()
        )
    return found


def _least_bits(port: MemoryPort, array: str, data: int, *, has_port: bool) -> int:
    """The bits of the words in which so many data of an array are moved, at the least."""
    if has_port:
        return int(port.words(array, np.array(data))) * port.word_bits(array)
    return data * port.network.arrays[array].type.bits


def _port_cycles(space: MappingSpace, ends: Ends) -> int:
    """The cycles in which the port moves so many data, as if each array were one burst."""
    port = MemoryPort(space.accesses, space.model.platform)
    sides, latency = port.service.nothing(), 0 if port.by_run else port.channel.latency or 0
    for (kind, array), data in ends.items():
        cycles = latency + int(port.words(array, np.array(data))) if data else 0
        sides[port.service.numbers[array], int(kind == "store")] += cycles
    return int(port.service.cycles(sides).busy)


def _of_network(space: MappingSpace, work: _Work) -> Ends:
    """What is moved of the network's own inputs and outputs; what one task hands another need not be.

    A stream that keeps frames loads one of each array.
    """
    network, most = (
        space.model.network,
        space.accesses.of_frames("inside" if "inside" in space.study.frames else "outside"),
    )
    made = {array for process in network.processes.values() for array in process.writes}
    return {
        (kind, array): min(number, most.size(array))
        for (kind, array), number in work.moved.items()
        if (kind == "store" and array in network.outputs) or (kind == "load" and array not in made)
    }


def _memory(space: MappingSpace, work: _Work) -> tuple[int, int, int]:
    """Data, bits and blocks of what single repetitions of tasks that run whole touch of inputs and outputs.

    Each of these arrays has a buffer in some group. Where groups share memory, what counts is the most that one task
    touches. Blocks are those of a size; of what a technology has there may be none.
    """
    platform, network = space.model.platform, space.model.network
    ends = {name for name in (*network.inputs, *network.outputs) if not space.accesses.is_resident(name)}
    block_bits = platform.local.block_bits if terms_of(platform) is None else None
    whole = [task for task, runs in work.runs.items() if runs == math.prod(space.accesses.extents(task))]
    banks = block_bits is not None and not (
        _tries_layouts(space) or space.study.has_streams
    )  # one for each datum of a pattern
    found = []
    for tasks in [[task] for task in whole] if space.study.reuse_memory else [whole]:
        sizes = _patterns(space, tasks, ends)
        if space.study.has_streams:  # of which each array outside has two chunks, or all of it where nothing moves
            sizes = {array: min(size, 2) if _moves(space, array) else size for array, size in sizes.items()}
        bits = {array: size * network.arrays[array].type.bits for array, size in sizes.items()}
        blocks = sum(max(banks * sizes[array], -(-own // block_bits)) for array, own in bits.items() if block_bits)
        found.append((sum(sizes.values()), sum(bits.values()), blocks))
    most = [max(column) for column in zip((0, 0, 0), *found, strict=True)]
    return most[0], most[1], most[2]


def _moves(space: MappingSpace, array: str) -> bool:
    """Whether some task moves along an array from repetition to repetition."""
    every = (touch for side in (space.accesses.reads, space.accesses.writes) for own in side.values() for touch in own)
    return any(any(map(any, touch.tiler.paving)) for touch in every if touch.array == array)


def _patterns(space: MappingSpace, tasks: Collection[str], arrays: Collection[str]) -> dict[str, int]:
    """By array the most data that one repetition of some tasks reads or writes."""
    accesses, sizes = space.accesses, Counter[str]()
    for task in tasks:
        for touch in (*accesses.reads[task], *accesses.writes[task]):
            link = separate(accesses, touch) if touch.array in arrays and touch.outside is None else None
            if link is not None:
                sizes[touch.array] = max(sizes[touch.array], math.prod(_most(axis) for axis in link.axes))
    return sizes


def _most(axis: AxisLink) -> int:
    """The elements of an axis that one index of the repetition touches, at most; each axis has a dimension of its own.

    So one repetition has the most of all axes.
    """
    runs = axis.by_repetition
    return int(np.diff(runs.start, append=len(runs.value)).max(initial=0))


def _of_residents(space: MappingSpace) -> Bounds:
    """Data, bits and blocks of arrays that are loaded once: all of it, for each task that reads it, if all is built."""
    data = bits = 0
    if terms_of(space.model.platform) is not None:
        accesses = space.accesses
        for touches in accesses.reads.values():
            for array in {touch.array for touch in touches if accesses.load.get(touch.array) == ONCE}:
                data += accesses.size(array)
                bits += accesses.size(array) * space.model.network.arrays[array].type.bits
    return dict(zip(RESIDENT, (data, bits, 0), strict=True))
