"""Tiling: a repetition cut in an outer and an inner one.

Before, with sizes 2,8:

    task scale(a: u8[64, 64]) -> (b: u8[64, 64]) {
      repeat [64, 16] of four {
        x <- a at origin [0, 0]  paving [1, 0; 0, 4]  fitting [0; 1]
        y -> b at origin [0, 0]  paving [1, 0; 0, 4]  fitting [0; 1]
      }
    }

After:

    task scale_block(x: u8[2, 32]) -> (y: u8[2, 32]) {
      repeat [2, 8] of four {
        x <- x at origin [0, 0]  paving [1, 0; 0, 4]  fitting [0; 1]
        y -> y at origin [0, 0]  paving [1, 0; 0, 4]  fitting [0; 1]
      }
    }
    task scale(a: u8[64, 64]) -> (b: u8[64, 64]) {
      repeat [32, 2] of scale_block {
        x <- a at origin [0, 0]  paving [2, 0; 0, 32]  fitting [1, 0; 0, 1]
        y -> b at origin [0, 0]  paving [2, 0; 0, 32]  fitting [1, 0; 0, 1]
      }
    }
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arrayol.ir.spec import Component, RepetitiveTask, Spec
from arrayol.transforms.assemble import Outline, assemble
from arrayol.transforms.block import NOTHING_INSIDE, Vector, even_blocks
from arrayol.transforms.block_delays import block_vectors, find_block_circle, tell_circle
from arrayol.transforms.cut import block_part
from arrayol.transforms.rewrite import (
    CallName,
    Names,
    nearest_sizes,
    own_task,
    refused,
    require_sizes,
    shown,
    with_definitions,
)
from arrayol.transforms.trace import IndexMap, MatrixMap, Trace, Transformed, identity


@dataclass(frozen=True, slots=True)
class Tile:
    """Cut the repetitions of `task` in blocks of `sizes`: r = sizes R + rho.

    The task keeps its name and repeats TASK_block, which repeats what the task did. Delays stay delays inside a block;
    what crosses blocks comes through ports OUTPUT_before and goes through OUTPUT_after. Raises ArrayolError:
    `step-refused` for sizes that do not divide, and for blocks that would wait for each other.
    """

    task: CallName
    sizes: tuple[int, ...]

    def __str__(self) -> str:
        return f"tile {self.task} {shown(self.sizes)}"

    def apply(self, spec: Spec) -> Transformed:
        prepared, task = own_task(spec, self.task)
        require_sizes(self.sizes, task.repetition, "tiling by", task.name, task.span)
        require_order(task, self.sizes)
        made = tiled(prepared, task, self.sizes)
        after = with_definitions(prepared, {task.name: made.components})
        return Transformed(after, tile_trace(spec, self.task, task, made, self.sizes), (), task.name)


@dataclass(frozen=True, slots=True)
class Tiled:
    """The definitions that a tiled task becomes, the task itself last, and the name of the inner repetition."""

    components: tuple[Component, ...]
    inner: str


def tiled(spec: Spec, task: RepetitiveTask, sizes: Sequence[int]) -> Tiled:
    """Cut a task in blocks of sizes that are known to serve."""
    names = Names(spec)
    blocks = even_blocks(task, sizes)
    inner = names.definition(f"{task.name}_block")
    part = block_part(task, spec.components[task.callee], blocks, inner, names, NOTHING_INSIDE)
    outline = Outline(
        task.name, task.inputs, task.outputs, blocks.outer, names.definition(f"{task.name}_body"), task.span
    )
    return Tiled(assemble(outline, [part], spec, names).components, inner)


def require_order(task: RepetitiveTask, sizes: tuple[int, ...]) -> None:
    """Raises ArrayolError (`step-refused`) where blocks of these sizes would wait for each other."""
    blocks = even_blocks(task, sizes)
    circle = _circle(task, sizes)
    if circle is None:
        return
    options = nearest_sizes(sizes, task.repetition, lambda other: _circle(task, other) is None)
    hint = f"the nearest sizes that leave an order: {' or '.join(map(shown, options))}" if options else None
    message = (
        f"blocks of {shown(sizes)} of '{task.name}' would wait for each other: {tell_circle(task, blocks, circle)}"
    )
    raise refused(message, task.span, hint)


def _circle(task: RepetitiveTask, sizes: Sequence[int]) -> list[Vector] | None:
    blocks = even_blocks(task, sizes)
    return find_block_circle(blocks.outer, block_vectors(task, blocks))


def tile_trace(spec: Spec, name: CallName, task: RepetitiveTask, made: Tiled, sizes: Sequence[int]) -> Trace:
    """Repetition r went to block floor(r / sizes), place r mod sizes; beside a copy for one call the task stays."""
    before = identity(spec)
    rank = len(sizes)
    outer = made.components[-1]
    assert isinstance(outer, RepetitiveTask)
    matrix = tuple(
        tuple(size if row == column else 0 for column in range(rank))
        + tuple(int(row == column) for column in range(rank))
        for row, size in enumerate(sizes)
    )
    joined = MatrixMap((0,) * rank, matrix, (1,) * rank, (None,) * rank)
    extents = (*outer.repetition, *sizes)
    went = IndexMap((task.name, made.inner), extents, (joined,))
    kept = before.tasks[name.task] if task.name != name.task else ()
    return Trace({**before.tasks, name.task: (*kept, went)}, before.arrays)
