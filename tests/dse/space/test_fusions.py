"""The space of fusions, against every set partition judged by the rules; integer partitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice, permutations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import link, network, process
from strategies import task_graphs

from dse.space.fusions import (
    connected_groups,
    count_by_groups,
    execution_order,
    expand,
    next_groups,
    partitions,
    subspaces,
    without,
)
from dse.space.task_graph import Mask, TaskGraph, bits, from_links, task_graph
from hwmodel.design import Fusion


def graph(tasks: str, *links: str) -> TaskGraph:
    """Tasks by letter in dataflow order, links as pairs of letters."""
    return from_links(tuple(tasks), {(tasks.index(writer), tasks.index(reader)) for writer, reader in links})


def chain(length: int) -> TaskGraph:
    return from_links(tuple(f"t{task}" for task in range(length)), {(task, task + 1) for task in range(length - 1)})


DIAMOND = graph("sabj", "sa", "sb", "aj", "bj")
TWO_CHAINS = graph("abcdevwxyz", "ab", "bc", "cd", "de", "vw", "wx", "xy", "yz")
# Every path between the two of a group runs inside it, so both pairs are convex; yet each pair needs the other first.
CROSSED = graph("abcd", "ad", "bc", "ac", "bd")


def directed(tasks: TaskGraph) -> nx.DiGraph:
    found = nx.DiGraph()
    found.add_nodes_from(tasks.names)
    found.add_edges_from(
        (writer, reader)
        for place, writer in enumerate(tasks.names)
        for number, reader in enumerate(tasks.names)
        if tasks.successors[place] >> number & 1
    )
    return found


def legal(tasks: TaskGraph) -> Iterator[frozenset[frozenset[str]]]:
    """The set partitions whose groups are connected and whose quotient graph is acyclic."""
    links = directed(tasks)
    for parts in set_partitions(list(tasks.names)):
        connected = all(nx.is_weakly_connected(links.subgraph(part)) for part in parts)
        if connected and nx.is_directed_acyclic_graph(nx.quotient_graph(links, parts, create_using=nx.DiGraph)):
            yield frozenset(map(frozenset, parts))


def set_partitions(items: list[str]) -> Iterator[list[set[str]]]:
    if not items:
        yield []
        return
    for parts in set_partitions(items[1:]):
        yield [{items[0]}, *parts]
        for place in range(len(parts)):
            yield [*parts[:place], parts[place] | {items[0]}, *parts[place + 1 :]]


def fusions(tasks: TaskGraph) -> list[Fusion]:
    return [fusion for subspace in subspaces(tasks) for fusion in subspace]


def sizes(tasks: TaskGraph) -> dict[int, int]:
    return {subspace.groups: sum(1 for _ in subspace) for subspace in subspaces(tasks)}


@pytest.mark.parametrize(("tasks", "count"), [(DIAMOND, 10), (chain(10), 512), (TWO_CHAINS, 256), (chain(1), 1)])
def test_counts_of_the_design(tasks: TaskGraph, count: int) -> None:
    assert len(fusions(tasks)) == count


def test_subspaces_of_a_chain_of_four() -> None:
    assert sizes(chain(4)) == {1: 1, 2: 3, 3: 3, 4: 1}
    assert [list(subspace.partitions) for subspace in subspaces(chain(4))] == [
        [(4,)],
        [(3, 1), (2, 2)],
        [(2, 1, 1)],
        [(1, 1, 1, 1)],
    ]


def test_partitions_expand_to_what_they_stand_for() -> None:
    found = {sizes: [str(fusion) for fusion in expand(chain(4), sizes)] for sizes in partitions(4, 2)}
    assert found == {(3, 1): ["t0 t1 t2 | t3", "t0 | t1 t2 t3"], (2, 2): ["t0 t1 | t2 t3"]}


def test_the_diamond_by_hand() -> None:
    assert [str(fusion) for fusion in fusions(DIAMOND)] == [
        *("s a b j",),
        *("s a b | j", "s | a b j", "s a | b j", "s b | a j"),
        *("s a | b | j", "s b | a | j", "s | b | a j", "s | a | b j"),
        *("s | a | b | j",),
    ]


def test_convex_groups_may_still_wait_for_each_other() -> None:
    assert Fusion((("a", "d"), ("b", "c"))) not in fusions(CROSSED)
    assert {frozenset(map(frozenset, fusion.groups)) for fusion in fusions(CROSSED)} == set(legal(CROSSED))


@settings(deadline=None)
@given(task_graphs())
def test_exactly_the_legal_partitions_each_once(tasks: TaskGraph) -> None:
    found = Counter(frozenset(map(frozenset, fusion.groups)) for fusion in fusions(tasks))
    assert found == Counter(legal(tasks))


@settings(deadline=None)
@given(task_graphs())
def test_every_fusion_comes_from_its_integer_partition(tasks: TaskGraph) -> None:
    for groups in range(1, len(tasks) + 1):
        for parts in partitions(len(tasks), groups):
            assert all(tuple(sorted(map(len, one.groups), reverse=True)) == parts for one in expand(tasks, parts))


@settings(deadline=None)
@given(task_graphs())
def test_groups_run_in_order_and_the_earliest_first(tasks: TaskGraph) -> None:
    links, place = directed(tasks), {name: number for number, name in enumerate(tasks.names)}
    for fusion in fusions(tasks):
        assert all([place[name] for name in group] == sorted(place[name] for name in group) for group in fusion.groups)
        blocks = [frozenset(group) for group in fusion.groups]
        quotient = nx.quotient_graph(links, blocks, create_using=nx.DiGraph)
        first = lambda block: min(place[name] for name in block)  # noqa: E731
        assert list(nx.lexicographical_topological_sort(quotient, key=first)) == blocks


def subsets(tasks: TaskGraph) -> Iterator[tuple[Mask, nx.DiGraph]]:
    """Every set of tasks with the links among them."""
    links = directed(tasks)
    for group in range(1, tasks.all + 1):
        yield group, links.subgraph([tasks.names[task] for task in bits(group)])


@settings(deadline=None)
@given(task_graphs(), st.data())
def test_connected_groups_are_those_of_all_sets(tasks: TaskGraph, data: st.DataObject) -> None:
    start = 1 << data.draw(st.integers(0, len(tasks) - 1))
    allowed = data.draw(st.integers(0, tasks.all)) & ~start
    least = data.draw(st.integers(1, len(tasks)))
    sizes = range(least, data.draw(st.integers(least, len(tasks))) + 1)
    found = Counter(connected_groups(tasks, start, allowed, sizes, lambda group: group))
    assert found == Counter(
        group
        for group, links in subsets(tasks)
        if group & start and not group & ~(start | allowed) and len(links) in sizes and nx.is_weakly_connected(links)
    )


@settings(deadline=None)
@given(task_graphs(), st.data())
def test_groups_that_can_run_next_are_those_of_all_sets(tasks: TaskGraph, data: st.DataObject) -> None:
    done = 0
    for task in bits(data.draw(st.integers(0, tasks.all))):
        done |= 0 if tasks.predecessors[task] & ~done else 1 << task
    longest = data.draw(st.integers(1, len(tasks)))
    assert Counter(next_groups(tasks, done, longest)) == Counter(
        group
        for group, links in subsets(tasks)
        if not group & done
        and len(links) <= longest
        and nx.is_weakly_connected(links)
        and not any(tasks.predecessors[task] & ~(done | group) for task in bits(group))
    )


@settings(deadline=None)
@given(task_graphs(most=6), st.data())
def test_the_order_of_execution_is_one_for_all_orders_given(tasks: TaskGraph, data: st.DataObject) -> None:
    number = {name: place for place, name in enumerate(tasks.names)}
    fusion = data.draw(st.sampled_from(fusions(tasks)))
    groups = [sum(1 << number[name] for name in group) for group in fusion.groups]
    shuffled = data.draw(st.sampled_from(list(islice(permutations(groups), 24))))
    assert execution_order(tasks, shuffled) == tuple(groups)


@settings(deadline=None)
@given(task_graphs())
def test_counting_beforehand_agrees(tasks: TaskGraph) -> None:
    assert count_by_groups(tasks) == sizes(tasks)


def test_counts_of_what_nobody_could_list() -> None:
    counts = count_by_groups(chain(101))
    assert counts is not None
    assert sum(counts.values()) == 2**100
    assert counts[2] == 100


def test_a_large_block_is_not_counted_beforehand() -> None:
    middle = range(1, 11)
    wide = from_links(tuple(f"t{task}" for task in range(12)), {(0, t) for t in middle} | {(t, 11) for t in middle})
    assert count_by_groups(wide) is None
    # Each middle task joins the source, the sink or none; or all are one group.
    assert len(fusions(wide)) == 3**10 + 1


def test_a_star_is_expanded_without_detours() -> None:
    star = from_links(tuple(f"t{task}" for task in range(11)), {(0, reader) for reader in range(1, 11)})
    assert sizes(star)[6] == 252  # of the ten readers, five join
    assert list(expand(star, (3, 2, 2, 2, 2))) == []


def test_it_is_a_generator() -> None:
    first = islice(next(iter(subspaces(chain(60)))), 1)
    assert [len(fusion.groups) for fusion in first] == [1]
    largest = next(subspace for subspace in subspaces(chain(60)) if subspace.groups == 30)
    assert len(list(islice(largest, 100))) == 100


def test_tasks_are_linked_by_arrays_not_by_a_common_input() -> None:
    tasks = task_graph(
        network(
            dict.fromkeys(("in", "p", "q", "out"), (8,)),
            [
                process("left", [link("in", 1)], [link("p", 1)]),
                process("right", [link("in", 1)], [link("q", 1)]),
                process("join", [link("p", 1), link("q", 1)], [link("out", 1)]),
            ],
            ["out"],
        )
    )
    assert [str(fusion) for fusion in fusions(tasks)] == [
        *("left right join", "right | left join", "left | right join", "left | right | join")
    ]
    assert tasks.successors == (0b100, 0b100, 0)


# Integer partitions, against the recursion of their numbers.


def test_the_paper_s_partitions_of_four() -> None:
    by_parts = [list(partitions(4, parts)) for parts in range(1, 5)]
    assert by_parts == [[(4,)], [(3, 1), (2, 2)], [(2, 1, 1)], [(1, 1, 1, 1)]]


@pytest.mark.parametrize(("total", "parts"), [(0, 1), (3, 0), (3, 4), (3, -1)])
def test_there_may_be_none(total: int, parts: int) -> None:
    assert list(partitions(total, parts)) == []


def test_numbers_of_partitions() -> None:
    # p(n) of 1..12 (OEIS A000041).
    assert [sum(len(list(partitions(total, parts))) for parts in range(1, total + 1)) for total in range(1, 13)] == [
        *(1, 2, 3, 5, 7, 11, 15, 22, 30, 42, 56, 77)
    ]


def test_each_is_different_ordered_and_adds_up() -> None:
    found = list(partitions(20, 6))
    assert len(set(found)) == len(found)
    assert all(sum(sizes) == 20 and len(sizes) == 6 and sizes == tuple(sorted(sizes, reverse=True)) for sizes in found)


def test_without_one_part() -> None:
    assert without((3, 2, 2, 1), 2) == (3, 2, 1)


@pytest.mark.parametrize("tasks", range(7))
def test_links_of_a_chain_that_share_no_task(tasks: int) -> None:
    """Known without the library, which takes long to load; of others by it."""
    own = chain(tasks)
    links = nx.path_graph(tasks)
    assert own.largest_matching() == len(nx.max_weight_matching(links, maxcardinality=True))
    assert sorted(own.blocks()) == sorted(
        sum(1 << task for task in block) for block in nx.biconnected_components(links)
    )
