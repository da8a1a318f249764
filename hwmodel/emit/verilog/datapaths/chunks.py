"""In which cycles the elements of a port come into a datapath and leave it, at an interval of I cycles.

As hwmodel/datapath/figures.py says: an input of p elements comes in chunks of ceil(p / I), in consecutive cycles.
An output of k elements leaves evenly, at most ceil(k / I) elements a cycle, those from floor(t k / I) to before
floor((t + 1) k / I) in cycle latency + t.

Where I divides k this is one chunk of k / I elements a cycle. Else it is not: the only element of a port leaves in the
last cycle of the interval, latency + I - 1, and of 5 elements at I = 2 first two leave, then three.
"""

from __future__ import annotations

from itertools import pairwise

from hwmodel.datapath.derive import Derived
from hwmodel.datapath.graph.graph import Graph
from hwmodel.datapath.operators.nets import identifier


def elements_of(graph: Graph, port: str) -> int:
    """How many elements a port has; a complex one is one element."""
    places = graph.inputs[port] if port in graph.inputs else graph.outputs[port]
    return len(places) // graph.parts(port)


def chunk_size(elements: int, interval: int) -> int:
    """How many elements of a port are on its bus at once."""
    return -(-elements // interval)


def leaving(elements: int, interval: int) -> tuple[range, ...]:
    """For each of the `interval` cycles from the latency on: the elements of an output that leave in it."""
    ends = [cycle * elements // interval for cycle in range(interval + 1)]
    return tuple(range(first, end) for first, end in pairwise(ends))


def output_cycle(derived: Derived, port: str, element: int) -> int:
    """The cycle of the schedule in which an element of an output is on its bus."""
    elements = elements_of(derived.priced.dataflow.graph, port)
    return derived.latency - -(element + 1) * derived.interval // elements - 1


def has_bus(graph: Graph, port: str) -> bool:
    """Whether an input comes in chunks: whether it has an element that is read whatever the data are."""
    return any(node >= 0 for node in graph.inputs[port])


def slot_bits(interval: int) -> int:
    """The bits of `slot`; none at an interval of 1."""
    return (interval - 1).bit_length()


def early_bus(port: str) -> str:
    """The second bus of an output, for what is taken before it leaves on the first."""
    return f"{identifier(port)}$early"


def bus_bits(graph: Graph, port: str, interval: int) -> int:
    """The bits of a port's bus."""
    return chunk_size(elements_of(graph, port), interval) * graph.types[port].bits
