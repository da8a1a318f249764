"""The clique bound: so many elements of which any two are touched in one cycle, so that each needs a bank of its own.

Elements of different iterations count: of a ring of eight neighbours each two of the nine elements of a square are
touched together when the ring is at some place, so no mapping does with eight banks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, product

from hwmodel.banks.moving import Moving

_REACH = 2  # iterations looked at around one, in each direction of each loop
_MOST_REFERENCES = 40
_MOST_STEPS = 3
_TRIES = 300_000  # elements compared

Element = tuple[int, ...]
Graph = Mapping[Element, Mapping[Element, Element]]  # element -> element touched with it -> indices of the iteration


def clique_bound(accesses: Moving) -> int:
    """At least the different elements of one iteration; for references that move together, the largest clique found."""
    offsets = sorted({tuple(row) for row in accesses.offsets.tolist()})
    small = len(offsets) <= _MOST_REFERENCES and len(accesses.extents) <= _MOST_STEPS
    if not accesses.uniform or not small or any(accesses.loose):
        return accesses.least
    graph = _graph(accesses, offsets)
    cliques = (clique for root in offsets for clique in _cliques(graph, root, len(offsets), _TRIES // len(offsets)))
    return max((len(clique) for clique in cliques if _happens(graph, clique, accesses)), default=len(offsets))


def _graph(accesses: Moving, offsets: list[Element]) -> Graph:
    """Elements touched in the iterations around index 0, joined where one iteration touches both."""
    graph: dict[Element, dict[Element, Element]] = {}
    around = sorted(
        product(range(-_REACH, _REACH + 1), repeat=len(accesses.extents)), key=lambda index: sum(map(abs, index))
    )
    bases = {tuple(accesses.coefficients[0] @ index): index for index in reversed(around)}
    for base, index in bases.items():
        touched = [tuple(int(one + other) for one, other in zip(base, offset, strict=True)) for offset in offsets]
        for one, other in combinations(touched, 2):
            graph.setdefault(one, {}).setdefault(other, index)
            graph.setdefault(other, {}).setdefault(one, index)
    return graph


def _cliques(graph: Graph, root: Element, least: int, tries: int) -> Iterator[list[Element]]:
    """Cliques with an element, each larger than the one before and than `least`; the search is cut after many tries."""
    stack = [([root], sorted(graph[root], key=lambda element: (-len(graph[element]), element)))]
    while stack and tries > 0:
        clique, candidates = stack.pop()
        if len(clique) > least:
            least = len(clique)
            yield clique
        for place, element in reversed(list(enumerate(candidates))):
            tries -= len(candidates) - place
            rest = [other for other in candidates[place + 1 :] if other in graph[element]]
            if len(clique) + 1 + len(rest) > least:
                stack.append(([*clique, element], rest))


def _happens(graph: Graph, clique: list[Element], accesses: Moving) -> bool:
    """Whether the iterations that touch the pairs of a clique exist: their indices span less than the extents."""
    indices = [graph[one][other] for one, other in combinations(clique, 2)]
    spans = [max(column) - min(column) for column in zip(*indices, strict=True)]
    return all(extent is None or span < extent for span, extent in zip(spans, accesses.extents, strict=True))
