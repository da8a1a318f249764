"""Elements of a port that subscripts name: as a view where no data decides them, else by checked index arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.execute.environment import Environment, Fault, Mask, Values
from arrayol.ir.spec import written_name
from arrayol.source import Span

PatternIndex = tuple[int | NDArray[np.int64], ...]


@dataclass(slots=True)  # not frozen: one is made for each step of a counter, and freezing takes most of the time
class Window:
    """A basic NumPy index of a pattern: integers and slices, then the axes put in order of the statement's."""

    key: tuple[Any, ...]
    order: tuple[int, ...] | None = None
    expand: tuple[Any, ...] | None = None

    def of(self, array: Values) -> Values:
        """The elements, axes (statement, batch), as a view."""
        elements: Values = array[self.key]
        if self.order is not None:
            elements = elements.transpose(*self.order, *range(len(self.order), elements.ndim))
        return elements if self.expand is None else elements[self.expand]


def fixed_index(subscripts: Sequence[Any], shape: tuple[int, ...], axes: int) -> PatternIndex | None:
    """Subscripts that no data decides, as an index into the pattern; None where one is unknown or out of range.

    A subscript is an integer or an array over the statement's `axes` axes (and those of the batch, each of length 1).
    """
    index: list[int | NDArray[np.int64]] = []
    for subscript, length in zip(subscripts, shape, strict=True):
        if subscript is None or np.any(np.less(subscript, 0)) or np.any(np.greater_equal(subscript, length)):
            return None
        index.append(int(subscript) if np.ndim(subscript) == 0 else subscript.reshape(subscript.shape[:axes]))
    return tuple(index)


def window(index: PatternIndex, axes: int) -> Window | None:
    """Slices of the elements of an index; None where a subscript is no arithmetic progression along an own axis."""
    key: list[Any] = []
    positions: list[int] = []
    for subscript in index:
        if isinstance(subscript, int):
            key.append(subscript)
            continue
        long = [position for position, length in enumerate(subscript.shape) if length > 1]
        steps = np.diff(subscript.ravel())
        if len(long) != 1 or long[0] in positions or steps[0] == 0 or (steps != steps[0]).any():
            return None
        positions.append(long[0])
        key.append(_slice(int(subscript.flat[0]), int(steps[0]), subscript.size))
    return Window((*key, ...), *_arranged(positions, axes))


@dataclass(frozen=True, slots=True)
class MovingSubscript:
    """base + step * (the index along axis `axis`); `axis` is None where the subscript is one integer."""

    base: Callable[[Environment], int]
    axis: int | None
    step: int
    length: int

    def now(self, env: Environment) -> int | slice | None:
        """An index of the pattern; None where it is out of range."""
        first = self.base(env)
        if self.axis is None:
            return first if 0 <= first < self.length else None
        axis = env.axes[self.axis]
        first += self.step * axis.low
        last = first + self.step * (axis.count - 1)
        if not (0 <= first < self.length and 0 <= last < self.length):
            return None
        return _slice(first, self.step, axis.count)


@dataclass(frozen=True, slots=True)
class MovingWindow:
    """A window whose place depends on counters."""

    subscripts: tuple[MovingSubscript, ...]
    order: tuple[int, ...] | None
    expand: tuple[Any, ...] | None

    def locator(self) -> Callable[[Environment], Window | None]:
        """A function that gives the window at the counters' values; None where it leaves the port."""
        order, expand = self.order, self.expand
        if all(subscript.axis is None for subscript in self.subscripts):
            places = [(subscript.base, subscript.length) for subscript in self.subscripts]
            return lambda env: _cell(env, places)

        def now(env: Environment) -> Window | None:
            key = [subscript.now(env) for subscript in self.subscripts]
            return None if None in key else Window((*key, ...), order, expand)

        return now


def _cell(env: Environment, places: list[tuple[Callable[[Environment], int], int]]) -> Window | None:
    key: list[Any] = []
    for base, length in places:
        index = base(env)
        if not 0 <= index < length:
            return None
        key.append(index)
    key.append(...)
    return Window(tuple(key))


def moving_window(subscripts: Sequence[MovingSubscript | None], axes: int) -> MovingWindow | None:
    """The window of subscripts; None where one is not affine in one axis of its own."""
    known = tuple(subscript for subscript in subscripts if subscript is not None)
    positions = [subscript.axis for subscript in known if subscript.axis is not None]
    if len(known) < len(subscripts) or len(set(positions)) < len(positions):
        return None
    return MovingWindow(known, *_arranged(positions, axes))


def _arranged(positions: list[int], axes: int) -> tuple[tuple[int, ...] | None, tuple[Any, ...] | None]:
    """How axes at those positions are put in the statement's order, and where an axis is missing."""
    order = tuple(int(place) for place in np.argsort(positions)) if positions != sorted(positions) else None
    missing = 0 < len(positions) < axes
    expand = tuple(slice(None) if position in positions else None for position in range(axes)) if missing else None
    return order, expand


def _slice(first: int, step: int, count: int) -> slice:
    stop = first + step * count
    return slice(first, stop if stop >= 0 else None, step)


def checked_index(
    env: Environment, port: str, subscripts: Sequence[Values], shape: tuple[int, ...], span: Span
) -> tuple[Any, ...]:
    """An index into the port's array, element by element. Raises ArrayolError (`subscript-out-of-range`)."""
    for position, (subscript, length) in enumerate(zip(subscripts, shape, strict=True), start=1):
        bad = np.logical_or(np.less(subscript, 0), np.greater_equal(subscript, length))
        if np.any(bad):
            name = written_name(port)
            which = f"subscript {position} of '{name}'" if len(shape) > 1 else f"the subscript of '{name}'"
            hint = "guard the access with a condition, or bring the subscript into range with min and max"
            fault = Fault("subscript-out-of-range", f"{which} is {{value}}, outside 0..{length}", hint)
            env.refuse(bad, subscript, fault, span)
    return (*(np.asarray(subscript).astype(np.intp) for subscript in subscripts), *env.mesh)


def require_written(env: Environment, written: Values, port: str, span: Span) -> None:
    """Raises ArrayolError (`read-before-write`) where an element of an output has no value yet."""
    if not np.all(written):
        fault = Fault(
            "read-before-write",
            f"an element of '{written_name(port)}' is read here that has not been written yet",
            "statements run in the order written; put the one that writes it before, or give it a first value",
        )
        bad: Mask = np.logical_not(written)
        env.refuse(bad, 0, fault, span)
