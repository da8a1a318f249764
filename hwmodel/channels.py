"""Where arrays lie if the external memory has several channels (docs/machine.md, section 4, "Channels").

Each array lies whole in one channel. What comes and goes with every frame is placed first, then what lies between
tasks, since a group that has both tasks does not move it; arrays that are loaded once share channels among themselves.
The largest array comes first, and goes where the busiest side of a port has the fewest bytes then.
"""

from __future__ import annotations

from collections.abc import Iterable

from hwmodel.accesses import Accesses
from hwmodel.platform import Platform


def channel_numbers(accesses: Accesses, platform: Platform) -> dict[str, int]:
    """The channel of each array outside, from 0 on; the same for all designs of a network and its loads."""
    (channel,) = platform.channels
    channels, network = channel.channels, accesses.network
    outside = [name for name in network.arrays if accesses.lies_outside(name)]
    if channels == 1:
        return dict.fromkeys(outside, 0)
    once = [name for name in outside if accesses.is_resident(name)]
    framed = [name for name in outside if not accesses.is_resident(name)]
    ends = [name for name in framed if name in network.inputs or name in network.outputs]
    between = [name for name in framed if name not in ends]
    numbers = _placed(accesses, platform, [ends, between]) | _placed(accesses, platform, [once])
    return {name: numbers[name] for name in outside}


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
    """The bytes of an array that are loaded and stored, if each element is once; on a shared port their sum."""
    own, size = accesses.network.arrays[array], _bytes(accesses, array)
    loaded, stored = size * bool(own.readers), size * bool(own.producers)
    return (loaded + stored, 0) if platform.channel_of(array).port == "shared" else (loaded, stored)
