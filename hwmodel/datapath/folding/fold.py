"""A datapath at one interval: the shared classes, the starts of operations, and their operators.

A class of n operations on m operators is shared only if that costs less, with u the weight of an operator and w its
width:

    n u > m u + its multiplexers + m w register bits

The multiplexers are known only after binding. So all classes that may gain are shared at first; those that turn out not
to gain are no longer shared and all is scheduled again, until every shared class gains. In bodies with many operations,
where that takes long, a class that feeds no input of its own is decided earlier, by the most sources that its inputs
can have.

The delay of a multiplexer is added to an operator before scheduling, for the most sources that its inputs can have.
Before a pipelined operator, whose stages are cut for the clock, the output of a multiplexer goes into registers, which
takes one more cycle.

A shared operator starts on registers. If it were chained behind others in a cycle, its multiplexer would connect paths
that no slot has one after the other: chains longer than any in the schedule, and combinational loops that are never
active but that tools cannot time.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hwmodel.datapath.folding.binding import ONE_BY_ONE, Bound, Fed, Wires, bind, most_sources, wires_of
from hwmodel.datapath.folding.classes import OperatorClass, units_wanted
from hwmodel.datapath.graph.graph import Operation
from hwmodel.datapath.schedule.bin_windows import windows_of
from hwmodel.datapath.schedule.dataflow import Dataflow
from hwmodel.datapath.schedule.lifetimes import (
    Ends,
    RegisterLifetimes,
    arrivals_of,
    deadlines,
    earliest,
    ends_of,
    lifetimes_of,
    readiness,
)
from hwmodel.datapath.schedule.place import (
    Levels,
    PlacedOperations,
    Problem,
    Sharing,
    Timing,
    as_soon_as_possible,
    combinational,
    later,
    later_by_levels,
    levels_of,
    pipelined,
    unshared_by_levels,
    urgencies,
    urgencies_of,
)
from hwmodel.datapath.technology.technology import OperatorCost, Technology

Muxes = Counter[tuple[int, int]]  # by (bits, sources): how many multiplexers
Delays = frozenset[tuple[str, str]]  # (output port, input port) of delays


@dataclass(frozen=True, eq=False)
class CostedSchedule:
    """The operations of a body at a clock: `prices` of each class's widest operator, and `own` prices of each kind."""

    dataflow: Dataflow
    technology: Technology
    clock_mhz: float
    classes: tuple[OperatorClass, ...]
    by_operation: list[int]
    prices: tuple[OperatorCost, ...]
    own: tuple[OperatorCost, ...]

    @cached_property
    def wires(self) -> Wires:
        """The sources of the operands."""
        return wires_of(self.dataflow, self.classes, self.by_operation)

    @cached_property
    def has_memories(self) -> bool:
        """Whether sums are added to memories in the unit: one a cycle, so that all before them is shared too."""
        return any(each.is_of_a_memory for each in self.classes)

    @cached_property
    def counts(self) -> dict[int, dict[int, int]]:
        """The number of operations by class and kind, in the order of the body."""
        counts: dict[int, dict[int, int]] = {}
        for (place, kind), count in Counter(zip(self.by_operation, self.dataflow.kind, strict=True)).items():
            counts.setdefault(place, {})[kind] = count
        return counts

    @cached_property
    def levels(self) -> Levels:
        """The operations by level."""
        return levels_of(self.dataflow)

    @property
    def room(self) -> int:
        """The ticks of a cycle."""
        return math.floor(self.technology.room_ns(self.clock_mhz) * 1000 + 1e-6)


@dataclass(frozen=True, eq=False)
class Folded:
    """A body at an interval.

    By class: `muxes` of shared operators, and `prices` of an operator with its multiplexers.
    """

    problem: Problem
    prices: tuple[OperatorCost, ...]
    placed: PlacedOperations
    ends: Ends
    lifetimes: RegisterLifetimes
    bound: Bound
    muxes: dict[int, Muxes]


def fold(priced: CostedSchedule, interval: int, delays: Delays) -> Folded:
    """The datapath of a body at an interval, which is at least `every` of each class."""
    shared = {
        place: Sharing(units, price.every)
        for place, (each, price) in enumerate(zip(priced.classes, priced.prices, strict=True))
        if (units := units_wanted(each.operations, interval, price.every)) < each.operations
        and (priced.has_memories or _gain(priced, place, units, Counter()) > 0)
    }
    if len(priced.by_operation) > ONE_BY_ONE and not priced.has_memories:
        shared = gaining(priced, interval, shared)
    more_sources: dict[int, int] = {}  # by class: more sources than were thought, as operands change places
    while True:
        sharing = [shared.get(place) for place in range(len(priced.classes))]
        most = most_sources(priced.wires, sharing, interval)
        sources = [max(*inputs, more_sources.get(place, 1)) for place, inputs in enumerate(most)]
        prices = tuple(_behind_muxes(priced, sharing, sources))
        folded = _folded(priced, interval, sharing, prices, delays)
        lost = {
            place
            for place in shared
            if not priced.has_memories
            and _gain(priced, place, shared[place].units, folded.muxes.get(place, Counter())) <= 0
        }
        more = {place: fed for place, fed in _fed_most(folded).items() if fed > sources[place]}
        if not lost and not more:
            return folded
        shared = {place: sharing for place, sharing in shared.items() if place not in lost}
        more_sources |= more


