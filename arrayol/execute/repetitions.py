"""Repetitive tasks: all repetitions at once, or wavefront by wavefront where delays order them.

A vector tau with tau . d >= 1 for every acting delay d puts r after r - d, so that repetitions of one value of tau . r
do not depend on one another and run as one batch. Along a unit vector tau a batch is a slab of the repetition space,
and a delayed output needs memory for the slabs that a delay still reaches only (a ring).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arrayol.errors import error
from arrayol.execute.environment import DTYPES, Batch, Box, Points, Values, cut, empty, slabs, wavefronts, whole
from arrayol.execute.patterns import TiledPattern, read_patterns, tiling_for_reading, tiling_for_writing
from arrayol.ir.exits import writing_parts
from arrayol.ir.spec import Component, Delay, Link, Port, RepetitiveTask, TiledDefault, Tiler, port_named
from arrayol.ir.types import ElementType
from arrayol.polyhedral.delays import find_schedule

# Delayed ports: what an earlier repetition has put out, or a default where there is none.


@dataclass(frozen=True, slots=True)
class Store:
    """The patterns of a delayed output, axes pattern, repetition, trailing.

    Where wavefronts go along one repetition axis (`wave`), that axis is a ring with a slot for each wavefront that a
    delay can still reach, and the one being computed.
    """

    array: Values
    rank: int
    wave: int | None

    def at(self, box: Box) -> Values:
        """The patterns of a box as memory; with a ring, one of a single wavefront."""
        slices = list(box.slices())
        if self.wave is not None:
            slot = box.low[self.wave] % self.array.shape[self.rank + self.wave]
            slices[self.wave] = slice(slot, slot + 1)
        part: Values = self.array[(*(slice(None),) * self.rank, *slices)]
        return part

    def read(self, batch: Batch) -> Values:
        return self.array[self._index(batch)] if isinstance(batch, Points) else self.at(batch)

    def write(self, batch: Points, patterns: Values) -> None:
        self.array[self._index(batch)] = patterns

    def _index(self, batch: Points) -> tuple[Any, ...]:
        return (*(slice(None),) * self.rank, *batch.coordinates)


@dataclass(frozen=True, slots=True)
class DelayedInput:
    """A port that takes output r - `vector` from `store`; outside the space `constant`, or `array` at `tiler`.

    `dtype`, `pattern` and `trailing` are those of the port; a store of None stands for a delay that never acts.
    """

    port: str
    vector: tuple[int, ...]
    store: Store | None
    space: Box
    constant: Values | None
    tiled: tuple[Values, Tiler] | None
    dtype: np.dtype[Any]
    pattern: tuple[int, ...]
    trailing: tuple[int, ...]

    def read(self, batch: Batch) -> Values:
        """The port's patterns for a batch, axes pattern, batch, trailing."""
        return self._read_points(batch) if isinstance(batch, Points) else self._read_box(batch)

    def _read_box(self, box: Box) -> Values:
        inside = box.intersection(_shifted(self.space, self.vector)) if self.store else Box(box.low, box.low)
        if self.store is not None and inside == box:
            return self.store.at(_shifted(box, tuple(-step for step in self.vector)))
        patterns = np.empty((*self.pattern, *box.shape, *self.trailing), self.dtype)
        if self.store is not None and inside.size:
            earlier = self.store.at(_shifted(inside, tuple(-step for step in self.vector)))
            patterns[self._part(inside, box)] = earlier
        for outside in box.minus(inside):
            patterns[self._part(outside, box)] = self._default(outside)
        return patterns

    def _read_points(self, points: Points) -> Values:
        patterns = np.empty((*self.pattern, *points.shape, *self.trailing), self.dtype)
        earlier = Points(tuple(axis - step for axis, step in zip(points.coordinates, self.vector, strict=True)))
        inside = np.full(points.shape, self.store is not None)
        for axis, length in zip(earlier.coordinates, self.space.high, strict=True):
            inside &= (axis >= 0) & (axis < length)
        whole: tuple[Any, ...] = (slice(None),) * len(self.pattern)
        if self.store is not None and inside.any():
            patterns[(*whole, inside)] = self.store.read(earlier.where(inside))
        if not inside.all():
            patterns[(*whole, ~inside)] = self._default(points.where(~inside))
        return patterns

    def _default(self, batch: Batch) -> Values:
        if self.tiled is not None:
            array, tiler = self.tiled
            return read_patterns(array, tiler, self.pattern, batch)
        assert self.constant is not None
        return self.constant

    def _part(self, part: Box, box: Box) -> tuple[slice, ...]:
        """A box inside another as an index into patterns of the other."""
        return (*(slice(None),) * len(self.pattern), *_shifted(part, tuple(-low for low in box.low)).slices())


def _shifted(box: Box, vector: Sequence[int]) -> Box:
    return Box(
        tuple(low + step for low, step in zip(box.low, vector, strict=True)),
        tuple(high + step for high, step in zip(box.high, vector, strict=True)),
    )


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
class Exit:
    """A tiler through which the repetitions of `box` alone write; for `tiling` they count from its lower end."""

    tiling: TiledPattern
    box: Box

    def write(self, batch: Batch, patterns: Values) -> None:
        """Store those patterns of a batch that leave through this tiler."""
        back = tuple(-low for low in self.box.low)
        every = (slice(None),) * len(self.tiling.pattern)
        if isinstance(batch, Points):
            chosen = np.ones(batch.shape, np.bool_)
            for axis, low, high in zip(batch.coordinates, self.box.low, self.box.high, strict=True):
                chosen &= (axis >= low) & (axis < high)
            if chosen.any():
                from_low = tuple(axis - low for axis, low in zip(batch.coordinates, self.box.low, strict=True))
                self.tiling.write(Points(from_low).where(chosen), patterns[(*every, chosen)])
            return
        inside = batch.intersection(self.box)
        if inside.size:
            part = _shifted(inside, tuple(-low for low in batch.low)).slices()
            self.tiling.write(_shifted(inside, back), patterns[(*every, *part)])


