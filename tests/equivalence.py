"""Which input elements each output element of a task is computed from, and where two specifications differ in it.

The relation follows tilers, delays and hierarchies exactly; no value is computed. What two tasks compute may still
differ where the relations are equal, but where they differ, a point says so: this output element is computed from that
input element in one specification only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

import islpy as isl
from dataflow import EFFORT, Relations, body_relations, closure, composed, joined

from arrayol.ir.network import View
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
    port_named,
    whole_array_tiler,
)
from arrayol.polyhedral.accesses import Access, relation
from arrayol.polyhedral.isl import Point, TooHardError, bounded_effort, box, coordinates


class Verdict(Enum):
    """What a comparison found where it found no difference."""

    EQUAL = "equal"
    UNKNOWN = "beyond the bounded effort"


@dataclass(frozen=True, slots=True)
class Difference:
    """An output element that is computed from an input element in one specification only."""

    output: str
    element: Point
    source: str
    read: Point
    only_before: bool

    def __str__(self) -> str:
        where = "before only" if self.only_before else "after only"
        return f"{self.output}{list(self.element)} is computed from {self.source}{list(self.read)} {where}"


def compare(before: Spec, after: Spec, task: str) -> Difference | Verdict:
    """Whether a task's output elements are computed from the same input elements in two specifications.

    Decided by isl, never sampled; `Verdict.UNKNOWN` where isl would work too long.
    """
    try:
        found = [input_output(spec, task) for spec in (before, after)]
        for key in sorted(found[0].keys() | found[1].keys()):
            difference = _difference(key, found[0].get(key), found[1].get(key))
            if difference is not None:
                return difference
    except TooHardError:
        return Verdict.UNKNOWN
    return Verdict.EQUAL


def input_output(spec: Spec, task: str) -> Relations:
    """The relation from output to input elements of a task or elementary, by port names.

    Raises TooHardError beyond isl's bounded effort.
    """
    return _Relations(spec).of(spec.components[task])


def _difference(key: tuple[str, str], before: isl.Map | None, after: isl.Map | None) -> Difference | None:
    for own, other, only_before in ((before, after, True), (after, before, False)):
        if own is None:
            continue
        with bounded_effort(EFFORT):
            extra = own if other is None else own.subtract(other)
            if extra.is_empty():
                continue
            point = coordinates(extra.wrap().flatten().sample_point())
        rank = own.dim(isl.dim_type.in_)
        return Difference(key[0], point[:rank], key[1], point[rank:], only_before)
    return None


@dataclass(slots=True)
class _Relations:
    """The relations of the components of one specification, each computed once."""

    spec: Spec
    known: dict[str, Relations] = field(default_factory=dict)

    def of(self, component: Component) -> Relations:
        """The relations of a component, by its ports."""
        if component.name not in self.known:
            match component:
                case Elementary():
                    found = body_relations(component)
                case RepetitiveTask():
                    callee = self.spec.components[component.callee]
                    found = _Repetition(component, callee, self.of(callee)).relations()
                case CompoundTask():
                    found = self._composition(component)
            self.known[component.name] = found
        return self.known[component.name]

    def _composition(self, task: CompoundTask) -> Relations:
        """Calls in dataflow order: each array from the task's inputs."""
        arrays: dict[str, dict[str, isl.Map]] = {
            port.name: {port.name: isl.Set.identity(box(port.shape))} for port in task.inputs
        }
        for call in task.calls:
            callee = self.spec.components[call.callee]
            inner = self.of(callee)
            actual = dict(zip((port.name for port in callee.inputs), call.arguments, strict=True))
            for result, output in zip(call.results, callee.outputs, strict=True):
                written = _taken(call, output, task.arrays[result]).reverse()
                parts = [
                    (source, composed(composed(composed(written, step), _formal(call, callee, task, formal)), further))
                    for (port, formal), step in inner.items()
                    if port == output.name
                    for source, further in arrays[actual[formal]].items()
                ]
                arrays[result] = _gathered([*arrays.get(result, {}).items(), *parts])
        return {(port.name, source): found for port in task.outputs for source, found in arrays[port.name].items()}


def _formal(call: Call, callee: Component, task: CompoundTask, name: str) -> isl.Map:
    """From the elements of an input port of a call to those of the array around it."""
    place = [port.name for port in callee.inputs].index(name)
    return _taken(call, callee.inputs[place], task.arrays[call.arguments[place]])


def _taken(call: Call, port: Port, array: Port) -> isl.Map:
    """From the elements of a port of a call to those of an array, of which it may have a part."""
    view = View(array.name, array.shape, call.part_at(port.name))
    tiler = view.tiler(whole_array_tiler(len(port.shape), port.span), (), port.shape)
    return relation(Access(tiler, (), port.shape, array.shape))


