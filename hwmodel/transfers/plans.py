"""What each policy moves, per access, per tile or per strip, in numbers (docs/transfers.md, "Reading the result")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from arrayol.ir.spec import RepetitiveTask, Spec
from arrayol.tiling.enumerate import rows
from arrayol.tiling.liveness import TileClock, lifetimes, needed_alone, touched
from arrayol.tiling.nest import TiledNest, Traffic
from arrayol.tiling.order import Iterations, iterations
from hwmodel.platform import Datapath, Platform
from hwmodel.transfers.bursts import Moves, Numbers, Place, moves, places
from hwmodel.transfers.overlap import Units


@dataclass(frozen=True, eq=False)
class Plan:
    """What a policy loads before, and stores after, each of its units: tiles or whole strips.

    `live` is the largest number of elements in local memory without overlap, `live_overlapped` with it.
    """

    units: Units
    loads: Moves
    stores: Moves
    live: int
    live_overlapped: int


@dataclass(frozen=True, eq=False)
class Ground:
    """All that the plans share: a nest without parameters, its traffic, and the work of its tiles."""

    spec: Spec
    traffic: Traffic
    platform: Platform

    @property
    def nest(self) -> TiledNest:
        return self.traffic.nest

    @cached_property
    def clock(self) -> TileClock:
        return TileClock.of(self.traffic)

    @cached_property
    def iterations(self) -> Iterations:
        return iterations(self.nest)

    @cached_property
    def places(self) -> dict[str, Place]:
        return places(self.nest.arrays, self.platform)

    @cached_property
    def datapath(self) -> Datapath:
        """The datapath that runs the nest's instances."""
        task = self.spec.tasks.get(self.nest.name)
        return self.platform.datapath(task.callee if isinstance(task, RepetitiveTask) else self.nest.name)

    @cached_property
    def instance_cycles(self) -> int:
        """Cycles of an instance on the datapath: a statement makes one datum, a repetition its largest output port."""
        task = self.spec.tasks.get(self.nest.name)
        outputs = self.spec.components[task.callee].outputs if isinstance(task, RepetitiveTask) else ()
        data = max((prod(extent or 1 for extent in port.shape) for port in outputs), default=1)
        return data * self.datapath.initiation_interval

    @cached_property
    def tile_cycles(self) -> Numbers:
        """Cycles that each tile computes: its instances one after another on one unit, and the datapath's latency."""
        tile = self.clock.numbers(self.iterations.tile)
        return np.bincount(tile, minlength=len(self.clock.tile)) * self.instance_cycles + self.datapath.latency

    @cached_property
    def loads(self) -> Moves:
        """What is loaded under reuse inside a strip."""
        return self.moved(self.traffic.load)

    @cached_property
    def stores(self) -> Moves:
        """What is stored under reuse inside a strip."""
        return self.moved(self.traffic.store)

    @cached_property
    def kept(self) -> Moves:
        """What each tile touches, and so has in local memory."""
        return self.moved({name: touched(self.traffic, name) for name in self.traffic.load})

    def moved(self, relations: Mapping[str, Any]) -> Moves:
        """The elements of relations from tiles to elements, by tile in execution order."""
        parts = []
        for number, name in enumerate(self.nest.arrays):
            if name in relations:
                tile, element = rows(relations[name])
                parts.append((self._numbers(tile), number, self.places[name].linear(element)))
        return moves(parts)

    def _numbers(self, tile: Numbers) -> Numbers:
        return self.clock.numbers(tile) if len(tile) else np.zeros(0, np.int64)

    def alive(self, overlapped: bool) -> int:
        """The most elements of all arrays in local memory at once, under reuse inside a strip."""
        sizes: dict[tuple[int, int], int] = {}
        for name in self.traffic.load:
            for place, size in lifetimes(self.traffic, name, overlapped).sizes().items():
                sizes[place] = sizes.get(place, 0) + size
        return max(sizes.values(), default=0)


def reuse_in_strips(ground: Ground) -> Plan:
    """Paper C: an element is loaded before the first tile of a strip that needs it and stored after the last write."""
    units = Units(ground.clock.strip, ground.tile_cycles, np.full(len(ground.clock.tile), -1))
    return Plan(units, ground.loads, ground.stores, ground.alive(overlapped=False), ground.alive(overlapped=True))


def each_tile_alone(ground: Ground) -> Plan:
    """Every tile loads all it may read and stores all it may write; what it may leave unwritten is loaded too."""
    traffic, clock = ground.traffic, ground.clock
    loads = ground.moved({name: needed_alone(traffic, name) for name in traffic.load})
    stores = ground.moved(traffic.written)
    units = Units(clock.strip, ground.tile_cycles, _last_writers(clock, loads, stores))
    sizes = [np.bincount(part.unit, minlength=len(clock.tile)) for part in (loads, ground.kept, stores)]
    steps = units.load_steps()
    held = np.zeros(int(steps.max(initial=-1)) + 3, np.int64)
    for behind, size in enumerate(sizes):
        held[steps + behind] += size
    return Plan(units, loads, stores, int(sizes[1].max(initial=0)), int(held.max(initial=0)))


def whole_strip_first(ground: Ground) -> Plan:
    """All loads of a strip before its first tile and all stores after its last: a strip is one large tile."""
    clock = ground.clock
    loads, stores, kept = (_by_strip(clock, part) for part in (ground.loads, ground.stores, ground.kept))
    latency = ground.datapath.latency
    compute = np.bincount(clock.strip, ground.tile_cycles - latency).astype(np.int64) + latency
    units = Units(np.arange(len(compute)), compute, np.full(len(compute), -1))
    live = int(np.bincount(kept.unit).max(initial=0))
    return Plan(units, loads, stores, live, live)


def _by_strip(clock: TileClock, found: Moves) -> Moves:
    return moves([(clock.strip[found.unit], found.array, found.element)])


def _last_writers(clock: TileClock, loads: Moves, stores: Moves) -> Numbers:
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
    found = stored[np.maximum(place, 0)]
    earlier = found % tiles
    same = (place >= 0) & (found // tiles == wanted // tiles) & (clock.strip[earlier] == clock.strip[loads.unit])
    np.maximum.at(after, loads.unit[same], earlier[same])
    return after
