"""Collapse: the inverse of tiling. Two levels of repetition become one; a repeated composition, a composition.

Before:

    task scale_block(x: u8[32]) -> (y: u8[32]) {
      repeat [8] of four { x <- x at origin [0] paving [4] fitting [1]  y -> y at origin [0] paving [4] fitting [1] }
    }
    task scale(a: u8[128]) -> (b: u8[128]) {
      repeat [4] of scale_block {
        x <- a at origin [0] paving [32] fitting [1]
        y -> b at origin [0] paving [32] fitting [1]
      }
    }

After:

    task scale(a: u8[128]) -> (b: u8[128]) {
      repeat [32] of four { x <- a at origin [0] paving [4] fitting [1]  y -> b at origin [0] paving [4] fitting [1] }
    }
"""

from __future__ import annotations

from dataclasses import dataclass

from arrayol.ir.spec import Component, CompoundTask, Elementary, RepetitiveTask, Spec
from arrayol.transforms.calls import CallName
from arrayol.transforms.collapse_delays import NotOneNestError
from arrayol.transforms.collapse_nest import Joined, join
from arrayol.transforms.distribute import Distributed, distribute
from arrayol.transforms.naming import Names
from arrayol.transforms.refusal import refused
from arrayol.transforms.rewrite import own_task, with_definitions
from arrayol.transforms.trace import ArrayName, IndexMap, Trace, Transformed, identity
from arrayol.transforms.untile import gathered_body, untiled


@dataclass(frozen=True, slots=True)
class Collapse:
    """Join the repetition of `task` with the one inside it.

    Dimensions that continue each other become one: r = b R + rho; others stand side by side. A repeated composition of
    calls becomes a composition of repetitions, with arrays between them that have the dimensions of the repetition in
    front. Raises ArrayolError (`step-refused`) where the task repeats an elementary, or delays are not those of one
    space.
    """

    task: CallName

    def __str__(self) -> str:
        return f"collapse {self.task}"

    def apply(self, spec: Spec) -> Transformed:
        prepared, task = own_task(spec, self.task)
        callee = prepared.components[task.callee]
        if isinstance(callee, Elementary):
            message = f"'{task.name}' repeats '{callee.name}', an elementary task: there is no inner repetition"
            raise refused(message, task.span, "collapse a task that repeats another one")
        try:
            return self._apply(spec, prepared, task, callee)
        except NotOneNestError as reason:
            raise refused(f"'{task.name}' cannot be collapsed: {reason}", task.span) from None

    def _apply(self, spec: Spec, prepared: Spec, task: RepetitiveTask, callee: Component) -> Transformed:
        if isinstance(callee, RepetitiveTask):
            joined = join(task, callee, prepared.components[callee.callee])
            return self._joined(spec, prepared, task, callee, joined)
        assert isinstance(callee, CompoundTask)
        body = gathered_body(prepared, callee)
        if body is not None:
            return self._joined(spec, prepared, task, body.inner, untiled(prepared, task, body))
        made = distribute(prepared, task, callee, Names(prepared))
        after = with_definitions(prepared, {task.name: made.components})
        trace = self._distributed_trace(spec, prepared, after, task, callee, made)
        return Transformed(after, trace, (), task.name)

    def _joined(
        self, spec: Spec, prepared: Spec, task: RepetitiveTask, inner: RepetitiveTask, joined: Joined
    ) -> Transformed:
        after = with_definitions(prepared, {task.name: (joined.task,)})
        outer, places = joined.levels()
        extents = joined.task.repetition
        before = identity(spec)
        tasks = dict(before.tasks)
        kept = tasks[self.task.task] if task.name != self.task.task else ()
        tasks[self.task.task] = (*kept, IndexMap((task.name,), extents, (outer,)))
        still = tasks.get(inner.name, ()) if inner.name in after.components else ()
        tasks[inner.name] = (*still, IndexMap((task.name,), extents, (places,)))
        return Transformed(after, Trace(tasks, _left(before, after)), (), task.name)

    def _distributed_trace(
        self,
        spec: Spec,
        prepared: Spec,
        after: Spec,
        task: RepetitiveTask,
        body: CompoundTask,
        made: Distributed,
    ) -> Trace:
        before = identity(spec)
        tasks = dict(before.tasks)
        kept = tasks[self.task.task] if task.name != self.task.task else ()
        tasks[self.task.task] = (*kept, *(part.outer for part in made.parts))
        for part in made.parts:
            if part.inner is not None:
                name, found = part.inner
                still = (
                    tasks.get(name, ()) if name in after.components or tasks.get(name) != before.tasks.get(name) else ()
                )
                tasks[name] = (*still, found)
        arrays = _left(before, after)
        for array in body.arrays:
            place = made.arrays.get(array)
            arrays[body.name, array] = (*arrays.get((body.name, array), ()), *(((task.name, place),) if place else ()))
        return Trace(tasks, arrays)


def _left(before: Trace, after: Spec) -> dict[ArrayName, tuple[ArrayName, ...]]:
    """Arrays of tasks that are gone are nowhere."""
    return {name: places if name[0] in after.components else () for name, places in before.arrays.items()}
