"""The layouts of a nest side by side: cycles per unrolled body and memories, under one rule (docs/layout.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from arrayol.text import few
from hwmodel.banks.cost import RULES, AccessGraph, Busy, CycleRule, access_graph
from hwmodel.banks.custom import Custom, custom_layout, read_only
from hwmodel.banks.fixed import naive_banks, static_banks, true_cycles
from hwmodel.banks.linear import LinearMapping, smallest_linear
from hwmodel.banks.references import Body, Reference, UnrolledNest
from hwmodel.banks.reorganisation import Reorganisation, reorganisation

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
