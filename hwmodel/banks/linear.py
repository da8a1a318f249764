"""The fewest banks without conflicts over linear and block-cyclic mappings: bank(x) = floor(a.x / B) mod N.

What later work than paper B calls linear-transformation-based (LTB) and generalised (GMP) memory partitioning. Here
the search is exhaustive: adding N B to an entry of a adds a multiple of N to floor(a.x / B), so for N banks and blocks
of B only a modulo N B matters, and all those residues are tried, N from a lower bound upwards. The first N with a
mapping that is free of conflicts (`conflicts`) is therefore the least for the blocks tried, unless the search was cut.

The lower bound is that of a clique: elements of which any two are touched in some one iteration need as many banks, by
any mapping, linear or not. Where the number found meets the bound it is the least even after a cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import lcm, prod

import numpy as np
from numpy.typing import NDArray

from arrayol.arrays import IntArray
from hwmodel.accesses import Accesses, subscripts
from hwmodel.banks.borders import Folding, folding
from hwmodel.banks.conflicts import Moving, moving
from hwmodel.banks.references import NormalisedLoop, Reference
from hwmodel.datapath.figures import read_cycles, result_cycles
from hwmodel.design import BankLayout

# The clique bound. Elements of different iterations count: of a ring of eight neighbours each two of the nine elements
# of a square are touched together when the ring is at some place, so no mapping does with eight banks.

_REACH = 2  # iterations looked at around one, in each direction of each loop
_MOST_REFERENCES = 40
_MOST_STEPS = 3
_TRIES = 300_000  # elements compared

Element = tuple[int, ...]
Graph = Mapping[Element, Mapping[Element, Element]]  # element -> element touched with it -> indices of the iteration


References = Moving | Folding


def clique_bound(accesses: References) -> int:
    """At least the different elements of one iteration; for references that move together, the largest clique found."""
    if isinstance(accesses, Folding):
        return accesses.least
    offsets = sorted({tuple(row) for row in accesses.offsets.tolist()})
    small = len(offsets) <= _MOST_REFERENCES and len(accesses.extents) <= _MOST_STEPS
    if not accesses.uniform or not small or accesses.is_blind:
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


MAXIMUM_BLOCK = 8  # block sizes tried
MAXIMUM_BANKS = 256
WORK = 20_000_000  # banks computed before the search gives up: some tenths of a second
_CHUNK = 1 << 15  # vectors tried at once at most; the first of many is often free
_SHARE = 16  # the part of what is left that blocks above 1 may take


@dataclass(frozen=True, slots=True)
class LinearMapping:
    """The smallest number of banks found, `vector` a and `block` B of its mapping; None where none was found.

    `bound` is the clique bound: so many elements are touched at once in some cycle. `exact` says that fewer banks were
    proven impossible, for block sizes up to MAXIMUM_BLOCK; `gave_up` says why there is none.
    """

    banks: int | None
    vector: tuple[int, ...]
    block: int
    bound: int
    exact: bool
    gave_up: str | None


def smallest_linear(
    groups: Sequence[tuple[Sequence[Reference], Sequence[NormalisedLoop]]],
    *,
    merge_equal: bool = True,
    work: int = WORK,
) -> LinearMapping:
    """The smallest conflict-free mapping of one array; each group holds its references in one unrolled body, and loops.

    No two references of a group may touch one bank in one iteration, unless they touch one element: equal addresses are
    merged; where `merge_equal` is false only a read is with a write, and two reads of one element make every mapping
    fail. So it is where a border leads two reads to one element (`borders`). Another unknown part of a subscript may be
    any multiple of its factor. Where references do not share it only the mappings that are blind to its multiples are
    tried: the number is then proven least only where it meets the bound.
    `work` bounds the banks computed.
    """
    bodies = [folding(*group) or moving(*group) for group in groups if group[0]]
    least = max((body.least for body in bodies), default=0)
    repeated = next((reference for body in bodies for reference in body.repeated_reads), None)
    if repeated is not None and not merge_equal:
        reason = f"two reads of a body touch the same element of '{repeated.array}': they share its bank in any mapping"
        return LinearMapping(None, (), 1, least, exact=True, gave_up=reason)
    if all(len(body.distinct) == 1 for body in bodies):
        rank = bodies[0].rank if bodies else 0
        return LinearMapping(1, (0,) * rank, 1, least, exact=True, gave_up=None)
    return _search([body for body in bodies if len(body.distinct) > 1], least, work)


def _search(bodies: Sequence[References], least: int, work: int) -> LinearMapping:
    left, exact, bound = work, True, least
    blind = any(body.is_blind for body in bodies)
    banks = max(bound, 1)
    if bound > MAXIMUM_BANKS:
        reason = f"{bound:,} elements are touched at once; up to {MAXIMUM_BANKS} banks are tried"
        return LinearMapping(None, (), 1, bound, exact=True, gave_up=reason)
    while banks <= MAXIMUM_BANKS:
        for block in range(1, MAXIMUM_BLOCK + 1):
            axes = _residues(bodies, banks * block)
            cost = sum(body.cost(prod(map(len, axes)), banks * block, block) for body in bodies)
            if cost > (left if block == 1 else left // _SHARE):
                exact = False
                if block == 1:
                    reason = f"the search was given up at {banks} banks: it would take more than {work:,} steps"
                    return LinearMapping(None, (), 1, bound, exact=False, gave_up=reason)
                break
            left -= cost
            vector = _first_free(bodies, axes, banks, block)
            if vector is not None:
                return LinearMapping(
                    banks, vector, block, bound, exact=(exact and not blind) or banks == bound, gave_up=None
                )
        if banks == least:
            bound = max(clique_bound(body) for body in bodies)
            exact = exact or bound > banks
        banks = max(banks + 1, bound)
    reason = f"no mapping on up to {MAXIMUM_BANKS} banks is free of conflicts"
    return LinearMapping(None, (), 1, bound, exact=exact and not blind, gave_up=reason)


def _residues(bodies: Sequence[References], modulus: int) -> list[range]:
    """The entries to try per dimension."""
    steps = [lcm(*each) for each in zip(*(body.steps(modulus) for body in bodies), strict=True)]
    return [range(0, modulus, step) for step in steps]


def _first_free(bodies: Sequence[References], axes: Sequence[range], banks: int, block: int) -> tuple[int, ...] | None:
    for vectors in _vectors(axes):
        free = vectors
        for body in bodies:
            free = free[body.free_of_conflicts(free, banks, block)]
        if len(free):
            return tuple(int(entry) for entry in free[0])
    return None


def _vectors(axes: Sequence[range]) -> Iterator[IntArray]:
    """All vectors with these entries in lexicographic order, in growing chunks of rows."""
    total, start, size = prod(map(len, axes)), 0, 64
    while start < total:
        left = np.arange(start, min(start + size, total), dtype=np.int64)
        start, size = start + size, min(2 * size, _CHUNK)
        columns = []
        for axis in reversed(axes):
            columns.append(left % len(axis) * axis.step)
            left = left // len(axis)
        yield np.stack(columns[::-1], axis=1)


# Bank layouts worth trying for a buffer of the machine model: fewer banks than pattern elements, few rounds.

_VECTORS = 1 << 14  # mappings tried for one number of banks


def layout_candidates(accesses: Accesses, array: str, tasks: Sequence[str], most: int) -> tuple[BankLayout, ...]:
    """Linear layouts of an array for these tasks on at most `most` banks, by the number of banks.

    For each number of banks the vector that serves a repetition in the fewest rounds; of equals only the one with the
    fewest banks, from all in one bank up to none in conflict. Judged by the first repetition of each task, as a linear
    mapping treats all alike but where patterns wrap; what they cost is for the model to say.
    """
    patterns = [pattern for pattern in _patterns(accesses, array, tasks) if len(pattern.places) > 1]
    if not patterns:
        return ()
    layouts: list[BankLayout] = []
    least = max(len(pattern.places) for pattern in patterns) + 1
    for banks in range(1, min(most, least - 1) + 1):
        vectors = np.array(list(product(range(banks), repeat=patterns[0].places.shape[1]))[:_VECTORS], np.int64)
        of_banks = [vectors @ pattern.places.T % banks for pattern in patterns]
        for rounds in range(1, least):
            pairs = zip(patterns, of_banks, strict=True)
            served = np.all([pattern.are_served(own, rounds) for pattern, own in pairs], axis=0)
            if served.any():
                least = rounds
                layouts.append(BankLayout(array, banks, tuple(map(int, vectors[served.argmax()]))))
                break
        if least == 1:
            break
    return tuple(layouts)


@dataclass(frozen=True, eq=False)
class _Pattern:
    """The places that the first repetition of a task accesses through a tiler, row-major, as subscripts (n, rank)."""

    places: IntArray
    written: bool

    def are_served(self, banks: IntArray, rounds: int) -> NDArray[np.bool_]:
        """Which mappings of the places to banks (mappings, n) give each bank at most one of them in each round."""
        size, served = len(self.places), np.ones(len(banks), np.bool_)
        when = (result_cycles if self.written else read_cycles)(np.arange(size), size, rounds)
        for own in np.unique(when):
            chunk = np.flatnonzero(when == own)
            different = chunk[np.unique(self.places[chunk], axis=0, return_index=True)[1]]
            found = np.sort(banks[:, different], axis=1)
            served &= (found[:, 1:] != found[:, :-1]).all(axis=1)
        return served


def _patterns(accesses: Accesses, array: str, tasks: Sequence[str]) -> Iterator[_Pattern]:
    """The pattern of each tiler of the tasks on an array."""
    for task in tasks:
        for written, side in enumerate((accesses.reads, accesses.writes)):
            for touch in side[task]:
                repetitions = accesses.repetitions(task)
                first = repetitions[accesses.happens(touch, repetitions)][:1]
                if touch.array == array and len(first):
                    elements = accesses.elements(touch, first)[0]
                    yield _Pattern(subscripts(elements, accesses.shape(array)).T, bool(written))
