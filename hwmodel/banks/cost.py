"""Memory cycles of an unrolled body: an access per port of a bank and cycle (docs/layout.md, "How cycles are counted").

`ports`: bodies overlap, so the busiest bank decides. `list`: one body alone, loads before the stores that depend on
them, by list scheduling (longest remaining chain first, then the order of the text). What waits for what is a graph of
the accesses, after registers have taken those that they save; whether two accesses may name one element is decided from
their subscripts alone, so that what cannot be told counts as a dependence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import gcd

from hwmodel.banks.references import Reference, Subscript

Key = Hashable


def may_meet(one: Reference, other: Reference) -> bool:
    """Whether the subscripts can be equal in one iteration; unknown parts may take any value."""
    return all(_may_equal(first, second) for first, second in zip(one.subscripts, other.subscripts, strict=True))


def _may_equal(one: Subscript, other: Subscript) -> bool:
    steps = [first - second for first, second in zip(one.coefficients, other.coefficients, strict=True)]
    common = gcd(*steps, *(part.factor for part in (*one.unknown, *other.unknown)))
    difference = one.offset - other.offset
    return difference % common == 0 if common else difference == 0


def keys_of(references: Sequence[Reference]) -> list[Key]:
    """A key for each reference of a body: equal keys name one element in every iteration.

    A subscript with data that the body itself writes may change between two references, so it gets a key of its own.
    """
    written = {reference.array for reference in references if reference.write}
    keys: list[Key] = []
    for place, reference in enumerate(references):
        changing = any(
            array in written for part in reference.subscripts for term in part.unknown for array in term.reads
        )
        keys.append((reference.array, reference.subscripts, place if changing else None))
    return keys


@dataclass
class KeyIndex:
    """Keys in use, to be asked which of them may name the element of a reference."""

    _by_coefficients: dict[tuple[Hashable, ...], dict[Key, Reference]] = field(default_factory=dict)

    def add(self, key: Key, reference: Reference) -> None:
        self._by_coefficients.setdefault(_coefficients(reference), {})[key] = reference

    def discard(self, key: Key, reference: Reference) -> None:
        self._by_coefficients.get(_coefficients(reference), {}).pop(key, None)

    def meeting(self, key: Key, reference: Reference) -> Iterator[Key]:
        """The keys that may name the reference's element, its own included where it is in use."""
        for coefficients, keys in self._by_coefficients.items():
            if coefficients == _coefficients(reference) and reference.affine:
                yield from (key,) if key in keys else ()  # another offset is another element
            elif coefficients[0] == reference.array:
                yield from [near for near, other in keys.items() if may_meet(reference, other)]


def _coefficients(reference: Reference) -> tuple[Hashable, ...]:
    """References with equal ones, if affine, name one element always or never; non-affine ones stand alone."""
    unknown = tuple(part.unknown for part in reference.subscripts)
    return (reference.array, tuple(part.coefficients for part in reference.subscripts), unknown)


def arrays_written(references: Iterable[Reference]) -> frozenset[str]:
    """The arrays that some reference writes."""
    return frozenset(reference.array for reference in references if reference.write)


