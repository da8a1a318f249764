"""Change of paving: one repetition of a task does the work of several.

Before, a recursive filter over pairs:

    task row(a: f32[64]) -> (b: f32[64]) {
      repeat [32] of smooth {
        x    <- a    at origin [0]  paving [2]  fitting [1]
        prev <- last delay [1] else 0
        y    -> b    at origin [0]  paving [2]  fitting [1]
      }
    }

After `pave row 4` its patterns are of eight; the delay acts inside a block, and from block to block through two ports.
Only the last repetition of a block writes its state:

    task row_block(x: f32[8], last_before: f32) -> (y: f32[8], last_after: f32) {
      repeat [4] of smooth {
        x              <- x          at origin [0]  paving [2]  fitting [1]
        prev           <- last       delay [1] else last_before at origin []  paving []  fitting []
        y              -> y          at origin [0]  paving [2]  fitting [1]
        last delay [1] -> last_after at origin []   paving []   fitting []
      }
    }
    task row(a: f32[64]) -> (b: f32[64]) {
      repeat [8] of row_block {
        x           <- a          at origin [0]  paving [8]  fitting [1]
        last_before <- last_after delay [1] else 0
        y           -> b          at origin [0]  paving [8]  fitting [1]
      }
    }
"""

from __future__ import annotations

from dataclasses import dataclass

from arrayol.errors import ArrayolError
from arrayol.ir.spec import Component, CompoundTask, RepetitiveTask, Spec
from arrayol.transforms.collapse.collapse import Collapse
from arrayol.transforms.collapse.collapse_nest import gathered_body
from arrayol.transforms.rewrite import CallName, own_task, require_sizes, shown
from arrayol.transforms.tile import Tile
from arrayol.transforms.trace import Transformed


@dataclass(frozen=True, slots=True)
class Pave:
    """Let one repetition of `task` do as many as `factors` says along each dimension, so that its patterns grow.

    A task that repeats an elementary gets a block inside, as by tiling. One that repeats a block already gets a larger
    one: no level of repetition is added where the levels join. Raises ArrayolError as `Tile` does.
    """

    task: CallName
    factors: tuple[int, ...]

    def __str__(self) -> str:
        return f"pave {self.task} {shown(self.factors)}"

    def apply(self, spec: Spec) -> Transformed:
        prepared, task = own_task(spec, self.task)
        require_sizes(self.factors, task.repetition, "paving by", task.name, task.span)
        callee = prepared.components[task.callee]
        block = _block_of(prepared, callee)
        larger = self._larger_block(spec, block) if block is not None else None
        if larger is not None:
            return larger
        tiled = Tile(self.task, self.factors).apply(spec)
        return _inwards(tiled, task.name) if isinstance(callee, CompoundTask) else tiled

    def _larger_block(self, spec: Spec, block: RepetitiveTask) -> Transformed | None:
        """The task without its old blocks, then with larger ones; None where the levels do not join."""
        try:
            flat = Collapse(self.task).apply(spec)
        except ArrayolError:
            return None
        assert flat.task is not None
        name, space = CallName(flat.task), flat.spec.components[flat.task]
        assert isinstance(space, RepetitiveTask)
        if len(space.repetition) != len(block.repetition) or len(self.factors) != len(block.repetition):
            return None
        sizes = tuple(factor * (extent or 0) for factor, extent in zip(self.factors, block.repetition, strict=True))
        larger = Tile(name, sizes).apply(flat.spec)
        return Transformed(larger.spec, flat.trace.then(larger.trace), (*flat.remarks, *larger.remarks), larger.task)


def _block_of(spec: Spec, callee: Component) -> RepetitiveTask | None:
    """The repetition inside a task, also where its state is gathered beside it."""
    if isinstance(callee, CompoundTask):
        body = gathered_body(spec, callee)
        return body.inner if body else None
    return callee if isinstance(callee, RepetitiveTask) else None


def _inwards(tiled: Transformed, task: str) -> Transformed:
    """The new level of repetition joined with those of the calls inside, where they join."""
    outer = tiled.spec.components[task]
    assert isinstance(outer, RepetitiveTask)
    try:
        inner = Collapse(CallName(outer.callee)).apply(tiled.spec)
    except ArrayolError:
        return tiled
    return Transformed(inner.spec, tiled.trace.then(inner.trace), (*tiled.remarks, *inner.remarks), task)
