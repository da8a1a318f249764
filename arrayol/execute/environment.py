"""What a body sees while it runs for a batch of repetitions, and how it says where something went wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import error
from arrayol.execute.batches import Batch, Indices
from arrayol.ir.types import ElementType
from arrayol.source import Span

Values = Any  # an NDArray or a NumPy scalar; both have the same operators and functions
Mask = NDArray[np.bool_]

DTYPES: Mapping[ElementType, np.dtype[Any]] = {
    ElementType.BOOL: np.dtype(bool),
    **{kind: np.dtype(f"{kind.value[0]}{kind.bits // 8}") for kind in ElementType if kind is not ElementType.BOOL},
}


@dataclass(frozen=True, slots=True)
class Place:
    """The task whose repetitions are the leading lanes, inside the one whose repetitions are the others."""

    task: str
    batch: Batch | None  # None: called by itself, not repeated
    outer: Place | None = None

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

    A port's array has the axes pattern, batch; a port whose writes depend on data has a mask of the same shape in
    `written`. A value has the axes of `axes` (range variables computed at once), then those of the batch. With
    `lanes`, only those elements of it are computed, as vectors: one index array per axis. `counters` holds the range
    variables that are run through.
    """

    arrays: Mapping[str, Values]
    written: Mapping[str, Mask]
    shape: tuple[int, ...]
    place: Place
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
        """The same batch, for a statement with those axes."""
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
