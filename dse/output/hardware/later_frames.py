"""The frames after the first one, for a test bench where values stay from frame to frame, or where frames overlap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import ArrayolError
from arrayol.execute.extern import Functions
from arrayol.execute.run import execute, with_tables
from arrayol.ir.network import NetworkArray
from arrayol.ir.spec import Spec
from hwmodel.accesses import Accesses
from hwmodel.emit.schedule.bits import not_emitted
from hwmodel.emit.schedule.design import FRAMES_BESIDE, Periods
from hwmodel.emit.schedule.frames.frame_buffers import FrameBuffers

LATER = 1  # frames behind those that take the default of a delay over frames: they take what was made of such
Arrays = Mapping[str, NDArray[Any]]


def later_frames(
    spec: Spec,
    accesses: Accesses,
    first: Arrays,
    given: Arrays | None = None,
    functions: Functions | None = None,
    periods: Periods | None = None,
) -> tuple[tuple[Arrays, Arrays], ...]:
    """The inputs and the outputs of the frames after the first one; none if frames have nothing to do with each other.

    Those with `periods` overlap.

    Their inputs are further frames of those `given`, or else the elements of the `first` frame at other places. Raises
    ArrayolError: `not-emitted` for a task that takes or makes several frames at once, those of executing.
    """
    network, arrays = accesses.network, accesses.network.arrays
    back = accesses.frames_back
    count = LATER + back if periods is None else max(LATER + back, periods.frames - 1)
    if not back:
        return tuple(_unlike_frames(spec, accesses, first, functions, count)) if periods is not None else ()
    for name in (*network.inputs, *network.outputs):
        axis = _axis(arrays[name])
        if axis is not None and accesses.shape(name)[axis] != 1:
            raise not_emitted(
                f"a delay over frames, and several frames of '{name}' at once,", "hand single frames on by a delay"
            )
    video = {
        name: _frames(arrays[name], own, (given or {}).get(name), count)
        for name, own in first.items()
        if name in arrays
    }
    made = execute(spec, network.name, video, functions=functions)
    return tuple((_frame(arrays, video, number), _frame(arrays, made, number)) for number in range(1, count + 1))


def video_of(
    spec: Spec,
    accesses: Accesses,
    buffers: FrameBuffers,
    first: Arrays,
    given: Arrays | None = None,
    functions: Functions | None = None,
) -> tuple[Arrays, Arrays]:
    """Inputs, const arrays among them, and outputs of as many frames as use all copies again, along their first axis.

    Inputs are frames of those `given`, or else the elements of the `first` frame at other places. Raises ArrayolError:
    those of executing.
    """
    network, arrays = accesses.network, accesses.network.arrays
    late = max((*buffers.lags, *(-frames for frames in buffers.ahead.values())))
    starts = max((*buffers.copies.values(), accesses.frames_back)) + late + FRAMES_BESIDE
    count = starts + buffers.before
    video = {
        name: _frames(arrays[name], one_frame_of(arrays[name], own), (given or {}).get(name), count - 1)
        for name, own in first.items()
        if name in arrays
    }
    outputs = execute(spec, network.name, video, functions=functions)
    return with_tables(spec, spec.components[network.name], video), outputs


def one_frame_of(array: NetworkArray, values: NDArray[Any]) -> NDArray[Any]:
    """The first frame of an array that has several."""
    axis = _axis(array)
    return values if axis is None else values.take([0], axis)


def _unlike_frames(
    spec: Spec, accesses: Accesses, first: Arrays, functions: Functions | None, count: int
) -> Iterator[tuple[Arrays, Arrays]]:
    """Frames that do not depend on each other: the elements of the first one, each at another place.

    Data that the bodies have no result for are those of the first frame again.
    """
    moving = {name for name in first if name in accesses.network.arrays and not accesses.is_resident(name)}
    for number in range(1, count + 1):
        rolled = {
            name: np.roll(own, number).reshape(own.shape) if name in moving else own for name, own in first.items()
        }
        try:
            yield rolled, execute(spec, accesses.network.name, rolled, functions=functions)
        except ArrayolError:
            yield first, execute(spec, accesses.network.name, first, functions=functions)


def _axis(array: NetworkArray) -> int | None:
    """The axis of an array along which frames follow each other."""
    return array.shape.index(None) if None in array.shape else None


def _frames(array: NetworkArray, first: NDArray[Any], given: NDArray[Any] | None, count: int) -> NDArray[Any]:
    """The first frame of an input and so many after it."""
    axis = _axis(array)
    if axis is None:
        return first
    if given is not None and given.shape[axis] > count:
        return given.take(range(1 + count), axis)
    return np.concatenate([np.roll(first, number).reshape(first.shape) for number in range(1 + count)], axis)


def _frame(arrays: Mapping[str, NetworkArray], frames: Arrays, number: int) -> Arrays:
    """One frame of some arrays."""
    axes = {name: _axis(arrays[name]) for name in frames}
    return {name: own if (axis := axes[name]) is None else own.take([number], axis) for name, own in frames.items()}
