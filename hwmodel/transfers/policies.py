"""What each policy of transfers costs on a platform (docs/transfers.md, "Reading the result").

A policy decides what is loaded before and stored after each of its units, tiles or whole strips; then all are priced
alike. The sets are listed element by element, runs of neighbours become bursts, the port serves the bursts in the order
of the steps with its rows open in between (`hwmodel.external_memory`), and `overlap` says when each unit runs. Every
figure is therefore the cost of one definite execution, not an estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from arrayol.arrays import IntArray
from arrayol.ir.spec import RepetitiveTask, Spec
from arrayol.tiling.enumerate import Iterations, iterations, rows
from arrayol.tiling.liveness import TileClock, lifetimes, lifetimes_by_tile, single_tile_needs, touched
from arrayol.tiling.nest import NestReach, ScheduledStatement, TiledNest, Traffic
from hwmodel.datapath.entry import ElementaryEntry
from hwmodel.external_memory import Bursts, joined, port_time
from hwmodel.platform import Platform
from hwmodel.transfers.bursts import Place, TransferMoves, UnitBursts, as_bursts, bases_and_sizes, moves, places
from hwmodel.transfers.overlap import TileTimeline, Units, one_after_another, overlapped


@dataclass(frozen=True, eq=False)
class TransferPlan:
    """What a policy loads before, and stores after, each of its units: tiles or whole strips.

    `live` is the largest number of elements in local memory without overlap, `live_overlapped` with it.
    """

    units: Units
    loads: TransferMoves
    stores: TransferMoves
    live: int
    live_overlapped: int


@dataclass(frozen=True, eq=False)
class PlanContext:
    """All that the plans share: a nest without parameters, its traffic, and the work of its tiles."""

    spec: Spec
    traffic: Traffic
    platform: Platform

    @property
    def nest(self) -> TiledNest:
        return self.traffic.nest

    @cached_property
    def clock(self) -> TileClock:
        return TileClock.of(self.nest)

    @cached_property
    def iterations(self) -> Iterations:
        return iterations(self.nest)

    @cached_property
    def places(self) -> dict[str, Place]:
        return places(self.nest.arrays, self.platform)

    @cached_property
    def datapath(self) -> ElementaryEntry:
        """The datapath that runs the nest's instances."""
        return self.platform.entry(elementary_of(self.spec, self.nest.name))

    @property
    def latency(self) -> int:
        """Cycles of the datapath beside its intervals, 0 where nobody gives them."""
        return self.datapath.latency or 0

    @cached_property
    def instance_cycles(self) -> int:
        """Cycles of an instance on the datapath: a statement makes one datum, a repetition its largest output port."""
        task = self.spec.tasks.get(self.nest.name)
        outputs = self.spec.components[task.callee].outputs if isinstance(task, RepetitiveTask) else ()
        data = max((prod(extent or 1 for extent in port.shape) for port in outputs), default=1)
        return data * (self.datapath.initiation_interval or 1)

    @cached_property
    def tile_cycles(self) -> IntArray:
        """Cycles that each tile computes: its instances one after another on one unit, and the datapath's latency."""
        tile = self.clock.numbers(self.iterations.tile)
        return np.bincount(tile, minlength=len(self.clock.tile)) * self.instance_cycles + self.latency

    @cached_property
    def loads(self) -> TransferMoves:
        """What is loaded under reuse inside a strip."""
        return self.moved(self.traffic.load)

    @cached_property
    def stores(self) -> TransferMoves:
        """What is stored under reuse inside a strip."""
        return self.moved(self.traffic.store)

    @cached_property
    def kept(self) -> TransferMoves:
        """What each tile touches of arrays in external memory, and so has in local memory."""
        return self.moved({name: touched(self.traffic, name) for name in self.traffic.moved})

    @cached_property
    def locals(self) -> tuple[IntArray, IntArray]:
        """The first and the last tile that touches it, for each element of a local."""
        alive = [lifetimes_by_tile(self.traffic, name) for name in self.traffic.kept_locals]
        nothing = np.zeros(0, np.int64)
        return (
            np.concatenate([nothing, *(one.first for one in alive)]),
            np.concatenate([nothing, *(one.last for one in alive)]),
        )

    @cached_property
    def local_sizes(self) -> IntArray:
        """How many elements of locals are alive in each tile."""
        return _held([self.locals], len(self.clock.tile))[: len(self.clock.tile)]

    def moved(self, relations: Mapping[str, Any]) -> TransferMoves:
        """The elements of relations from tiles to elements, by tile in execution order."""
        parts = []
        for number, name in enumerate(self.nest.arrays):
            if name in relations and name in self.places:
                tile, element = rows(relations[name])
                parts.append((self._numbers(tile), number, self.places[name].linear(element)))
        return moves(parts)

    def _numbers(self, tile: IntArray) -> IntArray:
        return self.clock.numbers(tile) if len(tile) else np.zeros(0, np.int64)

    def alive(self, overlapped: bool) -> int:
        """The most elements of all arrays in local memory at once, under reuse inside a strip."""
        times = 2 * self.clock.strip + np.arange(len(self.clock.tile)) + 1  # a step before and after each strip
        begins = times[self.clock.starts]
        first, last = self.locals
        spans = [(times[first], times[last])]
        for name in self.traffic.moved:
            alive = lifetimes(self.traffic, name, overlapped)
            spans.append((begins[alive.strip] + alive.first, begins[alive.strip] + alive.last))
        return int(_held(spans).max(initial=0))


