"""States of delays over frames as arrays outside: which arrays, what they are in the first frames, and back again."""

from __future__ import annotations

import numpy as np
import pytest
from frame_state_designs import MOTION, OUTSIDE, case_of_text
from port_designs import in_blocks
from stream_designs import platform_at

from arrayol.errors import ArrayolError
from arrayol.ir.borders import CONSTANT, Border
from arrayol.ir.network import Network, flatten
from hwmodel.accesses import Accesses
from hwmodel.cost_model.model import MachineModel
from hwmodel.frame_states import first_states, states_over_frames, with_states_inside, with_states_outside
from hwmodel.streamed import Stream


@pytest.fixture
def network() -> Network:
    return flatten(case_of_text(MOTION).spec, "video")


def test_which_states_may_lie_outside(network: Network) -> None:
    assert [*states_over_frames(network)] == [*OUTSIDE]
    tiled = flatten(case_of_text(TILED).spec, "kept")
    assert not states_over_frames(tiled)


TILED = """\
elementary add(x: u8, s: u8) -> (y: u8) { y = x + s }

task kept(v: u8[*, 4], first: u8[4]) -> (a: u8[*, 4]) {
  repeat [*, 4] of add {
    x <- v
    s <- y delay [1, 0] else first at origin [0] paving [0, 1] fitting []
    y -> a
  }
}
"""


def test_outputs_keep_what_they_hold_anyway(network: Network) -> None:
    """`a` and `o` are outputs; `n` is none, so it gets an array."""
    moved = with_states_outside(network, OUTSIDE)
    earlier = {name: own.earlier for name, own in moved.arrays.items() if own.earlier is not None}
    assert {name: (own.array, own.frames) for name, own in earlier.items()} == {
        "smooth.before": ("a", 1),
        "motion.m": ("motion.n", 2),
        "motion.c": ("o", 1),
    }
    assert moved.arrays["motion.n"].shape == (None, 4, 8)
    assert (moved.inputs, moved.outputs) == (network.inputs, network.outputs)
    read = {flow.array: flow.tiler for flow in moved.processes["motion"].inputs}
    assert read["motion.c"].origin == (0, -1, 1)
    assert read["motion.c"].border == Border(CONSTANT, 3)


def test_outside_and_inside_again(network: Network) -> None:
    moved = with_states_outside(network, OUTSIDE)
    assert with_states_outside(moved, OUTSIDE) == moved
    back = with_states_inside(moved)
    assert {name: own.inputs for name, own in back.processes.items()} == {
        name: own.inputs for name, own in network.processes.items()
    }
    assert {name: set(map(str, own.delays)) for name, own in back.processes.items()} == {
        name: set(map(str, own.delays)) for name, own in network.processes.items()
    }


def test_first_frames_have_the_defaults(network: Network) -> None:
    states = first_states(Accesses(with_states_outside(network, OUTSIDE)))
    assert {name: set(own.tolist()) for name, own in states.items()} == {
        "smooth.before": {7},
        "motion.m": {9},
        "motion.c": {3},
    }
    assert all(own.dtype == np.uint8 and own.size == 32 for own in states.values())


def test_traffic_takes_the_place_of_memory(network: Network) -> None:
    """Of 32 bytes that `smooth` loads and stores, a state outside adds those that it loads; it takes no memory."""
    inside, outside = (MachineModel(network, platform_at(50), loads) for loads in ({}, OUTSIDE))
    found = [model.estimate(in_blocks(model, ("smooth",))) for model in (inside, outside)]
    assert [("state" in {use.kind for use in own.memories}) for own in found] == [True, False]
    assert [own.additive["traffic_bytes"] for own in found] == [64, 96]


@pytest.mark.parametrize(
    ("stream", "reason"),
    [(Stream(interface="axis"), "no external memory"), (Stream(frames="inside"), "all frames are inside")],
)
def test_streams_without_an_external_memory_have_none(network: Network, stream: Stream, reason: str) -> None:
    model = MachineModel(network, platform_at(50), OUTSIDE)
    with pytest.raises(ArrayolError, match=reason):
        next(model.streams(("smooth", "motion"), stream.frames).designs(stream))
