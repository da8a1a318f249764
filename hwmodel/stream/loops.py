"""The loops of a streaming group: dimensions of nodes that move along the same axes of arrays, and their ratios.

The idea. A paving that moves a dimension along an axis ties the two together, with the step as ratio. What is tied
together, directly or through others, is a loop, so that all nodes can walk it in step: an index of a node that reads
every second pixel passes as much of the loop as two indices of a node that reads each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import NoReturn

from hwmodel.accesses import Touch
from hwmodel.loop_sets import Key, LoopSets
from hwmodel.stream.nodes import Node, StreamGroup
from hwmodel.stream.refusals import axis_name, not_streamed


@dataclass(frozen=True)
class Loops:
    """The loops of a group by number, in the order of the text: `members` are their dimensions (node, dimension).

    `ratio` says of each dimension how many places of the loop's finest grid an index passes. `axes` has by axis of an
    array its loop and ratio.
    """

    members: tuple[tuple[tuple[str, int], ...], ...]
    ratio: Mapping[tuple[str, int], Fraction]
    axes: Mapping[tuple[str, int], tuple[int, Fraction]]

    def loop_of(self, node: str, dimension: int) -> int | None:
        """The loop of a dimension; None for one of a single index."""
        places = (number for number, own in enumerate(self.members) if (node, dimension) in own)
        return next(places, None)


def loops_of(group: StreamGroup) -> Loops:
    """The loops in the order of the text. Raises ArrayolError (`not-streamed`) for two ratios, or two orders."""
    forest = LoopSets()
    for node, touch, dimension, axis, step in _moves(group):
        conflict = forest.link(("node", node.name, dimension), ("array", touch.array, axis), step)
        if conflict is not None:
            _refuse_rates(group, forest, node, touch, axis, conflict)
    sets: dict[Key, list[tuple[str, int]]] = {}
    for node in group.nodes.values():
        for dimension, extent in enumerate(node.extents):
            if extent > 1:
                root, _ = forest.root(("node", node.name, dimension))
                sets.setdefault(root, []).append((node.name, dimension))
    _require_one_walk(group, forest)
    ordered = _in_order(group, sets)
    ratio: dict[tuple[str, int], Fraction] = {}
    least: dict[Key, Fraction] = {}
    for root in ordered:
        own = {member: forest.root(("node", *member))[1] for member in sets[root]}
        least[root] = min(own.values())
        ratio |= {member: value / least[root] for member, value in own.items()}
    axes = {}
    for _, touch, _, axis, _ in _moves(group):
        root, own_ratio = forest.root(("array", touch.array, axis))
        axes[touch.array, axis] = ordered.index(root), own_ratio / least[root]
    return Loops(tuple(tuple(sets[root]) for root in ordered), ratio, axes)


def _moves(group: StreamGroup) -> Iterator[tuple[Node, Touch, int, int, int]]:
    """Each dimension of a node that moves an axis: (node, tiler, dimension, axis, step)."""
    for node in group.nodes.values():
        for touch in (*node.reads, *node.writes):
            for axis, row in enumerate(touch.tiler.paving):
                for dimension, step in enumerate(row):
                    if step and node.extents[dimension] > 1:
                        yield node, touch, dimension, axis, step


def _refuse_rates(
    group: StreamGroup, forest: LoopSets, node: Node, touch: Touch, axis: int, ratios: tuple[Fraction, Fraction]
) -> NoReturn:
    """Raises the error of two ratios of one dimension, in terms of the first array from outside in the loop."""
    root, _ = forest.root(("array", touch.array, axis))
    source, base = touch.array, forest.root(("array", touch.array, axis))[1]
    for load in (load for load in group.nodes.values() if load.kind == "load"):
        for along in range(len(load.extents)):
            other, own = forest.root(("node", load.name, along))
            if other == root:
                source, base = load.writes[0].array, own
                break
        else:
            continue
        break
    what = "row" if axis == 0 else "column"
    rates = " and at ".join(_fraction(base / ratio) for ratio in ratios)
    text = f"'{source}' reaches '{node.name}' at {rates} of a {what} for each {what}: no common rate"
    raise not_streamed(text, touch.tiler.span)


def _fraction(number: Fraction) -> str:
    return str(number)


def _require_one_walk(group: StreamGroup, forest: LoopSets) -> None:
    """Raises ArrayolError if two dimensions of a node pass the same places of a loop; blocks in a line do not."""
    for node in group.nodes.values():
        known: dict[Key, list[tuple[Fraction, int]]] = {}
        for dimension, extent in enumerate(node.extents):
            if extent > 1:
                root, ratio = forest.root(("node", node.name, dimension))
                known.setdefault(root, []).append((ratio, extent))
        for own in known.values():
            own.sort()
            for (inner, extent), (outer, _) in pairwise(own):
                if outer < inner * extent:
                    _refuse_orders(group, node.name, node.name)


def _in_order(group: StreamGroup, sets: Mapping[Key, list[tuple[str, int]]]) -> list[Key]:
    """The loops from the outermost to the innermost, in an order that keeps that of each node's dimensions."""
    loop_of = {member: root for root, members in sets.items() for member in members}
    walked = {
        node.name: list(
            dict.fromkeys(loop_of[node.name, at] for at in range(len(node.extents)) if (node.name, at) in loop_of)
        )
        for node in group.nodes.values()
    }
    pending, ordered = list(sets), list[Key]()
    while pending:
        inner = {root for order in walked.values() for root in [one for one in order if one in pending][1:]}
        free = [root for root in pending if root not in inner]
        if not free:
            _refuse_walks(group, walked)
        ordered.append(free[0])
        pending.remove(free[0])
    return ordered


def _refuse_walks(group: StreamGroup, walked: Mapping[str, list[Key]]) -> NoReturn:
    """Raises the error of two nodes that walk loops in different orders."""
    for late in reversed(group.tasks):
        for early in (*group.tasks, *walked):
            common = [root for root in walked[early] if root in walked[late]]
            if common != [root for root in walked[late] if root in common]:
                _refuse_orders(group, late, early)
    raise not_streamed(f"the tasks {', '.join(group.tasks)} walk their loops in orders that no scan serves")


def _refuse_orders(group: StreamGroup, late: str, early: str) -> NoReturn:
    """Raises the error of an array that two nodes walk in different orders."""
    node = group.nodes[late]
    touches = [touch for touch in (*node.reads, *node.writes) if any(map(any, touch.tiler.paving))]
    others = {touch.array for touch in (*group.nodes[early].reads, *group.nodes[early].writes)}
    touch = next((touch for touch in touches if touch.array in others), touches[0])
    what = axis_name(0, len(touch.tiler.paving))
    text = f"'{late}' walks the {what} of '{touch.array}' in its inner loop, '{early}' in its outer one"
    raise not_streamed(f"{text}: no scan serves both", touch.tiler.span)


def places_of(loops: Loops, nodes: Mapping[str, Node], loop: int) -> int:
    """The places of a loop's finest grid that these nodes pass."""
    members = ((node, at) for node, at in loops.members[loop] if node in nodes)
    return max(ceil(nodes[node].extents[at] * loops.ratio[node, at]) for node, at in members)