Instance = tuple[int, int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class AccessGraph:
    """Accesses in the order of execution. Node k < len(accesses) is an access, the others are statements computing.

    `successors` gives for each node those that wait for it: a statement for its loads, its store for the statement, and
    accesses that may name one element keep their order where one of them writes. `keys` tell equal addresses.
    """

    accesses: tuple[Reference, ...]
    keys: tuple[Key, ...]
    successors: tuple[tuple[int, ...], ...]


def access_graph(
    references: Sequence[Reference], *, scalar_replacement: bool = False, merge_reads: bool = False
) -> AccessGraph:
    """The accesses of one body, run once.

    With `scalar_replacement` an element that the body has loaded or computed stays in a register: it is loaded once at
    most, and stored once, at the end. With `merge_reads` only equal loads become one, as if one port served them all.
    """
    keys = keys_of(references)
    suppliers = _suppliers(references, keys, stores=scalar_replacement) if scalar_replacement or merge_reads else {}
    dropped = _overwritten(references, keys, suppliers) if scalar_replacement else set()
    kept = [place for place in range(len(references)) if place not in suppliers and place not in dropped]
    graph = _Edges(references, {place: node for node, place in enumerate(kept)})
    graph.connect_statements(suppliers)
    graph.connect_memory(kept, keys)
    successors = tuple(map(tuple, graph.successors))
    return AccessGraph(tuple(references[place] for place in kept), tuple(keys[place] for place in kept), successors)


def _suppliers(references: Sequence[Reference], keys: Sequence[Key], *, stores: bool) -> dict[int, int]:
    """For each load whose value is at hand: the earlier access that has it, a load or, with `stores`, a store."""
    holder: dict[Key, int] = {}
    known, suppliers = KeyIndex(), dict[int, int]()
    for place, (key, reference) in enumerate(zip(keys, references, strict=True)):
        if reference.write:
            for other in list(known.meeting(key, reference)):
                known.discard(other, references[holder.pop(other)])
            if not stores or not reference.certain:
                continue
        elif key in holder:
            suppliers[place] = holder[key]
            continue
        elif not reference.certain:
            continue  # it may not happen, so nobody can rely on it
        holder[key] = place
        known.add(key, reference)
    return suppliers


def _overwritten(references: Sequence[Reference], keys: Sequence[Key], suppliers: dict[int, int]) -> set[int]:
    """Stores that a later one replaces before any load of memory could see them."""
    dropped: set[int] = set()
    later, places = KeyIndex(), dict[Key, int]()
    for place in range(len(references) - 1, -1, -1):
        reference, key = references[place], keys[place]
        if not reference.write:
            for other in list(later.meeting(key, reference)) if place not in suppliers else ():
                later.discard(other, references[places.pop(other)])
        elif key in places:
            dropped.add(place)
        elif reference.certain:
            places[key] = place
            later.add(key, reference)
    return dropped


@dataclass
class _Element:
    """The accesses to one key since its last store: nodes."""

    store: int | None = None
    loads: list[int] = field(default_factory=list)


class _Edges:
    def __init__(self, references: Sequence[Reference], nodes: dict[int, int]) -> None:
        self.references = references
        self.nodes = nodes  # place among the references -> node
        instances = dict.fromkeys(reference.instance for reference in references)
        self.statement: dict[Instance, int] = {each: len(nodes) + k for k, each in enumerate(instances)}
        self.successors: list[list[int]] = [[] for _ in range(len(nodes) + len(instances))]

    def connect_statements(self, suppliers: dict[int, int]) -> None:
        """Loads, or what supplies them, before the statement; the statement before its stores."""
        for place, reference in enumerate(self.references):
            statement = self.statement[reference.instance]
            if reference.write:
                if place in self.nodes:
                    self.successors[statement].append(self.nodes[place])
                continue
            source = suppliers.get(place, place)
            supplier = self.references[source]
            if source != place and supplier.write:
                before = self.statement[supplier.instance]
                if before != statement:
                    self.successors[before].append(statement)
            else:
                self.successors[self.nodes[source]].append(statement)

    def connect_memory(self, kept: Sequence[int], keys: Sequence[Key]) -> None:
        """Accesses that may name one element, one of them a store, in their order."""
        written = arrays_written(self.references)
        seen, elements = KeyIndex(), dict[Key, _Element]()
        for place in kept:
            reference, key = self.references[place], keys[place]
            if reference.array not in written:
                continue
            node = self.nodes[place]
            for other in seen.meeting(key, reference):
                self._wait(node, elements[other], reference)
            seen.add(key, reference)
            element = elements.setdefault(key, _Element())
            if reference.write:
                element.store, element.loads = node, []
            else:
                element.loads.append(node)

    def _wait(self, node: int, element: _Element, reference: Reference) -> None:
        if element.store is not None:
            self.successors[element.store].append(node)
        for load in element.loads if reference.write else ():
            self.successors[load].append(node)


Busy = frozenset[int]  # the banks that an access occupies


def ports_cycles(graph: AccessGraph, busy: Sequence[Busy], ports: int = 1) -> int:
    """The accesses of the busiest bank, through so many ports at once."""
    return -(-max(Counter(bank for banks in busy for bank in banks).values(), default=0) // ports)


def list_cycles(graph: AccessGraph, busy: Sequence[Busy], ports: int = 1) -> int:
    """The length of the list schedule; `busy` gives the banks of each access, each of so many ports."""
    heights, waits = _heights(graph), _predecessors(graph)
    ready: dict[Busy, list[tuple[int, int]]] = {}

    def release(node: int) -> None:
        """Queue an access; a statement computes at once and releases what waits for it."""
        stack = [node]
        while stack:
            free = stack.pop()
            if free < len(graph.accesses):
                heappush(ready.setdefault(busy[free], []), (-heights[free], free))
            else:
                stack += finish(free)

    def finish(node: int) -> list[int]:
        freed = []
        for after in graph.successors[node]:
            waits[after] -= 1
            if waits[after] == 0:
                freed.append(after)
        return freed

    for node in [node for node, count in enumerate(waits) if count == 0]:
        release(node)
    cycles = 0
    while ready:
        cycles += 1
        for node in [after for issued in _issue(ready, ports) for after in finish(issued)]:
            release(node)
    return cycles


CycleRule = Callable[[AccessGraph, Sequence[Busy]], int]
RULES: dict[str, Callable[[AccessGraph, Sequence[Busy], int], int]] = {"ports": ports_cycles, "list": list_cycles}


def _issue(ready: dict[Busy, list[tuple[int, int]]], ports: int) -> list[int]:
    """The accesses of one cycle: by priority, each whose banks have a free port, as often as there are ports."""
    taken: Counter[int] = Counter()
    issued = []
    for _ in range(ports):
        for banks, _ in sorted(ready.items(), key=lambda queue: queue[1][0]):
            if all(taken[bank] < ports for bank in banks):
                taken.update(banks)
                issued.append(heappop(ready[banks])[1])
                if not ready[banks]:
                    del ready[banks]
    return issued


def _predecessors(graph: AccessGraph) -> list[int]:
    counts = [0] * len(graph.successors)
    for successors in graph.successors:
        for after in successors:
            counts[after] += 1
    return counts


def _heights(graph: AccessGraph) -> list[int]:
    """The accesses on the longest chain that starts at each node, from the last backwards."""
    waits = _predecessors(graph)
    order = [node for node, count in enumerate(waits) if count == 0]
    for node in order:
        for after in graph.successors[node]:
            waits[after] -= 1
            if waits[after] == 0:
                order.append(after)
    heights = [0] * len(waits)
    for node in reversed(order):
        below = max((heights[after] for after in graph.successors[node]), default=0)
        heights[node] = below + (node < len(graph.accesses))
    return heights
