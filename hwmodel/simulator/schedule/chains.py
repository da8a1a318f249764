"""Delays in a group's run: which instances wait for which in a step, and which chains are open."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.ir.spec import Delay, port_named
from hwmodel.accesses import Accesses
from hwmodel.simulator.schedule.plan import TaskWork, chain_positions, delay_pairs, fault, levels


@dataclass(frozen=True)
class Waiting:
    """By delay, the instance that reads each instance's result in the same step (-1: none).

    `remaining` is the longest chain in the step from each instance on.
    """

    reader: tuple[IntArray, ...]
    remaining: IntArray


@dataclass(frozen=True)
class OpenChains:
    """The chains of one delay; each keeps `data` data while it is open.

    `opening` and `closing` are the numbers of chains that open and close in each step; `first` and `last` the steps in
    which each chain does, in the order in which they open. `number` is the chain of each instance, -1 for chains of one
    instance.
    """

    name: str
    data: int
    opening: IntArray
    closing: IntArray
    first: IntArray
    last: IntArray
    number: IntArray


def waiting_of(accesses: Accesses, work: TaskWork, step: IntArray) -> Waiting:
    """The waits of a task's instances.

    Raises SimulatorError (`read-before-write`) if a delay reads from a later step.
    """
    remaining = np.ones(len(step), np.int64)
    readers, ordered = [], []
    for delay in accesses.delays(work.task):
        now, before = delayed_instances(accesses, delay, work)
        late = np.flatnonzero(step[before] > step[now])
        if len(late):
            message = f"'{work.task}' reads by its delay in step {step[now[late[0]]]} what a later step makes"
            raise fault("read-before-write", message)
        same = step[before] == step[now]
        reader = np.full(len(step), -1)
        reader[before[same]] = now[same]
        readers.append(reader)
        place = chain_positions(delay, accesses.extents(work.task))[work.repetition]
        now, before = now[same], before[same]
        ordered.append([(now[rows], before[rows]) for rows in levels(place[now], descending=True)])
    while True:
        former = remaining.copy()
        for pairs in ordered:
            for now, before in pairs:
                remaining[before] = np.maximum(remaining[before], remaining[now] + 1)
        if len(ordered) < 2 or np.array_equal(former, remaining):
            return Waiting(tuple(readers), remaining)


def chains_of(
    accesses: Accesses, delay: Delay, work: TaskWork, step: IntArray, steps: int, order: IntArray
) -> OpenChains:
    """The chains of a delay with more than one instance, from the step of their first to that of their last.

    `order` is the order of issue of instances. A delay that reaches back to earlier frames keeps one value for each
    repetition of those frames, all the time; and of one frame more if it leads to another repetition.
    """
    process = accesses.network.processes[work.task]
    data = math.prod(extent or 1 for extent in port_named(process.input_ports, delay.port).shape)
    name = f"{work.task}.{delay.port}"
    parts = [*zip(delay.vector, process.repetition, strict=True)]
    frames = sum(abs(part) for part, extent in parts if extent is None)
    if frames:
        frames += any(part for part, extent in parts if extent is not None)
        kept = frames * math.prod(accesses.extents(work.task))
        always, never = np.zeros(steps, np.int64), np.zeros(steps, np.int64)
        always[0] = kept
        first, last = np.zeros(kept, np.int64), np.full(kept, steps - 1)
        return OpenChains(name, data, always, never, first, last, order)
    now, before = delayed_instances(accesses, delay, work)
    root = np.arange(len(step))
    place = chain_positions(delay, accesses.extents(work.task))[work.repetition]
    for rows in levels(place[now]):
        root[now[rows]] = root[before[rows]]
    last = np.full(len(step), -1)
    np.maximum.at(last, root, step)
    chained = np.flatnonzero(np.bincount(root, minlength=len(step)) > 1)  # the first instance of each
    chained = chained[np.argsort(order[chained])]
    number = np.full(len(step), -1)
    number[chained] = np.arange(len(chained))
    opening, closing = (np.bincount(side[chained], minlength=steps) for side in (step, last))
    return OpenChains(name, data, opening, closing, step[chained], last[chained], number[root])


def delayed_instances(accesses: Accesses, delay: Delay, work: TaskWork) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The pairs of a delay as instances, those whose reader runs; over frames, as if both were in one.

    Raises SimulatorError (`read-before-write`) if the instance that is read never runs.
    """
    extents = accesses.extents(work.task)
    number = np.full(int(np.prod(extents, dtype=np.int64)), -1)
    number[work.repetition] = np.arange(len(work.repetition))
    steps = zip(delay.vector, accesses.network.processes[work.task].repetition, strict=True)
    in_a_frame = replace(delay, vector=tuple(0 if extent is None else step for step, extent in steps))
    now, before = (number[side] for side in delay_pairs(in_a_frame, extents))
    runs = now >= 0
    if (before[runs] < 0).any():
        raise fault("read-before-write", f"'{work.task}' reads by its delay what never runs")
    return now[runs], before[runs]
