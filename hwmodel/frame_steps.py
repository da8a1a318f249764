"""How tasks go on from one frame to the next: in hardware each does again, in the next frames, what it did in one.

So from one repetition along an infinite dimension to the next, all tilers of an array go on by as many of its frames,
and along nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from arrayol.errors import ArrayolError, error
from arrayol.ir.spec import Tiler
from arrayol.text import counted
from hwmodel.accesses import Accesses, tilers_of

Step = tuple[str, str, Tiler, tuple[int, ...]]  # a task, an array, its tiler there, and its step along each axis


def require_in_step(accesses: Accesses) -> None:
    """Raises ArrayolError (`frames-out-of-step`) unless every frame is one for all tasks, and like the one before.

    In a frame each task has one repetition along its infinite dimension; else some would fall behind for ever.
    """
    steps: dict[str, dict[int, str]] = {}
    for task, array, tiler, moves in _steps(accesses):
        for axis, (move, extent) in enumerate(zip(moves, accesses.network.arrays[array].shape, strict=True)):
            if extent is None:
                steps.setdefault(array, {}).setdefault(move, task)
            elif move % extent if tiler.wrap else move:
                message = f"from frame to frame, '{task}' goes on by {move} along axis {axis} of '{array}'"
                hint = "hardware finds data of all frames at the same places: let this dimension go along frames alone"
                raise error("frames-out-of-step", message, tiler.span, hint=hint)
        if len(steps.get(array, ())) > 1:
            raise _out_of_step(array, steps[array], tiler)


def frame_step(accesses: Accesses, array: str) -> int:
    """By how many of its frames the tasks of an array with frames go on, from each of theirs to the next."""
    axis = accesses.network.arrays[array].shape.index(None)
    return next((moves[axis] for _, name, _, moves in _steps(accesses) if name == array), 1)


def passes_frames(accesses: Accesses) -> bool:
    """Whether frames take from the external memory what tasks made in other ones."""
    arrays, reads = accesses.network.arrays, accesses.of_frames("inside").reads
    ahead = [touch for touches in reads.values() for touch in touches if touch.ahead and arrays[touch.array].producers]
    return any(own.earlier is not None for own in arrays.values()) or any(
        max(touch.ahead) >= frame_step(accesses, touch.array) for touch in ahead
    )


def of_every_frame(accesses: Accesses, array: str, elements: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The mask of some elements of an array, with those at their places in all frames that a frame's tasks touch.

    What is read of a later frame, its own tasks have to make.
    """
    shape = accesses.network.arrays[array].shape
    if None not in shape:
        return elements
    axis, step = shape.index(None), max(1, frame_step(accesses, array))
    by_frame = np.moveaxis(elements.reshape(accesses.shape(array)), axis, 0)
    every = np.zeros_like(by_frame)
    for first in range(min(step, len(by_frame))):
        every[first::step] = by_frame[first::step].any(axis=0)
    return np.ascontiguousarray(np.moveaxis(every, 0, axis)).reshape(-1)


def _steps(accesses: Accesses) -> Iterator[Step]:
    """The step of each tiler along infinite dimensions."""
    for process in accesses.network.processes.values():
        for array, tiler in tilers_of(process):
            moves = (zip(row, process.repetition, strict=True) for row in tiler.paving)
            yield process.name, array, tiler, tuple(sum(by for by, extent in row if extent is None) for row in moves)


def _out_of_step(array: str, tasks: Mapping[int, str], tiler: Tiler) -> ArrayolError:
    """The error of two tasks, by their numbers of frames of an array, which one of them accesses through a tiler."""
    (one, first), (other, second) = tasks.items()
    common = math.lcm(one, other)
    message = f"'{first}' goes on by {counted(one, 'frame')} of '{array}' in a repetition, and '{second}' by {other}"
    hint = f"let a repetition of both go on by {common}" if common else f"let both go along the frames of '{array}'"
    return error("frames-out-of-step", message, tiler.span, hint=hint)
