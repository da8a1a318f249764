"""Const arrays after a step: each reaches by its own name what reads it, whatever ports the step made for it.

A step treats const arrays as the inputs that they are. Around a task that reads K it makes a block with a port K_2, and
hands K to it. Here the task takes K itself again, and K_2 goes where nothing else reads it:

    task t_block(x: u8[2], K_2: u8[3], ...)         task t_block(x: u8[2], ...)
      K <- K_2                                 ->     # K: as ever
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from arrayol.ir.spec import (
    Call,
    Component,
    CompoundTask,
    ConstArray,
    Elementary,
    Link,
    Port,
    RepetitiveTask,
    Spec,
    Task,
    TiledDefault,
    callees,
    whole_array_tiler,
)


def with_tables(spec: Spec) -> Spec:
    """The specification in which const arrays are the last inputs of all that reads them, in the order of `tables`."""
    if not spec.tables:
        return spec
    restoring = _Restoring(spec.components, spec.tables)
    return replace(spec, components={name: restoring.restored(name) for name in spec.components})


@dataclass(frozen=True, slots=True)
class _Restoring:
    """The components that are done, callees before their callers."""

    components: Mapping[str, Component]
    tables: Mapping[str, ConstArray]
    done: dict[str, Component] = field(default_factory=dict)

    def restored(self, name: str) -> Component:
        if name not in self.done:
            component = self.components[name]
            changed = self._elementary(component) if isinstance(component, Elementary) else self._task(component)
            self.done[name] = component if changed == component else changed
        return self.done[name]

    def _elementary(self, elementary: Elementary) -> Elementary:
        read = {port.name for port in elementary.inputs}
        return replace(elementary, inputs=self._inputs(elementary.inputs, (), read))

    def _task(self, task: Task) -> Task:
        for callee in callees(task):
            self.restored(callee)
        return self._repetition(task) if isinstance(task, RepetitiveTask) else self._composition(task)

    def _given(self, callee: str) -> set[str]:
        """The inputs of a component that are handed to it."""
        return {port.name for port in self.done[callee].inputs} - self.tables.keys()

    def _read(self, callee: str) -> list[str]:
        """The const arrays that a component reads."""
        return [port.name for port in self.done[callee].inputs if port.name in self.tables]

    def _inputs(self, former: tuple[Port, ...], gone: Collection[str], read: Collection[str]) -> tuple[Port, ...]:
        own = (port for port in former if port.name not in self.tables and port.name not in gone)
        return (*own, *(table.port for name, table in self.tables.items() if name in read))

    def _repetition(self, task: RepetitiveTask) -> RepetitiveTask:
        given, hidden = self._given(task.callee), self._read(task.callee)
        links = [link for link in task.input_links if link.port in given]
        used = {link.array for link in links}
        used |= {delay.default.array for delay in task.delays if isinstance(delay.default, TiledDefault)}
        gone = {link.array for link in task.input_links} - used
        steps = len(task.repetition)
        links += [
            Link(name, name, whole_array_tiler(len(self.tables[name].shape), task.span, steps), task.span)
            for name in hidden
        ]
        return replace(task, inputs=self._inputs(task.inputs, gone, used.union(hidden)), input_links=tuple(links))

    def _composition(self, task: CompoundTask) -> CompoundTask:
        calls = tuple(map(self._call, task.calls))
        used = {name for call in calls for name in (*call.results, *call.arguments)}
        gone = {name for call in task.calls for name in call.arguments} - used
        inputs = self._inputs(task.inputs, gone, used)
        arrays = {name: port for name, port in task.arrays.items() if name not in gone and name not in self.tables}
        arrays |= {port.name: port for port in inputs if port.name in self.tables}
        return replace(task, inputs=inputs, calls=calls, arrays=arrays)

    def _call(self, call: Call) -> Call:
        given = self._given(call.callee)
        former = zip(self.components[call.callee].inputs, call.arguments, strict=True)
        arguments = [argument for port, argument in former if port.name in given]
        parts = tuple((port, part) for port, part in call.parts if port in given or port not in self._inputs_of(call))
        return replace(call, arguments=(*arguments, *self._read(call.callee)), parts=parts)

    def _inputs_of(self, call: Call) -> set[str]:
        return {port.name for port in self.components[call.callee].inputs}
