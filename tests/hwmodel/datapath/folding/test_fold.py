"""Folded datapaths, executed cycle by cycle with their repetitions overlapping, against the graph's evaluation."""

from collections import Counter

import numpy as np
import pytest
from graph_values import evaluate, evaluate_nodes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies_dataflow import TABLE, graphs

from hwmodel.datapath.derive import prices_of
from hwmodel.datapath.folding import binding
from hwmodel.datapath.folding import fold as folds
from hwmodel.datapath.folding.classes import units_wanted
from hwmodel.datapath.folding.fold import fold
from hwmodel.datapath.schedule import place as passes
from hwmodel.datapath.schedule.dataflow import dataflow_of
from hwmodel.datapath.schedule.lifetimes import recurrences
from hwmodel.datapath.schedule.place import Sharing
from hwmodel.datapath.technology.technology import load_technology

REPETITIONS = 4
OCTETS = st.integers(0, 255)


@pytest.fixture(scope="module")
def technology(tmp_path_factory):
    path = tmp_path_factory.mktemp("technology") / "drawn.toml"
    path.write_text(TABLE)
    return load_technology(path)


def _pairs(graph):
    """Delays that the graph could have."""
    return st.sets(st.sampled_from([(output, port) for output in graph.outputs for port in graph.inputs]), max_size=2)


_OPERATIONS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a // b,
    "lt": lambda a, b: a < b,
    "max": max,
    "min": min,
    "xor": lambda a, b: a ^ b,
}


class _Execution:
    """One repetition: the registers that are there at a time, and what they hold."""

    def __init__(self, graph, inputs):
        self.graph, self.inputs = graph, inputs
        self.quotients = evaluate_nodes(graph, inputs)  # of divisions by zero anything is right
        self.there = {}  # by node: the tick from which on its value can be used
        self.values = {}

    def value(self, node, tick):
        """What a node holds at a tick; wires hold what is before them."""
        operator, number = self.graph.operators[node], self.graph.numbers[node]
        if operator == "constant":
            return self.graph.details[node]
        if operator == "resize":
            return self.value(self.graph.operands[node][0], tick) % 2**number.bits
        assert self.there[node] <= tick, "an operand is not ready"
        return self.values[node]

    def run(self, node, start, ticks):
        a, b = (self.value(operand, start) for operand in self.graph.operands[node])
        operator, bits = self.graph.operators[node], self.graph.numbers[node].bits
        quotient = int(self.quotients[node][0]) if operator == "div" and not b else None
        result = _OPERATIONS[operator](a, b) if quotient is None else quotient
        self.there[node], self.values[node] = start + ticks, result % 2**bits


@pytest.fixture(params=["narrow", "wide"])
def shape(request, monkeypatch):
    """Small bodies take the passes of narrow ones; here also those of wide ones, with sorts and arrays."""
    if request.param == "wide":
        monkeypatch.setattr(passes, "WIDE", 0)
        monkeypatch.setattr(binding, "ONE_BY_ONE", 0)
        monkeypatch.setattr(folds, "ONE_BY_ONE", 0)


