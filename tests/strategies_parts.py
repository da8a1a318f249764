"""Compound tasks between parts of arrays, with the same computation by NumPy's slices.

Arrays are cut by halves and by strides, and each piece is written by a call of its own, which reads a part of the same
shape of an input or of an array that is whole by then. Some parts drop dimensions, some wrap at ends of the array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]
Box = tuple[tuple[int, int, int], ...]  # by axis: the first index, the step, how many
Shape = tuple[int, ...]


@dataclass(frozen=True)
class PartSpec:
    """A specification whose top task is `top`, its inputs by name, and what it computes."""

    text: str
    inputs: dict[str, Shape]
    compute: Callable[[Arrays], Arrays]

    def data(self, seed: int = 0) -> Arrays:
        """Random inputs."""
        random = np.random.default_rng(seed)
        return {name: random.integers(0, 256, shape, dtype=np.uint8) for name, shape in self.inputs.items()}


ELEMENTARIES = """
elementary add(x: u8, w: u8) -> (y: u8) {
  y = 3 * x + w
}

elementary pair(x: u8[2], w: u8) -> (y: u8) {
  y = x[0] + 7 * x[1] - w
}
"""


def _entries(rows: Sequence[Sequence[int]]) -> str:
    return f"[{'; '.join(', '.join(map(str, row)) for row in rows)}]"


def _task(name: str, shape: Shape, *, wraps: int | None) -> str:
    """A task of arrays of that shape; with `wraps` each instance also reads its neighbour along that axis."""
    rank = len(shape)
    extents = f"[{', '.join(map(str, shape))}]" if shape else ""
    ports = f"task {name}(x: u8{extents}, w: u8{extents}) -> (y: u8{extents})"
    one = [[int(row == column) for column in range(rank)] for row in range(rank)]
    plain = f"at origin {list(one and [0] * rank)} paving {_entries(one)} fitting []" if rank else ""
    tiler = plain
    callee = "add"
    if wraps is not None:
        callee = "pair"
        fitting = _entries([[int(row == wraps)] for row in range(rank)])
        tiler = f"at origin {[0] * rank} paving {_entries(one)} fitting {fitting} wrap"
    space = f"[{', '.join(map(str, shape))}]" if rank else "[1]"
    if not rank:
        return f"\n{ports} {{\n  y = add(x, w)\n}}\n"
    return f"""
{ports} {{
  repeat {space} of {callee} {{
    x <- x {tiler}
    w <- w {plain}
    y -> y {plain}
  }}
}}
"""


def _apply(x: NDArray[Any], w: NDArray[Any], wraps: int | None) -> NDArray[Any]:
    x, w = x.astype(np.int64), w.astype(np.int64)
    if wraps is None:
        return (3 * x + w).astype(np.uint8)
    return (x + 7 * np.roll(x, -1, wraps) - w).astype(np.uint8)


def _slices(box: Box, dropped: Sequence[bool]) -> tuple[slice | int, ...]:
    return tuple(
        first if drop else slice(first, first + step * (count - 1) + 1, step)
        for (first, step, count), drop in zip(box, dropped, strict=True)
    )


def _written(name: str, box: Box, dropped: Sequence[bool], shape: Shape) -> str:
    texts = []
    for (first, step, count), drop, extent in zip(box, dropped, shape, strict=True):
        high = min(first + step * count, extent)
        if drop:
            texts.append(str(first))
        elif (first, step, count) == (0, 1, extent):
            texts.append("..")
        else:
            texts.append(f"{first}..{high}" + (f" : {step}" if step > 1 else ""))
    return f"{name}[{', '.join(texts)}]" if texts else name


@st.composite
def _cut(draw: st.DrawFn, shape: Shape, most: int) -> list[Box]:
    """An array in pieces that make each element once."""
    boxes: list[Box] = [tuple((0, 1, extent) for extent in shape)]
    for _ in range(draw(st.integers(1, most))):
        place = draw(st.integers(0, len(boxes) - 1))
        axes = [axis for axis, (_, _, count) in enumerate(boxes[place]) if count > 1]
        if not axes:
            continue
        box, axis = boxes.pop(place), draw(st.sampled_from(axes))
        first, step, count = box[axis]
        if draw(st.booleans()):
            ends = [(first, 2 * step, -(-count // 2)), (first + step, 2 * step, count // 2)]
        else:
            at = draw(st.integers(1, count - 1))
            ends = [(first, step, at), (first + step * at, step, count - at)]
        boxes += [(*box[:axis], end, *box[axis + 1 :]) for end in ends]
    return boxes


@st.composite
def _part_of_shape(draw: st.DrawFn, whole: Shape, wanted: Shape) -> tuple[Box, tuple[bool, ...]] | None:
    """A part of an array of that shape, some dimensions dropped; None where there is none."""
    spare = len(whole) - len(wanted)
    if spare < 0:
        return None
    dropped = draw(st.permutations([True] * spare + [False] * len(wanted)))
    rest = iter(wanted)
    box = []
    for extent, drop in zip(whole, dropped, strict=True):
        count = 1 if drop else next(rest)
        if count > extent:
            return None
        step = draw(st.integers(1, (extent - 1) // (count - 1))) if count > 1 else 1
        first = draw(st.integers(0, extent - 1 - step * (count - 1)))
        box.append((first, step, count))
    return tuple(box), tuple(dropped)


@st.composite
def part_specs(draw: st.DrawFn, *, wraps: bool = True, most: int = 3) -> PartSpec:
    """A compound task whose arrays are written and read in parts; `wraps`: some tilers wrap, at whole axes only."""
    shapes = st.lists(st.sampled_from([2, 4, 3, 6]), min_size=1, max_size=3).map(tuple)
    inputs = {"a": draw(shapes), "b": (6, 6)}
    known: dict[str, Shape] = dict(inputs)
    tasks: dict[tuple[Shape, int | None], str] = {}
    lines: list[str] = []
    steps: list[tuple[Any, ...]] = []
    for name in ("t", "y", "z")[-draw(st.integers(1, 3)) :]:
        shape = draw(shapes)
        for box in draw(_cut(shape, most)):
            dropped = [count == 1 and draw(st.booleans()) for _, _, count in box]
            wanted = tuple(count for (_, _, count), drop in zip(box, dropped, strict=True) if not drop)
            reads = [_fallback(draw, known, wanted) for _ in range(2)]
            free = [axis for axis in range(len(wanted)) if reads[0] and _is_whole(reads[0], axis, known)]
            around = draw(st.sampled_from(free)) if wraps and free and draw(st.booleans()) else None
            if any(read is None for read in reads):
                reads, around = [None, None], None
            task = tasks.setdefault((wanted, around), f"task_{len(tasks)}")
            arguments = []
            for place, read in enumerate(reads):
                if read is None:  # an input of its own
                    own = f"i{len(inputs)}"
                    inputs[own] = wanted
                    reads[place] = (own, tuple((0, 1, extent) for extent in wanted), (False,) * len(wanted))
                    arguments.append(own)
                else:
                    arguments.append(_written(*read, known[read[0]]))
            lines.append(f"  {_written(name, box, dropped, shape)} = {task}({', '.join(arguments)})")
            steps.append((name, _slices(box, dropped), reads, around))
        known[name] = shape
    return _assembled(known, inputs, tasks, lines, steps)


Read = tuple[str, Box, tuple[bool, ...]]


def _fallback(draw: st.DrawFn, known: dict[str, Shape], wanted: Shape) -> Read | None:
    """A part of that shape of an array that is known, if the draw finds one."""
    name = draw(st.sampled_from(list(known)[::-1]))
    found = draw(_part_of_shape(known[name], wanted))
    return None if found is None else (name, *found)


def _is_whole(read: Read, axis: int, known: dict[str, Shape]) -> bool:
    """Whether a dimension that the part keeps is all of the array's."""
    name, box, dropped = read
    kept = [place for place, drop in enumerate(dropped) if not drop]
    return box[kept[axis]] == (0, 1, known[name][kept[axis]])


