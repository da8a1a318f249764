"""What registers save is never needed, and what waits for what keeps the meaning of a body."""

from __future__ import annotations

from collections import Counter
from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from strategies_banks import bodies

from hwmodel.banks.cost import AccessGraph, access_graph, may_meet
from hwmodel.banks.references import NormalisedLoop, Reference, Subscript, Unknown

Body = tuple[tuple[NormalisedLoop, ...], tuple[Reference, ...]]
Memory = dict[tuple[str, tuple[int, ...]], object]


def element_of(one: Reference, indices: tuple[int, ...], unknown: int) -> tuple[str, tuple[int, ...]]:
    values = [part.value(indices) + sum(term.factor * unknown for term in part.unknown) for part in one.subscripts]
    return one.array, tuple(values)


def executed(references: tuple[Reference, ...], indices: tuple[int, ...], unknown: int) -> tuple[list[object], Memory]:
    """The value of every access, and the memory afterwards: a store's value is what its statement has loaded."""
    memory: Memory = {}
    values: list[object] = []
    loaded: dict[object, list[object]] = {}
    for one in references:
        element = element_of(one, indices, unknown)
        if one.write:
            values.append((one.instance, tuple(loaded.get(one.instance, ()))))
            memory[element] = values[-1]
        else:
            values.append(memory.get(element, ("before", element)))
            loaded.setdefault(one.instance, []).append(values[-1])
    return values, memory


@given(bodies(), st.tuples(st.integers(0, 6), st.integers(0, 6)), st.integers(-2, 2))
def test_registers_and_the_loads_and_stores_that_stay_give_the_same_values(
    body: Body, iteration: tuple[int, int], unknown: int
) -> None:
    """Kept accesses run on memory; a load that is gone finds its value in a register of its element's key."""
    loops, references = body
    indices = iteration[: len(loops)]
    values, after = executed(references, indices, unknown)
    graph = access_graph(references, scalar_replacement=True)
    kept = set(graph.accesses)
    memory: Memory = {}
    registers: dict[object, object] = {}
    for one, value in zip(references, values, strict=True):
        element, key = element_of(one, indices, unknown), (one.array, one.subscripts)
        if one.write and one in kept:
            memory[element] = value
        elif not one.write:
            found = memory.get(element, ("before", element)) if one in kept else registers[key]
            assert found == value
        registers[key] = value
    assert memory == after


@given(bodies())
def test_an_element_is_loaded_and_stored_once_where_all_references_are_apart_or_equal(body: Body) -> None:
    _, references = body
    alike = [one for one in references if one.subscripts == references[0].subscripts and one.certain]
    graph = access_graph(alike, scalar_replacement=True)
    assert max(Counter((one.array, one.write) for one in graph.accesses).values(), default=0) <= 1


@given(bodies(), st.booleans(), st.booleans())
def test_every_order_that_the_graph_allows_gives_the_same_values(body: Body, last_first: bool, merge: bool) -> None:
    """Accesses run in another order, latest ready first: all loads and the memory stay the same."""
    loops, references = body
    for indices, unknown in product(product(range(2), repeat=len(loops)), (0, 1)):
        values, after = executed(references, indices, unknown)
        graph = access_graph(references, merge_reads=merge)
        wanted = dict(zip(references, values, strict=True))
        memory: Memory = {}
        for node in order_of(graph, last_first=last_first):
            one = graph.accesses[node]
            element = element_of(one, indices, unknown)
            if one.write:
                memory[element] = wanted[one]
            else:
                assert memory.get(element, ("before", element)) == wanted[one]
        assert memory == after


def order_of(graph: AccessGraph, *, last_first: bool) -> list[int]:
    waits = Counter(after for found in graph.successors for after in found)
    ready = [node for node in range(len(graph.successors)) if not waits[node]]
    order = []
    while ready:
        node = ready.pop(-1 if last_first else 0)
        order += [node] if node < len(graph.accesses) else []
        for after in graph.successors[node]:
            waits[after] -= 1
            if not waits[after]:
                ready.append(after)
    assert len(order) == len(graph.accesses)
    return order


