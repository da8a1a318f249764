"""Specifications of graphs that are hard to search: chains, forks, lanes, a camera of 20 tasks, a small network.

    python benchmarks/graphs.py fork32 > fork32.aol

Every task is a 3 x 3 filter of u8 (a branch that joins others adds them), so that only the graph decides. Besides,
stereo matching in three tasks and a matrix product, which are hard to price (`stereo3`, `gemm`).
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

Links = Sequence[Sequence[int]]  # of each task the tasks that it reads; none: the input
FRAME = (1080, 1920)


@dataclass(frozen=True)
class Graph:
    """Tasks in an order in which they can run, by what each reads; a frame of so many rows and columns."""

    reads: Links
    frame: tuple[int, int] = FRAME
    depth: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        depth: list[int] = []
        for read in self.reads:
            depth.append(1 + max((depth[task] for task in read), default=0))
        object.__setattr__(self, "depth", tuple(depth))

    def text(self, name: str) -> str:
        """The specification; what a task makes is two rows and columns smaller than what it reads, margins cut off."""
        read_by_others = {task for read in self.reads for task in read}
        (last,) = [task for task in range(len(self.reads)) if task not in read_by_others]
        high, wide = self.frame
        inputs = sorted({max(1, len(read)) for read in self.reads})
        parts = [*(_elementary(count) for count in inputs)]
        parts += [self._task(number) for number in range(len(self.reads))]
        calls = [f"  a{number} = stage{number}({self._operands(number)})" for number in range(len(self.reads))]
        calls[last] = calls[last].replace(f"a{last} =", "y =")
        shapes = self._size(0), self._size(self.depth[last])
        head = f"task {name}(x: u8[{shapes[0]}]) -> (y: u8[{shapes[1]}]) {{"
        border = 2 * max(self.depth)
        return "\n".join([f"const H = {high + border}", f"const W = {wide + border}", *parts, head, *calls, "}", ""])

    def _size(self, depth: int) -> str:
        return f"H - {2 * depth}, W - {2 * depth}"

    def _operands(self, number: int) -> str:
        return ", ".join(f"a{task}" for task in self.reads[number]) or "x"

    def _task(self, number: int) -> str:
        read, own = self.reads[number], self.depth[number]
        depths = [self.depth[task] for task in read] or [0]
        inputs = ", ".join(f"i{place}: u8[{self._size(depth)}]" for place, depth in enumerate(depths))
        tiler = "paving [1, 0; 0, 1]  fitting [1, 0; 0, 1]"
        margins = [own - 1 - depth for depth in depths]
        flows = "\n".join(f"    x{k} <- i{k} at origin [{edge}, {edge}]  {tiler}" for k, edge in enumerate(margins))
        size = self._size(own)
        return (
            f"task stage{number}({inputs}) -> (o: u8[{size}]) {{\n"
            f"  repeat [{size}] of filter{len(depths)} {{\n{flows}\n    y -> o\n  }}\n}}"
        )


def _elementary(inputs: int) -> str:
    ports = ", ".join(f"x{place}: u8[3, 3]" for place in range(inputs))
    sums = "\n".join(f"  sum += u16(x{place}[i, j])  for i in 0..3, j in 0..3" for place in range(inputs))
    mean = f"  y = u8(sum >> {3 + inputs.bit_length()})"
    return f"elementary filter{inputs}({ports}) -> (y: u8) {{\n  sum: u16 = 0\n{sums}\n{mean}\n}}"


def chain(tasks: int) -> Graph:
    """One after the other."""
    return Graph([[task - 1] if task else [] for task in range(tasks)])


def fork(branches: int) -> Graph:
    """One task, so many that read it, and one that reads them all."""
    return Graph([[], *[[0]] * branches, list(range(1, branches + 1))])


def lanes(number: int, length: int) -> Graph:
    """The same with chains for branches."""
    reads: list[list[int]] = [[]]
    ends = []
    for _ in range(number):
        start = 0
        for _ in range(length):
            reads.append([start])
            start = len(reads) - 1
        ends.append(start)
    return Graph([*reads, ends])


def camera(tasks: int = 20) -> Graph:
    """A chain, three lanes of colours, a join, and a chain."""
    lane = (tasks - 5) // 4
    head = tasks - 2 - 3 * lane
    reads: list[list[int]] = [[task - 1] if task else [] for task in range(head)]
    ends = []
    for _ in range(3):
        start = head - 1
        for _ in range(lane):
            reads.append([start])
            start = len(reads) - 1
        ends.append(start)
    return Graph([*reads, ends, [len(reads)]])


def network(tasks: int = 20) -> Graph:
    """Blocks of two filters with a short cut, as in a residual network, of a frame of 224 x 224."""
    reads: list[list[int]] = [[]]
    while len(reads) + 3 <= tasks:
        start = len(reads) - 1
        reads += [[start], [start + 1], [start, start + 2]]
    while len(reads) < tasks:
        reads.append([len(reads) - 1])
    return Graph(reads, (224, 224))


GRAPHS: Mapping[str, Callable[[], Graph]] = {
    "chain4": lambda: chain(4),
    "chain16": lambda: chain(16),
    "chain100": lambda: chain(100),
    "fork8": lambda: fork(8),
    "fork16": lambda: fork(16),
    "fork32": lambda: fork(32),
    "lanes8": lambda: lanes(8, 2),
    "camera20": camera,
    "cnn20": network,
}

STEREO = """
const H = {rows}
const W = {columns}
const D = {shifts}
elementary differ(left: u8, right: u8) -> (diff: u8) {{ diff = u8(abs(i16(left) - right)) }}
elementary add(diff: u8[5, 5]) -> (cost: u16) {{
  cost = 0
  cost += u16(diff[i, j])  for i in 0..5, j in 0..5
}}
elementary choose(cost: u16[D]) -> (shift: u8) {{
  least: u32 = 4294967295
  loop d in 0..D {{
    shift = u8(d)  where u32(cost[d]) < least
    least = min(least, u32(cost[d]))
  }}
}}
task differences(left: u8[H, W], right: u8[H, W]) -> (diff: u8[D, H, W]) {{
  repeat [D, H, W] of differ {{
    left  <- left  at origin [0, 0]  paving [0, 1, 0; 0, 0, 1]   fitting []
    right <- right at origin [0, 0]  paving [0, 1, 0; -1, 0, 1]  fitting [] else nearest
    diff -> diff
  }}
}}
task costs(diff: u8[D, H, W]) -> (cost: u16[D, H - 4, W - 4]) {{
  repeat [D, H - 4, W - 4] of add {{
    diff <- diff at origin [0, 0, 0]  paving [1, 0, 0; 0, 1, 0; 0, 0, 1]  fitting [0, 0; 1, 0; 0, 1]
    cost -> cost
  }}
}}
task winner(cost: u16[D, H - 4, W - 4]) -> (shift: u8[H - 4, W - 4]) {{
  repeat [H - 4, W - 4] of choose {{
    cost <- cost at origin [0, 0, 0]  paving [0, 0; 1, 0; 0, 1]  fitting [1; 0; 0]
    shift -> shift
  }}
}}
task stereo3(left: u8[H, W], right: u8[H, W]) -> (shift: u8[H - 4, W - 4]) {{
  diff  = differences(left, right)
  cost  = costs(diff)
  shift = winner(cost)
}}
"""
GEMM = """
elementary mac(a: i16, b: i16, before: i32) -> (c: i32) {{ c = before + i32(a) * b }}
task gemm(a: i16[{rows}, {inner}], b: i16[{inner}, {columns}]) -> (c: i32[{rows}, {columns}]) {{
  repeat [{rows}, {columns}, {inner}] of mac {{
    a      <- a at origin [0, 0]  paving [1, 0, 0; 0, 0, 1]  fitting []
    b      <- b at origin [0, 0]  paving [0, 0, 1; 0, 1, 0]  fitting []
    before <- c delay [0, 0, 1] else 0
    c delay [0, 0, 1] -> c
  }}
}}
"""


def stereo(rows: int = 120, columns: int = 160, shifts: int = 16) -> str:
    """Stereo matching in three tasks: a shift and a column of the left picture move along the columns of the right."""
    return STEREO.format(rows=rows, columns=columns, shifts=shifts)


def gemm(rows: int = 64, columns: int = 64, inner: int = 256) -> str:
    """A matrix product whose sums are accumulated by a delay."""
    return GEMM.format(rows=rows, columns=columns, inner=inner)


TEXTS: Mapping[str, Callable[[], str]] = {"stereo3": stereo, "gemm": gemm}


def text_of(name: str) -> str | None:
    """The text of a specification by its name here; None where it is none of these."""
    return TEXTS[name]() if name in TEXTS else GRAPHS[name]().text(name) if name in GRAPHS else None


def environment() -> str:
    """The machine and the versions that the numbers belong to."""
    packages = " ".join(f"{name} {version(name)}" for name in ("arrayol", "numpy"))
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return f"{packages}, Python {platform.python_version()}, {machine}; seconds of processor time"


if __name__ == "__main__":
    (name,) = sys.argv[1:] or ["chain4"]
    found = text_of(name)
    if found is None:
        sys.exit(f"no graph '{name}': there are {', '.join([*GRAPHS, *TEXTS])}")
    sys.stdout.write(found)
