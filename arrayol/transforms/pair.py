"""A producer and its consumer, seen as two repetitions over arrays with the names of the composition around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from arrayol.errors import ArrayolError
from arrayol.ir.network import View
from arrayol.ir.spec import (
    Call,
    CompoundTask,
    Delay,
    Elementary,
    Link,
    Part,
    Port,
    RepetitiveTask,
    Spec,
    TiledDefault,
    Tiler,
    port_named,
    whole_array_tiler,
)
from arrayol.transforms.blocks.arrays import Use
from arrayol.transforms.rewrite import FreeNames, Site, default_arrays, refused


@dataclass(frozen=True, slots=True)
class Pair:
    """Two calls of one composition as repetitive tasks; their ports have the names of the composition's arrays.

    `shared` are the arrays that the producer gives and the consumer reads through links.
    """

    compound: CompoundTask
    producer: RepetitiveTask
    consumer: RepetitiveTask
    calls: tuple[Call, Call]
    shared: tuple[Port, ...]
    by_default: frozenset[str]  # what the consumer's delays read of the producer where they leave the space
    parts: Mapping[str, tuple[str, Part]]  # which parts of which arrays the ports are that no array is named as
    names: tuple[Mapping[str, str], Mapping[str, str]]  # by the ports of the tasks as they were called

    def writes(self, spec: Spec, array: str) -> list[Use]:
        return [
            _use(spec, self.producer, link, inputs=False) for link in self.producer.output_links if link.array == array
        ]

    def reads(self, spec: Spec, array: str) -> list[Use]:
        return [
            _use(spec, self.consumer, link, inputs=True) for link in self.consumer.input_links if link.array == array
        ]


def pair_of(spec: Spec, maker: Site, reader: Site) -> Pair:
    """Raises ArrayolError (`step-refused`) where one of them is a composition, or reads no element through a link."""
    _require_one_writer(spec, maker, reader)
    names = FreeNames(spec)
    results = frozenset(maker.call.results)
    made, given = _bound(spec, maker, names, frozenset()), _bound(spec, reader, names, results)
    producer, consumer = made.task, given.task
    linked = dict.fromkeys(link.array for link in consumer.input_links if link.array in results)
    by_default = results & set(default_arrays(consumer))
    shared = tuple(maker.compound.arrays[name] for name in linked)
    if not shared:
        message = f"'{reader.call.callee}' reads what '{maker.call.callee}' gives only where its delays leave the space"
        raise refused(message, reader.call.span, "there is no pattern to fuse on")
    calls = (maker.call, reader.call)
    return Pair(
        maker.compound,
        producer,
        consumer,
        calls,
        shared,
        by_default,
        {**made.parts, **given.parts},
        (made.names, given.names),
    )


def _require_one_writer(spec: Spec, maker: Site, reader: Site) -> None:
    """Raises ArrayolError (`step-refused`) where an array between the two is written in parts."""
    outputs = spec.components[maker.call.callee].outputs
    for port, array in zip(outputs, maker.call.results, strict=True):
        if array in reader.call.arguments and maker.call.part_at(port.name) is not None:
            message = f"'{maker.call.callee}' writes a part of '{array}': a fusion does not hold all that write it"
            raise refused(message, maker.call.span, f"fuse tasks before '{array}', or tasks after it")


def _use(spec: Spec, task: RepetitiveTask, link: Link, *, inputs: bool) -> Use:
    callee = spec.components[task.callee]
    return Use(link, port_named(callee.inputs if inputs else callee.outputs, link.port).shape)


@dataclass(frozen=True, slots=True)
class _Bound:
    """A called task with arrays of the composition in place of its ports; `names` has those by the ports.

    A part is an array of its own, under a free name that `parts` tells; but where a task reads a part of what the other
    one gives, its tilers say the same of the whole array.
    """

    task: RepetitiveTask
    names: Mapping[str, str]
    parts: Mapping[str, tuple[str, Part]]


def _bound(spec: Spec, site: Site, names: FreeNames, shared: frozenset[str]) -> _Bound:
    """Raises ArrayolError (`step-refused`) for a composition, and where no tiler says the same of a whole array."""
    task = spec.components[site.call.callee]
    if isinstance(task, CompoundTask):
        message = f"'{task.name}' is a composition of calls: it repeats nothing that could be fused"
        raise refused(message, site.call.span, f"fuse what it calls: {', '.join(call.callee for call in task.calls)}")
    repeated = _as_repetition(task) if isinstance(task, Elementary) else task
    callee, call, arrays = spec.components[repeated.callee], site.call, site.compound.arrays
    views: dict[str, View] = {}
    ports: dict[str, Port] = {}
    parts: dict[str, tuple[str, Part]] = {}
    inputs = len(task.inputs)
    bindings = zip((*task.inputs, *task.outputs), (*call.arguments, *call.results), strict=True)
    for place, (port, name) in enumerate(bindings):
        part = call.part_at(port.name)
        if part is None or (place < inputs and name in shared):
            ports[port.name] = arrays[name]
            views[port.name] = View(name, arrays[name].shape, part)
        else:
            own = names.local(f"{name}_part", {*arrays, *parts})
            ports[port.name] = replace(port, name=own)
            views[port.name] = View(own, port.shape)
            parts[own] = (name, part)

    def tiler(array: str, tiler: Tiler, port: str) -> Tiler:
        try:
            return views[array].tiler(tiler, repeated.repetition, port_named(callee.inputs, port).shape)
        except ArrayolError as refusal:
            message = f"'{task.name}' reads beyond the ends of a part of '{views[array].array}', within the array"
            raise refused(message, call.span, refusal.diagnostics[0].hint) from None

    def default(delay: Delay) -> Delay:
        if not isinstance(delay.default, TiledDefault):
            return delay
        array, own = delay.default.array, delay.default.tiler
        moved = replace(delay.default, array=views[array].array, tiler=tiler(array, own, delay.port))
        return replace(delay, default=moved)

    bound = replace(
        repeated,
        inputs=tuple({ports[port.name].name: ports[port.name] for port in task.inputs}.values()),
        outputs=tuple(ports[port.name] for port in task.outputs),
        input_links=tuple(
            replace(link, array=views[link.array].array, tiler=tiler(link.array, link.tiler, link.port))
            for link in repeated.input_links
        ),
        output_links=tuple(replace(link, array=views[link.array].array) for link in repeated.output_links),
        delays=tuple(map(default, repeated.delays)),
    )
    return _Bound(bound, {name: view.array for name, view in views.items()}, parts)


def _as_repetition(elementary: Elementary) -> RepetitiveTask:
    """An elementary that is called without a repetition: one repetition, whose patterns are whole arrays."""
    name, inputs, outputs, span = elementary.name, elementary.inputs, elementary.outputs, elementary.span
    reads, writes = (
        tuple(
            Link(port.name, port.name, whole_array_tiler(len(port.shape), port.span, steps=1), port.span)
            for port in ports
        )
        for ports in (inputs, outputs)
    )
    return RepetitiveTask(name, inputs, outputs, (1,), name, reads, writes, (), span)
