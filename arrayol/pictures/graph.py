"""What stands in the boxes of a task graph, and how large they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from arrayol.ir.network import Array, Network, Process
from arrayol.ir.spec import TiledDefault
from arrayol.pictures.text import constant_text, rate_text, repetition_text, typed, vector_text

NAME, TEXT, SMALL = 9.0, 7.5, 7.0  # points
PAD, LOOP = 0.09, 0.21  # inches: around the text of a box, and what each delay's loop takes below it
LEAST_ARRAY_WIDTH = 0.8

Measure = Callable[[str, float, bool], float]  # text, points, bold -> inches


class Role(Enum):
    """What an array is to the network."""

    INPUT = "input"
    OUTPUT = "output"
    INNER = ""


@dataclass(frozen=True)
class Socket:
    """A link at the side of a process: the array at its other end, and its line of text."""

    array: str
    text: str
    dashed: bool = False  # read only where a delay starts


@dataclass(frozen=True)
class Loop:
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
    loops: tuple[Loop, ...]
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

    array: Array
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
    reads = [
        Socket(flow.array, _joined(flow.port.name, typed(flow.port.type, flow.port.shape), rate_text(process, flow)))
        for flow in process.inputs
    ]
    reads += [
        Socket(delay.default.array, f"{delay.port}  first", dashed=True)
        for delay in process.delays
        if isinstance(delay.default, TiledDefault)
    ]
    writes = [
        Socket(flow.array, f"{typed(flow.port.type, flow.port.shape)}  {flow.port.name}") for flow in process.outputs
    ]
    loops = tuple(Loop(_loop_text(process, place), delay.acts) for place, delay in enumerate(process.delays))
    left, right = (max((measure(one.text, TEXT, False) for one in side), default=0.0) for side in (reads, writes))
    heading = repetition_text(process)
    inside = max(
        measure(process.name, NAME, True),
        measure(heading, TEXT, False),
        left + right + (0.22 if left and right else 0.0),
        *(measure(text, TEXT, True) for text in faults),
        *(measure(loop.text, SMALL, False) + 0.3 + 0.16 * place for place, loop in enumerate(reversed(loops))),
    )
    return ProcessBox(process, heading, tuple(reads), tuple(writes), tuple(faults), loops, inside + 2 * PAD, line)


def array_box(array: Array, network: Network, measure: Measure, line: float) -> ArrayBox:
    """The box of an array; an input that is also an output counts as an input."""
    role = Role.INNER if not array.is_output else Role.OUTPUT
    role = Role.INPUT if array.name in network.inputs else role
    lines = (array.name, typed(array.type, array.shape))
    width = max(measure(lines[0], NAME, True), measure(lines[1], TEXT, False)) + 2 * PAD
    return ArrayBox(array, role, lines, max(width, LEAST_ARRAY_WIDTH), line)


def _joined(port: str, pattern: str, rate: str) -> str:
    return "  ".join(part for part in (port, pattern, rate) if part)


def _loop_text(process: Process, place: int) -> str:
    """`last -> prev  [0, 1]  else 0`."""
    delay = process.delays[place]
    text = f"{delay.output} \N{RIGHTWARDS ARROW} {delay.port}  {vector_text(delay.vector)}"
    if not isinstance(delay.default, TiledDefault):
        text += f"  else {constant_text(delay.default)}"
    return text if delay.acts else f"{text}, never acts"
