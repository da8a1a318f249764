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

from arrayol.ir.spec import RepetitiveTask, Spec
from arrayol.transforms.assemble import Outline, assemble
from arrayol.transforms.blocks.block import NOTHING_INSIDE, Blocks, Vector, diagonal, even_blocks
from arrayol.transforms.blocks.cut import block_part
from arrayol.transforms.blocks.delays import block_vectors, find_block_circle, tell_circle
from arrayol.transforms.rewrite import (
    CallName,
    FreeNames,
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
        _require_order(task, self.sizes)
        names, blocks = FreeNames(prepared), even_blocks(task, self.sizes)
        inner = names.definition(f"{task.name}_block")
        part = block_part(task, prepared.components[task.callee], blocks, inner, names, NOTHING_INSIDE)
        body = names.definition(f"{task.name}_body")
        outline = Outline(task.name, task.inputs, task.outputs, blocks.outer, body, task.span)
        definitions = assemble(outline, [part], prepared, names).components
        after = with_definitions(prepared, {task.name: definitions})
        return Transformed(after, self._trace(spec, task, inner, blocks), (), task.name)

    def _trace(self, spec: Spec, task: RepetitiveTask, inner: str, blocks: Blocks) -> Trace:
        """Repetition r went to block floor(r / sizes), place r mod sizes; beside a copy for one call the task stays."""
        before = identity(spec)
        rank = len(self.sizes)
        rows = zip(blocks.paving, diagonal(blocks.stride), strict=True)
        joined = MatrixMap((0,) * rank, tuple((*row, *step) for row, step in rows), (1,) * rank, (None,) * rank)
        went = IndexMap((task.name, inner), (*blocks.outer, *self.sizes), (joined,))
        kept = before.tasks[self.task.task] if task.name != self.task.task else ()
        return Trace({**before.tasks, self.task.task: (*kept, went)}, before.arrays)


def _require_order(task: RepetitiveTask, sizes: tuple[int, ...]) -> None:
    """Raises ArrayolError (`step-refused`) where blocks of these sizes would wait for each other."""
    circle = _circle(task, sizes)
    if circle is None:
        return
    options = nearest_sizes(sizes, task.repetition, lambda other: _circle(task, other) is None)
    hint = f"the nearest sizes that leave an order: {' or '.join(map(shown, options))}" if options else None
    told = tell_circle(task, even_blocks(task, sizes), circle)
    raise refused(f"blocks of {shown(sizes)} of '{task.name}' would wait for each other: {told}", task.span, hint)


def _circle(task: RepetitiveTask, sizes: Sequence[int]) -> list[Vector] | None:
    blocks = even_blocks(task, sizes)
    return find_block_circle(blocks.outer, block_vectors(task, blocks))
