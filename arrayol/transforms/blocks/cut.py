"""A repetitive task cut in blocks: the repetition of one block, and what it reads, writes and hands on.

It is what `pave`, `tile` and `fuse` have in common: a part of a block's body, with a feed for each input port and a
sink for each output port; what crosses blocks gets ports of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from arrayol.ir.spec import Component, Delay, Link, RepetitiveTask, TiledDefault, port_named
from arrayol.transforms.blocks.block import (
    BlockArray,
    BlockPart,
    Blocks,
    Feed,
    Inside,
    Ports,
    Reach,
    Sink,
    cut_exit,
    exits_of_states,
    split_tiler,
)
from arrayol.transforms.blocks.delays import (
    BlockState,
    Unserved,
    crossings_of,
    state_feed,
    state_stem,
)
from arrayol.transforms.rewrite import FreeNames


class UnservedError(Exception):
    """A delay whose state no block hands on."""

    def __init__(self, unserved: Unserved) -> None:
        self.unserved = unserved
        super().__init__()


def block_part(
    task: RepetitiveTask, callee: Component, blocks: Blocks, name: str, names: FreeNames, inside: Inside
) -> BlockPart:
    """The inner repetition `name` of a task's blocks, with everything that feeds it.

    Arrays of `inside` stay in the block. Raises UnservedError where a delay's state comes from no block.
    """
    ports = Ports(names, task.name)
    inputs = tuple(_input(link, callee, blocks, ports, inside, task) for link in task.input_links)
    outputs = tuple(_outputs(task, callee, blocks, ports, inside))
    links: list[Link] = []
    delays: list[Delay] = []
    states: dict[str, Link] = {}
    for delay in task.delays:
        inner_delay = _delay(delay, task, callee, blocks, ports, states)
        if isinstance(inner_delay, Delay):
            delays.append(inner_delay)
        else:
            links.append(inner_delay)
    inner = RepetitiveTask(
        name,
        tuple(feed.port for feed in ports.feeds),
        tuple(sink.port for sink in ports.sinks),
        blocks.extents,
        task.callee,
        (*inputs, *links),
        (*outputs, *states.values()),
        tuple(delays),
        task.span,
    )
    return BlockPart(inner, tuple(ports.feeds), tuple(ports.sinks))


def _input(link: Link, callee: Component, blocks: Blocks, ports: Ports, inside: Inside, task: RepetitiveTask) -> Link:
    port = port_named(callee.inputs, link.port)
    if link.port in inside.reads:
        local = inside.arrays[link.array]
        feed = next((feed for feed in ports.feeds if feed.source == BlockArray(local.name)), None)
        name = feed.port.name if feed else ports.fresh(link.port)
        if not feed:
            ports.feeds.append(Feed(replace(local, name=name), BlockArray(local.name)))
        return Link(link.port, name, inside.reads[link.port], link.span)
    split = split_tiler(link.tiler, port.shape, blocks)
    name = ports.fresh(link.port)
    ports.feeds.append(Feed(replace(port, name=name, shape=split.shape), Reach(link.array, split.outer)))
    return Link(link.port, name, split.inner, link.span)


def _outputs(task: RepetitiveTask, callee: Component, blocks: Blocks, ports: Ports, inside: Inside) -> Iterator[Link]:
    local_arrays: set[str] = set()
    for place, link in enumerate(task.output_links):
        port = port_named(callee.outputs, link.port)
        if place not in inside.writes:
            cut = cut_exit(link, port.shape, blocks)
            name = ports.fresh(link.port)
            reach = Reach(link.array, cut.split.outer, cut.outer)
            ports.sinks.append(Sink(replace(port, name=name, shape=cut.split.shape), (reach,)))
            yield Link(link.port, name, cut.split.inner, link.span, cut.inner)
            continue
        local = inside.arrays[link.array]
        name = next((sink.port.name for sink in ports.sinks if sink.local == local.name), "") or ports.fresh(link.port)
        if link.array not in local_arrays:
            local_arrays.add(link.array)
            ports.sinks.append(Sink(replace(local, name=name), (), local.name))
        yield Link(link.port, name, inside.writes[place], link.span)


def _delay(
    delay: Delay, task: RepetitiveTask, callee: Component, blocks: Blocks, ports: Ports, states: dict[str, Link]
) -> Delay | Link:
    """The delay inside the block; a link where no instance has its earlier one in the same block."""
    crossings = crossings_of(delay, blocks)
    if isinstance(crossings, Unserved):
        raise UnservedError(crossings)
    port = port_named(callee.inputs, delay.port)
    acts = all(abs(step) < extent for step, extent in zip(delay.vector, blocks.extents, strict=True))
    crosses = any(crossing.vector is not None for crossing in crossings)
    if not crosses and not isinstance(delay.default, TiledDefault):
        return replace(delay, acts=acts)
    state = BlockState(port, blocks, exits_of_states(task.delays, blocks).get(delay.output) if crosses else None)
    if crosses and delay.output not in states:
        name = ports.fresh(f"{state_stem(delay.output)}_after")
        ports.sinks.append(Sink(state.port(name), ()))
        states[delay.output] = Link(delay.output, name, state.tiler(delay.span), delay.span, state.exit)
    after = states[delay.output].array if crosses else ""
    feed, tiler = state_feed(delay, crossings, state, after, {port.name: port.shape for port in task.inputs}, ports)
    ports.feeds.append(feed)
    if not acts and delay.acts:
        return Link(delay.port, feed.port.name, tiler, delay.span)
    return replace(delay, default=TiledDefault(feed.port.name, tiler, delay.span), acts=acts)