def _gathered(parts: list[tuple[str, isl.Map]]) -> dict[str, isl.Map]:
    """The relations to each source, united; empty ones are left out."""
    sources = dict.fromkeys(source for source, _ in parts)
    united = {source: joined([found for name, found in parts if name == source]) for source in sources}
    return {source: found for source, found in united.items() if not found.is_empty()}


@dataclass(frozen=True, slots=True)
class _Repetition:
    """A repetitive task: the elements of all output ports of all its instances are the nodes of one relation."""

    task: RepetitiveTask
    callee: Component
    inner: Relations

    def relations(self) -> Relations:
        """From an array's element to the instance that writes it, along the delays, to what those instances read."""
        steps = list(self._steps())
        chains = closure(joined(steps)) if steps else None
        sources = self._sources()
        found: Relations = {}
        for array in self.task.outputs:
            writers = joined([self._written(link) for link in self.task.output_links if link.array == array.name])
            needed = composed(writers, chains) if chains is not None else writers
            for source, reads in sources.items():
                result = composed(needed, reads)
                if not result.is_empty():
                    found[array.name, source] = result
        return found

    def _written(self, link: Link) -> isl.Map:
        """From the elements that a link writes to the nodes they come from."""
        port = port_named(self.callee.outputs, link.port)
        array = port_named(self.task.outputs, link.array)
        access = self._access(link.tiler, port, array)
        if link.exit is not None:
            access = access.subtract_domain(self._moved([-step for step in link.exit], port).domain())
        return composed(access.reverse(), self._tagged(port))

    def _steps(self) -> Iterator[isl.Map]:
        """From nodes to the nodes of earlier instances that a delay brings."""
        for delay in self.task.delays:
            port, output = port_named(self.callee.inputs, delay.port), port_named(self.callee.outputs, delay.output)
            shift = self._shift(delay, port)
            for needed in self._inside(port):
                yield composed(composed(needed, shift), self._tagged(output))

    def _sources(self) -> dict[str, isl.Map]:
        """From nodes to the elements that their own instance reads, by array."""
        parts: list[tuple[str, isl.Map]] = []
        for link in self.task.input_links:
            port, array = port_named(self.callee.inputs, link.port), port_named(self.task.inputs, link.array)
            reads = self._access(link.tiler, port, array)
            parts += [(array.name, composed(needed, reads)) for needed in self._inside(port)]
        for delay in self.task.delays:
            if isinstance(delay.default, TiledDefault):
                port = port_named(self.callee.inputs, delay.port)
                array = port_named(self.task.inputs, delay.default.array)
                reads = self._access(delay.default.tiler, port, array).subtract_domain(
                    self._shift(delay, port).domain()
                )
                parts += [(array.name, composed(needed, reads)) for needed in self._inside(port)]
        return _gathered(parts)

    def _inside(self, port: Port) -> Iterator[isl.Map]:
        """From nodes to the elements [r, g] of an input port that they need in their own instance."""
        same = isl.Set.identity(box(self.task.repetition))
        for (output, source), needed in self.inner.items():
            if source == port.name:
                tagged = self._tagged(port_named(self.callee.outputs, output))
                yield composed(tagged.reverse(), same.flat_product(needed))

    def _access(self, tiler: Tiler, port: Port, array: Port) -> isl.Map:
        access = Access(tiler, self.task.repetition, port.shape, array.shape)
        return relation(access).intersect_range(box(array.shape))

    def _tagged(self, output: Port) -> isl.Map:
        """From [r, f] of an output port to its node [port, r, f, 0...]."""
        outputs = self.callee.outputs
        names = [f"i{place}" for place in range(len(self.task.repetition) + len(output.shape))]
        padding = ["0"] * (max(len(port.shape) for port in outputs) - len(output.shape))
        node = ", ".join([str(outputs.index(output)), *names, *padding])
        domain = box((*self.task.repetition, *output.shape))
        return isl.Map(f"{{ [{', '.join(names)}] -> [{node}] }}").intersect_domain(domain)

    def _shift(self, delay: Delay, port: Port) -> isl.Map:
        """From [r, g] to [r - d, g] where both are instances."""
        return self._moved(delay.vector, port)

    def _moved(self, vector: Sequence[int], port: Port) -> isl.Map:
        space = box((*self.task.repetition, *port.shape))
        steps = (*vector, *(0 for _ in port.shape))
        names = [f"i{place}" for place in range(len(steps))]
        earlier = [f"{name} - {step}" for name, step in zip(names, steps, strict=True)]
        moved = isl.Map(f"{{ [{', '.join(names)}] -> [{', '.join(earlier)}] }}")
        return moved.intersect_domain(space).intersect_range(space)
