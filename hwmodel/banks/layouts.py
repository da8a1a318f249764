"""The layouts of a nest side by side: cycles per unrolled body and memories, under one rule (docs/layout.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd

import numpy as np
from numpy.typing import NDArray

from arrayol.text import few
from hwmodel.banks.cost import RULES, AccessGraph, Busy, CycleRule, access_graph
from hwmodel.banks.custom import Custom, custom_layout, read_only
from hwmodel.banks.linear import LinearMapping, smallest_linear
from hwmodel.banks.references import Body, NormalisedLoop, Reference, UnrolledNest
from hwmodel.banks.reorganisation import Reorganisation, reorganisation

# The fixed layouts: all in one memory, and modulo unrolling, cyclic in the lowest dimension (paper B, section 2).


_PHASES_AT_ONCE = 1 << 20  # banks computed at a time: iterations x references


def naive_banks(references: Sequence[Reference]) -> list[Busy]:
    """One memory for everything."""
    return [frozenset({0})] * len(references)


def static_banks(references: Sequence[Reference], banks: int) -> list[Busy]:
    """The banks that each reference may touch in some iteration, all of them busy: the paper's static view.

    Element [.., j] is in bank j mod N, so a b-offset reference of stride s touches the banks b modulo gcd(s, N).
    """
    return [_reachable(reference, banks) for reference in references]


def _reachable(reference: Reference, banks: int) -> Busy:
    lowest = reference.subscripts[-1]
    common = gcd(lowest.stride, banks)
    return frozenset(range(lowest.offset % common, banks, common))


def true_cycles(graph: AccessGraph, body: Body, banks: int, rule: CycleRule) -> int:
    """Cycles where only the bank that an access really touches is busy: the largest over all iterations.

    Banks repeat with period N / gcd(coefficient, N) in each loop, so few iterations stand for all. An access that is
    not affine in the lowest dimension occupies all banks that it may touch.
    """
    return max((rule(graph, busy) for busy in _phases(graph.accesses, body.loops, banks)), default=0)


def _phases(references: Sequence[Reference], loops: Sequence[NormalisedLoop], banks: int) -> Iterator[list[Busy]]:
    """The banks of all accesses in each iteration, iterations alike but for the banks' numbers taken once."""
    if not references:
        return
    lowest = [reference.subscripts[-1] for reference in references]
    coefficients = np.array([[factor % banks for factor in part.coefficients] for part in lowest], dtype=np.int64)
    coefficients = coefficients.reshape(len(references), len(loops))
    offsets = np.array([part.offset % banks for part in lowest], dtype=np.int64)
    fixed = {place: _reachable(references[place], banks) for place, part in enumerate(lowest) if part.unknown}
    seen: set[bytes] = set()
    for indices in _iterations(coefficients, loops, banks, len(references)):
        for row in (indices @ coefficients.T + offsets) % banks:
            canonical = row if fixed else _renumbered(row)
            if canonical.tobytes() not in seen:
                seen.add(canonical.tobytes())
                yield [fixed.get(place, frozenset({int(bank)})) for place, bank in enumerate(canonical)]


