"""Strips of one kind stand for all of it: the same totals and allocations as a walk through all strips."""

from __future__ import annotations

from pathlib import Path

import pytest

from arrayol import api
from arrayol.files import shipped_folder
from arrayol.tiling.allocation import allocate_all
from arrayol.tiling.liveness import Walk, lifetimes_on
from hwmodel.transfers.study import Transfers

HEAT = Path(__file__).parent.parent / "polybench" / "heat-3d.aol"
PAIR = ["t, 2 * t + i, 2 * t + j, 2 * t + k", "t, 2 * t + i + 1, 2 * t + j + 1, 2 * t + k + 1"]


def heat(tile: tuple[int, ...], **sizes: int) -> Transfers:
    return api.transfers(HEAT, "heat_3d", schedules=PAIR, statements=[3, 4], tile=tile, settings=sizes)


@pytest.mark.parametrize(
    "found",
    [
        lambda: heat((2, 3, 3, 3), N=9, TSTEPS=4),
        lambda: api.transfers(
            shipped_folder() / "polyprod.aol", "polyprod", schedules=["N-j, i"], tile=[3], settings={"N": 40}
        ),
        lambda: api.transfers(
            shipped_folder() / "matmul.aol",
            "matmul",
            schedules=["i, j, k"],
            tile=[3, 4, 5],
            strip_dims=2,
            settings={"S": 8, "K": 10},
        ),
    ],
)
def test_kinds_stand_for_all_strips(found: object) -> None:
    traffic = found().traffic  # type: ignore[operator]
    every = Walk.through(traffic.nest)
    for array in traffic.load:
        kinds = Walk.by_kinds(traffic, array)
        assert int(kinds.stands_for.sum()) == len(every.strip)
        for moved in (traffic.load[array], traffic.store[array]):
            assert kinds.total(moved) == every.total(moved)
        for overlapped in (False, True):
            some, all_ = (allocate_all(lifetimes_on(walk, traffic, array, overlapped)) for walk in (kinds, every))
            assert some == all_


def test_many_strips_are_of_few_kinds() -> None:
    """Stencil pairs are the same away from the border, so that PolyBench's large sizes are counted too."""
    traffic = heat((2, 4, 4, 4), N=40, TSTEPS=20).traffic
    assert (len(Walk.by_kinds(traffic, "A").strip), len(Walk.through(traffic.nest).strip)) == (118, 1310)


def test_sets_whose_quotients_isl_leaves_open_are_shown() -> None:
    told = heat((2, 3, 3, 3)).report()
    assert told.arrays["A"].load.lines
    assert told.policies
