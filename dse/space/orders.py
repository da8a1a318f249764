"""Topological orders of the tasks, and the groups that are intervals of one.

A run of consecutive tasks of a topological order is convex by itself, and what has run before it is a prefix of the
order: n tasks have at most n (n + 1) / 2 such groups and n + 1 prefixes, however many branches run beside each other,
where all groups and all down-sets may be 2^n.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from dse.space.task_graph import Mask, TaskGraph, bits

Order = tuple[int, ...]
_GOES_ON = 0.8  # how often a random order goes on with what was enabled last


def topological_orders(graph: TaskGraph, count: int) -> tuple[Order, ...]:
    """At most `count` different orders: by number, depth first, then random ones that like to follow a branch."""
    rng = random.Random(0)
    orders = dict.fromkeys([tuple(range(len(graph))), _order(graph, None)])
    for _ in range(4 * count):
        if len(orders) >= count:
            break
        orders[_order(graph, rng)] = None
    return tuple(orders)[:count]


def _order(graph: TaskGraph, rng: random.Random | None) -> Order:
    """Depth first: of the tasks that can run always the one that was enabled last; with `rng` at times another."""
    waiting = [predecessors.bit_count() for predecessors in graph.predecessors]
    ready = [task for task in reversed(range(len(graph))) if not waiting[task]]
    order = []
    while ready:
        last = rng is None or rng.random() < _GOES_ON
        task = ready.pop() if last or rng is None else ready.pop(rng.randrange(len(ready)))
        order.append(task)
        enabled = []
        for reader in bits(graph.successors[task]):
            waiting[reader] -= 1
            if not waiting[reader]:
                enabled.append(reader)
        if rng is not None:
            rng.shuffle(enabled)
        ready.extend(reversed(enabled))
    return tuple(order)


def intervals(graph: TaskGraph, order: Order, longest: int | None = None) -> Iterator[Mask]:
    """The runs of consecutive tasks of an order that have one last task, no longer than `longest`, by that task."""
    for end, last in enumerate(order):
        group = 0
        for task in reversed(order[max(0, end + 1 - (longest or len(order))) : end + 1]):
            # A task that nothing of the group reads would be a last one too, whatever comes before it.
            if task != last and not graph.successors[task] & group:
                break
            group |= 1 << task
            yield group


def prefixes(order: Order) -> tuple[Mask, ...]:
    """The down-sets of an order: nothing, then a task more each."""
    sets = [0]
    for task in order:
        sets.append(sets[-1] | 1 << task)
    return tuple(sets)
