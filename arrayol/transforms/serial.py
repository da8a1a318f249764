"""Serial arrays: what a task writes in blocks is written once more, element by element.

Before:

    task larger(i: u8[4, 4]) -> (a: u8[8, 8]) {
      repeat [4, 4] of twice {
        x <- i at origin [0, 0]  paving [1, 0; 0, 1]  fitting []
        y -> a at origin [0, 0]  paving [2, 0; 0, 2]  fitting [1, 0; 0, 1]
      }
    }

After `serial larger a`:

    elementary a_element(x: u8) -> (y: u8) { y = x }
    task larger_blocks(i: u8[4, 4]) -> (a_blocks: u8[8, 8]) { repeat [4, 4] of twice { ... y -> a_blocks ... } }
    task larger_serial(a_blocks: u8[8, 8]) -> (a: u8[8, 8]) {
      repeat [8, 8] of a_element {
        x <- a_blocks at origin [0, 0]  paving [1, 0; 0, 1]  fitting []
        y -> a        at origin [0, 0]  paving [1, 0; 0, 1]  fitting []
      }
    }
    task larger(i: u8[4, 4]) -> (a: u8[8, 8]) {
      a_blocks = larger_blocks(i)
      a        = larger_serial(a_blocks)
    }

In a streaming group the readers of `a` then have line buffers of one lane, in place of one for each element of a block.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from arrayol.ir.expressions import Assign, Read
from arrayol.ir.spec import (
    Call,
    Component,
    CompoundTask,
    Elementary,
    Link,
    Port,
    RepetitiveTask,
    Spec,
    own_part_tiler,
)
from arrayol.text import listed
from arrayol.transforms.rewrite import CallName, FreeNames, own_task, refused, with_definitions
from arrayol.transforms.trace import IndexMap, Trace, Transformed, identity


@dataclass(frozen=True, slots=True)
class Serial:
    """Let a copy behind `task` write its result `array` element by element.

    The task becomes a composition of TASK_blocks, which is the former one, and TASK_serial. Raises ArrayolError
    (`step-refused`, `unknown-call`, `ambiguous-call`).
    """

    task: CallName
    array: str

    def __str__(self) -> str:
        return f"serial {self.task} {self.array}"

    def apply(self, spec: Spec) -> Transformed:
        prepared, task = own_task(spec, self.task)
        result = next((port for port in task.outputs if port.name == self.array), None)
        if result is None:
            hint = f"it gives {listed([port.name for port in task.outputs])}"
            raise refused(f"'{task.name}' gives no '{self.array}'", task.span, hint)
        if not result.shape:
            raise refused(f"'{self.array}' is one element: there is no order to write it in", task.span)
        names = FreeNames(prepared)
        composed = _composed(task, result, names)
        after = with_definitions(prepared, {task.name: composed})
        return Transformed(after, self._trace(spec, task, composed), (), task.name)

    def _trace(self, spec: Spec, task: RepetitiveTask, composed: tuple[Component, ...]) -> Trace:
        """Each repetition is one of the former task."""
        before, (_, blocks, *_) = identity(spec), composed
        kept = before.tasks[self.task.task] if task.name != self.task.task else ()
        return Trace(
            {**before.tasks, self.task.task: (*kept, IndexMap((blocks.name,), task.repetition))}, before.arrays
        )


def _composed(task: RepetitiveTask, result: Port, names: FreeNames) -> tuple[Component, ...]:
    """The elementary that copies, the former task, the copy, and their composition last."""
    blocks = replace(result, name=names.local(f"{result.name}_blocks", _ports(task)))
    outputs = tuple(blocks if port == result else port for port in task.outputs)
    links = tuple(replace(link, array=blocks.name) if link.array == result.name else link for link in task.output_links)
    former = replace(task, name=names.definition(f"{task.name}_blocks"), outputs=outputs, output_links=links)
    element = _element(result, names)
    copy = _copy(task, element, blocks, result, names)
    ports = (*task.inputs, *task.outputs, blocks)
    calls = tuple(
        Call(tuple(port.name for port in one.outputs), one.name, tuple(port.name for port in one.inputs), task.span)
        for one in (former, copy)
    )
    arrays = {port.name: port for port in ports}
    return element, former, copy, CompoundTask(task.name, task.inputs, task.outputs, calls, arrays, task.span)


def _ports(task: RepetitiveTask) -> list[str]:
    return [port.name for port in (*task.inputs, *task.outputs)]


def _element(result: Port, names: FreeNames) -> Elementary:
    """What hands on one element."""
    name, span = names.definition(f"{result.name}_element"), result.span
    given, handed = (Port(names.local(port, ()), result.type, (), span) for port in ("x", "y"))
    value = Read(given.name, (), result.type, span)
    body = (Assign(handed.name, (), value, (), None, accumulate=False, target_span=span, span=span),)
    return Elementary(name, (given,), (handed,), body, None, span)


def _copy(task: RepetitiveTask, element: Elementary, blocks: Port, result: Port, names: FreeNames) -> RepetitiveTask:
    """The repetition of the copy: one for each element."""
    tiler = own_part_tiler(len(result.shape), 0, result.span)
    (given,), (handed,) = element.inputs, element.outputs
    links = Link(given.name, blocks.name, tiler, result.span), Link(handed.name, result.name, tiler, result.span)
    name = names.definition(f"{task.name}_serial")
    return RepetitiveTask(name, (blocks,), (result,), result.shape, element.name, links[:1], links[1:], (), task.span)
