"""What all steps share: free names, the calls that a step means, refusals, and the exchange of definitions.

A step treats const arrays as the inputs that they are. Around a task that reads K it makes a block with a port K_2, and
hands K to it. Here the task takes K itself again, and K_2 goes where nothing else reads it:

    task t_block(x: u8[2], K_2: u8[3], ...)         task t_block(x: u8[2], ...)
      K <- K_2                                 ->     # K: as ever
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from graphlib import TopologicalSorter
from itertools import islice, product

from arrayol.errors import ArrayolError, error
from arrayol.ir.divisors import divisors
from arrayol.ir.expressions import ranges
from arrayol.ir.network import free_name
from arrayol.ir.spec import (
    Call,
    Component,
    CompoundTask,
    ConstArray,
    Elementary,
    Link,
    Port,
    RepetitiveTask,
    Shape,
    Spec,
    Task,
    TiledDefault,
    callees,
    whole_array_tiler,
)
from arrayol.language.parameters.copies import component_name, nearest, refuse_without_values
from arrayol.language.syntax.diagnose import shown_shape
from arrayol.polyhedral.accesses import Access, acting_axes
from arrayol.source import Span
from arrayol.text import counted


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


# Names for new definitions, ports and arrays: a name has one meaning in a file.


class FreeNames:
    """Hands out names that are free, by `free_name`."""

    def __init__(self, spec: Spec) -> None:
        self._definitions = {*spec.components, *spec.constants, *spec.tables}
        self._taken = self._definitions | set(_local_names(spec))

    def definition(self, preferred: str) -> str:
        """A name for a task or elementary."""
        name = free_name(preferred, self._taken)
        self._taken.add(name)
        self._definitions.add(name)
        return name

    def local(self, preferred: str, used: Iterable[str]) -> str:
        """A name for a port or array beside those `used` in the same task."""
        name = free_name(preferred, self._definitions | set(used))
        self._taken.add(name)
        return name


def _local_names(spec: Spec) -> Iterator[str]:
    for component in spec.components.values():
        yield from (port.name for port in (*component.inputs, *component.outputs))
        if isinstance(component, CompoundTask):
            yield from component.arrays
        elif isinstance(component, Elementary):
            yield from (item.name for item in ranges(component.body or ()))


# Which call of which task a step means: TASK, or TASK@RESULT where the task is called more than once.


@dataclass(frozen=True, slots=True)
class CallName:
    """A task, or the one call of it whose first result is `result`; of several that write one array RESULT_2, ..."""

    task: str
    result: str | None = None

    def __str__(self) -> str:
        return self.task if self.result is None else f"{self.task}@{self.result}"

    def of(self, spec: Spec) -> CallName:
        """The call by the component's own name, where the task is a copy written as `conv[3, 16]`."""
        return replace(self, task=component_name(spec, self.task) or self.task)


def call_name(process: str) -> CallName:
    """The call that a process of a network is."""
    task, _, result = process.partition("@")
    return CallName(task, result or None)


@dataclass(frozen=True, slots=True)
class Site:
    """A call and the compound task that holds it."""

    compound: CompoundTask
    call: Call

    def __str__(self) -> str:
        labels: list[str] = []
        for call in self.compound.calls:
            labels.append(free_name(f"{call.callee}@{call.results[0]}", labels))
            if call is self.call:
                break
        return labels[-1]


def component_of(spec: Spec, name: CallName) -> Component:
    """What a call's task is. Raises ArrayolError (`unknown-call`)."""
    component = spec.components.get(name.task)
    if component is None:
        refuse_without_values(spec, name.task)
        raise error("unknown-call", f"there is no task '{name.task}'", hint=nearest(spec, name.task), file=spec.name)
    return component


def sites_of(spec: Spec, name: CallName) -> list[Site]:
    """The calls that a name can mean. Raises ArrayolError (`unknown-call`) where there is none of that result."""
    component = component_of(spec, name)
    sites = [
        Site(task, call)
        for task in spec.tasks.values()
        if isinstance(task, CompoundTask)
        for call in task.calls
        if call.callee == name.task
    ]
    if name.result is None:
        return sites
    named = [site for site in sites if str(site) == str(name)]
    meant = named or [site for site in sites if name.result in site.call.results]
    if not meant:
        known = ", ".join(map(str, sites))
        hint = f"its calls are {known}" if known else f"'{name.task}' is called by no compound task: name it alone"
        raise error("unknown-call", f"no call of '{name.task}' gives '{name.result}'", component.span, hint=hint)
    return meant


