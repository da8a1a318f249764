"""A task graph cut in rows that fit the width of a page, each laid out from left to right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from arrayol.ir.network import Network
from arrayol.pictures.graph import ArrayBox, ProcessBox
from arrayol.pictures.graph_layout import GAP, Edge, Node, Placed, place

PAGE = 12.0  # inches


@dataclass(frozen=True)
class Row:
    """Boxes and lines of one row; `continued` are the arrays that stand in a former row already."""

    processes: tuple[str, ...]
    arrays: tuple[str, ...]
    continued: frozenset[str]
    placed: Placed
    dashed: frozenset[Edge]


def rows_of(
    network: Network, processes: Mapping[str, ProcessBox], arrays: Mapping[str, ArrayBox], page: float = PAGE
) -> list[Row]:
    """The rows of a network: whole levels of processes each. An array of several rows stands in each of them."""
    levels = levels_of(network)
    rows: list[Row] = []
    shown: frozenset[str] = frozenset()
    for taken in _cut(levels, processes, arrays, page):
        level_of = {name: place for place, level in enumerate(taken) for name in level}
        touched = {name for one in level_of for name in (processes[one].process.reads | processes[one].process.writes)}
        if not rows:  # arrays that nothing reads or writes stand there too
            touched |= {array.name for array in network.arrays.values() if array.producer is None and not array.readers}
        names = tuple(name for name in network.arrays if name in touched)
        rows.append(_row(network, level_of, names, processes, arrays, shown))
        shown |= touched
    return rows


def levels_of(network: Network) -> list[list[str]]:
    """Processes by the longest way from a process that reads inputs only."""
    import networkx as nx  # noqa: PLC0415  heavy, and needed only here

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(network.processes)
    graph.add_edges_from(
        (array.producer, reader) for array in network.arrays.values() if array.producer for reader in array.readers
    )
    order = {name: place for place, name in enumerate(network.processes)}
    return [sorted(level, key=order.__getitem__) for level in nx.topological_generations(graph)]


def _cut(
    levels: Sequence[list[str]], processes: Mapping[str, ProcessBox], arrays: Mapping[str, ArrayBox], page: float
) -> list[list[list[str]]]:
    """The levels in as few rows as the page allows, about as long as each other."""
    if not levels:
        return [[]]
    column = max((box.width for box in arrays.values()), default=0.0) + GAP
    widths = [max(processes[name].width for name in level) + GAP + column for level in levels]
    count = ceil(sum(widths) / max(page - column, *widths))
    share = ceil(len(levels) / count)
    return [list(levels[start : start + share]) for start in range(0, len(levels), share)]


def _row(
    network: Network,
    level_of: Mapping[str, int],
    names: Sequence[str],
    processes: Mapping[str, ProcessBox],
    arrays: Mapping[str, ArrayBox],
    shown: frozenset[str],
) -> Row:
    nodes = [Node(("process", name), 2 * level + 1, processes[name].width, processes[name].height)
             for name, level in level_of.items()]  # fmt: skip
    for name in names:
        array, box = network.arrays[name], arrays[name]
        if array.producer is not None and array.producer in level_of:
            layer = 2 * level_of[array.producer] + 2
        else:
            layer = 2 * min((level_of[reader] for reader in array.readers if reader in level_of), default=0)
        nodes.append(Node(("array", name), layer, box.width, box.height))
    edges, dashed = [], set()
    for name in level_of:
        process = processes[name]
        for line, socket in enumerate(process.reads):
            at = arrays[socket.array].middle
            edge = Edge(("array", socket.array), ("process", name), at, process.socket_at(line))
            edges.append(edge)
            dashed |= {edge} if socket.dashed else set()
        for line, socket in enumerate(process.writes):
            at = arrays[socket.array].middle
            edges.append(Edge(("process", name), ("array", socket.array), process.socket_at(line), at))
    continued = frozenset(names) & shown
    return Row(tuple(level_of), tuple(names), continued, place(nodes, edges), frozenset(dashed))