@dataclass(frozen=True, slots=True)
class Output:
    """Where an output port's patterns go: a store, if delays read them, and arrays through tilers."""

    port: Port
    store: Store | None
    links: tuple[TiledPattern | Exit, ...]

    def memory(self, batch: Batch, trailing: Sequence[int]) -> tuple[Values, TiledPattern | Store | None]:
        """Memory for the patterns of a batch, and what it is part of, if it is no scratch memory."""
        if self.store is not None and isinstance(batch, Box):
            return self.store.at(batch), self.store
        first = self.links[0] if self.links else None
        direct = first.direct(batch) if isinstance(first, TiledPattern) else None
        if direct is not None and isinstance(first, TiledPattern):
            return direct, first
        return empty((*sizes(self.port.shape), *batch.shape, *trailing), DTYPES[self.port.type]), None

    def deliver(self, batch: Batch, patterns: Values, home: TiledPattern | Store | None) -> None:
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
    inputs: Mapping[str, TiledPattern]
    delayed: tuple[DelayedInput, ...]
    outputs: tuple[Output, ...]

    def read(self, batch: Batch) -> dict[str, Values]:
        """The input patterns of a batch by port, axes pattern, batch, trailing."""
        patterns = {port: tiling.read(batch) for port, tiling in self.inputs.items()}
        return patterns | {delayed.port: delayed.read(batch) for delayed in self.delayed}


_MAXIMUM_AXES = 64  # of an array of NumPy


def _require_axes(task: RepetitiveTask, callee: Component, repeated: int) -> None:
    """Raises ArrayolError (`too-many-dimensions`) where repetitions around and a pattern are more than NumPy has."""
    rank = repeated + max((len(port.shape) for port in (*callee.inputs, *callee.outputs)), default=0)
    if rank > _MAXIMUM_AXES:
        message = f"repetitions within repetitions of '{task.name}' have {rank} dimensions with their patterns"
        hint = f'at most {_MAXIMUM_AXES} can be executed; join some by steps, as "collapse {task.name}"'
        raise error("too-many-dimensions", message, task.span, hint=hint)


def bind(
    task: RepetitiveTask, callee: Component, arrays: Mapping[str, Values], trailing: tuple[int, ...]
) -> Repetition:
    """Tilers as views of the arrays, and memory for what delays carry."""
    order = order_of(task)
    _require_axes(task, callee, len(order.repetition) + len(trailing))
    inputs = {
        link.port: tiling_for_reading(
            arrays[link.array],
            _filled(link.tiler, port_named(callee.inputs, link.port).type),
            sizes(port_named(callee.inputs, link.port).shape),
            order.repetition,
            wave=order.wave,
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
                target
                for link in task.output_links
                if link.port == port.name
                for target in _targets(link, arrays[link.array], sizes(port.shape), order)
            ),
        )
        for port in callee.outputs
    )
    return Repetition(order, inputs, delayed, outputs)


def _targets(link: Link, array: Values, pattern: tuple[int, ...], order: Order) -> Iterator[TiledPattern | Exit]:
    """The array that a link writes: as seen by all repetitions, or by those of each box that leaves through it."""
    for part in writing_parts(link, order.repetition):
        extents = sizes(part.extents)
        tiling = tiling_for_writing(array, part.tiler, pattern, extents, wave=order.wave)
        high = tuple(low + extent for low, extent in zip(part.low, extents, strict=True))
        yield tiling if link.exit is None else Exit(tiling, Box(part.low, high))


def _filled(tiler: Tiler, kind: ElementType) -> Tiler:
    """A tiler whose border has its constant as arrays hold it."""
    if tiler.border is None or not tiler.border.is_constant:
        return tiler
    return replace(tiler, border=replace(tiler.border, value=kind.held(tiler.border.value)))


def _store(task: RepetitiveTask, port: Port, order: Order, trailing: tuple[int, ...]) -> Store:
    """Memory for a delayed output: for all repetitions, or for as many wavefronts as its longest delay reaches over."""
    pattern, dtype, wave = sizes(port.shape), DTYPES[port.type], order.wave
    if wave is None:
        return Store(empty((*pattern, *order.repetition, *trailing), dtype), len(pattern), None)
    reach = max(abs(delay.vector[wave]) for delay in task.delays if delay.acts and delay.output == port.name)
    others = [length for axis, length in enumerate(order.repetition) if axis != wave]
    # The ring's axis is outermost, so that each wavefront is contiguous.
    array = empty((reach + 1, *pattern, *others, *trailing), dtype)
    return Store(np.moveaxis(array, 0, len(pattern) + wave), len(pattern), wave)


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
        None if isinstance(default, TiledDefault) else np.array(port.type.held(default), dtype),
        (arrays[default.array], default.tiler) if isinstance(default, TiledDefault) else None,
        dtype,
        sizes(port.shape),
        trailing,
    )


def sizes(shape: Sequence[int | None]) -> tuple[int, ...]:
    """A shape whose infinite dimensions have got their number of frames (frames.py)."""
    assert None not in shape
    return tuple(length for length in shape if length is not None)
