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
from hwmodel.emit.schedule.design import FRAMES_BESIDE, Periods
from hwmodel.emit.schedule.frames.frame_buffers import FrameBuffers
from hwmodel.frame_steps import frame_step

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

    Their inputs are further frames of those `given`, or else the elements of the `first` frame at other places. Of an
    array of which tasks take or make several frames at once, all of these are those of a frame. Raises ArrayolError:
    those of executing.
    """
    back = accesses.frames_back
    count = LATER + back if periods is None else max(LATER + back, periods.frames - 1)
    if not back:
        return tuple(_unlike_frames(spec, accesses, first, functions, count)) if periods is not None else ()
    arrays, video = accesses.network.arrays, dict[str, NDArray[Any]]()
    for name, own in first.items():
        if name in arrays:
            video[name] = _frames(arrays[name], own, (given or {}).get(name), _frames_until(accesses, name, count))
    made = execute(spec, accesses.network.name, video, functions=functions)
    return tuple((_frame(accesses, video, number), _frame(accesses, made, number)) for number in range(1, count + 1))


def _frames_until(accesses: Accesses, array: str, number: int) -> int:
    """How many frames of an array the tasks of a frame, by its number, and of all before it access."""
    axis = _axis(accesses.network.arrays[array])
    return 0 if axis is None else number * frame_step(accesses, array) + accesses.shape(array)[axis]


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
        name: _frames(arrays[name], one_frame_of(arrays[name], own), (given or {}).get(name), count)
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
    """So many frames of an input, which begin with the `first` ones."""
    axis = _axis(array)
    if axis is None:
        return first
    if given is not None and given.shape[axis] >= count:
        return given.take(range(count), axis)
    several = [np.roll(first, number).reshape(first.shape) for number in range(-(-count // first.shape[axis]))]
    return np.concatenate(several, axis).take(range(count), axis)


def _frame(accesses: Accesses, frames: Arrays, number: int) -> Arrays:
    """One frame of some arrays, or of each as many as tasks access for one."""
    found = dict[str, NDArray[Any]]()
    for name, own in frames.items():
        axis, end = _axis(accesses.network.arrays[name]), _frames_until(accesses, name, number)
        found[name] = own if axis is None else own.take(range(end - accesses.shape(name)[axis], end), axis)
    return found
