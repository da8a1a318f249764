"""Whether blocks can run one after another: delays between blocks must leave an order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arrayol.ir.spec import RepetitiveTask, Shape
from arrayol.polyhedral.delays import find_circle
from arrayol.transforms.block import Vector
from arrayol.transforms.blocks import Blocks, added, times
from arrayol.transforms.states import Crossing, crossings_of


def find_block_circle(space: Shape, vectors: Sequence[Vector]) -> list[Vector] | None:
    """Steps between blocks that together lead back to where they began, or None where an order exists."""
    distinct = list(dict.fromkeys(vectors))
    times_each = find_circle(distinct, space)
    if times_each is None:
        return None
    return [vector for vector, count in zip(distinct, times_each, strict=True) if count]


def tell_circle(task: RepetitiveTask, blocks: Blocks, circle: Sequence[Vector], *, named: bool = False) -> str:
    """For each step of a circle a repetition and the earlier one that it needs, in which blocks."""
    told = [_needs(task, blocks, step, f" of '{task.name}'" if named else "") for step in circle]
    return "; ".join(one for one in told if one)


def block_vectors(task: RepetitiveTask, blocks: Blocks) -> list[Vector]:
    """The steps between blocks that a task's delays take."""
    return [crossing.vector for _, crossing in _crossings(task, blocks) if crossing.vector is not None]


def _crossings(task: RepetitiveTask, blocks: Blocks) -> Iterator[tuple[Vector, Crossing]]:
    for delay in task.delays:
        found = crossings_of(delay, blocks)
        if isinstance(found, list):
            yield from ((delay.vector, crossing) for crossing in found)


def _needs(task: RepetitiveTask, blocks: Blocks, step: Vector, owner: str) -> str | None:
    for delay, crossing in _crossings(task, blocks):
        if crossing.vector == step:
            block = tuple(max(0, entry) for entry in step)
            place = added(blocks.origin, times(blocks.paving, block), crossing.box.low)
            before = tuple(entry - back for entry, back in zip(place, delay, strict=True))
            source = tuple(entry - back for entry, back in zip(block, step, strict=True))
            return (
                f"repetition {list(place)}{owner} in block {list(block)} needs {list(before)} in block {list(source)}"
            )
    return None