def _assembled(
    known: dict[str, Shape],
    inputs: dict[str, Shape],
    tasks: dict[tuple[Shape, int | None], str],
    lines: list[str],
    steps: list[tuple[Any, ...]],
) -> PartSpec:
    def port(name: str, shape: Shape) -> str:
        return f"{name}: u8[{', '.join(map(str, shape))}]" if shape else f"{name}: u8"

    made = [name for name in known if name not in inputs]
    read = {name for step in steps for name, *_ in step[2]}
    outputs = [name for name in made if name != "t"]
    between = [f"  {port('t', known['t'])}"] if "t" in made else []
    text = ELEMENTARIES + "".join(_task(name, shape, wraps=around) for (shape, around), name in tasks.items())
    given = {name: shape for name, shape in inputs.items() if name in read}
    signature = ", ".join(port(name, shape) for name, shape in given.items())
    results = ", ".join(port(name, known[name]) for name in outputs)
    text += f"\ntask top({signature}) -> ({results}) {{\n" + "\n".join([*between, *reversed(lines)]) + "\n}\n"

    def compute(data: Arrays) -> Arrays:
        arrays = dict(data)
        arrays |= {name: np.zeros(known[name], np.uint8) for name in made}
        for name, place, reads, around in steps:
            x, w = (arrays[source][_slices(box, dropped)] for source, box, dropped in reads)
            arrays[name][place] = _apply(x, w, around)
        return {name: arrays[name] for name in outputs}

    return PartSpec(text, given, compute)
