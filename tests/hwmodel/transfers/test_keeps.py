"""What arrays move that are kept at any level, beside strips of every length and tiles for themselves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from hypothesis import event, given, settings
from many_cases import case_count
from strategies_tiles import NestCase, nest_cases
from tiled_nests import POLYPROD, nest_of_case, shipped_nest, shipped_spec

from arrayol.checks.check import load_sound
from arrayol.checks.nest import NestRequest, open_nest
from arrayol.ir.spec import Spec
from arrayol.tiling.liveness import lifetimes
from arrayol.tiling.load_store import traffic
from hwmodel.datapath.entry import ElementaryEntry
from hwmodel.platform import Platform
from hwmodel.platform_memories import ExternalMemory
from hwmodel.transfers.bursts import TransferMoves, as_bursts
from hwmodel.transfers.keeps import KeepCost, keep_costs
from hwmodel.transfers.policies import PlanContext, evaluate

PLAIN = Platform(
    memory=ExternalMemory(latency=7, data_per_word=3),
    elementary={"e": ElementaryEntry(initiation_interval=2, latency=5)},
)
EMPTY = Spec("generated", {}, {})


def of_array(ground: PlanContext, moved: TransferMoves, name: str) -> TransferMoves:
    """The moves of one array."""
    own = moved.array == list(ground.nest.arrays).index(name)
    return TransferMoves(moved.unit[own], np.zeros(int(own.sum()), np.int64), moved.element[own])


@settings(max_examples=case_count(40), deadline=None)
@given(nest_cases())
def test_a_level_is_a_strip_along_the_other_dimensions(case: NestCase) -> None:
    """By the sets of paper C for strips along so many dimensions, which are found in another way."""
    nest = nest_of_case(case)
    if nest is None:
        return
    found = keep_costs(PlanContext(EMPTY, traffic(nest), PLAIN))
    for dims in range(1, nest.depth + 1):
        ground = PlanContext(EMPTY, traffic(replace(nest, strip_dims=dims)), PLAIN)
        for name, costs in found.items():
            loads, stores = (of_array(ground, moved, name) for moved in (ground.loads, ground.stores))
            where = [ground.places[name]]
            bursts = [as_bursts(moved, where, write=False).bursts for moved in (loads, stores)]
            event(f"moves: {len(loads) > 0}, dims {dims}")
            assert costs[nest.depth - dims] == KeepCost(
                nest.depth - dims,
                len(loads),
                len(stores),
                8 * (len(loads) + len(stores)),
                sum(map(len, bursts)),
                lifetimes(ground.traffic, name).largest(),
            )
    alone = evaluate(EMPTY, traffic(nest), PLAIN)["tile"]
    assert alone.data_moved == sum(costs[-1].data_loaded + costs[-1].data_stored for costs in found.values())
    assert alone.bursts == sum(costs[-1].bursts for costs in found.values())


def test_more_is_kept_and_less_is_moved_further_out() -> None:
    spec = shipped_spec("polyprod", N=60)
    found = keep_costs(PlanContext(spec, traffic(shipped_nest("polyprod", POLYPROD, ["10"], 2, N=60)), PLAIN))
    moved = {name: [cost.data_loaded + cost.data_stored for cost in costs] for name, costs in found.items()}
    assert moved == {"a": [61, 427, 427], "b": [61, 61, 427], "c": [242, 962, 1610]}
    for costs in found.values():
        assert [cost.live for cost in costs] == sorted((cost.live for cost in costs), reverse=True)


def test_what_an_earlier_tile_has_written_is_not_loaded_where_it_is_kept(tmp_path: Path) -> None:
    """A tile reads what the one before has written: at level 0 it is still there, at the others it comes back."""
    path = tmp_path / "two.aol"
    path.write_text(
        "elementary e(x: i32[12]) -> (y: i32[12], z: i32[12]) {\n"
        "  y[i] = x[i] for i in 0..12\n  z[i] = 2 * y[i] for i in 0..12\n}\n",
        encoding="utf-8",
    )
    request = NestRequest("e", schedules=("i, 0", "i + 2, 1"), tile=("2", "1"))
    found = keep_costs(PlanContext(EMPTY, traffic(open_nest(load_sound(path), request)), PLAIN))
    assert {name: [(cost.data_loaded, cost.data_stored) for cost in costs] for name, costs in found.items()} == {
        "x": [(12, 0)] * 3,
        "y": [(0, 12), (12, 12), (12, 12)],
        "z": [(0, 12)] * 3,
    }
