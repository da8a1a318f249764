"""Where arrays lie: in which of several channels (docs/machine.md, section 4, "Channels"), and frames of one apart.

Each array lies whole in one channel, which a design chooses. Where none is chosen, sizes say it: what comes and goes
with every frame is placed first, then what lies between tasks, since a group that has both tasks does not move it;
arrays that are loaded once share channels among themselves. The largest array comes first, and goes where the busiest
side of a port has the fewest bytes then.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from hwmodel.accesses import Accesses, Extents
from hwmodel.frame_steps import passes_frames
from hwmodel.platform import Platform


def channel_numbers(accesses: Accesses, platform: Platform) -> dict[str, int]:
    """The channel of each array outside, from 0 on: as chosen, else by sizes."""
    if accesses.channels:
        return dict(accesses.channels)
    (channel,) = platform.channels
    channels, network = channel.channels, accesses.network
    held = {name: array.earlier.array for name, array in network.arrays.items() if array.earlier is not None}
    outside = [name for name in network.arrays if accesses.lies_outside(name)]
    if channels == 1:
        return dict.fromkeys(outside, 0)
    placed = [name for name in outside if name not in held]
    once = [name for name in placed if accesses.is_resident(name)]
    framed = [name for name in placed if not accesses.is_resident(name)]
    ends = [name for name in framed if name in network.inputs or name in network.outputs]
    between = [name for name in framed if name not in ends]
    numbers = _placed(accesses, platform, [ends, between]) | _placed(accesses, platform, [once])
    return {name: numbers[held.get(name, name)] for name in outside}


def placements(arrays: int, channels: int) -> Iterator[tuple[int, ...]]:
    """All placements of arrays on channels that are alike: the channels of the arrays, numbered as they are first used.

    None has fewer channels than could be used, since a further one never makes a step longer.
    """
    most = min(arrays, channels)

    def further(numbers: tuple[int, ...], used: int) -> Iterator[tuple[int, ...]]:
        left = arrays - len(numbers)
        if not left:
            yield numbers
            return
        for number in range(min(used + 1, most)):
            now = max(used, number + 1)
            if most - now < left:
                yield from further((*numbers, number), now)

    yield from further((), 0)


def has_frames_apart(accesses: Accesses, platform: Platform, array: str) -> bool:
    """Whether the frames of an array, of which a frame's tasks touch several, lie apart, each from a word on.

    So it is with requests by run, if the frames are its first axis; and of inputs that come whole with each frame, as
    where no frame meets what others made, if a frame has whole words.
    """
    own, memory = accesses.network.arrays[array], platform.channel_of(array)
    if memory.burst != "run" or memory.rows is not None or None not in own.shape or accesses.is_resident(array):
        return False
    frames = accesses.shape(array)[0]
    return (
        own.shape[0] is None and frames > 1 and (has_whole_frames(accesses, platform, array) or passes_frames(accesses))
    )


def has_whole_frames(accesses: Accesses, platform: Platform, array: str) -> bool:
    """Whether a frame of an array, along its first axis, ends with a word of the port."""
    own, memory = accesses.network.arrays[array], platform.channel_of(array)
    data = math.prod(accesses.shape(array)[1:])
    return (data if memory.data_per_word else 8 * data * own.type.bytes) % (
        memory.data_per_word or memory.word_bits or 8
    ) == 0


def shape_at_port(accesses: Accesses, platform: Platform, array: str) -> Extents:
    """The shape of what follows each other outside: of an array, or of a frame where frames lie apart."""
    return accesses.shape(array)[int(has_frames_apart(accesses, platform, array)) :]


def _placed(accesses: Accesses, platform: Platform, rounds: Iterable[Iterable[str]]) -> dict[str, int]:
    """The channels of some arrays, of which those of each round are placed before those of the next one."""
    (channel,) = platform.channels
    busy, numbers = [[0, 0] for _ in range(channel.channels)], dict[str, int]()
    for names in rounds:
        for name in sorted(names, key=lambda name: -_bytes(accesses, name)):
            sides = _sides(accesses, platform, name)
            after = [max(own + more for own, more in zip(each, sides, strict=True)) for each in busy]
            numbers[name] = after.index(min(after))
            for side, more in enumerate(sides):
                busy[numbers[name]][side] += more
    return numbers


def _bytes(accesses: Accesses, array: str) -> int:
    return accesses.size(array) * accesses.network.arrays[array].type.bytes


def _sides(accesses: Accesses, platform: Platform, array: str) -> tuple[int, int]:
    """The bytes of an array that are loaded and stored, if each element is once; on a shared port their sum.

    What it was in earlier frames is loaded from it too.
    """
    own, size = accesses.network.arrays[array], _bytes(accesses, array)
    loaded = size * (bool(own.readers) + len(accesses.network.taken_later(array)))
    stored = size * bool(own.producers)
    return (loaded + stored, 0) if platform.channel_of(array).port == "shared" else (loaded, stored)
