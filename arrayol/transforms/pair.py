"""A producer and its consumer, seen as two repetitions over arrays with the names of the composition around them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from arrayol.ir.spec import (
    Call,
    CompoundTask,
    Elementary,
    Link,
    Port,
    RepetitiveTask,
    Spec,
    TiledDefault,
    port_named,
    whole_array_tiler,
)
from arrayol.transforms.block_arrays import Use
from arrayol.transforms.rewrite import Site, default_arrays, refused


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
    producer, consumer = (_bound(spec, site) for site in (maker, reader))
    results = set(maker.call.results)
    linked = dict.fromkeys(link.array for link in consumer.input_links if link.array in results)
    by_default = results & set(default_arrays(consumer))
    shared = tuple(maker.compound.arrays[name] for name in linked)
    if not shared:
        message = f"'{reader.call.callee}' reads what '{maker.call.callee}' gives only where its delays leave the space"
        raise refused(message, reader.call.span, "there is no pattern to fuse on")
    return Pair(maker.compound, producer, consumer, (maker.call, reader.call), shared, frozenset(by_default))


def _use(spec: Spec, task: RepetitiveTask, link: Link, *, inputs: bool) -> Use:
    callee = spec.components[task.callee]
    return Use(link, port_named(callee.inputs if inputs else callee.outputs, link.port).shape)


def _bound(spec: Spec, site: Site) -> RepetitiveTask:
    """The called task with the arrays of the call in place of its ports."""
    task = spec.components[site.call.callee]
    if isinstance(task, CompoundTask):
        message = f"'{task.name}' is a composition of calls: it repeats nothing that could be fused"
        raise refused(message, site.call.span, f"fuse what it calls: {', '.join(call.callee for call in task.calls)}")
    repeated = _as_repetition(task) if isinstance(task, Elementary) else task
    ports = (port.name for port in (*task.inputs, *task.outputs))
    actual = dict(zip(ports, (*site.call.arguments, *site.call.results), strict=True))
    arrays = site.compound.arrays
    return replace(
        repeated,
        inputs=tuple(arrays[name] for name in dict.fromkeys(site.call.arguments)),
        outputs=tuple(arrays[name] for name in site.call.results),
        input_links=tuple(replace(link, array=actual[link.array]) for link in repeated.input_links),
        output_links=tuple(replace(link, array=actual[link.array]) for link in repeated.output_links),
        delays=tuple(
            replace(delay, default=replace(delay.default, array=actual[delay.default.array]))
            if isinstance(delay.default, TiledDefault)
            else delay
            for delay in repeated.delays
        ),
    )


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
