"""From the parts of a block to definitions: the inner repetitions, the body around them, the outer repetition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from arrayol.ir.spec import (
    Call,
    Component,
    CompoundTask,
    Delay,
    Link,
    Port,
    RepetitiveTask,
    Shape,
    Spec,
    identity,
    port_named,
)
from arrayol.source import Span
from arrayol.transforms.blocks.block import BlockArray, BlockPart, Feed, GatheredSources, Reach, Sink, State
from arrayol.transforms.rewrite import FreeNames, in_dataflow_order
from arrayol.transforms.trace import ArrayName


@dataclass(frozen=True, slots=True)
class Outline:
    """The outer repetition to be made: its name and ports, its space, and the name of its body."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    space: Shape
    body: str
    span: Span


@dataclass(frozen=True, slots=True)
class Assembly:
    """New definitions, the outer repetition last; `direct` names the inner repetitions that one call replaces.

    `inlined` tells where the arrays of composed tasks that were taken into the body went.
    """

    components: tuple[Component, ...]
    direct: frozenset[str]
    inlined: Mapping[ArrayName, ArrayName]
    locals: Mapping[str, str]


def assemble(outline: Outline, parts: Sequence[BlockPart], spec: Spec, names: FreeNames) -> Assembly:
    """The definitions of a repetition whose body does the parts in turn."""
    simple = len(parts) == 1 and not any(
        isinstance(feed.source, (GatheredSources, BlockArray)) for feed in parts[0].feeds
    )
    if simple:
        part = parts[0]
        names_of_ports = [port.name for port in (*part.inner.inputs, *part.inner.outputs)]
        outer = _outer(outline, part.inner.name, [(part, {name: name for name in names_of_ports})])
        return Assembly((part.inner, outer), frozenset(), {}, {})
    body = _Body(outline, spec, names)
    bound = [(part, body.add(part)) for part in parts]
    outer = _outer(outline, outline.body, bound)
    return Assembly((*body.definitions, body.task(), outer), frozenset(body.direct), body.inlined, body.locals)


def _leaves(feeds: Sequence[Feed]) -> Iterator[Feed]:
    """The feeds that come from outside the block."""
    for feed in feeds:
        if isinstance(feed.source, GatheredSources):
            yield from _leaves(feed.source.feeds)
        elif not isinstance(feed.source, BlockArray):
            yield feed


def _outer(outline: Outline, body: str, bound: Sequence[tuple[BlockPart, Mapping[str, str]]]) -> RepetitiveTask:
    links: list[Link] = []
    delays: list[Delay] = []
    outputs: list[Link] = []
    for part, ports in bound:
        for feed in _leaves(part.feeds):
            port, source = ports[feed.port.name], feed.source
            if isinstance(source, Reach):
                links.append(Link(port, source.array, source.tiler, source.tiler.span))
            elif isinstance(source, State):
                output = ports[source.output]
                delays.append(Delay(port, output, source.vector, source.default, True, outline.span))
        for sink in part.sinks:
            reaches = ((ports[sink.port.name], target) for target in sink.targets)
            outputs += [
                Link(port, target.array, target.tiler, target.tiler.span, target.exit) for port, target in reaches
            ]
    name, space, span = outline.name, outline.space, outline.span
    sides = (tuple(links), tuple(outputs), tuple(delays))
    return RepetitiveTask(name, outline.inputs, outline.outputs, space, body, *sides, span)


