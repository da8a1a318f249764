"""A layered drawing of a graph, left to right (after Sugiyama): columns, few crossings, straight lines where possible.

Lines that pass a column get an invisible box in it. Sweeps over the layers, to and fro, sort each one by the mean place
of its neighbours, and then move its boxes to where their lines would be straight, as far as the order allows. Lengths
are in inches, y grows downwards.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

GAP = 0.42  # between columns, where lines bend
ROW_GAP = 0.22  # between boxes of a column
LINE_GAP = 0.14  # between a line that passes a column and its neighbours
ORDERINGS, STRAIGHTENINGS = 12, 80  # sweeps over the layers

Key = Hashable


@dataclass(frozen=True)
class Node:
    """A box in a layer."""

    key: Key
    layer: int
    width: float
    height: float


@dataclass(frozen=True)
class Edge:
    """A line or a part of one, from the right side of a box to the left side of another, `..._at` below their tops."""

    source: Key
    target: Key
    source_at: float
    target_at: float


@dataclass(frozen=True)
class GraphPositions:
    """Upper left corners of the boxes, the points that each line passes, and the size of the whole."""

    corners: Mapping[Key, tuple[float, float]]
    lines: Mapping[Edge, tuple[tuple[float, float], ...]]
    width: float
    height: float


def place(nodes: Sequence[Node], edges: Sequence[Edge]) -> GraphPositions:
    """Place boxes in columns by their layers; every edge goes to a later layer."""
    layers, segments = _with_passages(nodes, edges)
    _order(layers, segments)
    tops = _straighten(layers, segments)
    lefts, width = _columns(layers)
    corners = {
        node.key: (lefts[layer] + (_width(column) - node.width) / 2, tops[node.key])
        for layer, column in layers.items()
        for node in column
    }
    boxes = {node.key: node for column in layers.values() for node in column}
    lines = {edge: tuple(_points(edge, boxes, corners, lefts, layers)) for edge in edges}
    height = max((tops[key] + box.height for key, box in boxes.items()), default=0.0)
    return GraphPositions({node.key: corners[node.key] for node in nodes}, lines, width, height)


def _with_passages(nodes: Sequence[Node], edges: Sequence[Edge]) -> tuple[dict[int, list[Node]], list[Edge]]:
    """The layers, with an invisible box in each that an edge passes, and the edges cut at those."""
    layers: dict[int, list[Node]] = {layer: [] for layer in sorted({node.layer for node in nodes})}
    layer_of = {node.key: node.layer for node in nodes}
    for node in nodes:
        layers[node.layer].append(node)
    segments = []
    for edge in edges:
        chain: list[Key] = [edge.source]
        for layer in (layer for layer in layers if layer_of[edge.source] < layer < layer_of[edge.target]):
            chain.append((edge, layer))
            layers[layer].append(Node((edge, layer), layer, 0.0, 0.0))
        chain.append(edge.target)
        for source, target in pairwise(chain):
            source_at = edge.source_at if source == edge.source else 0.0
            segments.append(Edge(source, target, source_at, edge.target_at if target == edge.target else 0.0))
    return layers, segments


def _order(layers: dict[int, list[Node]], segments: Sequence[Edge]) -> None:
    """Sort each layer by the mean place of its neighbours, to and fro; the order with the fewest crossings stays."""
    best, fewest = {layer: list(column) for layer, column in layers.items()}, _crossings(layers, segments)
    for sweep in range(ORDERINGS):
        forwards = sweep % 2 == 0
        places = _places(layers)
        for layer in list(layers) if forwards else reversed(list(layers)):
            near: dict[Key, list[float]] = {}
            for segment in segments:
                ends = (segment.target, segment.source, segment.source_at)
                here, there, at = ends if forwards else (segment.source, segment.target, segment.target_at)
                near.setdefault(here, []).append(places[there] + 1e-3 * at)
            middle = {node.key: _mean(near.get(node.key, [places[node.key]])) for node in layers[layer]}
            layers[layer].sort(key=lambda node, middle=middle: middle[node.key])  # type: ignore[misc]
            places.update(_places({layer: layers[layer]}))
        crossings = _crossings(layers, segments)
        if crossings < fewest:
            best, fewest = {layer: list(column) for layer, column in layers.items()}, crossings
    layers.update(best)


def _places(layers: Mapping[int, Sequence[Node]]) -> dict[Key, float]:
    return {node.key: float(place) for column in layers.values() for place, node in enumerate(column)}


def _crossings(layers: Mapping[int, Sequence[Node]], segments: Sequence[Edge]) -> int:
    places = _places(layers)
    layer_of = {node.key: layer for layer, column in layers.items() for node in column}
    between: dict[int, list[tuple[float, float]]] = {}
    for segment in segments:
        ends = (places[segment.source] + 1e-3 * segment.source_at, places[segment.target] + 1e-3 * segment.target_at)
        between.setdefault(layer_of[segment.source], []).append(ends)
    return sum(
        (line[0] - other[0]) * (line[1] - other[1]) < 0
        for lines in between.values()
        for line, other in combinations(lines, 2)
    )


def _straighten(layers: Mapping[int, Sequence[Node]], segments: Sequence[Edge]) -> dict[Key, float]:
    """Tops of all boxes: each as near as the order allows to where its lines would be straight."""
    tops: dict[Key, float] = {}
    for column in layers.values():
        tops.update(zip((node.key for node in column), _stacked(column), strict=True))
    wishes: dict[Key, list[tuple[Key, float]]] = {}
    for segment in segments:
        rise = segment.source_at - segment.target_at
        wishes.setdefault(segment.target, []).append((segment.source, rise))
        wishes.setdefault(segment.source, []).append((segment.target, -rise))
    order = list(layers.values())
    for sweep in range(STRAIGHTENINGS):
        for column in order if sweep % 2 == 0 else reversed(order):
            pulls = [wishes.get(node.key, [(node.key, 0.0)]) for node in column]
            wanted = [(_mean([tops[other] + shift for other, shift in pull]), len(pull)) for pull in pulls]
            tops.update(zip((node.key for node in column), _with_distances(wanted, _stacked(column)), strict=True))
    top = min(tops.values(), default=0.0)
    return {key: value - top for key, value in tops.items()}


def _stacked(column: Sequence[Node]) -> list[float]:
    """Tops of boxes one below the other, without more room than they need."""
    tops = [0.0] if column else []
    for upper, lower in pairwise(column):
        gap = ROW_GAP if upper.height and lower.height else LINE_GAP
        tops.append(tops[-1] + upper.height + gap)
    return tops


def _with_distances(wanted: Sequence[tuple[float, int]], least: Sequence[float]) -> list[float]:
    """The values nearest to those wanted (least squares, weighted) whose differences are at least those of `least`.

    Isotonic regression by pooling neighbours that are in each other's way. With the number of lines as weights, sweeps
    over the layers descend to the least sum of squared rises of all lines.
    """
    pools: list[tuple[float, int, int]] = []  # mean, weight, how many
    for (wish, weight), offset in zip(wanted, least, strict=True):
        mean, total, count = wish - offset, weight, 1
        while pools and pools[-1][0] > mean:
            other, heavy, members = pools.pop()
            mean = (mean * total + other * heavy) / (total + heavy)
            total, count = total + heavy, count + members
        pools.append((mean, total, count))
    means = [mean for mean, _, count in pools for _ in range(count)]
    return [mean + offset for mean, offset in zip(means, least, strict=True)]


def _columns(layers: Mapping[int, Sequence[Node]]) -> tuple[dict[int, float], float]:
    """Left sides of the columns, and the width of all."""
    lefts, left = {}, 0.0
    for layer, column in layers.items():
        lefts[layer] = left
        left += _width(column) + GAP
    return lefts, left - GAP


def _width(column: Sequence[Node]) -> float:
    return max(node.width for node in column)


def _points(
    edge: Edge,
    nodes: Mapping[Key, Node],
    corners: Mapping[Key, tuple[float, float]],
    lefts: Mapping[int, float],
    layers: Mapping[int, Sequence[Node]],
) -> Iterator[tuple[float, float]]:
    """Corners of a line: level inside columns, bending in the gaps between them."""
    source, target = nodes[edge.source], nodes[edge.target]
    left, top = corners[edge.source]
    yield left + source.width, top + edge.source_at
    yield lefts[source.layer] + _width(layers[source.layer]), top + edge.source_at
    for layer in (layer for layer in layers if source.layer < layer < target.layer):
        y = corners[edge, layer][1]
        yield lefts[layer], y
        yield lefts[layer] + _width(layers[layer]), y
    left, top = corners[edge.target]
    yield lefts[target.layer], top + edge.target_at
    yield left, top + edge.target_at


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
