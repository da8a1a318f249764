"""A producer and its consumer, seen as two repetitions over arrays with the names of the composition around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from arrayol.ir.parts import View
from arrayol.ir.spec import (
    Call,
    CompoundTask,
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
from arrayol.transforms.block_arrays import Use
from arrayol.transforms.rewrite import Names, Site, default_arrays, refused


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
    names = Names(spec)
    (producer, made), (consumer, given) = (_bound(spec, site, names) for site in (maker, reader))
    results = set(maker.call.results)
    linked = dict.fromkeys(link.array for link in consumer.input_links if link.array in results)
    by_default = results & set(default_arrays(consumer))
    shared = tuple(maker.compound.arrays[name] for name in linked)
    if not shared:
        message = f"'{reader.call.callee}' reads what '{maker.call.callee}' gives only where its delays leave the space"
        raise refused(message, reader.call.span, "there is no pattern to fuse on")
    calls = (maker.call, reader.call)
    return Pair(maker.compound, producer, consumer, calls, shared, frozenset(by_default), made | given)


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


def _bound(spec: Spec, site: Site, names: Names) -> tuple[RepetitiveTask, dict[str, tuple[str, Part]]]:
    """The called task with the arrays of the call in place of its ports, and the parts that it writes.

    Tilers of a part that is read say the same of the whole array. A part that is written is an array of its own, under
    a free name.
    """
    task = spec.components[site.call.callee]
    if isinstance(task, CompoundTask):
        message = f"'{task.name}' is a composition of calls: it repeats nothing that could be fused"
        raise refused(message, site.call.span, f"fuse what it calls: {', '.join(call.callee for call in task.calls)}")
    repeated = _as_repetition(task) if isinstance(task, Elementary) else task
    callee = spec.components[repeated.callee]
    arrays, call = site.compound.arrays, site.call
    views = {
        port.name: View(name, arrays[name].shape, call.part_at(port.name))
        for port, name in zip(task.inputs, call.arguments, strict=True)
    }

    def tiler(array: str, tiler: Tiler, port: str) -> Tiler:
        return views[array].tiler(tiler, repeated.repetition, port_named(callee.inputs, port).shape)

    outputs: dict[str, Port] = {}
    parts: dict[str, tuple[str, Part]] = {}
    for port, name in zip(task.outputs, call.results, strict=True):
        part = call.part_at(port.name)
        own = name if part is None else names.local(f"{name}_part", arrays)
        outputs[port.name] = arrays[name] if part is None else replace(port, name=own)
        parts |= {} if part is None else {own: (name, part)}
    bound = replace(
        repeated,
        inputs=tuple(arrays[name] for name in dict.fromkeys(call.arguments)),
        outputs=tuple(outputs.values()),
        input_links=tuple(
            replace(link, array=views[link.array].array, tiler=tiler(link.array, link.tiler, link.port))
            for link in repeated.input_links
        ),
        output_links=tuple(replace(link, array=outputs[link.array].name) for link in repeated.output_links),
        delays=tuple(
            replace(
                delay,
                default=replace(
                    delay.default,
                    array=views[delay.default.array].array,
                    tiler=tiler(delay.default.array, delay.default.tiler, delay.port),
                ),
            )
            if isinstance(delay.default, TiledDefault)
            else delay
            for delay in repeated.delays
        ),
    )
    return bound, parts


def _as_repetition(elementary: Elementary) -> RepetitiveTask:
    """An elementary called by itself: one repetition, whose patterns are whole arrays."""
    name, inputs, outputs, span = elementary.name, elementary.inputs, elementary.outputs, elementary.span
    reads, writes = (
        tuple(
            Link(port.name, port.name, whole_array_tiler(len(port.shape), port.span, steps=1), port.span)
            for port in ports
        )
        for ports in (inputs, outputs)
    )
    return RepetitiveTask(name, inputs, outputs, (1,), name, reads, writes, (), span)
