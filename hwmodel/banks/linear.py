"""The fewest banks without conflicts over linear and block-cyclic mappings: bank(x) = floor(a.x / B) mod N.

What later work than paper B calls linear-transformation-based (LTB) and generalised (GMP) memory partitioning. Here
the search is exhaustive: for N banks and blocks of B only a modulo N B matters, so all those residues are tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import lcm, prod

import numpy as np
from numpy.typing import NDArray

from hwmodel.banks.clique import clique_bound
from hwmodel.banks.moving import Moving, moving
from hwmodel.banks.references import Loop, Reference

MAXIMUM_BLOCK = 8  # block sizes tried
MAXIMUM_BANKS = 256
WORK = 20_000_000  # banks computed before the search gives up: some tenths of a second
_CHUNK = 1 << 15  # vectors tried at once at most; the first of many is often free
_SHARE = 16  # the part of what is left that blocks above 1 may take

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Linear:
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
    groups: Sequence[tuple[Sequence[Reference], Sequence[Loop]]], *, merge_equal: bool = True, work: int = WORK
) -> Linear:
    """The smallest conflict-free mapping of one array; each group holds its references in one unrolled body, and loops.

    No two references of a group may touch one bank in one iteration, unless they touch one element: equal addresses are
    merged; where `merge_equal` is false only a read is with a write, and two reads of one element make every mapping
    fail. An unknown part of a subscript may be any multiple of its factor. Where references do not share it only the
    mappings that are blind to its multiples are tried: the number is then proven least only where it meets the bound.
    `work` bounds the banks computed.
    """
    bodies = [moving(references, loops) for references, loops in groups if references]
    least = max((body.least for body in bodies), default=0)
    repeated = next((one for body in bodies for one in body.repeated_reads), None)
    if repeated is not None and not merge_equal:
        reason = f"two reads of a body touch the same element of '{repeated.array}': they share its bank in any mapping"
        return Linear(None, (), 1, least, exact=True, gave_up=reason)
    if all(len(body.distinct) == 1 for body in bodies):
        rank = bodies[0].rank if bodies else 0
        return Linear(1, (0,) * rank, 1, least, exact=True, gave_up=None)
    return _search([body for body in bodies if len(body.distinct) > 1], least, work)


def _search(bodies: Sequence[Moving], least: int, work: int) -> Linear:
    left, exact, bound = work, True, least
    blind = any(any(body.loose) for body in bodies)
    banks = max(bound, 1)
    if bound > MAXIMUM_BANKS:
        reason = f"{bound:,} elements are touched at once; up to {MAXIMUM_BANKS} banks are tried"
        return Linear(None, (), 1, bound, exact=True, gave_up=reason)
    while banks <= MAXIMUM_BANKS:
        for block in range(1, MAXIMUM_BLOCK + 1):
            axes = _residues(bodies, banks * block)
            cost = sum(body.cost(prod(map(len, axes)), banks * block, block) for body in bodies)
            if cost > (left if block == 1 else left // _SHARE):
                exact = False
                if block == 1:
                    reason = f"the search was given up at {banks} banks: it would take more than {work:,} steps"
                    return Linear(None, (), 1, bound, exact=False, gave_up=reason)
                break
            left -= cost
            vector = _first_free(bodies, axes, banks, block)
            if vector is not None:
                return Linear(banks, vector, block, bound, exact=(exact and not blind) or banks == bound, gave_up=None)
        if banks == least:
            bound = max(clique_bound(body) for body in bodies)
            exact = exact or bound > banks
        banks = max(banks + 1, bound)
    reason = f"no mapping on up to {MAXIMUM_BANKS} banks is free of conflicts"
    return Linear(None, (), 1, bound, exact=exact and not blind, gave_up=reason)


def _residues(bodies: Sequence[Moving], modulus: int) -> list[range]:
    """The entries to try per dimension."""
    steps = [lcm(*each) for each in zip(*(body.steps(modulus) for body in bodies), strict=True)]
    return [range(0, modulus, step) for step in steps]


def _first_free(bodies: Sequence[Moving], axes: Sequence[range], banks: int, block: int) -> tuple[int, ...] | None:
    for vectors in _vectors(axes):
        free = vectors
        for body in bodies:
            free = free[body.free_of_conflicts(free, banks, block)]
        if len(free):
            return tuple(int(entry) for entry in free[0])
    return None


def _vectors(axes: Sequence[range]) -> Iterator[Integers]:
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
