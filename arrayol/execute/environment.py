"""Batches of repetitions that run at once, what a body sees while it runs for one, and where something went wrong."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import error
from arrayol.ir.types import ElementType
from arrayol.source import Span

Indices = tuple[NDArray[np.int64], ...]


@dataclass(frozen=True, slots=True)
class Box:
    """The repetitions low <= r < high. Arrays over it have one axis per repetition dimension."""

    low: tuple[int, ...]
    high: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(max(0, high - low) for low, high in zip(self.low, self.high, strict=True))

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def coordinates(self) -> Indices:
        """One array per repetition dimension, open: they broadcast to the box's shape."""
        return np.ix_(*(np.arange(low, high) for low, high in zip(self.low, self.high, strict=True)))

    def repetition(self, lane: tuple[int, ...]) -> tuple[int, ...]:
        """The repetition at an index into arrays over the box."""
        return tuple(low + int(offset) for low, offset in zip(self.low, lane, strict=True))

    def intersection(self, other: Box) -> Box:
        low = tuple(map(max, self.low, other.low))
        return Box(low, tuple(map(max, low, map(min, self.high, other.high))))

    def slices(self) -> tuple[slice, ...]:
        """The box as an index into an array over the whole repetition space."""
        return tuple(slice(low, high) for low, high in zip(self.low, self.high, strict=True))

    def minus(self, inner: Box) -> Iterator[Box]:
        """Disjoint boxes that together are this box without `inner`, which lies in it."""
        if inner.size == 0:
            yield self
            return
        low, high = list(self.low), list(self.high)
        for axis in range(len(low)):
            for start, stop in ((low[axis], inner.low[axis]), (inner.high[axis], high[axis])):
                if start < stop:
                    yield Box((*low[:axis], start, *low[axis + 1 :]), (*high[:axis], stop, *high[axis + 1 :]))
            low[axis], high[axis] = inner.low[axis], inner.high[axis]


@dataclass(frozen=True, slots=True)
class Points:
    """Listed repetitions, one array of coordinates per dimension. Arrays over them have one axis."""

    coordinates: Indices

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.size,)

    @property
    def size(self) -> int:
        return len(self.coordinates[0])

    def repetition(self, lane: tuple[int, ...]) -> tuple[int, ...]:
        """The repetition at an index into arrays over the points."""
        return tuple(int(axis[lane[0]]) for axis in self.coordinates)

    def where(self, chosen: NDArray[np.bool_]) -> Points:
        return Points(tuple(axis[chosen] for axis in self.coordinates))


Batch = Box | Points


def whole(shape: Sequence[int]) -> Box:
    """All repetitions of a space."""
    return Box((0,) * len(shape), tuple(shape))


