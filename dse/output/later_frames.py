"""The frames after the first one, for the test bench of a design in which values stay from frame to frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrayol.execute.extern import Functions
from arrayol.execute.run import execute
from arrayol.ir.network import NetworkArray
from arrayol.ir.spec import Spec
from hwmodel.accesses import Accesses
from hwmodel.emit.schedule.bits import not_emitted

LATER = 2  # frames: the first of them is handed what the first frame made, the second what it made of that
Arrays = Mapping[str, NDArray[Any]]


def later_frames(
    spec: Spec, accesses: Accesses, first: Arrays, given: Arrays | None = None, functions: Functions | None = None
) -> tuple[tuple[Arrays, Arrays], ...]:
    """The inputs and the outputs of the frames after the first one; none if no delay reaches over frames.

    Their inputs are further frames of those `given`, or else the elements of the `first` frame at other places. Raises
    ArrayolError: `not-emitted` for a task that takes or makes several frames at once, those of executing.
    """
    network, arrays = accesses.network, accesses.network.arrays
    if not any(map(accesses.delays_over_frames, network.processes)):
        return ()
    for name in (*network.inputs, *network.outputs):
        axis = _axis(arrays[name])
        if axis is not None and accesses.shape(name)[axis] != 1:
            raise not_emitted(
                f"a delay over frames, and several frames of '{name}' at once,", "hand single frames on by a delay"
            )
    video = {name: _frames(arrays[name], own, (given or {}).get(name)) for name, own in first.items() if name in arrays}
    made = execute(spec, network.name, video, functions=functions)
    return tuple((_frame(arrays, video, number), _frame(arrays, made, number)) for number in range(1, LATER + 1))


def _axis(array: NetworkArray) -> int | None:
    """The axis of an array along which frames follow each other."""
    return array.shape.index(None) if None in array.shape else None


def _frames(array: NetworkArray, first: NDArray[Any], given: NDArray[Any] | None) -> NDArray[Any]:
    """The first frame of an input and those after it."""
    axis = _axis(array)
    if axis is None:
        return first
    if given is not None and given.shape[axis] > LATER:
        return given.take(range(1 + LATER), axis)
    return np.concatenate([np.roll(first, number).reshape(first.shape) for number in range(1 + LATER)], axis)


def _frame(arrays: Mapping[str, NetworkArray], frames: Arrays, number: int) -> Arrays:
    """One frame of some arrays."""
    axes = {name: _axis(arrays[name]) for name in frames}
    return {name: own if (axis := axes[name]) is None else own.take([number], axis) for name, own in frames.items()}
