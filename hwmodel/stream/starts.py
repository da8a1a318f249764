"""When nodes start: the least starts that there are, or those with the fewest bits that wait.

The idea. Each bound says that one number is at least another one plus a constant. The least numbers that keep all
bounds are longest paths: raise a number that breaks a bound, until none does. For the fewest bits, each lane has one
more number, the pulse of its latest read, with a bound for each reader, and the sum of weight times (latest read -
start of the writer) is to be least. The dual of this linear program is a minimum-cost flow: bounds are its edges,
weights its demands. A bound whose edge has flow holds exactly, and with these equations longest paths give the starts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

_ROOT = "the frame"  # starts are counted from it; no node has a space in a name of its own but loads and stores


@dataclass(frozen=True, slots=True)
class Wait:
    """A reader starts at least `least` pulses after a writer, and is late by `most` at most, counted without starts.

    `lane` names the output that it reads, which all its readers share. `weight` is what a pulse of waiting costs: the
    bits that are born in it, times a factor that all waits have.
    """

    writer: str
    reader: str
    least: int
    most: int
    lane: str
    weight: int


def least_starts(nodes: Sequence[str], waits: Iterable[Wait], floors: Mapping[str, int]) -> dict[str, int]:
    """The least starts that keep all bounds, by node, also the `floors` of some; `nodes` are in dataflow order."""
    bounds = [(wait.writer, wait.reader, wait.least) for wait in waits]
    found = _least(nodes, [*bounds, *((_ROOT, node, least) for node, least in floors.items())])
    return {node: found[node] for node in nodes}


def thrifty_starts(
    nodes: Sequence[str], waits: Sequence[Wait], floors: Mapping[str, int], first: str | None = None
) -> dict[str, int]:
    """Starts with the least sum over lanes of weight x (latest read - birth), by node; of several the least.

    No node starts before the `first` one, where one is named.
    """
    if len({(wait.writer, wait.reader) for wait in waits}) == len({wait.reader for wait in waits}):
        # Each reads what one node writes: no paths meet, and whoever starts later waits longer.
        return least_starts(nodes, waits, floors)
    bounds = [(wait.writer, wait.reader, wait.least) for wait in waits]
    bounds += [(wait.reader, _latest(wait.lane), wait.most) for wait in waits]
    bounds += [(_ROOT, node, floors.get(node, 0)) for node in nodes]
    bounds += [(first, node, 0) for node in nodes if first not in {None, node}]
    demand = dict.fromkeys([_ROOT, *nodes, *(_latest(wait.lane) for wait in waits)], 0)
    for wait in {wait.lane: wait for wait in waits}.values():
        demand[_latest(wait.lane)] += wait.weight
        demand[wait.writer] -= wait.weight
    import networkx as nx  # noqa: PLC0415  takes long to load

    graph: nx.DiGraph[str] = nx.DiGraph()
    for name, amount in demand.items():
        graph.add_node(name, demand=amount)
    for tail, head, least in bounds:
        known = graph.get_edge_data(tail, head, {"weight": -least})["weight"]
        graph.add_edge(tail, head, weight=min(known, -least))
    _, flow = nx.network_simplex(graph)
    exact = [
        (head, tail, graph[tail][head]["weight"]) for tail in flow for head, amount in flow[tail].items() if amount
    ]
    found = _least([_ROOT, *nodes, *(_latest(wait.lane) for wait in waits)], [*bounds, *exact])
    return {node: found[node] for node in nodes}


def _latest(lane: str) -> str:
    return f"the latest read of {lane}"


def _least(names: Sequence[str], bounds: Sequence[tuple[str, str, int]]) -> dict[str, int]:
    """The least values of at least 0 with value(head) - value(tail) >= least for all (tail, head, least)."""
    values = dict.fromkeys([_ROOT, *names], 0)
    changed = True
    while changed:
        changed = False
        for tail, head, least in bounds:
            if values[head] < values[tail] + least:
                values[head] = values[tail] + least
                changed = True
    return values
