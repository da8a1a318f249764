"""The datapath of an elementary task, derived from its body by a technology (docs/cost.md).

derivation = derivation_of(elementary, load_technology("ecp5-6"), 100)
for interval in derivation.intervals:
print(interval, derivation.at(interval).cost)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from arrayol.errors import ArrayolError, Diagnostic, error
from arrayol.ir.spec import Elementary
from arrayol.source import Span
from arrayol.text import counted
from hwmodel.datapath.cost import OperatorUse, cost_of, total, uses_of
from hwmodel.datapath.folding.classes import classes_of, intervals_worth_trying
from hwmodel.datapath.folding.fold import CostedSchedule, Delays, Folded, fold
from hwmodel.datapath.folding.waiting import waiting_lut
from hwmodel.datapath.graph.build import build_graphs, no_collections
from hwmodel.datapath.graph.graph import ACCESS, Graph, Operation
from hwmodel.datapath.operators.bins import BIN_NODES, Bins, bins_in
from hwmodel.datapath.schedule.bin_windows import TOO_SHORT, least_interval
from hwmodel.datapath.schedule.dataflow import Dataflow, dataflow_of
from hwmodel.datapath.schedule.lifetimes import RegisterLifetimes, recurrences
from hwmodel.datapath.technology.bin_prices import bin_price
from hwmodel.datapath.technology.technology import OperatorCost, Technology

# Energy of one repetition in its datapath, in pJ (docs/cost.md): an estimate, as the tables are.
#
# Operators do not depend on the interval: each operation takes its pJ wherever it is performed. Registers take their pJ
# for each bit and cycle in which they hold a value. Toggle rates are not modelled.


def operators_pj(uses: Iterable[OperatorUse]) -> float:
    """Energy of the operations of a repetition, in pJ."""
    return sum(use.pj for use in uses)


def registers_pj(lifetimes: RegisterLifetimes, technology: Technology) -> float:
    """Energy of the registers in a repetition, in pJ: bits times cycles."""
    return lifetimes.bit_cycles * technology.register_pj


FETCH_CYCLES = 3  # of the local memory, where data say which element is read
LONGEST = 1 << 18  # cycles; bodies have no more operations, so a longer interval shares no more
_CLOCKS = 6  # tries between two clocks, of which one is half the other
_CHAINS = frozenset({"add", "sub", "neg", "min", "max"})  # of integers: their sums are trees or chains


@dataclass(frozen=True, eq=False)
class Derived:
    """One datapath at one interval, in cycles.

    `latency` and `recurrence` are without the cycles of the local memory. `recurrence` is by (output port, input port)
    with equally many elements of one type; `through_memory` is the recurrence with the state in the local memory, which
    brings each element in its cycle. `registers` are the bits that are held at once. `cost` is by name, of one unit.
    Energies are pJ of one repetition.
    """

    interval: int
    operators: tuple[OperatorUse, ...]
    depth: int
    latency: int
    recurrence: Mapping[tuple[str, str], int]
    through_memory: Mapping[tuple[str, str], int]
    registers: int
    cost: Mapping[str, float]
    energy_operators_pj: float
    energy_registers_pj: float
    priced: CostedSchedule = field(repr=False)
    folded: Folded = field(repr=False)

    @property
    def energy_pj(self) -> float:
        """Energy of operators and registers in one repetition, in pJ."""
        return self.energy_operators_pj + self.energy_registers_pj

    @cached_property
    def mhz(self) -> float:
        """The clock that the schedule itself allows, in MHz: its longest chain of operators in one cycle."""
        technology, problem, longest = self.priced.technology, self.folded.problem, 0.0
        for operation, start in enumerate(self.folded.placed.starts):
            timing = problem.timings[problem.classes[operation]]
            price = self.priced.own[self.priced.dataflow.kind[operation]]
            if timing.ticks <= problem.room:
                longest = max(longest, start % problem.room / 1000 + price.ns)
            else:
                longest = max(longest, price.ns * problem.room / timing.ticks)
        return float(1000 / (technology.table.path.ns + longest))

    @cached_property
    def waiting_lut(self) -> dict[str, float]:
        """LUT of multiplexers beyond the priced ones, as features (folding/waiting.py)."""
        return waiting_lut(self.priced, self.folded)

    def leaving_after(self, latency: int) -> Derived:
        """The datapath with this latency or its own, the greater: results wait in registers that no cost contains."""
        return self if latency <= self.latency else replace(self, latency=latency)

    def always_reads(self, port: str, elements: int) -> NDArray[np.bool_]:
        """By element of an input, of so many, whether it is read whatever the data are."""
        nodes = np.array(self.priced.dataflow.graph.inputs[port], np.int64)
        return np.asarray((nodes >= 0).reshape(elements, -1).any(axis=1))

    @cached_property
    def tables(self) -> frozenset[str]:
        """The inputs that are looked up, all of whose reads ask a memory."""
        graph = self.priced.dataflow.graph
        return frozenset(port for port in graph.inputs if graph.lookups(port))

    def finished_by(self, port: str, elements: int) -> IntArray:
        """By element of an output, of so many, the cycle by whose end it is made."""
        return np.asarray(self.folded.ends.finished[port].reshape(elements, -1).max(axis=1))

    @cached_property
    def bins(self) -> tuple[Bins, ...]:
        """The memories of a unit, to whose words sums are added."""
        return _bins_of(self.priced.dataflow)

    @cached_property
    def built_in(self) -> frozenset[str]:
        """The inputs of which nothing is read: constants, and what no output needs."""
        graph = self.priced.dataflow.graph
        silent = {port for port, nodes in graph.inputs.items() if all(node < 0 for node in nodes)}
        return frozenset(silent - self.tables)

    @property
    def estimated(self) -> bool:
        """Whether no number of some row that prices it was measured."""
        return any(price.estimate for price in self.priced.prices)

    @property
    def remark(self) -> str | None:
        """A remark for designers: a chain of floats at an interval of 1 that is mostly registers."""
        technology = self.priced.technology
        operators = total(use.cost for use in self.operators)
        logic = sum(amount for name, amount in operators.items() if name != "dsp")
        held = self.registers * sum(technology.register_cost.values())
        floats = any(".f" in use.name for use in self.operators)
        if self.interval > 1 or not floats or held <= logic:
            return None
        return (
            f"'{self.priced.dataflow.graph.name}' at interval 1 is mostly registers, {self.registers:,} bits: "
            f"its floats are added in a chain of {counted(self.depth, 'cycle')}"
        )


@dataclass(frozen=True, eq=False)
class Derivation:
    """The datapaths of an elementary task on a technology at a clock, each derived when it is first needed."""

    elementary: Elementary
    technology: Technology
    clock_mhz: float
    delays: Delays
    _trees: CostedSchedule = field(repr=False)
    _chain_graph: Graph | None = field(repr=False)
    _as_operands: Derivation | None = field(default=None, repr=False)
    _known: dict[int, Derived] = field(default_factory=dict, init=False, repr=False)

    @property
    def graph(self) -> Graph:
        """The dataflow graph of a repetition, with sums as trees."""
        return self._trees.dataflow.graph

    @cached_property
    def intervals(self) -> tuple[int, ...]:
        """The intervals worth trying in cycles, ascending; each needs fewer operators than those before it.

        If elements of const arrays may be operands, the intervals are those of that variant: it shares operators that
        constants distinguish.
        """
        if self._as_operands is not None:
            return self._as_operands.intervals
        counts = [
            (each.operations, price.every) for each, price in zip(self._trees.classes, self._trees.prices, strict=True)
        ]
        if not self.bins:
            return intervals_worth_trying(counts)
        least, more = least_interval(self._trees.dataflow), 1
        while not self._fits(least):
            least, more = least + more, 2 * more
        return tuple(filter(self._fits, intervals_worth_trying(counts, least)))

    @cached_property
    def bins(self) -> tuple[Bins, ...]:
        """The memories of a unit, to whose words sums are added; the same at all intervals."""
        return _bins_of(self._trees.dataflow)

    def at(self, interval: int) -> Derived:
        """The datapath at an interval in cycles; beyond LONGEST, that of LONGEST, which is no slower.

        Raises ArrayolError (`interval-too-short`) below the least interval.
        """
        interval = min(interval, LONGEST)
        if interval not in self._known:
            if interval < self.intervals[0]:
                if self.bins:
                    raise self._too_short(interval)
                slowest = max(zip(self._trees.prices, self._trees.classes, strict=True), key=lambda pair: pair[0].every)
                raise error(
                    TOO_SHORT,
                    f"'{self.elementary.name}' cannot start a repetition every {counted(interval, 'cycle')}: "
                    f"'{slowest[0].operator}' is busy for {counted(self.intervals[0], 'cycle')}",
                    hint=f"its least interval is {self.intervals[0]}",
                )
            with no_collections():
                self._known[interval] = min(self._candidates(interval), key=self._rank)
        return self._known[interval]

    def within(self, interval: int, latency: int) -> Derived | None:
        """The datapath at an interval with no more than a latency: at its clock, or at the fastest slower one found.

        A slower clock takes fewer registers. None where not even one does in whose cycle all operators fit.
        """
        found, slow, fast = self._keeping(interval, latency), self, self.clock_mhz
        while found is None:
            if slow.is_one_cycle:
                return None
            fast, slow = slow.clock_mhz, slow.at_clock(slow.clock_mhz / 2)
            found = slow._keeping(interval, latency)  # noqa: SLF001  its own class
        for _ in range(_CLOCKS if slow is not self else 0):
            middle = self.at_clock((found.priced.clock_mhz + fast) / 2)
            faster = middle._keeping(interval, latency)  # noqa: SLF001  its own class
            found, fast = (faster, fast) if faster is not None else (found, middle.clock_mhz)
        return found

    def at_clock(self, clock_mhz: float) -> Derivation:
        """The datapaths of the same task at another clock."""
        return _derivation(self.elementary, self.technology, clock_mhz, self.delays)

    @property
    def is_one_cycle(self) -> bool:
        """Whether all operators of a repetition, one after another, fit into a cycle."""
        chain = sum(self._trees.own[kind].ns for kind in self._trees.dataflow.kind)
        return chain <= self.technology.room_ns(self.clock_mhz)

    def _keeping(self, interval: int, latency: int) -> Derived | None:
        """The datapath at an interval, if there is one and it has no more than a latency."""
        try:
            found = self.at(interval)
        except ArrayolError:  # an operator is busy for longer
            return None
        return found if found.interval == min(interval, LONGEST) and found.latency <= latency else None

    def _too_short(self, interval: int) -> ArrayolError:
        """The error of an interval in which the memories of a unit do not take all sums of a repetition."""
        return error(
            TOO_SHORT,
            f"'{self.elementary.name}' cannot start a repetition every {counted(interval, 'cycle')}: data say where it "
            "adds, and its memory takes one sum in a cycle and gives one word",
            hint=f"its least interval is {self.intervals[0]}",
        )

    def _fits(self, interval: int) -> bool:
        """Whether memories of a unit are free in time at an interval: sums that come in another order take longer."""
        try:
            with no_collections():
                self._known[interval] = min(self._candidates(interval), key=self._rank)
        except ArrayolError as refused:
            if any(one.code != TOO_SHORT for one in refused.diagnostics):
                raise
        return interval in self._known

    def _candidates(self, interval: int) -> Iterator[Derived]:
        yield _derived(self._trees, interval, self.delays)
        if interval > 1 and self._chains is not None:
            yield _derived(self._chains, interval, self.delays)
        if self._as_operands is not None:
            yield self._as_operands.at(interval)

    def _rank(self, derived: Derived) -> tuple[float, ...]:
        """The order of preference: the fewest intervals for recurrences, then cost, then latency."""
        waits = [-(-derived.recurrence.get(pair, 0) // derived.interval) for pair in self.delays]
        return max(waits, default=0), self.technology.weight(derived.cost), derived.latency

    @cached_property
    def _chains(self) -> CostedSchedule | None:
        """The datapath with integer sums as the body has them; None if that makes no difference."""
        if sum(each.operations for each in self._trees.classes if each.operation.operator in _CHAINS) < 2:
            return None
        graph = self._chain_graph
        if graph is None or (graph.operators, graph.operands) == (self.graph.operators, self.graph.operands):
            return None
        return prices_of(dataflow_of(graph), self.technology, self.clock_mhz)


def _bins_of(dataflow: Dataflow) -> tuple[Bins, ...]:
    graph = dataflow.graph
    found = (bins_in(graph.operators[node], graph.details[node]) for node in dataflow.nodes)
    return tuple(dict.fromkeys(bins for bins in found if bins is not None))


def derivation_of(
    elementary: Elementary, technology: Technology, clock_mhz: float, delays: Delays = frozenset()
) -> Derivation:
    """The datapaths of an elementary task; `delays` are (output port, input port) whose recurrence should be short.

    An input that a delay feeds is registers. So data choose among its elements by a multiplexer, however many they are.

    Raises ArrayolError: `no-body`, `graph-too-large`, `missing-operator`, `operator-too-slow`.
    """
    if elementary.body is None:
        what = "calls Python" if elementary.extern else "is a black box"
        raise error(
            "no-body",
            f"'{elementary.name}' {what}: no datapath can be derived from a body",
            elementary.span,
            hint=f"give its figures in the platform, [elementary.{elementary.name}] interval = CYCLES",
        )
    return _derivation(elementary, technology, clock_mhz, delays)


@lru_cache(maxsize=512)
def _derivation(elementary: Elementary, technology: Technology, clock_mhz: float, delays: Delays) -> Derivation:
    with no_collections():
        trees, chains = build_graphs(elementary, frozenset(state for _, state in delays))
        priced = prices_of(dataflow_of(trees), technology, clock_mhz)
    tables = tuple(own for own in elementary.constants if trees.lookups(own[0]))
    without = replace(elementary, constants=tables)
    as_operands = _derivation(without, technology, clock_mhz, delays) if without != elementary else None
    return Derivation(elementary, technology, clock_mhz, delays, priced, chains, as_operands)


def prices_of(dataflow: Dataflow, technology: Technology, clock_mhz: float) -> CostedSchedule:
    """Prices of all operations. Raises ArrayolError for each operator that is missing or too slow."""
    mistakes: list[Diagnostic] = []
    if technology.room_ns(clock_mhz) <= 0:
        mistakes.append(_too_slow(dataflow.graph.name, technology, clock_mhz, None, technology.most_mhz, None))
        raise ArrayolError(mistakes)
    prices = []
    reported: set[str] = set()
    for kind, operation in enumerate(dataflow.kinds):
        price = _price(technology, operation, clock_mhz)
        if isinstance(price, OperatorCost):
            prices.append(price)
        elif operation.operator not in reported:
            reported.add(operation.operator)
            span = dataflow.graph.spans[dataflow.nodes[dataflow.kind.index(kind)]]
            mistakes.append(_refused(dataflow.graph.name, technology, clock_mhz, operation, span))
    if mistakes:
        raise ArrayolError(mistakes)
    classes, by_operation = classes_of(dataflow)
    widest = []
    for each in classes:
        price = _price(technology, each.operation, clock_mhz)
        assert price is not None
        widest.append(price)
    return CostedSchedule(dataflow, technology, clock_mhz, tuple(classes), by_operation, tuple(widest), tuple(prices))


def _price(technology: Technology, operation: Operation, clock_mhz: float) -> OperatorCost | None:
    if operation.operator in BIN_NODES:
        return bin_price(technology, operation, clock_mhz)
    if operation.operator == ACCESS and not technology.rows(ACCESS):
        return OperatorCost(ACCESS, 0.0, FETCH_CYCLES, 1, None, {}, 0.0, estimate=False)
    row = technology.row(operation.operator, clock_mhz)
    return None if row is None else technology.price(operation, row)


def _refused(
    name: str, technology: Technology, clock_mhz: float, operation: Operation, span: Span | None
) -> Diagnostic:
    rows = technology.rows(operation.operator)
    if rows:
        most = max(row.max_mhz or 0.0 for row in rows) / technology.target_mhz(1.0)
        return _too_slow(name, technology, clock_mhz, operation.operator, most, span)
    operator, _, kind = operation.operator.partition(".")
    what = f"'{operator}' of {kind or 'integers'}"
    return Diagnostic(
        "missing-operator",
        f"technology '{technology.name}' has no {what}, which '{name}' uses",
        span,
        f'add a row "{operation.operator}" to [operators] of the platform, or give [elementary.{name}]',
    )


def _too_slow(
    name: str, technology: Technology, clock_mhz: float, operator: str | None, most: float, span: Span | None
) -> Diagnostic:
    what = f"'{operator}' of technology '{technology.name}'" if operator else f"technology '{technology.name}'"
    return Diagnostic(
        "operator-too-slow",
        f"{what} reaches {most:g} MHz, and '{name}' needs it at {clock_mhz:g} MHz",
        span,
        f"set clock_mhz to {most:g} or less, or take another technology",
    )


def _derived(priced: CostedSchedule, interval: int, delays: Delays) -> Derived:
    folded = fold(priced, interval, delays)
    dataflow, ends, lifetimes = priced.dataflow, folded.ends, folded.lifetimes
    uses = uses_of(priced, folded)
    registers = lifetimes.registers(interval)
    return Derived(
        interval,
        uses,
        ends.depth,
        ends.latency,
        recurrences(dataflow, ends, lifetimes.first_use),
        recurrences(dataflow, ends, folded.problem.arrivals),
        registers,
        cost_of(priced, folded, uses, registers),
        operators_pj(uses),
        registers_pj(lifetimes, priced.technology),
        priced,
        folded,
    )
