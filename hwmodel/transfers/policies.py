"""What each policy of transfers costs on a platform (docs/transfers.md, "Reading the result")."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from arrayol.ir.spec import Spec
from arrayol.tiling.nest import Traffic
from hwmodel.external_memory import Bursts, joined, port_time
from hwmodel.platform import Platform
from hwmodel.transfers.bursts import Numbers, UnitBursts, as_bursts
from hwmodel.transfers.overlap import Timeline, one_after_another, overlapped
from hwmodel.transfers.plans import Ground, Plan, each_tile_alone, reuse_in_strips, whole_strip_first
from hwmodel.transfers.remote import remote_bursts


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
    timeline: Timeline | None


def evaluate(spec: Spec, traffic: Traffic, platform: Platform) -> dict[str, PolicyCost]:
    """The cost of each policy, by name, for a nest without parameters.

    Raises TooHardError where the tiles' sets are too large to be listed.
    """
    ground = Ground(spec, traffic, platform)
    return {name: cost(ground) for name, cost in _COSTS.items()}


def _remote(ground: Ground) -> PolicyCost:
    """Accesses and computation go on beside each other as a pipeline, or one after the other."""
    bursts = remote_bursts(ground)
    time = port_time(ground.platform, bursts)
    shared = ground.platform.memory.port == "shared"
    reads, writes = int(time.cycles[~bursts.write].sum()), int(time.cycles[bursts.write].sum())
    latency = ground.datapath.latency
    compute = len(ground.iterations.statement) * ground.instance_cycles
    port = reads + writes if shared else max(reads, writes)
    return PolicyCost(
        data_moved=int(bursts.data.sum()),
        bytes_moved=int(bursts.size.sum()),
        bursts=len(bursts),
        row_changes=_total(time.row_changes),
        live=0,
        live_overlapped=0,
        cycles=max(port, compute) + latency,
        cycles_without_overlap=reads + writes + compute + latency,
        timeline=None,
    )


def _planned(make: Callable[[Ground], Plan], is_pipelined: bool) -> Callable[[Ground], PolicyCost]:
    def cost(ground: Ground) -> PolicyCost:
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
            best = overlapped(units, *port.cycles(count), ground.platform.memory.port == "shared")
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
    load_cycles: Numbers
    store_cycles: Numbers
    row_changes: Numbers | None

    def cycles(self, units: int) -> tuple[Numbers, Numbers]:
        """Cycles of the loads and of the stores of each unit."""
        sides = ((self.load, self.load_cycles), (self.store, self.store_cycles))
        first, second = (np.bincount(side.unit, cycles, units).astype(np.int64) for side, cycles in sides)
        return first, second


def _port_cycles(
    ground: Ground, load: UnitBursts, store: UnitBursts, load_turn: Numbers, store_turn: Numbers
) -> _PortCycles:
    """Serve the bursts of each unit at its turn; the port's rows stay open from one turn to the next."""
    turns = np.concatenate([load_turn[load.unit], store_turn[store.unit]])
    order = np.argsort(turns, kind="stable")
    both: Bursts = joined([load.bursts, store.bursts])
    time = port_time(ground.platform, both.only(order))
    cycles = np.empty(len(order), np.int64)
    cycles[order] = time.cycles
    return _PortCycles(load, store, cycles[: len(load.unit)], cycles[len(load.unit) :], time.row_changes)


def _total(changes: Numbers | None) -> int | None:
    return None if changes is None else int(changes.sum())


_COSTS: dict[str, Callable[[Ground], PolicyCost]] = {
    "remote": _remote,
    "tile": _planned(each_tile_alone, is_pipelined=True),
    "strip-reuse": _planned(reuse_in_strips, is_pipelined=True),
    "whole-strip": _planned(whole_strip_first, is_pipelined=False),
}
