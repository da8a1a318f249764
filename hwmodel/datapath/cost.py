"""Costs of a datapath at one interval by name: operators, multiplexers, control and registers (docs/cost.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from hwmodel.datapath.folding.fold import CostedSchedule, Folded, Muxes, mux_cost
from hwmodel.datapath.folding.waiting import waiting_lut
from hwmodel.datapath.schedule.place import FAR
from hwmodel.datapath.technology.overhead import STEERED

# Multiplexers with a constant that registers replace: a register takes a constant by its synchronous set or reset.
#
# That needs a register after the multiplexer, which follows from the schedule, and before it a value that is not logic
# itself: otherwise its LUTs would be there all the same. Multiplexers before outputs have no LUTs already (packing.py).


def done_by_registers(priced: CostedSchedule, folded: Folded) -> Counter[tuple[int, int]]:
    """The number of multiplexers that registers replace, by class and kind."""
    dataflow = priced.dataflow
    settable = dataflow.settable
    if not len(settable):
        return Counter()
    values, users = dataflow.edges
    starts = folded.placed.ticks // folded.problem.room
    first_start = np.full(len(dataflow.widths), FAR, np.int64)
    np.minimum.at(first_start, values, starts[users])
    is_registered = (first_start >= folded.lifetimes.born)[dataflow.first :]
    done = settable[is_registered[settable]].tolist()
    return Counter([(priced.by_operation[operation], dataflow.kind[operation]) for operation in done])


@dataclass(frozen=True, slots=True)
class OperatorUse:
    """One class of operators: its name and width in bits, with `operations` on `units`, and its total costs.

    `cycles` is the latency of an operation to a register; 0 for a combinational operator, which may be chained and
    takes `ns`, with its multiplexers. An operation occupies its unit for `every` cycles. `muxes` is the number of
    inputs with multiplexers; `mux_cost` are their costs, `cost` those of the operators. `pj` is the energy of all
    operations in one repetition. `estimate` says that no number of its row was measured.
    """

    name: str
    width: int
    operations: int
    units: int
    cycles: int
    ns: float
    every: int
    cost: Mapping[str, float]
    muxes: int
    mux_cost: Mapping[str, float]
    pj: float
    estimate: bool

    @property
    def shared(self) -> bool:
        """Whether an operator performs several operations."""
        return self.units < self.operations


def uses_of(priced: CostedSchedule, folded: Folded) -> tuple[OperatorUse, ...]:
    """The operators of a datapath, in the order in which the body needs them."""
    uses = []
    done = done_by_registers(priced, folded)
    for place, each in enumerate(priced.classes):
        price, sharing = folded.prices[place], folded.problem.sharing[place]
        units = sharing.units if sharing else each.operations
        cost = (
            scaled(price.cost, units)
            if sharing
            else total(
                _cost_of_kind(priced, kind, count, done[place, kind]) for kind, count in priced.counts[place].items()
            )
        )
        muxes: Muxes = folded.muxes.get(place, Counter())
        uses.append(
            OperatorUse(
                each.operation.operator,
                each.operation.w,
                each.operations,
                units,
                price.cycles,
                price.ns,
                price.every,
                cost,
                muxes.total(),
                mux_cost(priced.technology, muxes),
                sum(priced.own[kind].pj * count for kind, count in priced.counts[place].items()),
                price.estimate,
            )
        )
    return tuple(uses)


def _cost_of_kind(priced: CostedSchedule, kind: int, count: int, done: int) -> dict[str, float]:
    """Costs of the operators of a kind, of which `done` need no logic, since registers do their work."""
    unshared = scaled(priced.own[kind].cost, count - done)
    if not done:
        return unshared
    operation, technology = replace(priced.dataflow.kinds[kind], luts=0), priced.technology
    row = technology.row(operation.operator, priced.clock_mhz)
    assert row is not None
    return total([unshared, scaled(technology.price(operation, row).cost, done)])


def cost_of(priced: CostedSchedule, folded: Folded, uses: Iterable[OperatorUse], registers: int) -> dict[str, float]:
    """Costs of a datapath by name, with so many bits of registers."""
    technology, interval = priced.technology, folded.problem.interval
    shares = any(sharing is not None for sharing in folded.problem.sharing)
    parts = [part for use in uses for part in (use.cost, use.mux_cost)]
    parts.append(technology.control(interval) if shares else {})
    parts.append(scaled(technology.register_cost, registers))
    if technology.overhead is not None:
        steering = technology.overhead.of(waiting_lut(priced, folded))
        parts.append(dict(zip(STEERED, map(float, steering), strict=True)))
    costs = total(parts)
    return {name: _whole(costs.get(name, 0.0)) for name in technology.costs}


def scaled(cost: Mapping[str, float], factor: float) -> dict[str, float]:
    """Costs times a factor."""
    return {name: amount * factor for name, amount in cost.items()}


def total(costs: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The sum of costs, by name."""
    result: dict[str, float] = {}
    for cost in costs:
        for name, amount in cost.items():
            result[name] = result.get(name, 0.0) + amount
    return result


def _whole(amount: float) -> float:
    """An amount rounded to millionths; an integer if it is one."""
    rounded = round(amount, 6)
    return int(rounded) if rounded == int(rounded) else rounded
