"""Repetitive tasks: all repetitions at once, or wavefront by wavefront where delays order them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arrayol.errors import error
from arrayol.execute.batches import Batch, Box, Points, cut, slabs, wavefronts, whole
from arrayol.execute.delays import DelayedInput, Store, store_for
from arrayol.execute.environment import DTYPES, Values
from arrayol.execute.patterns import Tiling, tiling_for_reading, tiling_for_writing
from arrayol.ir.spec import Component, Delay, Port, RepetitiveTask, TiledDefault, port_named
from arrayol.polyhedral.schedule import find_schedule


@dataclass(frozen=True, slots=True)
class Order:
    """In what order repetitions run: tau.r rising, or all at once (None). `wave`: the axis of a unit vector tau."""

    repetition: tuple[int, ...]
    tau: tuple[int, ...] | None
    wave: int | None

    def batches(self, limit: int) -> Iterator[Batch]:
        """Sets of at most `limit` repetitions (at least one) that do not depend on one another, in order."""
        if self.tau is None:
            yield from cut(whole(self.repetition), limit)
        elif self.wave is None:
            yield from wavefronts(self.repetition, self.tau, limit)
        else:
            for slab in slabs(self.repetition, self.wave, self.tau[self.wave]):
                yield from cut(slab, limit)


def order_of(task: RepetitiveTask) -> Order:
    """The order that a task's acting delays ask for. Raises ArrayolError (`no-schedule`) where there is none."""
    repetition = sizes(task.repetition)
    acting = [delay.vector for delay in task.delays if delay.acts]
    if not acting or math.prod(repetition) == 0:
        return Order(repetition, None, None)
    tau = find_schedule(acting, repetition)
    if tau is None:
        raise error(
            "no-schedule",
            f"the delays of task '{task.name}' leave no order in which its repetitions can run",
            task.span,
            hint="no vector tau has tau.d >= 1 for all of them; turn one of the delays round",
        )
    axes = [axis for axis, factor in enumerate(tau) if factor]
    return Order(repetition, tau, axes[0] if len(axes) == 1 else None)


@dataclass(frozen=True, slots=True)
class Output:
    """Where an output port's patterns go: a store, if delays read them, and arrays through tilers."""

    port: Port
    store: Store | None
    links: tuple[Tiling, ...]

    def memory(self, batch: Batch, trailing: Sequence[int]) -> tuple[Values, Tiling | Store | None]:
        """Memory for the patterns of a batch, and what it is part of, if it is no scratch memory."""
        if self.store is not None and isinstance(batch, Box):
            return self.store.at(batch), self.store
        direct = self.links[0].direct(batch) if self.links else None
        if direct is not None:
            return direct, self.links[0]
        return np.empty((*sizes(self.port.shape), *batch.shape, *trailing), DTYPES[self.port.type]), None

    def deliver(self, batch: Batch, patterns: Values, home: Tiling | Store | None) -> None:
        """Bring the patterns to every place that they are not in already."""
        if self.store is not None and isinstance(batch, Points):
            self.store.write(batch, patterns)
        for link in self.links:
            if link is not home:
                link.write(batch, patterns)


@dataclass(frozen=True, slots=True)
class Repetition:
    """A repetitive task bound to its arrays, which have the axes shape, trailing."""

    order: Order
    inputs: Mapping[str, Tiling]
    delayed: tuple[DelayedInput, ...]
    outputs: tuple[Output, ...]

    def read(self, batch: Batch) -> dict[str, Values]:
        """The input patterns of a batch by port, axes pattern, batch, trailing."""
        patterns = {port: tiling.read(batch) for port, tiling in self.inputs.items()}
        return patterns | {one.port: one.read(batch) for one in self.delayed}


def bind(
    task: RepetitiveTask, callee: Component, arrays: Mapping[str, Values], trailing: tuple[int, ...]
) -> Repetition:
    """Tilers as views of the arrays, and memory for what delays carry."""
    order = order_of(task)
    inputs = {
        link.port: tiling_for_reading(
            arrays[link.array], link.tiler, _pattern(callee.inputs, link.port), order.repetition, wave=order.wave
        )
        for link in task.input_links
    }
    stores = {
        delay.output: _store(task, port_named(callee.outputs, delay.output), order, trailing)
        for delay in task.delays
        if delay.acts
    }
    delayed = tuple(_delayed(delay, callee, stores, order, arrays, trailing) for delay in task.delays)
    outputs = tuple(
        Output(
            port,
            stores.get(port.name),
            tuple(
                tiling_for_writing(arrays[link.array], link.tiler, sizes(port.shape), order.repetition, wave=order.wave)
                for link in task.output_links
                if link.port == port.name
            ),
        )
        for port in callee.outputs
    )
    return Repetition(order, inputs, delayed, outputs)


def _store(task: RepetitiveTask, port: Port, order: Order, trailing: tuple[int, ...]) -> Store:
    ring = None
    if order.wave is not None:
        acting = [delay for delay in task.delays if delay.acts and delay.output == port.name]
        ring = (order.wave, max(abs(delay.vector[order.wave]) for delay in acting))
    return store_for(sizes(port.shape), order.repetition, trailing, DTYPES[port.type], ring)


def _delayed(
    delay: Delay,
    callee: Component,
    stores: Mapping[str, Store],
    order: Order,
    arrays: Mapping[str, Values],
    trailing: tuple[int, ...],
) -> DelayedInput:
    port = port_named(callee.inputs, delay.port)
    dtype, default = DTYPES[port.type], delay.default
    return DelayedInput(
        delay.port,
        delay.vector,
        stores.get(delay.output) if delay.acts else None,
        whole(order.repetition),
        None if isinstance(default, TiledDefault) else np.array(default, dtype),
        (arrays[default.array], default.tiler) if isinstance(default, TiledDefault) else None,
        dtype,
        sizes(port.shape),
        trailing,
    )


def _pattern(ports: tuple[Port, ...], name: str) -> tuple[int, ...]:
    return sizes(port_named(ports, name).shape)


def sizes(shape: Sequence[int | None]) -> tuple[int, ...]:
    """A shape whose infinite dimensions have got their number of frames (frames.py)."""
    assert None not in shape
    return tuple(length for length in shape if length is not None)
