"""Memory cycles of an unrolled body: one access per bank and cycle, under two rules.

`ports`: bodies overlap, so the busiest bank decides. `list`: one body alone, loads before the stores that depend on
them, by list scheduling (longest remaining chain first, then the order of the text). See docs/layout.md,
"How cycles are counted".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from heapq import heappop, heappush

from hwmodel.banks.accesses import AccessGraph

Busy = frozenset[int]  # the banks that an access occupies


def ports_cycles(graph: AccessGraph, busy: Sequence[Busy]) -> int:
    """The accesses of the busiest bank."""
    return max(Counter(bank for banks in busy for bank in banks).values(), default=0)


def list_cycles(graph: AccessGraph, busy: Sequence[Busy]) -> int:
    """The length of the list schedule; `busy` gives the banks of each access."""
    heights, waits = _heights(graph), _predecessors(graph)
    ready: dict[Busy, list[tuple[int, int]]] = {}

    def release(node: int) -> None:
        """Queue an access; a statement computes at once and releases what waits for it."""
        stack = [node]
        while stack:
            found = stack.pop()
            if found < len(graph.accesses):
                heappush(ready.setdefault(busy[found], []), (-heights[found], found))
                continue
            stack += finish(found)

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
        for node in [after for issued in _issue(ready) for after in finish(issued)]:
            release(node)
    return cycles


RULES: dict[str, Callable[[AccessGraph, Sequence[Busy]], int]] = {"ports": ports_cycles, "list": list_cycles}


def _issue(ready: dict[Busy, list[tuple[int, int]]]) -> list[int]:
    """The accesses of one cycle: by priority, each whose banks are still free."""
    taken: set[int] = set()
    issued = []
    for banks, _ in sorted(ready.items(), key=lambda queue: queue[1][0]):
        if taken.isdisjoint(banks):
            taken |= banks
            issued.append(heappop(ready[banks])[1])
            if not ready[banks]:
                del ready[banks]
    return issued


def _predecessors(graph: AccessGraph) -> list[int]:
    counts = [0] * len(graph.successors)
    for found in graph.successors:
        for after in found:
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
