"""Windows and delays over frames: the last frames of an array lie in copies of it in the external memory.

A task that reads frames t to t + n of an array works on frame t when frame t + n is there. So each group *lags* some
frames behind the newest one of the inputs, as many as its tasks read ahead, and as the groups lag that make what they
read. The first `start` comes with so many frames that the group with the least lag has something to do. In the first
frames after it, groups with a larger lag do nothing yet. A state of a delay that lies outside is what a group made some
frames before: as many copies as these are kept beside the one that it makes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arrayol.errors import ArrayolError
from arrayol.ir.spec import TiledDefault
from hwmodel.accesses import Accesses
from hwmodel.channels import has_frames_apart
from hwmodel.emit.schedule.bits import FRAMES_HINT, not_emitted
from hwmodel.frame_steps import frame_step, passes_frames
from hwmodel.platform import Platform


@dataclass(frozen=True)
class FrameBuffers:
    """Arrays of which a frame's tasks read windows over frames, by name with their number, and all `copies` outside.

    `lags` has by group how many frames it is behind the group with the least lag. `ahead` has by input and output with
    frames which one lies there at a start, counted from the number of that start: of inputs the last one that has to be
    there, of outputs the one that is there at the end.
    """

    frames: Mapping[str, int]
    copies: Mapping[str, int]
    lags: tuple[int, ...]
    ahead: Mapping[str, int]

    @property
    def before(self) -> int:
        """The frames of inputs that have to be there before the first start, beside that of the start."""
        return max(self.ahead.values(), default=0)


def frame_buffers(accesses: Accesses, platform: Platform, groups: Sequence[Sequence[str]]) -> FrameBuffers | None:
    """The frame buffers of groups (tasks of each), which work in turn.

    None where nothing passes from frame to frame outside, or where only inputs are read so that cannot lie apart: then
    all frames of a window come with each frame. The tasks are such that `why_no_buffers` has no reason.
    """
    frames, held = windows(accesses), _held(accesses)
    if not (frames or held) or not _in_step(accesses):
        return None
    if not all(has_frames_apart(accesses, platform, name) for name in frames):
        return None
    inside, network = accesses.of_frames("inside"), accesses.network
    kept = {name for name, array in network.arrays.items() if None in array.shape and not accesses.is_resident(name)}
    first, last, lags = dict.fromkeys(network.inputs, 0), dict.fromkeys(network.inputs, 0), list[int]()
    used = dict.fromkeys(kept, 0)  # by array, the largest lag of a group that reads it
    for tasks in groups:
        touches = [touch for task in tasks for touch in inside.reads[task]]
        lag = max((last.get(own.array, 0) + max(own.ahead, default=0) for own in touches), default=0)
        lags.append(lag)
        used |= {own.array: max(used[own.array], lag) for own in touches if own.array in kept}
        for name in (touch.array for task in tasks for touch in accesses.writes[task]):
            first[name], last[name] = min(first.get(name, lag), lag), max(last.get(name, lag), lag)
    least = min(lags)
    copies = {
        name: max(used[name], last[name] + held.get(name, 0)) - first[name] + 1
        for name in network.arrays
        if name in kept and name in last
    }
    ahead = dict.fromkeys(network.inputs, least) | {name: least - last[name] for name in network.outputs}
    return FrameBuffers(
        frames,
        {name: number for name, number in copies.items() if number > 1},
        tuple(lag - least for lag in lags),
        {name: number for name, number in ahead.items() if name in kept},
    )


def kept_frames(accesses: Accesses, behind: Mapping[str, int]) -> FrameBuffers:
    """A stream that keeps frames inside has no copies; of each array a start passes the frame so many `behind`."""
    arrays = accesses.network.arrays
    ahead = {name: -frames for name, frames in behind.items() if None in arrays[name].shape}
    return FrameBuffers({}, {}, (0,), ahead)


def _held(accesses: Accesses) -> dict[str, int]:
    """By array whose results are taken some frames later how many frames these are at most."""
    network = accesses.network
    return {name: max(frames) for name in network.arrays if (frames := network.taken_later(name))}


def windows(accesses: Accesses) -> dict[str, int]:
    """By array of which a frame's tasks touch several frames how many these are."""
    axes = {name: own.shape.index(None) for name, own in accesses.network.arrays.items() if None in own.shape}
    found = {name: accesses.shape(name)[axis] for name, axis in axes.items()}
    return {name: count for name, count in found.items() if count > 1}


def why_no_buffers(accesses: Accesses, platform: Platform) -> ArrayolError | None:
    """The reason that what passes from frame to frame outside is not emitted for; None where there is none."""
    if not passes_frames(accesses):
        return None  # inputs of several frames at once come whole with each frame
    if not _in_step(accesses):
        return not_emitted("a task reads what other frames made, and goes not frame by frame", FRAMES_HINT)
    for name in windows(accesses):
        if not has_frames_apart(accesses, platform, name):
            message = f"the frames of '{name}', of which a task reads several, do not lie one after another"
            return not_emitted(message, f"make * the first dimension of '{name}'")
    return None


def _in_step(accesses: Accesses) -> bool:
    """Whether all tasks go on frame by frame, make those of their own frame, and take constants in the first ones."""
    inside, network = accesses.of_frames("inside"), accesses.network
    framed = [name for name, array in network.arrays.items() if None in array.shape]
    return all(frame_step(accesses, name) == 1 for name in framed) and not any(
        any(own.ahead for own in inside.writes[task])
        or any(isinstance(own.default, TiledDefault) for own in accesses.delays_over_frames(task))
        for task in network.processes
    )
