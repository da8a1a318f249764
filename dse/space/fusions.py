"""The space of fusions: partitions of the task graph in connected groups whose quotient graph is acyclic.

A fusion stands for one integer partition of the number of tasks, its group sizes; the partitions with the same number
of parts form one subspace (paper A, section 4, figure 9).

A group is grown from its first task, a bordering task at a time: with the task and all that it forces into the group
(`closure`), then without it for good. So no group comes twice, and none that cannot be made legal is entered. There are
two closures: a group of a fusion must hold what would have to run both before and after it (`expand`, by sizes), a
group that runs next all that it needs and that has not run (`next_groups`, which the search over down-sets uses).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

from dse.space.task_graph import Mask, TaskGraph, bits
from hwmodel.design import Fusion

Sizes = tuple[int, ...]  # group sizes, largest first: an integer partition
Order = tuple[Mask, ...]  # for each task all tasks after it, once the groups chosen so far run as one task each

LARGEST_COUNTED_BLOCK = 10  # tasks; the fusions of a larger block are too many to count beforehand


def partitions(total: int, parts: int) -> Iterator[Sizes]:
    """The partitions of `total` in exactly `parts` positive integers, largest first: 4 in 2 gives (3, 1), (2, 2)."""
    if 1 <= parts <= total:
        yield from _bounded(total, parts, total)


def _bounded(total: int, parts: int, largest: int) -> Iterator[Sizes]:
    if parts == 1:
        yield (total,)
        return
    # What remains must have at least one for each other part, and no part above `first`.
    for first in range(min(largest, total - parts + 1), -(-total // parts) - 1, -1):
        for rest in _bounded(total - first, parts - 1, first):
            yield (first, *rest)


def without(sizes: Sizes, part: int) -> Sizes:
    """`sizes` with one `part` less."""
    place = sizes.index(part)
    return sizes[:place] + sizes[place + 1 :]


@dataclass(frozen=True)
class Subspace:
    """The legal fusions with `groups` groups: integer partitions with that many parts, merged."""

    graph: TaskGraph
    groups: int

    @property
    def partitions(self) -> Iterator[Sizes]:
        """The integer partitions of the number of tasks that the subspace merges."""
        return partitions(len(self.graph), self.groups)

    def __iter__(self) -> Iterator[Fusion]:
        for sizes in self.partitions:
            yield from expand(self.graph, sizes)


def subspaces(graph: TaskGraph) -> Iterator[Subspace]:
    """The subspaces by number of groups, from one group per connected part of the graph to one per task."""
    for groups in range(sum(1 for _ in graph.components(graph.all)), len(graph) + 1):
        yield Subspace(graph, groups)


def expand(graph: TaskGraph, sizes: Sizes) -> Iterator[Fusion]:
    """The legal fusions whose groups have these sizes, each once, in a fixed order.

    Groups stand in execution order (of those that may run next the one with the first task), tasks in dataflow order.
    """
    # Groups of two and more hold a link each, and those links share no task.
    if sum(size > 1 for size in sizes) <= _largest_matching(graph):
        for groups in _complete(graph, graph.all, sizes, graph.descendants):
            ordered = execution_order(graph, groups)
            yield Fusion(tuple(tuple(graph.names[task] for task in bits(group)) for group in ordered))


def connected_groups(
    graph: TaskGraph, group: Mask, allowed: Mask, sizes: range, closure: Callable[[Mask], Mask]
) -> Iterator[Mask]:
    """The connected groups of so many tasks that hold `group`, of tasks in `allowed` beside it, each once.

    Only those that are their own `closure`: what a group must hold once it holds these tasks, connected where they are.
    For the lowest task at the border the groups with it come first, then those without: so none comes twice.
    """
    border = graph.neighbours(group) & allowed
    if group.bit_count() == sizes[-1] or not border:
        if group.bit_count() in sizes:
            yield group
        return
    if sizes[0] > 1 and graph.component(group, group | allowed).bit_count() < sizes[0]:
        return
    task = border & -border
    grown = closure(group | task)
    if not grown & ~(group | allowed) and grown.bit_count() <= sizes[-1]:
        yield from connected_groups(graph, grown, allowed & ~grown, sizes, closure)
    yield from connected_groups(graph, group, allowed & ~task, sizes, closure)


def next_groups(graph: TaskGraph, done: Mask, longest: int | None = None) -> Iterator[Mask]:
    """The groups that can run once the tasks of the down-set `done` have run.

    They are connected and read only `done` and themselves. The sequences of such groups are the legal fusions in all
    orders in which they can run.
    """
    left = graph.all & ~done
    sizes = range(1, (longest or len(graph)) + 1)
    for task in bits(left):
        if can_run(graph, 1 << task, done):  # else never a group's first task, around which each group is grown once
            later = left & ~((2 << task) - 1)
            yield from connected_groups(graph, 1 << task, later, sizes, partial(_with_what_it_needs, graph, done))


@lru_cache(maxsize=8)
def all_groups(graph: TaskGraph, longest: int | None = None, most: int | None = None) -> tuple[Mask, ...] | None:
    """Every group of a legal fusion, by its first task, then by its tasks.

    None where there are more than `most`, or more than so many sets of tasks that may have run before one.
    """
    groups: set[Mask] = set()
    reached, fresh = {0}, [0]
    while fresh:
        done = fresh.pop()
        for group in next_groups(graph, done, longest):
            groups.add(group)
            if done | group not in reached:
                reached.add(done | group)
                fresh.append(done | group)
            if most is not None and max(len(groups), len(reached)) > most:
                return None
    return tuple(sorted(groups, key=lambda group: (group & -group, group)))


def can_run(graph: TaskGraph, group: Mask, done: Mask) -> bool:
    """Whether a group reads only the tasks that are `done` and itself."""
    return all(not graph.predecessors[task] & ~(done | group) for task in bits(group))


def execution_order(graph: TaskGraph, groups: Iterable[Mask]) -> tuple[Mask, ...]:
    """The groups of a legal fusion as they run: by their first task wherever the quotient graph leaves a choice."""
    waiting = sorted(groups, key=lambda group: group & -group)
    done, ordered = 0, []
    while waiting:
        group = next(group for group in waiting if can_run(graph, group, done))
        waiting.remove(group)
        done |= group
        ordered.append(group)
    return tuple(ordered)


def count_by_groups(graph: TaskGraph) -> dict[int, int] | None:
    """How many legal fusions each number of groups has, without making them all; None where that takes too long.

    The connected partitions of a graph are the products of those of its biconnected blocks (flats of a graphic
    matroid), a cycle of the quotient lies in one block, and merges add up: so the counts by number of merges multiply
    as polynomials. A chain's blocks are its links.
    """
    counts = Counter({0: 1})  # by the number of tasks less the number of groups
    for block in graph.blocks():
        if block.bit_count() > LARGEST_COUNTED_BLOCK:
            return None
        counts = _product(counts, _merges(graph, block))
    return {len(graph) - merged: counts[merged] for merged in sorted(counts, reverse=True)}


def _merges(graph: TaskGraph, block: Mask) -> Counter[int]:
    """The legal fusions of one block by the number of merges."""
    inside = graph.induced(block)
    return Counter(len(inside) - space.groups for space in subspaces(inside) for _ in space)


def _product(left: Counter[int], right: Counter[int]) -> Counter[int]:
    product: Counter[int] = Counter()
    for merged, count in left.items():
        for more, times in right.items():
            product[merged + more] += count * times
    return product


@lru_cache(maxsize=8)
def _largest_matching(graph: TaskGraph) -> int:
    return graph.largest_matching()


def _complete(graph: TaskGraph, remaining: Mask, sizes: Sizes, order: Order) -> Iterator[tuple[Mask, ...]]:
    """Legal groups of these sizes for the tasks that remain.

    The first group holds the first task, so each fusion comes once. Every choice that is legal so far can be completed
    (with single tasks) but for the sizes.
    """
    if not remaining:
        yield ()
        return
    first = remaining & -remaining
    for size in sorted(set(sizes), reverse=True):
        rest = without(sizes, size)
        convex = partial(_with_what_lies_between, order=order)
        for group in connected_groups(graph, first, remaining & ~first, range(size, size + 1), convex):
            left = remaining & ~group
            if _sizes_fit(graph, left, rest):
                for others in _complete(graph, left, rest, _contract(order, group)):
                    yield (group, *others)


def _with_what_lies_between(group: Mask, order: Order) -> Mask:
    """The group and all that would have to run both after and before it."""
    after = 0
    for task in bits(group):
        after |= order[task]
    for task in bits(after & ~group):
        if order[task] & group:
            group |= 1 << task
    return group


def _with_what_it_needs(graph: TaskGraph, done: Mask, group: Mask) -> Mask:
    """The group and all that must run before it and is not `done`: what links a task to those lies in it too."""
    fresh = group
    while fresh:
        needed = 0
        for task in bits(fresh):
            needed |= graph.predecessors[task]
        fresh = needed & ~(group | done)
        group |= fresh
    return group


def _contract(order: Order, group: Mask) -> Order:
    """The order once `group` runs as one task: what precedes one of its tasks precedes all that follows another."""
    if group.bit_count() == 1:
        return order
    reached = group
    for task in bits(group):
        reached |= order[task]
    return tuple(after | reached if after & group or group >> task & 1 else after for task, after in enumerate(order))


def _sizes_fit(graph: TaskGraph, tasks: Mask, sizes: Sizes) -> bool:
    """Whether the sizes can be dealt to the connected parts of `tasks`, each group lying in one of them."""
    parts = sorted(part.bit_count() for part in graph.components(tasks))
    return len(parts) <= 1 or _deal(tuple(parts), sizes)


@lru_cache(maxsize=1 << 16)
def _deal(parts: tuple[int, ...], sizes: Sizes) -> bool:
    """Whether sizes, largest first, can be dealt to bins so that each is filled exactly; the totals are equal."""
    if not sizes:
        return True
    return len(parts) <= len(sizes) and any(
        _deal(tuple(sorted(left for left in _less(parts, room, sizes[0]) if left)), sizes[1:])
        for room in sorted(set(parts))
        if room >= sizes[0]
    )


def _less(parts: tuple[int, ...], room: int, size: int) -> tuple[int, ...]:
    place = parts.index(room)
    return (*parts[:place], room - size, *parts[place + 1 :])