def find_pair(spec: Spec, producer: CallName, consumer: CallName) -> tuple[Site, Site]:
    """The one pair of calls of one compound task where the second reads what the first gives.

    Raises ArrayolError: `unknown-call`; `step-refused` where no such pair is linked, `ambiguous-call` where several
    are.
    """
    makers = sites_of(spec, producer)
    linked = linked_pairs(makers, sites_of(spec, consumer))
    if len(linked) == 1:
        return linked[0]
    if linked:
        options = sorted({f"'{maker} {reader}'" for maker, reader in linked})
        message = f"'{producer} {consumer}' can mean {len(linked)} pairs of calls"
        raise error("ambiguous-call", message, linked[0][0].call.span, hint=f"name one: {', '.join(options)}")
    others = ((site, call) for site in makers for call in site.compound.calls)
    known = sorted({call.callee for site, call in others if not set(call.arguments).isdisjoint(site.call.results)})
    hint = f"what it gives is read by {', '.join(known)}" if known else f"no task reads what '{producer}' gives"
    raise refused(f"'{consumer}' reads nothing that '{producer}' gives", component_of(spec, consumer).span, hint)


def linked_pairs(makers: Sequence[Site], readers: Sequence[Site]) -> list[tuple[Site, Site]]:
    """The pairs of calls of one compound task where the second reads what the first gives."""
    return [
        (maker, reader)
        for maker in makers
        for reader in readers
        if maker.compound is reader.compound
        and maker.call is not reader.call
        and not set(maker.call.results).isdisjoint(reader.call.arguments)
    ]


def default_arrays(task: RepetitiveTask) -> list[str]:
    """The arrays that a task's delays read where they leave its space."""
    return [delay.default.array for delay in task.delays if isinstance(delay.default, TiledDefault)]


# How a step is refused: the reason, the place, and the nearest sizes that would do.

Sizes = tuple[int, ...]
_TRIED = 64  # other sizes looked at for a hint, nearest first
_COMPARED = 1 << 16  # and how many are brought in that order at most


def refused(message: str, span: Span, hint: str | None = None) -> ArrayolError:
    """The error of a step that cannot be taken."""
    return error("step-refused", message, span, hint=hint)


def require_sizes(sizes: Sizes, space: Shape, what: str, task: str, span: Span) -> None:
    """Raises ArrayolError: `wrong-sizes` for another number of sizes or one below 1, `step-refused` for a remainder."""
    if len(sizes) != len(space) or any(size < 1 for size in sizes):
        message = (
            f"'{task}' repeats over {shown_shape(space)}: {what} {shown(sizes)} is not one size of at least 1 for each"
        )
        count = "one size" if len(space) == 1 else counted(len(space), "size")
        raise error("wrong-sizes", message, span, hint=f"give {count}, as in {shown((1,) * len(space))}")
    odd = [axis for axis, extent in enumerate(space) if extent is not None and extent % sizes[axis]]
    if odd:
        reasons = "; ".join(f"{sizes[axis]} does not divide {space[axis]}" for axis in odd)
        hint = f"the nearest that do: {' or '.join(map(shown, _nearest_divisors(sizes, space)))}"
        message = (
            f"{what} {shown(sizes)} leaves a rest of the repetition space {shown_shape(space)} of '{task}': {reasons}"
        )
        raise refused(message, span, hint)


def _nearest_divisors(sizes: Sizes, space: Shape) -> list[Sizes]:
    """Sizes that divide the space: each one the next below, and each one the next above."""
    options = [(size, _dividing(extent, size)) for size, extent in zip(sizes, space, strict=True)]
    below = tuple(max(other for other in dividing if other <= size) for size, dividing in options)
    above = tuple(
        min((other for other in dividing if other >= size), default=dividing[-1]) for size, dividing in options
    )
    return [below] if below == above else [below, above]


