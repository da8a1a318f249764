"""Names of nets in the module of a streaming group; no name of a specification has a `$`, which calls have too."""

from __future__ import annotations

from hwmodel.emit.schedule.names import plain
from hwmodel.stream.lanes import Lane


def node_name(node: str) -> str:
    """A task by its name, a load or store by its array: "load i" becomes "i$in"."""
    kind, space, array = node.partition(" ")
    if not space:
        return plain(node)
    return f"{plain(array)}${'in' if kind == 'load' else 'out'}"


def lane_name(lane: Lane) -> str:
    """What is born in a lane."""
    port = f"${lane.port}" if " " not in lane.node else ""
    return f"{node_name(lane.node)}{port}${lane.place}${lane.unit}"


def position_name(lane: Lane, chain: int, segment: int, *, kept: bool) -> str:
    """What stands at the older end of a segment."""
    state = "s" if lane.state else ""
    return f"{lane_name(lane)}${state}{'k' if kept else 'c'}{chain}${segment}"


def first_frames_net(node: str, frames: int) -> str:
    """Whether the frame of a node is one of the first ones."""
    return f"{node_name(node)}$first{frames}"


def vector(bits: int) -> str:
    """The range of a declaration, with a space behind it; none for a single bit."""
    return f"[{bits - 1}:0] " if bits > 1 else ""


def bits_below(number: int) -> int:
    """The bits of a whole number below this one."""
    return max(1, (number - 1).bit_length())


def data_net(array: str) -> str:
    """The data of an array at an end of a group."""
    return f"{plain(array)}$data"


def made_net(number: int) -> str:
    """The data of an output that leaves as it is made, of all units."""
    return f"made${number}"