def cut(box: Box, limit: int) -> Iterator[Box]:
    """The box in parts of at most `limit` repetitions (at least one each), in lexicographic order.

    The last axes stay whole as long as they can: they are the ones that NumPy runs along.
    """
    if box.size == 0:
        return
    axis, inner = len(box.low), 1
    while axis > 0 and inner * box.shape[axis - 1] <= limit:
        axis -= 1
        inner *= box.shape[axis]
    if axis == 0:
        yield box
        return
    step = max(1, limit // inner)
    outer = Box(box.low[: axis - 1], box.high[: axis - 1])
    for index in np.ndindex(outer.shape):
        corner = outer.repetition(index)
        for start in range(box.low[axis - 1], box.high[axis - 1], step):
            stop = min(start + step, box.high[axis - 1])
            yield Box((*corner, start, *box.low[axis:]), (*(value + 1 for value in corner), stop, *box.high[axis:]))


def slabs(shape: Sequence[int], axis: int, direction: int) -> Iterator[Box]:
    """Wavefronts of a schedule that is a unit vector: one index of `axis` each, in the direction of its sign."""
    steps = range(shape[axis]) if direction > 0 else range(shape[axis] - 1, -1, -1)
    for step in steps:
        low, high = [0] * len(shape), list(shape)
        low[axis], high[axis] = step, step + 1
        yield Box(tuple(low), tuple(high))


def wavefronts(shape: Sequence[int], schedule: Sequence[int], limit: int) -> Iterator[Points]:
    """Wavefronts of any schedule, tau.r rising, each in parts of at most `limit` repetitions."""
    times = sum(
        (factor * axis for factor, axis in zip(schedule, whole(shape).coordinates, strict=True)),
        start=np.zeros((1,) * len(shape), np.int64),
    )
    flat = np.broadcast_to(times, shape).ravel()
    order = np.argsort(flat, kind="stable")
    bounds = np.flatnonzero(np.diff(flat[order])) + 1
    for start, stop in zip([0, *bounds.tolist()], [*bounds.tolist(), len(order)], strict=True):
        for first in range(start, stop, limit):
            part = order[first : min(first + limit, stop)]
            yield Points(tuple(np.asarray(axis, np.int64) for axis in np.unravel_index(part, shape)))


# What a body sees.

Values = Any  # an NDArray or a NumPy scalar; both have the same operators and functions
Mask = NDArray[np.bool_]


class _DataTypes(dict[ElementType, np.dtype[Any]]):
    """The type of NumPy's that holds the values of an element type, or their stored integers."""

    def __missing__(self, kind: ElementType) -> np.dtype[Any]:
        return self.setdefault(kind, np.dtype(kind.numpy_name))


DTYPES = _DataTypes()


def empty(shape: Sequence[int], dtype: np.dtype[Any]) -> NDArray[Any]:
    """A new array, its values any. Raises MemoryError, also for a size that NumPy cannot count."""
    if math.prod(shape) * dtype.itemsize >= 1 << 63 or max(shape, default=0) >= 1 << 63:
        raise MemoryError
    return np.empty(shape, dtype)


@dataclass(frozen=True, slots=True)
class LeadingTask:
    """The task whose repetitions are the leading lanes, inside the one whose repetitions are the others."""

    task: str
    batch: Batch | None  # None: called by itself, not repeated
    outer: LeadingTask | None = None

    def describe(self, lane: tuple[int, ...]) -> str:
        """The repetition of a lane, in words, from the inside to the outside."""
        own = len(self.batch.shape) if self.batch is not None else 0
        text = f"'{self.task}'"
        if self.batch is not None:
            repetition = ", ".join(map(str, self.batch.repetition(lane[:own])))
            text = f"repetition ({repetition}) of task '{self.task}'"
        outer = self.outer.describe(lane[own:]) if self.outer else ""
        return f"{text}, in {outer}" if outer else text


@dataclass(frozen=True, slots=True)
class Fault:
    """What may go wrong at a lane; `message` may show the offending value as {value}."""

    code: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Axis:
    """A range variable whose indices low <= i < low + count are computed at once, along axis `position`."""

    name: str
    position: int
    low: int
    count: int


@dataclass(frozen=True, slots=True)
class Environment:
    """The ports of a body for a batch, and the lanes to compute.

    The array of a port or local has the axes pattern, batch; where writes depend on data it has a mask of the same
    shape in `written`. A value has the axes of `axes` (range variables computed at once), then those of the batch. With
    `lanes`, only those elements of it are computed, as vectors: one index array per axis. `counters` holds the range
    variables that are run through.
    """

    arrays: dict[str, Values]
    written: dict[str, Mask]
    shape: tuple[int, ...]
    place: LeadingTask
    axes: tuple[Axis, ...] = ()
    lanes: Indices | None = None
    counters: dict[str, int] = field(default_factory=dict)

    @property
    def full_shape(self) -> tuple[int, ...]:
        return (*(axis.count for axis in self.axes), *self.shape)

    @property
    def mesh(self) -> Indices:
        """Index arrays of the batch's axes, for indexing ports at computed elements."""
        if self.lanes is not None:
            return self.lanes[len(self.axes) :]
        return np.ix_(*map(np.arange, self.shape))

    def along(self, axes: tuple[Axis, ...]) -> Environment:
        """The environment of the batch for a statement with the given axes."""
        return Environment(self.arrays, self.written, self.shape, self.place, axes, None, self.counters)

    def only(self, mask: Mask) -> Environment:
        """The lanes of this environment at which `mask` holds."""
        if self.lanes is None:
            lanes: Indices = np.nonzero(np.broadcast_to(mask, self.full_shape))
        else:
            lanes = tuple(lane[mask] for lane in self.lanes)
        return Environment(self.arrays, self.written, self.shape, self.place, self.axes, lanes, self.counters)

    def refuse(self, bad: Mask, values: Values, fault: Fault, span: Span) -> NoReturn:
        """Refuse to go on: `bad` holds at one lane or more; the first of them is named, with its one of `values`."""
        shape = self.full_shape if self.lanes is None else self.lanes[0].shape
        first = np.unravel_index(int(np.argmax(np.broadcast_to(bad, shape))), shape)
        value = np.broadcast_to(np.asarray(values), shape)[first].item()
        lane = tuple(int(axis[first]) for axis in self.lanes) if self.lanes is not None else tuple(map(int, first))
        where = self.place.describe(lane[len(self.axes) :])
        raise error(fault.code, f"{fault.message.format(value=value)}, in {where}", span, hint=fault.hint)