def nearest_sizes(sizes: Sizes, space: Shape, serves: Callable[[Sizes], bool]) -> list[Sizes]:
    """The two nearest sizes that divide the space and serve, among the nearest few that divide it."""
    few = next(few for few in range(16, 0, -1) if few ** len(sizes) <= _COMPARED or few == 1)
    options = [
        sorted(_dividing(extent, size), key=lambda other: abs(other - size))[:few]
        for size, extent in zip(sizes, space, strict=True)
    ]

    def distance(others: Sizes) -> float:
        return sum(abs(other - size) / size for other, size in zip(others, sizes, strict=True))

    return list(islice(filter(serves, sorted(product(*options), key=distance)[:_TRIED]), 2))


def _dividing(extent: int | None, size: int) -> list[int]:
    """What divides an extent, ascending; an infinite one is divided by everything, here by what is near `size`."""
    return list(range(max(1, size - 16), size + 17)) if extent is None else divisors(extent)


def shown(sizes: Sequence[int]) -> str:
    """Sizes as a step writes them."""
    return ",".join(map(str, sizes))


# Definitions and calls put in the place of others.


def with_definitions(spec: Spec, changed: Mapping[str, Sequence[Component]]) -> Spec:
    """The specification with other definitions where those named in `changed` stood.

    What was called before and is called no more is left out, as are borders that nothing reads any more.
    """
    components: dict[str, Component] = {}
    for name, component in spec.components.items():
        for definition in changed.get(name, (component,)):
            components[definition.name] = definition
    called_before = _called(spec.components)
    while unused := [name for name in components if name in called_before and name not in _called(components)]:
        for name in unused:
            del components[name]
    made = with_tables(Spec(spec.name, spec.constants, components, tables=spec.tables, copies=spec.copies))
    names = {one.name for definitions in changed.values() for one in definitions}
    return replace(
        made,
        components={
            name: _with_acting_borders(component, made) if name in names else component
            for name, component in made.components.items()
        },
    )


def _with_acting_borders(component: Component, spec: Spec) -> Component:
    """A repetition that does less than before may stay inside an array whose ends the former one passed."""
    if not isinstance(component, RepetitiveTask) or all(link.tiler.border is None for link in component.input_links):
        return component
    patterns = {port.name: port.shape for port in spec.components[component.callee].inputs}
    arrays = {port.name: port.shape for port in component.inputs}

    def acting(link: Link) -> Link:
        access = Access(link.tiler, component.repetition, patterns[link.port], arrays[link.array])
        idle = link.tiler.border is not None and not acting_axes(access)
        return replace(link, tiler=replace(link.tiler, border=None)) if idle else link

    return replace(component, input_links=tuple(map(acting, component.input_links)))


def _called(components: Mapping[str, Component]) -> set[str]:
    tasks = (component for component in components.values() if not isinstance(component, Elementary))
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
        repeated = ", ".join(other for other, task in spec.tasks.items() if isinstance(task, RepetitiveTask))
        hint = f"the tasks that repeat are {repeated}" if repeated else None
        raise refused(f"'{name.task}' is {kind}: it has no repetitions", component.span, hint)
    if name.result is None or sum(callees(task).count(name.task) for task in spec.tasks.values()) == 1:
        return spec, component
    copy = replace(component, name=FreeNames(spec).definition(name.task))
    site = sites[0]
    calls = tuple(replace(call, callee=copy.name) if call is site.call else call for call in site.compound.calls)
    changed: dict[str, tuple[Component, ...]] = {name.task: (component, copy)}
    changed[site.compound.name] = (replace(site.compound, calls=calls),)
    return with_definitions(spec, changed), copy


def in_dataflow_order(calls: Sequence[Call]) -> tuple[Call, ...]:
    """The calls, each after all that write a name it reads; the given order where it is free."""
    producers: dict[str, set[int]] = {}
    for place, call in enumerate(calls):
        for name in call.results:
            producers.setdefault(name, set()).add(place)
    sorter = TopologicalSorter(
        {
            place: {needed for name in call.arguments for needed in producers.get(name, ())}
            for place, call in enumerate(calls)
        }
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
