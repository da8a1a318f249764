"""The two rules of cycles."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st
from strategies_banks import bodies

from hwmodel.banks.cost import AccessGraph, access_graph, list_cycles, ports_cycles
from hwmodel.banks.references import NormalisedLoop, Reference, Subscript

Body = tuple[tuple[NormalisedLoop, ...], tuple[Reference, ...]]


def access(array: str, *, write: bool = False, statement: int = 0, offset: int = 0) -> Reference:
    return Reference(array, write, (Subscript((0,), offset),), 0, statement, (), int(write))


def banks(*numbers: int) -> list[frozenset[int]]:
    return [frozenset({number}) for number in numbers]


def test_ports_is_the_busiest_bank() -> None:
    graph = access_graph([access("a"), access("b"), access("c", write=True)])
    assert ports_cycles(graph, banks(0, 0, 0)) == 3
    assert ports_cycles(graph, banks(0, 1, 2)) == 1
    assert ports_cycles(graph, [frozenset({0, 1}), frozenset({1}), frozenset({2})]) == 2
    assert ports_cycles(access_graph([]), []) == list_cycles(access_graph([]), []) == 0


def test_list_loads_before_it_stores() -> None:
    graph = access_graph([access("a"), access("b"), access("c", write=True)])
    assert list_cycles(graph, banks(0, 1, 2)) == 2
    assert list_cycles(graph, banks(0, 0, 1)) == 3
    assert list_cycles(graph, [frozenset({0, 1}), frozenset({1, 2}), frozenset({3})]) == 3


@given(bodies(), st.integers(1, 5), st.sampled_from([ports_cycles, list_cycles]))
def test_two_ports_take_at_least_half_of_the_cycles_and_at_most_all(
    drawn: Body, number: int, rule: Callable[..., int]
) -> None:
    graph = access_graph(drawn[1])
    busy = banks(*(place % number for place in range(len(graph.accesses))))
    one, two = rule(graph, busy, 1), rule(graph, busy, 2)
    assert -(-one // 2) <= two <= one if rule is ports_cycles else two <= one


def test_two_ports_serve_two_accesses() -> None:
    graph = access_graph([access("a"), access("b"), access("c"), access("d", write=True)])
    assert ports_cycles(graph, banks(0, 0, 0, 0), 2) == 2
    assert list_cycles(graph, banks(0, 0, 0, 0), 2) == 3
    assert list_cycles(graph, [frozenset({0}), frozenset({0, 1}), frozenset({0}), frozenset({2})], 2) == 3


def test_list_fills_the_gaps_with_other_statements() -> None:
    one = [access("a"), access("c", write=True)]
    two = [access("b", statement=1), access("d", write=True, statement=1)]
    assert list_cycles(access_graph([*one, *two]), banks(0, 0, 1, 1)) == 2
    assert list_cycles(access_graph([*one, *two]), banks(0, 1, 0, 1)) == 3


def test_list_keeps_a_store_before_the_load_of_its_element() -> None:
    one = [access("a"), access("c", write=True)]
    two = [access("c", statement=1), access("d", write=True, statement=1)]
    assert list_cycles(access_graph([*one, *two]), banks(0, 1, 2, 3)) == 4
    apart = [access("c", statement=1, offset=1), access("d", write=True, statement=1)]
    assert list_cycles(access_graph([*one, *apart]), banks(0, 1, 2, 3)) == 2


def test_list_starts_the_longest_chain_first() -> None:
    """From e = a0 + a1 + a2; c = p; d = c: the loads share bank 0, and p is last in the text."""
    first = [access("a", offset=number) for number in range(3)] + [access("e", write=True)]
    chain = [access("p", statement=1), access("c", write=True, statement=1)]
    chain += [access("c", statement=2), access("d", write=True, statement=2)]
    assert list_cycles(access_graph([*first, *chain]), banks(0, 0, 0, 2, 0, 1, 1, 1)) == 5


@given(bodies(), st.lists(st.sets(st.integers(0, 2), min_size=1), min_size=20, max_size=20))
def test_list_is_between_its_bounds(body: Body, choices: list[set[int]]) -> None:
    graph = access_graph(body[1])
    busy = [frozenset(choice) for choice in choices[: len(graph.accesses)]]
    cycles = list_cycles(graph, busy)
    assert max(ports_cycles(graph, busy), longest_chain(graph)) <= cycles <= len(graph.accesses)


@given(bodies(), st.lists(st.integers(0, 1), min_size=20, max_size=20))
def test_list_is_near_the_best_order_of_few_accesses(body: Body, choices: list[int]) -> None:
    """Greedy in any order of priorities; the best of all is at most twice better (Graham's bound for lists)."""
    graph = access_graph(body[1][:6])
    busy = banks(*choices[: len(graph.accesses)])
    best = min(greedy(graph, busy, order) for order in permutations(range(len(graph.accesses))))
    assert best <= list_cycles(graph, busy) <= 2 * best


def longest_chain(graph: AccessGraph, start: int | None = None) -> int:
    if start is None:
        return max(longest_chain(graph, node) for node in range(len(graph.successors)))
    own = int(start < len(graph.accesses))
    return own + max((longest_chain(graph, after) for after in graph.successors[start]), default=0)


def greedy(graph: AccessGraph, busy: list[frozenset[int]], order: tuple[int, ...]) -> int:
    """A schedule by the definition alone: an access waits until everything before it has ended in an earlier cycle."""
    before: dict[int, set[int]] = {node: set() for node in range(len(graph.accesses))}
    for node, found in enumerate(graph.successors):
        for after in found:
            targets = [after] if after < len(graph.accesses) else reach(graph, after)
            sources = [node] if node < len(graph.accesses) else []
            for target in targets:
                before[target].update(sources)
    done: dict[int, int] = {}
    cycle = 0
    while len(done) < len(order):
        cycle += 1
        taken: set[int] = set()
        for node in order:
            if (
                node not in done
                and all(done.get(one, cycle) < cycle for one in before[node])
                and not taken & busy[node]
            ):
                done[node] = cycle
                taken |= busy[node]
    return cycle


def reach(graph: AccessGraph, statement: int) -> list[int]:
    """The accesses that wait for a statement, through other statements too."""
    found = []
    for after in graph.successors[statement]:
        found += [after] if after < len(graph.accesses) else reach(graph, after)
    return found
