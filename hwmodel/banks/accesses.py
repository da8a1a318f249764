"""The memory accesses of an unrolled body and what each waits for; what registers save of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hwmodel.banks.meeting import Key, KeyIndex, arrays_written, keys_of
from hwmodel.banks.references import Reference

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
    successors = tuple(tuple(found) for found in graph.successors)
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