def _held(spans: Sequence[tuple[IntArray, IntArray]], steps: int = 0) -> IntArray:
    """How many spans hold each step, for at least so many steps; both ends of a span are in it."""
    first, last = (np.concatenate(ends) for ends in zip(*spans, strict=True))
    # One more from a span's first step on, one less after its last: the running sum counts the spans.
    length = max(steps, int(last.max(initial=-1)) + 2)
    changes = np.bincount(first, minlength=length) - np.bincount(last + 1, minlength=length)
    held: IntArray = changes.cumsum()
    return held


def elementary_of(spec: Spec, name: str) -> str:
    """The elementary that computes the instances of a nest, a repetitive task's or its own body's."""
    task = spec.tasks.get(name)
    return task.callee if isinstance(task, RepetitiveTask) else name


def reuse_in_strips(ground: PlanContext) -> TransferPlan:
    """Paper C: an element is loaded before the first tile of a strip that needs it and stored after the last write."""
    units = Units(ground.clock.strip, ground.tile_cycles, np.full(len(ground.clock.tile), -1))
    return TransferPlan(
        units, ground.loads, ground.stores, ground.alive(overlapped=False), ground.alive(overlapped=True)
    )


def tile_by_tile(ground: PlanContext) -> TransferPlan:
    """Every tile loads all it may read and stores all it may write; what it may leave unwritten is loaded too."""
    traffic, clock = ground.traffic, ground.clock
    loads = ground.moved({name: single_tile_needs(traffic, name) for name in traffic.moved})
    stores = ground.moved({name: traffic.written[name] for name in traffic.moved})
    units = Units(clock.strip, ground.tile_cycles, _last_writers(clock, loads, stores))
    sizes = [np.bincount(part.unit, minlength=len(clock.tile)) for part in (loads, ground.kept, stores)]
    steps = units.load_steps()
    held = np.zeros(int(steps.max(initial=-1)) + 3, np.int64)
    # Overlapped, a tile's loads, computation and stores are in steps that follow each other.
    for behind, size in enumerate(sizes):
        held[steps + behind] += size
    first, last = ground.locals
    held += _held([(steps[first] + 1, steps[last] + 1)], len(held))
    return TransferPlan(
        units, loads, stores, int((sizes[1] + ground.local_sizes).max(initial=0)), int(held.max(initial=0))
    )


def whole_strip_first(ground: PlanContext) -> TransferPlan:
    """All loads of a strip before its first tile and all stores after its last: a strip is one large tile."""
    clock = ground.clock
    loads, stores, kept = (_by_strip(clock, part) for part in (ground.loads, ground.stores, ground.kept))
    latency = ground.latency  # paid once for a strip, whose tiles keep the pipeline full
    compute = np.bincount(clock.strip, ground.tile_cycles - latency).astype(np.int64) + latency
    units = Units(np.arange(len(compute)), compute, np.full(len(compute), -1))
    live = np.bincount(kept.unit, minlength=len(compute))
    np.maximum.at(locals_ := np.zeros_like(live), clock.strip, ground.local_sizes)
    most = int((live + locals_).max(initial=0))
    return TransferPlan(units, loads, stores, most, most)


