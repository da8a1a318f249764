"""The task graph as sets of bits: task i, in dataflow order, is bit i."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Any

from arrayol.ir.network import Network

if TYPE_CHECKING:
    import networkx as nx

Mask = int


@dataclass(frozen=True)
class TaskGraph:
    """Tasks in dataflow order and, for each, the tasks that read (successors) and write (predecessors) its arrays.

    `descendants` is the transitive closure of `successors`. Tasks that only read the same array are not linked.
    """

    names: tuple[str, ...]
    successors: tuple[Mask, ...]
    predecessors: tuple[Mask, ...]
    descendants: tuple[Mask, ...]

    def __len__(self) -> int:
        return len(self.names)

    @property
    def all(self) -> Mask:
        """Every task."""
        return (1 << len(self.names)) - 1

    def neighbours(self, tasks: Mask) -> Mask:
        """Tasks linked, either way, to one of `tasks`; some of `tasks` may be among them."""
        linked = 0
        for task in bits(tasks):
            linked |= self.successors[task] | self.predecessors[task]
        return linked

    def component(self, start: Mask, within: Mask) -> Mask:
        """What links inside `within` connect to `start`, itself included."""
        reached = fresh = start
        while fresh:
            fresh = self.neighbours(fresh) & within & ~reached
            reached |= fresh
        return reached

    def components(self, tasks: Mask) -> Iterator[Mask]:
        """The connected parts of `tasks`, by their first task."""
        while tasks:
            part = self.component(tasks & -tasks, tasks)
            yield part
            tasks &= ~part

    def induced(self, tasks: Mask) -> TaskGraph:
        """The graph of these tasks alone."""
        kept = list(bits(tasks))
        links = {(i, j) for i, old in enumerate(kept) for j, new in enumerate(kept) if self.successors[old] >> new & 1}
        return from_links(tuple(self.names[task] for task in kept), links)

    def largest_matching(self) -> int:
        """The most links that share no task."""
        if self._is_chain:
            return len(self) // 2
        import networkx as nx  # noqa: PLC0415  takes long to load

        return len(nx.max_weight_matching(self._links(), maxcardinality=True))

    def blocks(self) -> Iterator[Mask]:
        """The biconnected blocks that hold a link, each with its tasks; a bridge is a block of two."""
        if self._is_chain:  # each link is a bridge
            yield from (1 << task | after for task, after in enumerate(self.successors) if after)
            return
        import networkx as nx  # noqa: PLC0415

        blocks: Iterable[Iterable[Any]] = nx.biconnected_components(self._links())
        for block in blocks:
            yield sum(1 << task for task in block)

    @property
    def _is_chain(self) -> bool:
        return all(after == 2 << task for task, after in enumerate(self.successors[:-1]))

    def _links(self) -> nx.Graph[int]:
        """The links without their directions, between task numbers."""
        import networkx as nx  # noqa: PLC0415

        graph: nx.Graph[int] = nx.Graph()
        graph.add_nodes_from(range(len(self)))
        graph.add_edges_from((task, reader) for task in range(len(self)) for reader in bits(self.successors[task]))
        return graph


def bits(mask: Mask) -> list[int]:
    """The numbers of the tasks in a mask, ascending."""
    found = []
    while mask:
        found.append((mask & -mask).bit_length() - 1)
        mask &= mask - 1
    return found


def task_graph(network: Network) -> TaskGraph:
    """The graph of a network's processes: one is linked to another when it writes an array that the other reads."""
    processes = tuple(network.processes.values())
    links = {(i, j) for i, j in permutations(range(len(processes)), 2) if processes[i].writes & processes[j].reads}
    return from_links(tuple(network.processes), links)


def from_links(names: tuple[str, ...], links: Set[tuple[int, int]]) -> TaskGraph:
    """A graph of tasks in dataflow order, linked from writer to reader by number: every link goes forwards."""
    tasks = range(len(names))
    successors = tuple(sum(1 << reader for reader in tasks if (task, reader) in links) for task in tasks)
    predecessors = tuple(sum(1 << writer for writer in tasks if (writer, task) in links) for task in tasks)
    descendants = list(successors)
    for task in reversed(tasks):
        for reader in bits(successors[task]):
            descendants[task] |= descendants[reader]
    return TaskGraph(names, successors, predecessors, tuple(descendants))
