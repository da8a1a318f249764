"""Changed definitions put into a specification, in the place of those that they replace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from graphlib import TopologicalSorter

from arrayol.ir.spec import Call, Component, CompoundTask, Elementary, Port, RepetitiveTask, Spec, callees
from arrayol.transforms.calls import CallName, callers, component_of, sites_of
from arrayol.transforms.naming import Names
from arrayol.transforms.refusal import refused


def with_definitions(spec: Spec, changed: Mapping[str, Sequence[Component]]) -> Spec:
    """The specification with other definitions where those named in `changed` stood.

    What was called before and is called no more is left out.
    """
    components: dict[str, Component] = {}
    for name, component in spec.components.items():
        for one in changed.get(name, (component,)):
            components[one.name] = one
    called_before = _called(spec.components)
    while unused := [name for name in components if name in called_before and name not in _called(components)]:
        for name in unused:
            del components[name]
    return Spec(spec.name, spec.constants, components)


def _called(components: Mapping[str, Component]) -> set[str]:
    tasks = (one for one in components.values() if not isinstance(one, Elementary))
    return {name for task in tasks for name in callees(task)}


def own_task(spec: Spec, name: CallName) -> tuple[Spec, RepetitiveTask]:
    """The repetitive task that a step changes.

    A named call of a task that is called elsewhere too gets a copy of its own. Raises ArrayolError: `unknown-call`, and
    `step-refused` where the task repeats nothing.
    """
    component = component_of(spec, name)
    sites = sites_of(spec, name)
    if not isinstance(component, RepetitiveTask):
        kind = "an elementary task" if isinstance(component, Elementary) else "a composition of calls"
        repeated = ", ".join(one for one, task in spec.tasks.items() if isinstance(task, RepetitiveTask))
        hint = f"the tasks that repeat are {repeated}" if repeated else None
        raise refused(f"'{name.task}' is {kind}: it has no repetitions", component.span, hint)
    if name.result is None or callers(spec, name.task) == 1:
        return spec, component
    copy = replace(component, name=Names(spec).definition(name.task))
    site = sites[0]
    calls = tuple(replace(call, callee=copy.name) if call is site.call else call for call in site.compound.calls)
    changed: dict[str, tuple[Component, ...]] = {name.task: (component, copy)}
    changed[site.compound.name] = (replace(site.compound, calls=calls),)
    return with_definitions(spec, changed), copy


def in_dataflow_order(calls: Sequence[Call]) -> tuple[Call, ...]:
    """The calls, each after those whose results it reads; the given order where it is free."""
    producer = {name: place for place, call in enumerate(calls) for name in call.results}
    sorter = TopologicalSorter(
        {place: {producer[name] for name in call.arguments if name in producer} for place, call in enumerate(calls)}
    )
    sorter.prepare()
    order: list[int] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        order += ready
        sorter.done(*ready)
    return tuple(calls[place] for place in order)


def with_calls(task: CompoundTask, calls: Sequence[Call]) -> CompoundTask:
    """A composition of other calls; arrays that none of them names are left out."""
    used = {name for call in calls for name in (*call.results, *call.arguments)}
    ports = {port.name for port in (*task.inputs, *task.outputs)}
    arrays: dict[str, Port] = {name: port for name, port in task.arrays.items() if name in used | ports}
    return replace(task, calls=in_dataflow_order(calls), arrays=arrays)