def _by_strip(clock: TileClock, moved: TransferMoves) -> TransferMoves:
    return moves([(clock.strip[moved.unit], moved.array, moved.element)])


def _last_writers(clock: TileClock, loads: TransferMoves, stores: TransferMoves) -> IntArray:
    """For each tile the last earlier tile of its strip that stores something it loads, or -1."""
    after = np.full(len(clock.tile), -1)
    if not len(loads) or not len(stores):
        return after
    # Stores by element and tile; the one before each load, if it is of the same element and strip, counts.
    extent = int(max(loads.element.max(), stores.element.max())) + 1
    tiles = len(clock.tile)
    stored, wanted = ((part.array * extent + part.element) * tiles + part.unit for part in (stores, loads))
    stored = np.sort(stored)
    place = np.searchsorted(stored, wanted) - 1
    before = stored[np.maximum(place, 0)]
    earlier = before % tiles
    same = (place >= 0) & (before // tiles == wanted // tiles) & (clock.strip[earlier] == clock.strip[loads.unit])
    np.maximum.at(after, loads.unit[same], earlier[same])
    return after


# Every access remote: no local memory but for locals, each access a burst of one element, in the order of execution.


def remote_bursts(ground: PlanContext) -> Bursts:
    """All accesses of a nest to external memory, instance by instance, reads as they are written, then writes.

    An access that may happen counts. One whose element depends on data counts once, at the first element it may touch.
    """
    names = list(ground.nest.arrays)
    columns: list[tuple[IntArray, ...]] = [(np.zeros(0, np.int64),) * 4]
    for number, statement in enumerate(ground.nest.statements):
        turn, instances = _order(ground, number, statement)
        for place, (reach, write) in enumerate(_reaches(statement)):
            if reach.array not in ground.places:
                continue
            instance, element = _accesses(reach, one_each=statement.assign is not None)
            at = turn[_rows_in(instance, instances)]
            linear = ground.places[reach.array].linear(element)
            # Even ranks are reads and odd ones writes, so that the order tells them apart again below.
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


def _order(ground: PlanContext, number: int, statement: ScheduledStatement) -> tuple[IntArray, IntArray]:
    """When each instance of a statement runs among all, and the instances, sorted by their range variables."""
    chosen = np.flatnonzero(ground.iterations.statement == number)
    instances = ground.iterations.instance[chosen][:, : len(statement.indices)]
    order = np.lexsort(instances.T[::-1]) if instances.shape[1] else np.arange(len(chosen))
    return chosen[order], instances[order]


def _accesses(reach: NestReach, one_each: bool) -> tuple[IntArray, IntArray]:
    """Instances and elements of an access; with `one_each` the first element of each instance alone."""
    instance, element = rows(reach.may)
    if one_each and len(instance):
        new = np.concatenate([[True], (instance[1:] != instance[:-1]).any(axis=1)])
        return instance[new], element[new]
    return instance, element


def _rows_in(wanted: IntArray, known: IntArray) -> IntArray:
    """The row of `known` (sorted, distinct) that each row of `wanted` is."""
    if not known.shape[1] or not len(wanted):
        return np.zeros(len(wanted), np.int64)
    low = known.min(axis=0)
    extent = tuple(np.ptp(known, axis=0) + 1)
    keys, sought = (np.ravel_multi_index(tuple((each - low).T), extent) for each in (known, wanted))
    places: IntArray = np.searchsorted(keys, sought)
    return places


@dataclass(frozen=True)
class PolicyCost:
    """The cost of a policy over all tiles of all strips.

    `data_moved` counts elements, `bytes_moved` their bytes; `row_changes` is None without a row model. `live` is the
    largest number of elements in local memory at once, `live_overlapped` with double buffering. `cycles` is the time
    with transfers beside computation, `cycles_without_overlap` the time of one after the other; `timeline` shows the
    former tile by tile, where the policy has tiles.
    """

    data_moved: int
    bytes_moved: int
    bursts: int
    row_changes: int | None
    live: int
    live_overlapped: int
    cycles: int
    cycles_without_overlap: int
    timeline: TileTimeline | None


def evaluate(spec: Spec, traffic: Traffic, platform: Platform) -> dict[str, PolicyCost]:
    """The cost of each policy, by name, for a nest without parameters.

    Raises TooHardError where the tiles' sets are too large to be listed.
    """
    ground = PlanContext(spec, traffic, platform)
    return {name: cost(ground) for name, cost in _COSTS.items()}


def _is_shared(platform: Platform) -> bool:
    (channel,) = platform.channels
    return channel.port == "shared"


def _remote(ground: PlanContext) -> PolicyCost:
    """Accesses and computation go on beside each other as a pipeline, or one after the other."""
    bursts = remote_bursts(ground)
    time = port_time(ground.platform, bursts)
    shared = _is_shared(ground.platform)
    reads, writes = int(time.cycles[~bursts.write].sum()), int(time.cycles[bursts.write].sum())
    latency = ground.latency
    live = int(ground.local_sizes.max(initial=0))
    compute = len(ground.iterations.statement) * ground.instance_cycles
    port = reads + writes if shared else max(reads, writes)
    return PolicyCost(
        data_moved=int(bursts.data.sum()),
        bytes_moved=int(bursts.size.sum()),
        bursts=len(bursts),
        row_changes=_total(time.row_changes),
        live=live,
        live_overlapped=live,
        cycles=max(port, compute) + latency,
        cycles_without_overlap=reads + writes + compute + latency,
        timeline=None,
    )


def _planned(make: Callable[[PlanContext], TransferPlan], is_pipelined: bool) -> Callable[[PlanContext], PolicyCost]:
    def cost(ground: PlanContext) -> PolicyCost:
        plan = make(ground)
        where = list(ground.places.values())
        load, store = as_bursts(plan.loads, where, write=False), as_bursts(plan.stores, where, write=True)
        units, count = plan.units, len(plan.units.strip)
        serial = _port_cycles(ground, load, store, 2 * np.arange(count), 2 * np.arange(count) + 1)
        alone = one_after_another(units, *serial.cycles(count))
        best, port = alone, serial
        if is_pipelined:
            steps = units.load_steps()
            port = _port_cycles(ground, load, store, 2 * steps, 2 * (steps + 2) + 1)
            best = overlapped(units, *port.cycles(count), _is_shared(ground.platform))
        return PolicyCost(
            data_moved=len(plan.loads) + len(plan.stores),
            bytes_moved=int(load.bursts.size.sum() + store.bursts.size.sum()),
            bursts=len(load.bursts) + len(store.bursts),
            row_changes=_total(port.row_changes),
            live=plan.live,
            live_overlapped=plan.live_overlapped,
            cycles=best.cycles,
            cycles_without_overlap=alone.cycles,
            timeline=best,
        )

    return cost


@dataclass(frozen=True, eq=False)
class _PortCycles:
    """Cycles of each burst of the loads and of the stores, with their units, and all row changes."""

    load: UnitBursts
    store: UnitBursts
    load_cycles: IntArray
    store_cycles: IntArray
    row_changes: IntArray | None

    def cycles(self, units: int) -> tuple[IntArray, IntArray]:
        """Cycles of the loads and of the stores of each unit."""
        sides = ((self.load, self.load_cycles), (self.store, self.store_cycles))
        first, second = (np.bincount(side.unit, cycles, units).astype(np.int64) for side, cycles in sides)
        return first, second


def _port_cycles(
    ground: PlanContext, load: UnitBursts, store: UnitBursts, load_turn: IntArray, store_turn: IntArray
) -> _PortCycles:
    """Serve the bursts of each unit at its turn; the port's rows stay open from one turn to the next."""
    turns = np.concatenate([load_turn[load.unit], store_turn[store.unit]])
    order = np.argsort(turns, kind="stable")
    both: Bursts = joined([load.bursts, store.bursts])
    time = port_time(ground.platform, both.only(order))
    cycles = np.empty(len(order), np.int64)
    cycles[order] = time.cycles
    return _PortCycles(load, store, cycles[: len(load.unit)], cycles[len(load.unit) :], time.row_changes)


def _total(changes: IntArray | None) -> int | None:
    return None if changes is None else int(changes.sum())


_COSTS: dict[str, Callable[[PlanContext], PolicyCost]] = {
    "remote": _remote,
    "tile": _planned(tile_by_tile, is_pipelined=True),
    "strip-reuse": _planned(reuse_in_strips, is_pipelined=True),
    "whole-strip": _planned(whole_strip_first, is_pipelined=False),
}
