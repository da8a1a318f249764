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

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from arrayol.ir.spec import (
    Call,
    Component,
    CompoundTask,
    Delay,
    Elementary,
    Link,
    Port,
    RepetitiveTask,
    Spec,
    TiledDefault,
    Tiler,
    own_part_tiler,
)
from arrayol.transforms.blocks.block import minus
from arrayol.transforms.collapse.collapse_delays import NotOneNestError
from arrayol.transforms.collapse.collapse_nest import Joined, gathered_body, join, untiled
from arrayol.transforms.rewrite import CallName, FreeNames, in_dataflow_order, own_task, refused, with_definitions
from arrayol.transforms.trace import IndexMap, Trace, Transformed, identity


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
            collapsed = _collapsed(prepared, task, callee)
        except NotOneNestError as reason:
            raise refused(f"'{task.name}' cannot be collapsed: {reason}", task.span) from None
        after = with_definitions(prepared, {task.name: collapsed.components})
        return Transformed(after, self._trace(spec, after, task, collapsed), (), task.name)

    def _trace(self, spec: Spec, after: Spec, task: RepetitiveTask, collapsed: Collapsed) -> Trace:
        """Arrays of tasks that are gone are nowhere but in the composition; a copy for one call leaves the task."""
        before = identity(spec)
        tasks = dict(before.tasks)
        kept = tasks[self.task.task] if task.name != self.task.task else ()
        tasks[self.task.task] = (*kept, *(part.outer for part in collapsed.parts))
        for name, inner in (part.inner for part in collapsed.parts if part.inner is not None):
            stays = name in after.components or tasks.get(name) != before.tasks.get(name)
            tasks[name] = (*(tasks.get(name, ()) if stays else ()), inner)
        arrays = {name: places if name[0] in after.components else () for name, places in before.arrays.items()}
        for array, place in collapsed.arrays.items():
            arrays[task.callee, array] = (*arrays.get((task.callee, array), ()), (task.name, place))
        return Trace(tasks, arrays)


def _collapsed(spec: Spec, task: RepetitiveTask, callee: Component) -> Collapsed:
    if isinstance(callee, RepetitiveTask):
        joined, inner = join(task, callee, spec.components[callee.callee]), callee.name
    else:
        assert isinstance(callee, CompoundTask)
        body = gathered_body(spec, callee)
        if body is None:
            return _Distribution(spec, task, callee, FreeNames(spec)).composed()
        joined, inner = untiled(spec, task, body), body.inner.name
    return Collapsed((joined.task,), (_part(joined, inner),), {})


def _part(joined: Joined, inner: str) -> CallPart:
    path, extents = (joined.task.name,), joined.task.repetition
    outer_map, inner_map = (IndexMap(path, extents, (level,)) for level in joined.levels())
    return CallPart(outer_map, (inner, inner_map))


@dataclass(frozen=True, slots=True)
class CallPart:
    """Where the old repetition went in the task of one call, and where the inner one of that call went, by its name."""

    outer: IndexMap
    inner: tuple[str, IndexMap] | None


@dataclass(frozen=True, slots=True)
class Collapsed:
    """The new definitions, the nest or composition last; its array for each array of the old body that has one."""

    components: tuple[Component, ...]
    parts: tuple[CallPart, ...]
    arrays: Mapping[str, str]


# A repeated composition as a composition of repetitions: paper A's canonical form, section 2.
#
# Each call becomes a task that repeats what was called; an array between the calls gets the dimensions of the
# repetition in front, so that every block keeps its own.


