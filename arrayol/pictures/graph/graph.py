"""The boxes of a task graph with their texts and sizes, cut in rows that fit the width of a page; nothing drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from math import ceil

from arrayol.ir.network import Flow, Network, NetworkArray, Process
from arrayol.ir.spec import Delay, TiledDefault
from arrayol.language.constants import constant_text
from arrayol.pictures.graph.graph_layout import GAP, Edge, GraphPositions, Node, place
from arrayol.pictures.text import rate_text, repetition_text, typed

NAME, TEXT, SMALL = 9.0, 7.5, 7.0  # points
PAD, LOOP = 0.09, 0.21  # inches: around the text of a box, and what each delay's loop takes below it
LEAST_ARRAY_WIDTH = 0.8

Measure = Callable[[str, float, bool], float]  # text, points, bold -> inches


class Role(Enum):
    """What an array is to the network."""

    INPUT = "input"
    OUTPUT = "output"
    INNER = ""
    CONST = "const array"


@dataclass(frozen=True)
class Socket:
    """A link at the side of a process: the array at its other end, and its line of text."""

    array: str
    text: str
    dashed: bool = False  # read only where a delay starts


@dataclass(frozen=True)
class DelayLoop:
    """A delay; a faint one never acts."""

    text: str
    acts: bool


@dataclass(frozen=True)
class ProcessBox:
    """Name, what is repeated, links on both sides, what is wrong with it, and delays below."""

    process: Process
    heading: str
    reads: tuple[Socket, ...]
    writes: tuple[Socket, ...]
    faults: tuple[str, ...]
    loops: tuple[DelayLoop, ...]
    width: float
    line: float  # the height of a line of text

    @property
    def top(self) -> float:
        """The height of the name and what is repeated."""
        return 2 * PAD + 2.3 * self.line

    @property
    def body(self) -> float:
        """The height of the box itself."""
        lines = max(len(self.reads), len(self.writes), 1) + len(self.faults)
        return self.top + lines * self.line + PAD

    @property
    def height(self) -> float:
        """The height with the loops below."""
        return self.body + LOOP * len(self.loops) + (0.05 if self.loops else 0.0)

    def socket_at(self, place: int) -> float:
        """How far below the top the place-th link lies."""
        return self.top + (place + 0.5) * self.line


@dataclass(frozen=True)
class ArrayBox:
    """Name, element type and shape."""

    array: NetworkArray
    role: Role
    lines: tuple[str, str]
    width: float
    line: float

    @property
    def height(self) -> float:
        return 2 * PAD * 0.7 + self.line * (3 if self.role.value else 2)

    @property
    def middle(self) -> float:
        return self.height / 2


def process_box(process: Process, faults: Sequence[str], measure: Measure, line: float) -> ProcessBox:
    """The box of a process; `line` is the height of a line of its text."""
    reads = [Socket(flow.array, "  ".join(part for part in _parts(process, flow) if part)) for flow in process.inputs]
    reads += [
        Socket(delay.default.array, f"{delay.port}  first", dashed=True)
        for delay in process.delays
        if isinstance(delay.default, TiledDefault)
    ]
    writes = [
        Socket(flow.array, f"{typed(flow.port.type, flow.port.shape)}  {flow.port.name}") for flow in process.outputs
    ]
    loops = tuple(DelayLoop(_loop_text(delay), delay.acts) for delay in process.delays)
    left, right = (max((measure(socket.text, TEXT, False) for socket in side), default=0.0) for side in (reads, writes))
    heading = repetition_text(process)
    inside = max(
        measure(process.name, NAME, True),
        measure(heading, TEXT, False),
        left + right + (0.22 if left and right else 0.0),
        *(measure(text, TEXT, True) for text in faults),
        *(measure(loop.text, SMALL, False) + 0.3 + 0.16 * place for place, loop in enumerate(reversed(loops))),
    )
    return ProcessBox(process, heading, tuple(reads), tuple(writes), tuple(faults), loops, inside + 2 * PAD, line)


def array_box(array: NetworkArray, network: Network, measure: Measure, line: float) -> ArrayBox:
    """The box of an array; an input that is also an output counts as an input."""
    role = Role.INNER if not array.is_output else Role.OUTPUT
    role = Role.INPUT if array.name in network.inputs else role
    role = Role.CONST if array.rom_bits is not None else role
    lines = (array.name, typed(array.type, array.shape))
    width = max(measure(lines[0], NAME, True), measure(lines[1], TEXT, False)) + 2 * PAD
    return ArrayBox(array, role, lines, max(width, LEAST_ARRAY_WIDTH), line)


def _parts(process: Process, flow: Flow) -> tuple[str, str, str]:
    return flow.port.name, typed(flow.port.type, flow.port.shape), rate_text(process, flow)


def _loop_text(delay: Delay) -> str:
    """`last -> prev  [0, 1]  else 0`."""
    text = f"{delay.output} \N{RIGHTWARDS ARROW} {delay.port}  {list(delay.vector)}"
    if not isinstance(delay.default, TiledDefault):
        text += f"  else {constant_text(delay.default)}"
    return text if delay.acts else f"{text}, never acts"


# Rows of whole levels of processes, each laid out from left to right.

PAGE = 12.0  # inches


@dataclass(frozen=True)
class Row:
    """Boxes and lines of one row; `continued` are the arrays that stand in a former row already."""

    processes: tuple[str, ...]
    arrays: tuple[str, ...]
    continued: frozenset[str]
    placed: GraphPositions
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
        touched = {
            array for name in level_of for array in processes[name].process.reads | processes[name].process.writes
        }
        if not rows:  # arrays that nothing reads or writes stand there too
            touched |= {array.name for array in network.arrays.values() if not array.producers and not array.readers}
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
        (producer, reader)
        for array in network.arrays.values()
        for producer in array.producers
        for reader in array.readers
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
        made = [level_of[producer] for producer in array.producers if producer in level_of]
        if made:
            layer = 2 * max(made) + 2
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