def gaining(priced: CostedSchedule, interval: int, shared: dict[int, Sharing]) -> dict[int, Sharing]:
    """The shared classes, without those that feed no input of their own and lose with the most sources possible."""
    while True:
        sharing = [shared.get(place) for place in range(len(priced.classes))]
        most = most_sources(priced.wires, sharing, interval)
        lost = {
            place
            for place, own in shared.items()
            if place not in priced.wires.circular
            and _gain(priced, place, own.units, muxes_of(priced.classes[place], _inputs(most[place], own.units))) <= 0
        }
        if not lost:
            return shared
        shared = {place: own for place, own in shared.items() if place not in lost}


def _inputs(most: Sequence[int], units: int) -> Fed:
    """The inputs of operators that all have equal numbers of sources, by position."""
    return Counter(dict.fromkeys(enumerate(most), units))


def _fed_most(folded: Folded) -> dict[int, int]:
    """The most sources of an input of each shared class."""
    return {place: max(sources for _, sources in fed) for place, fed in folded.bound.fed.items()}


def _gain(priced: CostedSchedule, place: int, units: int, muxes: Muxes) -> float:
    """The saving by sharing a class, as a weight."""
    technology, each = priced.technology, priced.classes[place]
    saved = (each.operations - units) * technology.weight(priced.prices[place].cost)
    wires = technology.weight(mux_cost(technology, muxes))
    return saved - wires - units * each.operation.w * technology.weight(technology.register_cost)


def mux_cost(technology: Technology, muxes: Muxes) -> dict[str, float]:
    """The total costs of multiplexers."""
    cost: dict[str, float] = {}
    for (bits, sources), many in muxes.items():
        for name, amount in technology.mux_in(bits, sources)[1].items():
            cost[name] = cost.get(name, 0.0) + many * amount
    return cost


def _folded(
    priced: CostedSchedule,
    interval: int,
    sharing: Sequence[Sharing | None],
    prices: tuple[OperatorCost, ...],
    delays: Delays,
) -> Folded:
    """Schedule and bind a body with given classes shared."""
    dataflow = priced.dataflow
    timings = [
        _timing(price, priced.room, shared=shared is not None) for price, shared in zip(prices, sharing, strict=True)
    ]
    arrivals = arrivals_of(dataflow, interval)
    problem = Problem(
        dataflow, interval, priced.room, priced.by_operation, priced.wires.classes, timings, sharing, arrivals
    )
    levels = priced.levels
    wanted = earliest(problem, {port: readiness(dataflow, port, interval) for port in dataflow.outputs})
    urgency = urgencies(problem, levels, wanted) if levels.are_wide else urgencies_of(problem, wanted)
    placed, slots = (
        (unshared_by_levels(problem, levels), {})
        if levels.are_wide and not any(sharing)
        else as_soon_as_possible(problem, np.argsort(urgency, kind="stable"))
    )
    ends = ends_of(problem, placed)
    pinned = frozenset(output for output, _ in delays)
    due = deadlines(problem, ends.written(dataflow, interval), ends, pinned)
    windows = windows_of(problem)
    for window in windows:
        placed = window.later(placed, slots, due)
    waiting = _after(dataflow, {port for _, port in delays})
    if levels.are_wide:
        placed = later_by_levels(problem, levels, placed, slots, due, waiting)
    else:
        placed = later(problem, placed, slots, due, waiting)
    for window in windows:
        window.check(placed)
    ends = ends_of(problem, placed)
    bound = bind(problem, placed, priced.wires)
    muxes = {place: muxes_of(priced.classes[place], fed) for place, fed in bound.fed.items()}
    return Folded(problem, prices, placed, ends, lifetimes_of(problem, placed, ends), bound, muxes)


def _after(dataflow: Dataflow, ports: set[str]) -> list[bool]:
    """Which operations depend on an element of some ports."""
    if not ports:
        return [False] * len(dataflow.arities)
    reached = [port in ports for port, _ in dataflow.elements]
    for operands in dataflow.operands:
        reached.append(any(value >= 0 and reached[value] for value in operands))
    return reached[dataflow.first :]


def muxes_of(each: OperatorClass, fed: Fed) -> Muxes:
    """The multiplexers before the inputs of a class of operators."""
    muxes: Muxes = Counter()
    for (position, sources), many in fed.items():
        if sources > 1:
            muxes[_input_bits(each, position), sources] += many
    return muxes


def _input_bits(each: OperatorClass, position: int) -> int:
    """The bits of an input of an operator; inputs after the second are as wide as its result."""
    operation = each.operation
    return operation.a if position == 0 else operation.b if position == 1 else operation.n


def _behind_muxes(
    priced: CostedSchedule, sharing: Sequence[Sharing | None], sources: Sequence[int]
) -> Iterator[OperatorCost]:
    """The prices of classes, with the delay of multiplexers before the inputs of shared ones."""
    for place, (each, price) in enumerate(zip(priced.classes, priced.prices, strict=True)):
        mux_ns = priced.technology.mux_in(each.operation.w, sources[place])[0] if sharing[place] is not None else 0.0
        if not mux_ns:
            yield price
        elif price.cycles:
            yield replace(price, cycles=price.cycles + 1, cost=_with_registers(priced, each.operation, price.cost))
        else:
            yield replace(price, ns=price.ns + mux_ns)


def _with_registers(priced: CostedSchedule, operation: Operation, cost: Mapping[str, float]) -> dict[str, float]:
    """The cost of an operator with its operands in registers."""
    total, bits = dict(cost), operation.a + operation.b
    for name, amount in priced.technology.register_cost.items():
        total[name] = total.get(name, 0.0) + bits * amount
    return total


def _timing(price: OperatorCost, room: int, *, shared: bool) -> Timing:
    if price.cycles:
        return pipelined(price.cycles, room)
    timing = combinational(math.ceil(price.ns * 1000 - 1e-6), room)
    return replace(timing, within=0) if shared else timing