@dataclass(slots=True)
class _Distribution:
    """The composition that does what `task` does by repeating `body`, while it is put together."""

    spec: Spec
    task: RepetitiveTask
    body: CompoundTask
    names: FreeNames
    components: list[Component] = field(default_factory=list)
    parts: list[CallPart] = field(default_factory=list)
    arrays: dict[str, Port] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    between: dict[str, str] = field(default_factory=dict)

    def composed(self) -> Collapsed:
        """The composition.

        Raises NotOneNestError where a delay of the repetition goes from one call to another, or a call's own repetition
        does not join with it.
        """
        task = self.task
        self.arrays = {port.name: port for port in (*task.inputs, *task.outputs)}
        read = {name for call in self.body.calls for name in call.arguments}
        own = {port.name for port in self.body.inputs}
        for name in sorted(read - own):
            self._expand(name)
        for call in self.body.calls:
            self._call(call)
        written = {name for call in self.calls for name in call.results}
        assert written >= {port.name for port in task.outputs}, "every output of the task is an output of one call"
        calls = in_dataflow_order(self.calls)
        whole = CompoundTask(task.name, task.inputs, task.outputs, calls, self.arrays, task.span)
        arrays = {name: array for name, array in self.between.items() if array in self.arrays}
        return Collapsed((*self.components, whole), tuple(self.parts), arrays)

    def _expand(self, name: str) -> None:
        """The array between calls, one for every repetition."""
        port = self.body.arrays[name]
        shape = (*self.task.repetition, *port.shape)
        if shape.count(None) > 1:
            raise NotOneNestError(f"'{name}' of '{self.body.name}' would be infinite in two dimensions")
        self.between[name] = self.names.local(name, self.arrays)
        self.arrays[self.between[name]] = Port(self.between[name], port.type, shape, port.span)

    def _call(self, call: Call) -> None:
        callee = self.spec.components[call.callee]
        if call.parts:
            raise NotOneNestError(f"'{self.body.name}' calls '{callee.name}' on a part of an array")
        actual = dict(zip((port.name for port in callee.inputs), call.arguments, strict=True))
        results = dict(zip((port.name for port in callee.outputs), call.results, strict=True))
        feeds = [feed for port in callee.inputs for feed in self._feed(port, actual[port.name], results)]
        outputs = tuple(link for port in callee.outputs for link in self._targets(port, results[port.name]))
        links = tuple(feed for feed in feeds if isinstance(feed, Link))
        delays = tuple(feed for feed in feeds if isinstance(feed, Delay))
        if not outputs:
            return  # nothing reads it
        defaults = [delay.default.array for delay in delays if isinstance(delay.default, TiledDefault)]
        used = dict.fromkeys([*(link.array for link in links), *defaults])
        repeated = RepetitiveTask(
            self.names.definition(_stem(self.task.name, callee)),
            tuple(self.arrays[name] for name in used),
            tuple(self.arrays[name] for name in dict.fromkeys(link.array for link in outputs)),
            self.task.repetition,
            callee.name,
            links,
            outputs,
            delays,
            call.span,
        )
        self._take(repeated, callee)

    def _take(self, repeated: RepetitiveTask, callee: Component) -> None:
        """Enter a call's task, joined with the repetition that it repeats, if it repeats one."""
        part = CallPart(IndexMap((repeated.name,), repeated.repetition), None)
        if isinstance(callee, RepetitiveTask):
            joined = join(repeated, callee, self.spec.components[callee.callee])
            repeated, part = joined.task, _part(joined, callee.name)
        elif isinstance(callee, CompoundTask):
            distributed = _Distribution(self.spec, repeated, callee, self.names).composed()
            self.components += distributed.components
            self.parts += distributed.parts
        if not isinstance(callee, CompoundTask):
            self.components.append(repeated)
            self.parts.append(part)
        results = tuple(port.name for port in repeated.outputs)
        self.calls.append(Call(results, repeated.name, tuple(port.name for port in repeated.inputs), repeated.span))

    def _feed(self, port: Port, array: str, results: Mapping[str, str]) -> Iterator[Link | Delay]:
        if array in self.between:
            yield Link(port.name, self.between[array], self._place(port), port.span)
            return
        for link in self.task.input_links:
            if link.port == array:
                yield replace(link, port=port.name)
        for delay in self.task.delays:
            if delay.port == array:
                output = next((own for own, result in results.items() if result == delay.output), None)
                if output is None:
                    raise NotOneNestError(self._crossing(delay, array))
                yield replace(delay, port=port.name, output=output)

    def _crossing(self, delay: Delay, array: str) -> str:
        reader = next(call.callee for call in self.body.calls if array in call.arguments)
        maker = next(call.callee for call in self.body.calls if delay.output in call.results)
        later = [max(0, step) for step in delay.vector]
        return (
            f"its delay {list(delay.vector)} goes from '{maker}' to '{reader}': repetition {later} of '{reader}' needs "
            f"'{maker}' at {list(minus(later, delay.vector))}, and that needs '{reader}' there"
        )

    def _targets(self, port: Port, array: str) -> Iterator[Link]:
        for link in self.task.output_links:
            if link.port == array:
                yield replace(link, port=port.name)
        if array in self.between:
            yield Link(port.name, self.between[array], self._place(port), port.span)

    def _place(self, port: Port) -> Tiler:
        """The tiler of a repetition's own part of an array between calls."""
        return own_part_tiler(len(self.task.repetition), len(port.shape), port.span)


def _stem(task: str, callee: Component) -> str:
    """A repetition of a block's repetition does what the task did before it was cut."""
    if isinstance(callee, RepetitiveTask):
        return re.sub(r"_block(_\d+)?$", "", callee.name)
    return f"{task}_{callee.name}"