@pytest.mark.usefixtures("shape")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_folded_schedule_executes_the_graph(technology, data):
    graph = data.draw(graphs())
    dataflow = dataflow_of(graph)
    priced = prices_of(dataflow, technology, 100)
    least = max((price.every for price in priced.prices), default=1)
    interval = data.draw(st.integers(least, least + 12))
    folded = fold(priced, interval, frozenset(data.draw(_pairs(graph))))
    problem, placed, room = folded.problem, folded.placed, priced.room
    _check_units(priced, folded, interval)
    inputs = {
        port: np.array(data.draw(st.lists(OCTETS, min_size=len(nodes), max_size=len(nodes))), np.uint8)[:, None]
        for port, nodes in graph.inputs.items()
    }
    execution = _Execution(graph, inputs)
    for port, nodes in graph.inputs.items():
        together = -(-len(nodes) // interval)
        for element, node in enumerate(nodes):
            execution.there[node] = element // together * room
            execution.values[node] = int(inputs[port][element, 0])
    for operation in sorted(range(len(placed.starts)), key=placed.starts.__getitem__):  # as time goes
        start, timing = placed.starts[operation], problem.timings[problem.classes[operation]]
        if timing.ticks <= room and not timing.pipelined:
            assert start % room + timing.ticks <= room, "a chain is longer than a cycle"
        else:
            assert start % room == 0, "a pipeline starts on registers"
        execution.run(dataflow.nodes[operation], start, timing.ticks)
    expected = evaluate(graph, inputs)
    for port, nodes in graph.outputs.items():
        for place, node in enumerate(nodes):
            finished = folded.ends.finished[port][place]
            assert execution.value(node, finished * room) == int(expected[port][place, 0])
            ready = -(-(place + 1) * interval // len(nodes))
            assert finished <= folded.ends.latency + ready, "a FIFO promises a datum too early"


@given(data=st.data())
def test_passes_of_wide_bodies_find_the_same_urgencies(technology, data):
    graph = data.draw(graphs())
    priced = prices_of(dataflow_of(graph), technology, 100)
    problem = fold(priced, data.draw(st.integers(3, 9)), frozenset()).problem
    drawn = [data.draw(st.sampled_from((passes.FAR, 70_000, 120_000))) for _ in priced.dataflow.bits]
    deadlines = np.array(drawn, np.int64)
    by_levels = passes.urgencies(problem, priced.levels, deadlines).tolist()
    assert by_levels == passes.urgencies_of(problem, deadlines).tolist()


@given(data=st.data())
def test_of_large_bodies_a_class_off_the_circle_gains_with_the_most_sources(technology, data):
    """By brute force: what operands come from, and the three terms that sharing is weighed by."""
    priced = prices_of(dataflow_of(data.draw(graphs(operators=("sub", "div", "lt", "xor")))), technology, 100)
    interval = data.draw(st.integers(max((price.every for price in priced.prices), default=1), 12))
    units = {
        place: Sharing(wanted, price.every)
        for place, (each, price) in enumerate(zip(priced.classes, priced.prices, strict=True))
        if (wanted := units_wanted(each.operations, interval, price.every)) < each.operations
    }
    kept = folds.gaining(priced, interval, units)
    for place in units:
        makers = _makers(priced, place)
        if any(maker == ("class", place) for _, maker in makers):
            assert place in kept
        elif place in kept:
            assert _saved(priced, place, interval, kept, makers) > 0
        else:  # what was left out later only adds sources
            assert _saved(priced, place, interval, units, makers) <= 0 or len(kept) + 1 < len(units)


def _makers(priced, place):
    """What feeds each position of a class: ports, classes with an operation, constants."""
    dataflow, found = priced.dataflow, set()
    for operation, operands in enumerate(dataflow.operands):
        if priced.by_operation[operation] == place:
            for position, value in enumerate(operands):
                if value < 0:
                    found.add((position, ("constant", value)))
                elif value < dataflow.first:
                    found.add((position, ("port", dataflow.elements[value][0])))
                else:
                    maker = value - dataflow.first
                    found.add((position, ("class", priced.by_operation[maker])))
                    found.add((position, ("operation", maker)))
    return found


def _saved(priced, place, interval, sharing, makers):
    """The weight that a shared class saves, its inputs with as many sources as they can have."""
    technology, each, own = priced.technology, priced.classes[place], sharing[place]
    saved = (each.operations - own.units) * technology.weight(priced.prices[place].cost)
    saved -= own.units * each.operation.w * technology.weight(technology.register_cost)
    for position, bits in enumerate((each.operation.a, each.operation.b)):
        sources = 0
        for where, (kind, what) in makers:
            if where != position:
                continue
            if kind == "class":
                sources += sharing[what].units if what in sharing else 0
            elif kind == "operation":
                sources += priced.by_operation[what] not in sharing
            else:
                sources += 1
        sources = min(sources, interval // own.every)
        if sources > 1:
            saved -= own.units * technology.weight(technology.mux_in(bits, sources)[1])
    return saved


@given(data=st.data())
def test_sources_are_those_of_the_operations(technology, data):
    """By brute force: what feeds each input of each shared operator."""
    graph = data.draw(graphs(operators=("add", "mul", "max")))
    priced = prices_of(dataflow_of(graph), technology, 100)
    interval = data.draw(st.integers(1, 8))
    folded = fold(priced, interval, frozenset())
    dataflow, units = priced.dataflow, folded.bound.units.tolist()
    fed = {}
    for operation, operands in enumerate(dataflow.operands):
        if units[operation] < 0:
            continue
        sources = []
        for value in operands:
            if value < 0:
                sources.append(("constant", value))
            elif value < dataflow.first:
                sources.append(dataflow.elements[value][0])
            else:
                maker = value - dataflow.first
                sources.append((priced.by_operation[maker], units[maker] if units[maker] >= 0 else ("one", maker)))
        unit = priced.by_operation[operation], units[operation]
        fed.setdefault(unit, []).append(sources)
    for place_of, counts in folded.bound.fed.items():
        rows = [rows for (own, _), rows in fed.items() if own == place_of]
        most = sum(len({source for row in own for source in row}) for own in rows)
        least = sum(max(len(set(row)) for row in own) for own in rows)  # if operands may change places
        assert least <= sum(sources * many for (_, sources), many in counts.items()) <= 2 * most


@given(data=st.data())
def test_chains_started_at_the_recurrence_find_their_states(technology, data):
    """Each element of the state is there when the next repetition first uses it, and at one cycle less one is not."""
    graph = data.draw(graphs())
    dataflow = dataflow_of(graph)
    priced = prices_of(dataflow, technology, 100)
    interval = data.draw(st.integers(3, 9))
    delays = frozenset(data.draw(_pairs(graph)))
    folded = fold(priced, interval, delays)
    found = recurrences(dataflow, folded.ends, folded.lifetimes.first_use)
    for (output, port), wait in found.items():
        slacks = []
        for state, value in zip(dataflow.outputs[output], dataflow.inputs[port], strict=True):
            uses = [start for start, own in zip(folded.placed.starts, dataflow.operands, strict=True) if value in own]
            written = [
                folded.ends.finished[q][place] - 1
                for q, values in dataflow.outputs.items()
                for place, own in enumerate(values)
                if own == value
            ]
            there = folded.ends.finished[output][dataflow.outputs[output].index(state)]
            slacks += [cycle + wait - there for cycle in (*(use // priced.room for use in uses), *written)]
        assert all(slack >= 0 for slack in slacks)
        assert not slacks or wait == 0 or min(slacks) == 0


def _check_units(priced, folded, interval):
    """Each operator does one operation at a time, all repetitions together, and there are as many as were counted."""
    busy = Counter()
    numbers = [set() for _ in priced.classes]
    for operation, start in enumerate(folded.placed.starts):
        place, unit = priced.by_operation[operation], folded.bound.units[operation]
        sharing = folded.problem.sharing[place]
        assert (unit >= 0) == (sharing is not None)
        if sharing is None:
            continue
        numbers[place].add(unit)
        for repetition in range(REPETITIONS):
            for cycle in range(priced.prices[place].every):
                busy[place, unit, repetition * interval + start // priced.room + cycle] += 1
    assert not busy or max(busy.values()) == 1
    for place, each in enumerate(priced.classes):
        sharing, every = folded.problem.sharing[place], priced.prices[place].every
        if sharing is not None:
            assert len(numbers[place]) <= sharing.units == -(-each.operations // (interval // every))
            assert sharing.units < each.operations


@given(data=st.data())
def test_registers_are_the_most_bits_that_are_held_at_once(technology, data):
    """By brute force: bits of each cycle while many repetitions overlap."""
    graph = data.draw(graphs())
    priced = prices_of(dataflow_of(graph), technology, 100)
    interval = data.draw(st.integers(3, 12))
    folded = fold(priced, interval, frozenset())
    dataflow, problem, ends = priced.dataflow, folded.problem, folded.ends
    held = Counter()
    total = 0
    for value, bits in enumerate(dataflow.bits):
        uses = [folded.placed.starts[i] // priced.room for i, own in enumerate(dataflow.operands) if value in own]
        for places in dataflow.outputs.values():
            uses += [
                ends.latency - (-(j + 1) * interval // len(places)) for j, own in enumerate(places) if own == value
            ]
        if value < dataflow.first:
            born = problem.arrivals[value]
        else:
            timing = problem.timings[problem.classes[value - dataflow.first]]
            start = folded.placed.starts[value - dataflow.first] // priced.room
            born = start + max(1, -(-timing.ticks // priced.room)) + timing.pipelined
        cycles = range(born, max(uses, default=-1) + 1)
        total += bits * len(cycles)
        for repetition in range(60):
            for cycle in cycles:
                held[cycle + repetition * interval] += bits
    steady = range(30 * interval, 31 * interval)
    assert folded.lifetimes.registers(interval) == max(held[cycle] for cycle in steady)
    assert folded.lifetimes.bit_cycles == total


@given(data=st.data())
def test_a_class_is_shared_only_where_it_costs_less(technology, data):
    graph = data.draw(graphs())
    priced = prices_of(dataflow_of(graph), technology, 100)
    interval = data.draw(st.integers(3, 12))
    folded = fold(priced, interval, frozenset())
    for place, each in enumerate(priced.classes):
        sharing = folded.problem.sharing[place]
        if sharing is None:
            continue
        weight, width = technology.weight(priced.prices[place].cost), each.operation.w
        muxes = sum(many * technology.mux_in(*mux)[1]["lut"] for mux, many in folded.muxes.get(place, {}).items())
        assert each.operations * weight > sharing.units * weight + muxes + sharing.units * width / 2


@given(data=st.data())
def test_a_shared_operator_has_time_for_its_multiplexers(technology, data):
    graph = data.draw(graphs())
    priced = prices_of(dataflow_of(graph), technology, 100)
    folded = fold(priced, data.draw(st.integers(3, 12)), frozenset())
    for place, fed in folded.bound.fed.items():
        price, timing = priced.prices[place], folded.problem.timings[place]
        wait = max(technology.mux_in(priced.classes[place].operation.w, sources)[0] for _, sources in fed)
        if not price.cycles:
            assert timing.ticks >= 1000 * (price.ns + wait) - 1
        elif wait:
            assert timing.ticks == (price.cycles + 1) * priced.room
        else:
            assert timing.ticks >= price.cycles * priced.room


@given(data=st.data())
def test_a_shared_operator_starts_on_registers(technology, data):
    graph = data.draw(graphs())
    priced = prices_of(dataflow_of(graph), technology, 100)
    folded = fold(priced, data.draw(st.integers(3, 12)), frozenset())
    room, dataflow, starts = priced.room, priced.dataflow, folded.placed.starts
    for operation in np.flatnonzero(folded.problem.shared).tolist():
        assert starts[operation] % room == 0
        for maker in (value - dataflow.first for value in dataflow.operands[operation] if value >= dataflow.first):
            ticks = folded.problem.timings[priced.by_operation[maker]].ticks
            assert not ticks or starts[operation] // room >= starts[maker] // room + -(-ticks // room)
