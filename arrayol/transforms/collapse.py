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
    Tiler,
    own_part_tiler,
)
from arrayol.transforms.collapse_delays import NotOneNestError
from arrayol.transforms.collapse_nest import Joined, gathered_body, join, untiled
from arrayol.transforms.rewrite import CallName, Names, in_dataflow_order, own_task, refused, with_definitions
from arrayol.transforms.trace import ArrayName, IndexMap, Trace, Transformed, identity

# A repeated composition as a composition of repetitions: paper A's canonical form.
#
# Each call becomes a task that repeats what was called; an array between the calls gets the dimensions of the
# repetition in front, so that every block keeps its own.


@dataclass(frozen=True, slots=True)
class CallPart:
    """Where the old repetition went in the task of one call, and where the inner one of that call went, by its name."""

    outer: IndexMap
    inner: tuple[str, IndexMap] | None


@dataclass(frozen=True, slots=True)
class Distributed:
    """The new definitions, the composition last; its array for each array of the old body that has one."""

    components: tuple[Component, ...]
    parts: tuple[CallPart, ...]
    arrays: Mapping[str, str]


def distribute(spec: Spec, task: RepetitiveTask, body: CompoundTask, names: Names) -> Distributed:
    """The composition that does what `task` does by repeating `body`.

    Raises NotOneNestError where a delay of the repetition goes from one call to another, or a call's own repetition
    does not join with it.
    """
    return _Distribution(spec, task, body, names).made()


@dataclass(slots=True)
class _Distribution:
    spec: Spec
    task: RepetitiveTask
    body: CompoundTask
    names: Names
    components: list[Component] = field(default_factory=list)
    parts: list[CallPart] = field(default_factory=list)
    arrays: dict[str, Port] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    between: dict[str, str] = field(default_factory=dict)

    def made(self) -> Distributed:
        task = self.task
        self.arrays = {port.name: port for port in (*task.inputs, *task.outputs)}
        read = {name for call in self.body.calls for name in call.arguments}
        own = {port.name for port in self.body.inputs}
        for name in sorted(read - own):
            self._expand(name)
        for call in self.body.calls:
            self._call(call)
        written = {name for call in self.calls for name in call.results}
        missing = [port.name for port in task.outputs if port.name not in written]
        assert not missing, "every output of the task is an output of one call"
        whole = CompoundTask(
            task.name, task.inputs, task.outputs, in_dataflow_order(self.calls), self.arrays, task.span
        )
        arrays = {name: array for name, array in self.between.items() if array in self.arrays}
        return Distributed((*self.components, whole), tuple(self.parts), arrays)

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
        actual = dict(zip((port.name for port in callee.inputs), call.arguments, strict=True))
        results = dict(zip((port.name for port in callee.outputs), call.results, strict=True))
        inputs = tuple(found for port in callee.inputs for found in self._feed(port, actual[port.name], results))
        outputs = tuple(link for port in callee.outputs for link in self._targets(port, results[port.name]))
        links = tuple(one for one in inputs if isinstance(one, Link))
        delays = tuple(one for one in inputs if isinstance(one, Delay))
        if not outputs:
            return  # nothing reads it
        used = dict.fromkeys([link.array for link in links] + [name for one in delays for name in _default_of(one)])
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
        inner = None
        outer = IndexMap((repeated.name,), repeated.repetition)
        if isinstance(callee, RepetitiveTask):
            joined = join(repeated, callee, self.spec.components[callee.callee])
            repeated = joined.task
            levels = [IndexMap((repeated.name,), repeated.repetition, (level,)) for level in joined.levels()]
            outer, inner = levels[0], (callee.name, levels[1])
        elif isinstance(callee, CompoundTask):
            found = distribute(self.spec, repeated, callee, self.names)
            self.components += found.components
            self.parts += found.parts
        if not isinstance(callee, CompoundTask):
            self.components.append(repeated)
            self.parts.append(CallPart(outer, inner))
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
        earlier = [0] * len(delay.vector)
        later = [max(0, step) for step in delay.vector]
        earlier = [entry - step for entry, step in zip(later, delay.vector, strict=True)]
        return (
            f"its delay {list(delay.vector)} goes from '{maker}' to '{reader}': repetition {later} of '{reader}' needs "
            f"'{maker}' at {earlier}, and that needs '{reader}' there"
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


def _default_of(delay: Delay) -> tuple[str, ...]:
    array = getattr(delay.default, "array", None)
    return () if array is None else (array,)


def _stem(task: str, callee: Component) -> str:
    """A repetition of a block's repetition does what the task did before it was cut."""
    if isinstance(callee, RepetitiveTask):
        return re.sub(r"_block(_\d+)?$", "", callee.name)
    return f"{task}_{callee.name}"


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