def _renumbered(row: NDArray[np.int64]) -> NDArray[np.int64]:
    """Banks numbered in the order of their first access."""
    _, first, inverse = np.unique(row, return_index=True, return_inverse=True)
    order = np.empty(len(first), dtype=np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    return order[inverse]


def _iterations(
    coefficients: NDArray[np.int64], loops: Sequence[NormalisedLoop], banks: int, width: int
) -> Iterator[NDArray[np.int64]]:
    """Every combination of loop indices that differs in banks, in parts of (n, loops)."""
    counts = []
    for loop, column in zip(loops, coefficients.T, strict=True):
        period = banks // gcd(banks, *(int(factor) for factor in column))
        counts.append(period if loop.extent is None else min(period, loop.extent))
    total, step = int(np.prod(counts, dtype=np.int64)), max(1, _PHASES_AT_ONCE // width)
    for start in range(0, total, step):
        numbers = np.arange(start, min(start + step, total))
        parts = np.unravel_index(numbers, counts) if counts else ()
        yield np.stack(parts, axis=1) if counts else np.zeros((len(numbers), 0), dtype=np.int64)


NAIVE, CYCLIC, CYCLIC_TRUE, CUSTOM, LINEAR = "naive", "cyclic", "cyclic_true", "custom", "linear"


@dataclass(frozen=True, slots=True)
class Choices:
    """What a user decides: the banks M_p, the `ports` of each, the rule of cycles, and options of the layouts.

    `assumed` says in words what nobody decided.
    """

    banks: int
    rule: str = "ports"
    partition: str = "paper"
    replicate: bool = False
    scalar_replacement: bool = False
    merge_equal: bool = True
    ports: int = 1
    assumed: tuple[str, ...] = field(default=(), compare=False)

    @property
    def counted(self) -> CycleRule:
        """How cycles are counted."""
        return lambda graph, busy: RULES[self.rule](graph, busy, self.ports)


@dataclass(frozen=True, slots=True)
class LayoutCost:
    """A layout's cycles in each full unrolled body, and its memories; None where there is no such layout."""

    bodies: tuple[int, ...] | None
    memories: int | None

    @property
    def cycles(self) -> int | None:
        """Cycles of one run of each body; None where there is no such layout."""
        return None if self.bodies is None else sum(self.bodies)

    def reduction(self, naive: LayoutCost) -> float | None:
        """The share of the naive layout's cycles that is saved."""
        if self.cycles is None or not naive.cycles:
            return None
        return 1 - self.cycles / naive.cycles


@dataclass(frozen=True, slots=True)
class Comparison:
    """All layouts of one unrolled nest; `linear` by array, `replicated` the arrays that are kept in several copies."""

    nest: UnrolledNest
    choices: Choices
    costs: Mapping[str, LayoutCost]
    custom: Custom
    replicated: frozenset[str]
    linear: Mapping[str, LinearMapping]
    reorganisation: Reorganisation | None

    def __repr__(self) -> str:
        nest = f"{self.nest.name!r} unrolled by {', '.join(map(str, self.factors))}"
        return f"Comparison(layouts of {nest}, arrays {few(list(self.nest.arrays))})"

    @property
    def factors(self) -> tuple[int, ...]:
        """The unroll factor of each loop depth."""
        return max((body.factors for body in self.nest.bodies), key=len)


def compare(nest: UnrolledNest, base: UnrolledNest, choices: Choices) -> Comparison:
    """Every layout of a nest; `base` is the same nest before unrolling, for what is live."""
    graphs = _graphs(nest, choices)
    replicated, custom = _custom_of(nest, graphs, choices)
    linear = {name: _linear(nest, graphs, name, choices) for name in nest.arrays if _is_used(nest, name)}
    costs = {**_fixed_costs(nest, graphs, choices), CUSTOM: _custom_cost(graphs, custom, choices)}
    costs[LINEAR] = _linear_cost(nest, linear, choices)
    saved = _saved(nest, costs[NAIVE], costs[CUSTOM])
    return Comparison(nest, choices, costs, custom, replicated, linear, reorganisation(base, custom, saved))


def linear_costs(nest: UnrolledNest, choices: Sequence[Choices]) -> list[LayoutCost]:
    """The cost of the linear layout under each of some choices, which differ in banks and ports alone."""
    graphs = _graphs(nest, choices[0])
    linear = {name: _linear(nest, graphs, name, choices[0]) for name in nest.arrays if _is_used(nest, name)}
    return [_linear_cost(nest, linear, each) for each in choices]


def fixed_and_custom_costs(nest: UnrolledNest, choices: Choices) -> dict[str, LayoutCost]:
    """The costs of the layouts that need no search."""
    graphs = _graphs(nest, choices)
    _, custom = _custom_of(nest, graphs, choices)
    return {**_fixed_costs(nest, graphs, choices), CUSTOM: _custom_cost(graphs, custom, choices)}


def _graphs(nest: UnrolledNest, choices: Choices) -> list[AccessGraph]:
    return [access_graph(body.references, scalar_replacement=choices.scalar_replacement) for body in nest.bodies]


def _fixed_costs(nest: UnrolledNest, graphs: Sequence[AccessGraph], choices: Choices) -> dict[str, LayoutCost]:
    """The layouts that do not look at the references."""
    banks, rule = choices.banks, choices.counted
    true = [true_cycles(graph, body, banks, rule) for graph, body in zip(graphs, nest.bodies, strict=True)]
    return {
        NAIVE: _cost(graphs, rule, naive_banks, 1),
        CYCLIC: _cost(graphs, rule, lambda references: static_banks(references, banks), banks),
        CYCLIC_TRUE: LayoutCost(tuple(true), banks),
    }


def _cost(
    graphs: Sequence[AccessGraph], rule: CycleRule, busy: Callable[[Sequence[Reference]], list[Busy]], memories: int
) -> LayoutCost:
    return LayoutCost(tuple(rule(graph, busy(graph.accesses)) for graph in graphs), memories)


def _custom(nest: UnrolledNest, graphs: Sequence[AccessGraph], choices: Choices, replicated: frozenset[str]) -> Custom:
    accesses = [access for graph in graphs for access in graph.accesses]
    return custom_layout(nest, choices.banks, partition=choices.partition, replicated=replicated, accesses=accesses)


def _custom_cost(graphs: Sequence[AccessGraph], custom: Custom, choices: Choices) -> LayoutCost:
    return _cost(graphs, choices.counted, custom.busy, len(set(custom.bank)))


def _custom_of(nest: UnrolledNest, graphs: Sequence[AccessGraph], choices: Choices) -> tuple[frozenset[str], Custom]:
    """The arrays kept in several copies, and the custom layout with them."""
    replicated = _worth_copying(nest, graphs, choices) if choices.replicate else frozenset[str]()
    return replicated, _custom(nest, graphs, choices, replicated)


def _worth_copying(nest: UnrolledNest, graphs: Sequence[AccessGraph], choices: Choices) -> frozenset[str]:
    """The read-only arrays whose copies save cycles, tried one after the other (paper B, footnote 1)."""
    chosen = frozenset[str]()
    best = _custom_cost(graphs, _custom(nest, graphs, choices, chosen), choices).cycles or 0
    for array in read_only(nest):
        tried = chosen | {array}
        cycles = _custom_cost(graphs, _custom(nest, graphs, choices, tried), choices).cycles or 0
        if cycles < best:
            chosen, best = tried, cycles
    return chosen


def _linear(nest: UnrolledNest, graphs: Sequence[AccessGraph], array: str, choices: Choices) -> LinearMapping:
    groups = [
        (tuple(access for access in graph.accesses if access.array == array), body.loops)
        for graph, body in zip(graphs, nest.bodies, strict=True)
    ]
    return smallest_linear([group for group in groups if group[0]], merge_equal=choices.merge_equal)


def _linear_cost(nest: UnrolledNest, linear: Mapping[str, LinearMapping], choices: Choices) -> LayoutCost:
    """Every array in banks of its own without a conflict: only accesses to one address follow each other."""
    banks = [mapping.banks for mapping in linear.values()]
    if any(count is None for count in banks):
        return LayoutCost(None, None)
    cycles = [_conflict_free_cycles(body, choices) for body in nest.bodies]
    return LayoutCost(tuple(cycles), sum(count or 0 for count in banks))


def _conflict_free_cycles(body: Body, choices: Choices) -> int:
    graph = access_graph(
        body.references, scalar_replacement=choices.scalar_replacement, merge_reads=choices.merge_equal
    )
    numbers = {key: number for number, key in enumerate(dict.fromkeys(graph.keys))}
    return choices.counted(graph, [frozenset({numbers[key]}) for key in graph.keys])


def _saved(nest: UnrolledNest, naive: LayoutCost, custom: LayoutCost) -> int | None:
    """Cycles that one execution of the nest saves, in its full bodies; None for an endless nest."""
    if naive.bodies is None or custom.bodies is None or any(body.runs is None for body in nest.bodies):
        return None
    bodies = zip(nest.bodies, naive.bodies, custom.bodies, strict=True)
    return sum((body.runs or 0) * (before - after) for body, before, after in bodies)


def _is_used(nest: UnrolledNest, array: str) -> bool:
    return any(reference.array == array for reference in nest.references)