@dataclass(slots=True)
class _Body:
    """The composition inside a block while it is made."""

    outline: Outline
    spec: Spec
    names: FreeNames
    inputs: list[Port] = field(default_factory=list)
    outputs: list[Port] = field(default_factory=list)
    arrays: dict[str, Port] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    definitions: list[Component] = field(default_factory=list)
    direct: set[str] = field(default_factory=set)
    inlined: dict[ArrayName, ArrayName] = field(default_factory=dict)
    locals: dict[str, str] = field(default_factory=dict)

    def add(self, part: BlockPart) -> dict[str, str]:
        """Call a part; the body's names of its ports."""
        ports: dict[str, str] = {}
        for feed in part.feeds:
            ports[feed.port.name] = self._fed(feed, ports)
        states = {feed.source.output for feed in _leaves(part.feeds) if isinstance(feed.source, State)}
        for sink in part.sinks:
            ports[sink.port.name] = self._sunk(sink, sink.port.name in states)
        callee = self.spec.components[part.inner.callee]
        if _is_direct(part.inner, callee):
            self.direct.add(part.inner.name)
            self._call_directly(part.inner, callee, ports)
        else:
            self.definitions.append(part.inner)
            arguments = tuple(ports[feed.port.name] for feed in part.feeds)
            results = tuple(ports[sink.port.name] for sink in part.sinks)
            self.calls.append(Call(results, part.inner.name, arguments, part.inner.span))
        return ports

    def task(self) -> CompoundTask:
        inputs, outputs, calls = tuple(self.inputs), tuple(self.outputs), in_dataflow_order(self.calls)
        return CompoundTask(self.outline.body, inputs, outputs, calls, self.arrays, self.outline.span)

    def _fed(self, feed: Feed, ports: dict[str, str]) -> str:
        source = feed.source
        if isinstance(source, BlockArray):
            return self.locals[source.name]
        name = self._array(feed.port)
        if isinstance(source, GatheredSources):
            for inner in source.feeds:
                ports[inner.port.name] = self._fed(inner, ports)
            self.definitions.append(source.elementary)
            arguments = tuple(ports[inner.port.name] for inner in source.feeds)
            self.calls.append(Call((name,), source.elementary.name, arguments, feed.port.span))
        else:
            self.inputs.append(self.arrays[name])
        return name

    def _sunk(self, sink: Sink, is_state: bool) -> str:
        name = self._array(sink.port)
        if sink.local is not None:
            self.locals[sink.local] = name
        if sink.targets or is_state:
            self.outputs.append(self.arrays[name])
        return name

    def _array(self, port: Port) -> str:
        name = self.names.local(port.name, self.arrays)
        self.arrays[name] = replace(port, name=name)
        return name

    def _call_directly(self, inner: RepetitiveTask, callee: Component, ports: Mapping[str, str]) -> None:
        """Call what the one repetition does; a composition is taken in call by call."""
        reads = {link.port: ports[link.array] for link in inner.input_links}
        writes = {link.port: ports[link.array] for link in inner.output_links}
        for port in callee.outputs:
            if port.name not in writes:
                writes[port.name] = self._array(port)
        if not isinstance(callee, CompoundTask):
            arguments = tuple(reads[port.name] for port in callee.inputs)
            results = tuple(writes[port.name] for port in callee.outputs)
            self.calls.append(Call(results, callee.name, arguments, inner.span))
            return
        known = reads | writes
        for name, port in callee.arrays.items():
            if name not in known:
                known[name] = self._array(port)
            self.inlined[callee.name, name] = (self.outline.body, known[name])
        for call in callee.calls:
            results, arguments = (tuple(known[name] for name in side) for side in (call.results, call.arguments))
            self.calls.append(replace(call, results=results, arguments=arguments))


def _is_direct(inner: RepetitiveTask, callee: Component) -> bool:
    """Whether one call of the callee does the repetition: it is one, and every pattern is the whole array."""
    if any(extent != 1 for extent in inner.repetition) or inner.delays:
        return False
    reads = [(link, inner.inputs, callee.inputs) for link in inner.input_links]
    links = [*reads, *((link, inner.outputs, callee.outputs) for link in inner.output_links)]
    whole = all(
        _is_whole(link, port_named(arrays, link.array), port_named(ends, link.port)) for link, arrays, ends in links
    )
    return whole and len({link.port for link, _, _ in links}) == len(links)


def _is_whole(link: Link, array: Port, port: Port) -> bool:
    same = array.shape == port.shape and link.tiler.fitting == identity(len(array.shape))
    return same and not any(link.tiler.origin)