@given(bodies(), st.tuples(st.integers(0, 6), st.integers(0, 6)), st.integers(-2, 2))
def test_references_that_never_meet_are_told_so_rightly(body: Body, iteration: tuple[int, int], unknown: int) -> None:
    loops, references = body
    indices = iteration[: len(loops)]
    for one, other in product(references, repeat=2):
        if one.array == other.array and not may_meet(one, other):
            assert element_of(one, indices, unknown) != element_of(other, indices, unknown)


def test_a_sum_loads_and_stores_its_element_once() -> None:
    def access(array: str, offset: int, copy: int, number: int, *, write: bool = False) -> Reference:
        return Reference(array, write, (Subscript((0,), offset),), 0, 0, (copy,), number)

    copies = [
        (access("c", 0, copy, 0), access("a", copy, copy, 1), access("c", 0, copy, 2, write=True)) for copy in range(4)
    ]
    references = [one for copy in copies for one in copy]
    graph = access_graph(references, scalar_replacement=True)
    assert [(one.array, one.write) for one in graph.accesses] == [("c", False), *[("a", False)] * 4, ("c", True)]
    assert len(access_graph(references).accesses) == 12
    assert len(access_graph(references, merge_reads=True).accesses) == 12, "a store lies between the loads"


def test_a_subscript_that_the_body_changes_names_another_element() -> None:
    looked_up = Subscript((0,), 0, (Unknown(1, "n[0]", ("n",)),))
    loads = [Reference("a", False, (looked_up,), statement=statement) for statement in (0, 2)]
    store = Reference("n", True, (Subscript((0,), 0),), statement=1)
    elsewhere = Reference("m", True, (Subscript((0,), 0),), statement=1)
    assert access_graph([loads[0], store, loads[1]], scalar_replacement=True).accesses == (loads[0], store, loads[1])
    assert access_graph([loads[0], elsewhere, loads[1]], scalar_replacement=True).accesses == (loads[0], elsewhere)


def test_a_load_that_may_meet_a_store_needs_it_in_memory() -> None:
    """c[0] = ..; .. = c[i]; c[0] = ..: the first store stays, though the second replaces it."""
    first = Reference("c", True, (Subscript((0,), 0),), statement=0)
    load = Reference("c", False, (Subscript((1,), 0),), statement=1)
    last = Reference("c", True, (Subscript((0,), 0),), statement=2)
    assert access_graph([first, load, last], scalar_replacement=True).accesses == (first, load, last)
    apart = Reference("c", False, (Subscript((2,), 1),), statement=1)
    assert access_graph([first, apart, last], scalar_replacement=True).accesses == (apart, last)


def test_a_store_that_may_meet_a_load_makes_its_register_stale() -> None:
    """.. = c[0]; c[i] = ..; .. = c[0]."""
    loads = [Reference("c", False, (Subscript((0,), 0),), statement=statement) for statement in (0, 2)]
    store = Reference("c", True, (Subscript((1,), 0),), statement=1)
    assert access_graph([loads[0], store, loads[1]], scalar_replacement=True).accesses == (loads[0], store, loads[1])


def test_nobody_relies_on_an_access_that_may_not_happen() -> None:
    """A load under a condition gives no register; a store under a condition replaces none and makes none."""
    unsure = Reference("c", False, (Subscript((1,), 0),), statement=0, certain=False)
    load = Reference("c", False, (Subscript((1,), 0),), statement=1)
    assert access_graph([unsure, load], scalar_replacement=True).accesses == (unsure, load)
    assert access_graph([load, unsure], scalar_replacement=True).accesses == (load,)
    store = Reference("c", True, (Subscript((1,), 0),), statement=0)
    perhaps = Reference("c", True, (Subscript((1,), 0),), statement=1, certain=False)
    assert access_graph([store, perhaps, load], scalar_replacement=True).accesses == (store, perhaps, load)
