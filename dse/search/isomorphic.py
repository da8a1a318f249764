"""Isomorphic groups: groups that are equal but for the names of their tasks and arrays; one is searched for all.

The model reads of a group its processes, the arrays that they touch, and how processes outside touch those that the
group writes; the study adds what it says of a task by name. All this with tasks in dataflow order, names left out and
arrays numbered in the order in which tasks name them is, with the order of these arrays in the network, the group's
signature. Groups of equal signatures have the same designs with the same figures, and the first one's front is the
other's once names are replaced place by place. No isomorphism is sought beyond that order: groups that are equal only
in another one are each searched. Of the channels in which arrays lie it says which of them share one. A signature takes
a while, so it is made where two groups have tasks of equal signatures, one by one; else they cannot be equal. With a
model of memory rows addresses count too, so that there no two groups are isomorphic.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from arrayol.ir.network import Flow, Network, NetworkArray, Process
from arrayol.ir.spec import Delay, TiledDefault
from dse.search.group_front import GroupFront
from dse.space.mappings import MappingSpace
from dse.space.study import Study
from dse.space.task_graph import Mask
from hwmodel.design import GroupDesign
from hwmodel.residence import FRAME

Signature = tuple[Any, ...]


class IsomorphicGroups:
    """Finds for each group the first one that the model and the study cannot tell from it."""

    def __init__(self, space: MappingSpace) -> None:
        self.space = space
        self._first: dict[Signature, Mask] = {}
        self._alike: dict[tuple[int, ...], list[Mask]] = {}  # groups by the kinds of their tasks
        self._kinds: dict[Signature, int] = {}  # of single tasks
        self._kind = cache(lambda task: self._kinds.setdefault(_signature(space, (task,)), len(self._kinds)))
        self._names = cache(self._names_of)
        self._designs: dict[tuple[Mask, Mask], dict[GroupDesign, GroupDesign]] = {}  # whole designs share many

    def of(self, group: Mask) -> Mask | None:
        """An earlier group that is equal but for names; None for the first of its kind, which is then remembered."""
        if self.space.model.platform.has_rows:
            return None
        alike = self._alike.setdefault(tuple(map(self._kind, self.space.tasks(group))), [])
        alike.append(group)
        if len(alike) == 1:
            return None  # no need to tell more of it yet
        for one in alike if len(alike) == 2 else [group]:
            first = self._first.setdefault(_signature(self.space, self.space.tasks(one)), one)
        return None if first == group else first

    def renamed(self, searched: GroupFront, first: Mask, group: Mask) -> GroupFront:
        """The front that was found of the `first` one as that of `group`."""
        return replace(searched, designs=tuple(self.design(design, first, group) for design in searched.designs))

    def design(self, design: GroupDesign, group: Mask, other: Mask) -> GroupDesign:
        """A design of a group as that of another one that is equal but for names."""
        known = self._designs.setdefault((group, other), {})
        if design not in known:
            known[design] = _renamed(design, *self._names(group, other))
        return known[design]

    def _names_of(self, group: Mask, other: Mask) -> tuple[dict[str, str], dict[str, str]]:
        """The tasks and arrays of another group by those of one that is equal but for names."""
        tasks = dict(zip(self.space.tasks(group), self.space.tasks(other), strict=True))
        return tasks, dict(zip(_arrays(self.space, tasks), _arrays(self.space, tasks.values()), strict=True))


def group_content(space: MappingSpace, tasks: tuple[str, ...]) -> Signature:
    """All that the model and the study know of a group, with its names."""
    return tasks, tuple(_arrays(space, tasks)), _signature(space, tasks)


def _signature(space: MappingSpace, tasks: tuple[str, ...]) -> Signature:
    numbers = _arrays(space, tasks)
    network = space.model.network
    return (
        len(tasks) == len(space.graph),
        space.model.once.takes_something and space.graph.names[0] in tasks,  # which bears what is loaded once
        tuple(_anonymous(network.processes[task], numbers) for task in tasks),
        tuple(_array(network.arrays[name], numbers, tasks) for name in numbers),
        tuple(space.accesses.load.get(name, FRAME) for name in numbers),
        tuple(space.accesses.shape(name) for name in numbers),  # an infinite axis is as long as all tasks make it
        tuple(numbers[name] for name in network.arrays if name in numbers),  # the order in which options are tried
        tuple(_outside(network, name, tasks) for name in numbers),
        tuple(_study(space.study, task) for task in tasks),
        tuple(space.study.keeps.get(name, ()) for name in numbers),
        tuple(space.study.buffers.get(name, ()) for name in numbers),
        _channels(space, numbers, tasks),
    )


def _channels(space: MappingSpace, numbers: Iterable[str], tasks: Collection[str]) -> tuple[int, ...]:
    """The channels of the arrays that a group moves, numbered in the order in which it names them."""
    network, known = space.model.network, dict[int, int]()
    moved = (name for name in numbers if not stays_inside(network, name, tasks))
    channels = (space.channels[name] for name in moved if name in space.channels)
    return tuple(known.setdefault(channel, len(known)) for channel in channels)


def stays_inside(network: Network, array: str, tasks: Collection[str]) -> bool:
    """Whether a group makes an array that no one reads outside of it."""
    own = network.arrays[array]
    return not own.is_output and bool(own.producers) and set(tasks) >= {*own.producers, *own.readers}


def _arrays(space: MappingSpace, tasks: Iterable[str]) -> dict[str, int]:
    """The arrays of a group in the order in which its tasks name them, numbered."""
    names = (name for task in tasks for name in _named(space.model.network.processes[task]))
    return {name: place for place, name in enumerate(dict.fromkeys(names))}


def _outside(network: Network, array: str, tasks: Collection[str]) -> frozenset[Any]:
    """How the processes outside the group touch one of its arrays."""
    if not set(network.arrays[array].producers) & set(tasks):
        return frozenset()  # what is only loaded has no one to wait for
    return frozenset(
        touch
        for reader in network.arrays[array].readers
        if reader not in tasks
        for touch in _touches(network.processes[reader], array)
    )


def _study(study: Study, task: str) -> Signature:
    """What the study says of one task by its name."""
    tables = study.blocks, study.cuts, study.intervals
    named = (table.get(task) if isinstance(table, Mapping) else None for table in tables)
    return (*named, tuple(study.listed_outer_blocks.get(task, {}).items()))


def _named(process: Process) -> tuple[str, ...]:
    flows = (*process.inputs, *process.outputs)
    defaults = (delay.default for delay in process.delays if isinstance(delay.default, TiledDefault))
    return (*(flow.array for flow in flows), *(default.array for default in defaults))


def _anonymous(process: Process, numbers: Mapping[str, int]) -> Process:
    """The process without its name, its arrays as numbers."""

    def flows(original: tuple[Flow, ...]) -> tuple[Flow, ...]:
        return tuple(replace(flow, array=str(numbers[flow.array])) for flow in original)

    def delay(original: Delay) -> Delay:
        if not isinstance(original.default, TiledDefault):
            return original
        return replace(original, default=replace(original.default, array=str(numbers[original.default.array])))

    return replace(
        process,
        name="",
        task="",
        inputs=flows(process.inputs),
        outputs=flows(process.outputs),
        delays=tuple(map(delay, process.delays)),
    )


def _array(array: NetworkArray, numbers: Mapping[str, int], tasks: Collection[str]) -> Signature:
    """What of an array the group sees, but for who reads it outside."""
    inside = tuple(task in tasks for task in array.producers)
    return numbers[array.name], array.type, array.shape, inside if any(inside) else (), array.is_output


def _touches(process: Process, array: str) -> list[Signature]:
    """The elements of an array that a process reads, as patterns and tilers over its repetitions."""
    touches: list[Signature] = [
        (process.repetition, flow.port.shape, flow.tiler) for flow in process.inputs if flow.array == array
    ]
    ports = {port.name: port for port in process.input_ports}
    touches += [
        (process.repetition, ports[delay.port].shape, delay.default.tiler, delay.vector)
        for delay in process.delays
        if isinstance(delay.default, TiledDefault) and delay.default.array == array
    ]
    return touches


def _renamed(design: GroupDesign, tasks: Mapping[str, str], arrays: Mapping[str, str]) -> GroupDesign:
    return replace(
        design,
        processors=tuple(replace(processor, task=tasks[processor.task]) for processor in design.processors),
        fifos=frozenset(arrays[name] for name in design.fifos),
        layouts=tuple(replace(layout, array=arrays[layout.array]) for layout in design.layouts),
        keeps=tuple(sorted((arrays[name], keep) for name, keep in design.keeps)),
        single_buffers=frozenset(arrays[name] for name in design.single_buffers),
    )
