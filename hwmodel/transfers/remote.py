"""Every access remote: no local memory, each access a burst of one element, in the order of execution."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from arrayol.tiling.enumerate import rows
from arrayol.tiling.nest import NestReach, ScheduledStatement
from hwmodel.external_memory import Bursts
from hwmodel.transfers.bursts import Numbers, bases_and_sizes
from hwmodel.transfers.plans import Ground


def remote_bursts(ground: Ground) -> Bursts:
    """All accesses of a nest, instance by instance, reads as they are written, then writes.

    An access that may happen counts. One whose element depends on data counts once, at the first element it may touch.
    """
    names = list(ground.nest.arrays)
    columns: list[tuple[Numbers, ...]] = []
    for number, statement in enumerate(ground.nest.statements):
        turn, instances = _order(ground, number, statement)
        for place, (reach, write) in enumerate(_reaches(statement)):
            instance, element = _accesses(reach, one_each=statement.assign is not None)
            at = turn[_rows_in(instance, instances)]
            linear = ground.places[reach.array].linear(element)
            ranks = [np.full(len(at), value) for value in (2 * place + write, names.index(reach.array))]
            columns.append((at, *ranks, linear))
    turns, places, arrays, linears = (np.concatenate(column) for column in zip(*columns, strict=True))
    order = np.lexsort((linears, places, turns))
    base, size = bases_and_sizes(ground.places.values())
    array = arrays[order]
    address = base[array] + linears[order] * size[array]
    return Bursts(address, size[array], np.ones(len(order), np.int64), places[order] % 2 == 1)


def _reaches(statement: ScheduledStatement) -> Iterator[tuple[NestReach, int]]:
    yield from ((reach, 0) for reach in statement.reads)
    yield from ((reach, 1) for reach in statement.writes)


def _order(ground: Ground, number: int, statement: ScheduledStatement) -> tuple[Numbers, Numbers]:
    """When each instance of a statement runs among all, and the instances, sorted by their range variables."""
    chosen = np.flatnonzero(ground.iterations.statement == number)
    instances = ground.iterations.instance[chosen][:, : len(statement.indices)]
    order = np.lexsort(instances.T[::-1]) if instances.shape[1] else np.arange(len(chosen))
    return chosen[order], instances[order]


def _accesses(reach: NestReach, one_each: bool) -> tuple[Numbers, Numbers]:
    """Instances and elements of an access; with `one_each` the first element of each instance alone."""
    instance, element = rows(reach.may)
    if one_each and len(instance):
        new = np.concatenate([[True], (instance[1:] != instance[:-1]).any(axis=1)])
        return instance[new], element[new]
    return instance, element


def _rows_in(wanted: Numbers, known: Numbers) -> Numbers:
    """The row of `known` (sorted, distinct) that each row of `wanted` is."""
    if not known.shape[1] or not len(wanted):
        return np.zeros(len(wanted), np.int64)
    low = known.min(axis=0)
    extent = tuple(np.ptp(known, axis=0) + 1)
    keys, sought = (np.ravel_multi_index(tuple((one - low).T), extent) for one in (known, wanted))
    found: Numbers = np.searchsorted(keys, sought)
    return found
