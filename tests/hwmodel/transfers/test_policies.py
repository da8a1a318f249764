"""What policies cost against tiles, bursts and steps by hand."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies_tiles import EXTENTS, LOCAL, NestCase, nest_cases
from tiled_nests import DIAGONAL, POLYPROD, nest_of_case, shipped_nest, shipped_spec
from tiles_brute import Sets, Tile, TileSets, placed, strips_of, theorem_six, tile_sets

from arrayol.checks.check import load_sound
from arrayol.checks.nest import NestRequest, open_nest
from arrayol.files import shipped_folder
from arrayol.ir.spec import Spec
from arrayol.tiling.load_store import traffic
from arrayol.tiling.nest import Traffic
from hwmodel.datapath.entry import ElementaryEntry
from hwmodel.platform import Platform, load_platform
from hwmodel.platform_memories import ExternalMemory
from hwmodel.transfers.bursts import Place, as_bursts, moves
from hwmodel.transfers.overlap import SYNCHRONISATIONS, Units, one_after_another, overlapped
from hwmodel.transfers.policies import PlanContext, evaluate, remote_bursts

BOARD = load_platform(Path(__file__).resolve().parents[3] / "specs" / "platforms" / "ddr2010.toml")
ONE_ROW = load_platform(Path(__file__).resolve().parents[3] / "specs" / "platforms" / "ddr2010-one-row.toml")
LATENCY, WORDS, INTERVAL, DEPTH = 7, 3, 2, 5
PLAIN = Platform(
    memory=ExternalMemory(latency=LATENCY, data_per_word=WORDS),
    elementary={"e": ElementaryEntry(initiation_interval=INTERVAL, latency=DEPTH)},
)
EMPTY = Spec("generated", {}, {})


def bursts(elements: Mapping[str, Iterable[tuple[int, ...]]]) -> list[int]:
    """Elements of each run of neighbours in a row-major array, arrays one after another."""
    lengths = []
    for array, found in elements.items():
        linear = sorted(int(np.ravel_multi_index(element, EXTENTS[array])) for element in found)
        for place, number in enumerate(linear):
            if place and linear[place - 1] == number - 1:
                lengths[-1] += 1
            else:
                lengths.append(1)
    return lengths


def port(elements: Mapping[str, Iterable[tuple[int, ...]]]) -> int:
    return sum(LATENCY - (-length // WORDS) for length in bursts(elements))


@dataclass
class Unit:
    """A tile or a strip: what it moves and keeps, by array, and the cycles that it computes."""

    load: dict[str, set[tuple[int, ...]]]
    store: dict[str, set[tuple[int, ...]]]
    compute: int


def units_of(case: NestCase, policy: str) -> Iterator[list[Unit]]:
    """The units of each strip under a policy, by the definitions."""
    found = placed(case)
    sets = {array: own for array, own in tile_sets(found).items() if array != LOCAL}
    count: dict[Tile, int] = defaultdict(int)
    for one in found:
        count[one.tile] += 1
    for strip in strips_of(found, case.strip_dims):
        moved: dict[str, tuple[Sets, Sets]] = {array: theorem_six(own, strip) for array, own in sets.items()}
        if policy == "tile":
            moved = {
                array: ({t: own.read[t] | (own.written[t] - own.sure[t]) for t in strip}, own.written)
                for array, own in sets.items()
            }
        tiles = [
            Unit(
                {array: set(load[tile]) for array, (load, _) in moved.items()},
                {array: set(store[tile]) for array, (_, store) in moved.items()},
                count[tile] * INTERVAL + DEPTH,
            )
            for tile in strip
        ]
        yield [_together(tiles)] if policy == "whole-strip" else tiles


def _together(tiles: list[Unit]) -> Unit:
    arrays = tiles[0].load
    return Unit(
        {array: set().union(*(tile.load[array] for tile in tiles)) for array in arrays},
        {array: set().union(*(tile.store[array] for tile in tiles)) for array in arrays},
        sum(tile.compute - DEPTH for tile in tiles) + DEPTH,
    )


def in_turn(strips: list[list[Unit]]) -> int:
    return sum(port(unit.load) + unit.compute + port(unit.store) for strip in strips for unit in strip)


def in_steps(strips: list[list[Unit]]) -> int:
    """Step by step: the loader takes the next tile as soon as no earlier tile has still to store what it needs."""
    cycles = 0
    for strip in strips:
        waiting, computing, storing = list(strip), None, None
        unsaved: list[Unit] = []
        while waiting or computing or storing:
            loading = None
            if waiting and not any(_meets(unit.store, waiting[0].load) for unit in unsaved):
                loading = waiting.pop(0)
                unsaved.append(loading)
            moving = (port(loading.load) if loading else 0) + (port(storing.store) if storing else 0)
            cycles += max(moving, computing.compute if computing else 0)
            unsaved = [unit for unit in unsaved if unit is not storing]
            computing, storing = loading, computing
    return cycles


def _meets(one: Mapping[str, set[tuple[int, ...]]], other: Mapping[str, set[tuple[int, ...]]]) -> bool:
    return any(one[array] & other[array] for array in one)


@settings(max_examples=case_count(40), deadline=None)
@given(nest_cases(), st.sampled_from(["tile", "strip-reuse", "whole-strip"]))
def test_generated_nests_cost_what_their_tiles_cost_by_hand(case: NestCase, policy: str) -> None:
    nest = nest_of_case(case)
    if nest is None:
        return
    cost = evaluate(EMPTY, traffic(nest), PLAIN)[policy]
    strips = list(units_of(case, policy))
    every = [side for strip in strips for unit in strip for side in (unit.load, unit.store)]
    assert cost.data_moved == sum(len(found) for side in every for found in side.values())
    assert cost.bytes_moved == 8 * cost.data_moved
    assert cost.bursts == sum(len(bursts(side)) for side in every)
    assert cost.row_changes is None
    assert cost.cycles_without_overlap == in_turn(strips)
    assert cost.cycles == (in_turn(strips) if policy == "whole-strip" else in_steps(strips))


def local_spans(case: NestCase, found: Traffic) -> list[tuple[Tile, Tile]]:
    """The first and the last tile that uses it, of each element of a local that local memory holds."""
    used: dict[tuple[int, ...], list[Tile]] = defaultdict(list)
    for one in placed(case):
        for array, element in one.instance.cells:
            if array in found.kept_locals:
                used[element].append(one.tile)
    return [(min(tiles), max(tiles)) for tiles in used.values()]


def spans_in_strip(sets: TileSets, strip: list[Tile], overlapped_: bool) -> list[tuple[int, int]]:
    """The first and the last step of each element that is touched, loaded or stored in a strip."""
    load, store = theorem_six(sets, strip)
    steps: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for step, tile in enumerate(strip):
        moved = [(load[tile], -1), (store[tile], 1)] if overlapped_ else []
        for touched, shift in [(sets.read[tile] | sets.written[tile], 0), *moved]:
            for element in touched:
                steps[element].append(step + shift)
    return [(min(own), max(own)) for own in steps.values()]


def kept_of_local(case: NestCase, found: Traffic) -> int:
    """The most elements of a local that are alive in a tile."""
    spans = local_spans(case, found)
    return max((sum(first <= one.tile <= last for first, last in spans) for one in placed(case)), default=0)


@settings(max_examples=case_count(40), deadline=None)
@given(nest_cases(), st.booleans())
def test_live_data_of_a_policy_are_those_alive_at_once(case: NestCase, overlapped_: bool) -> None:
    """Reuse in strips, step by step: a step before the first tile of a strip and one behind the last; locals stay."""
    nest = nest_of_case(case)
    if nest is None:
        return
    found = traffic(nest)
    alive: dict[tuple[int, int], int] = defaultdict(int)
    ordered = strips_of(placed(case), case.strip_dims)
    for array, sets in tile_sets(placed(case)).items():
        for number, strip in enumerate(ordered if array != LOCAL else []):
            for first, last in spans_in_strip(sets, strip, overlapped_):
                for step in range(first, last + 1):
                    alive[number, step] += 1
    points = [(number, step) for number, strip in enumerate(ordered) for step in range(-1, len(strip) + 1)]
    at = {tile: (number, step) for number, strip in enumerate(ordered) for step, tile in enumerate(strip)}
    for begin, end in local_spans(case, found):
        for point in points[points.index(at[begin]) : points.index(at[end]) + 1]:
            alive[point] += 1
    cost = evaluate(EMPTY, found, PLAIN)["strip-reuse"]
    assert (cost.live_overlapped if overlapped_ else cost.live) == max(alive.values(), default=0)


@settings(max_examples=case_count(40), deadline=None)
@given(nest_cases())
def test_remote_accesses_are_those_of_all_instances(case: NestCase) -> None:
    nest = nest_of_case(case)
    if nest is None:
        return
    cost = evaluate(EMPTY, traffic(nest), PLAIN)["remote"]
    found = placed(case)
    touches = [touch for one in found for touch in (*one.instance.reads, one.instance.write)]
    accesses = sum(not any(array == LOCAL for array, _ in touch.cells) for touch in touches)
    assert (cost.data_moved, cost.bursts, cost.live) == (accesses, accesses, kept_of_local(case, traffic(nest)))
    moving, computing = accesses * (LATENCY + 1), len(found) * INTERVAL
    assert cost.cycles_without_overlap == moving + computing + DEPTH
    assert cost.cycles == max(moving, computing) + DEPTH


def test_remote_accesses_come_in_the_order_of_execution() -> None:
    """Tiles of 2 x 2 of polyprod by (N-j, i), in each the instances by time: reads of a, b and c, a write of c."""
    found = traffic(shipped_nest("polyprod", POLYPROD, ["2"], 2, N=2))
    order = [(i, 2 - time) for time in (0, 1) for i in (0, 1)]
    order += [(2, 2), (2, 1), (0, 0), (1, 0), (2, 0)]
    # Arrays begin in rows of their own, of 2048 bytes.
    at = [at for i, j in order for at in (4 * i, 2048 + 4 * j, 4096 + 4 * (i + j), 4096 + 4 * (i + j))]
    bursts_ = remote_bursts(PlanContext(shipped_spec("polyprod", N=2), found, BOARD))
    assert bursts_.address.tolist() == at
    assert bursts_.write.tolist() == [False, False, False, True] * 9
    assert set(bursts_.size.tolist()) == {4}
    cost = evaluate(shipped_spec("polyprod", N=2), found, BOARD)["remote"]
    assert (cost.row_changes, cost.cycles) == (3, 36 + 3 * 7)


def test_the_paper_s_board_gains_by_reuse_and_overlap() -> None:
    """Paper C, section 3: remote accesses are slowest, each tile alone moves more and cannot overlap, reuse can."""
    spec = shipped_spec("polyprod", N=60)
    costs = evaluate(spec, traffic(shipped_nest("polyprod", POLYPROD, ["10"], 2, N=60)), BOARD)
    assert tuple(costs) == ("remote", "tile", "strip-reuse", "whole-strip")
    remote, tile, reuse, whole = costs.values()
    assert remote.data_moved == 4 * 61 * 61
    assert remote.cycles > tile.cycles > reuse.cycles
    assert tile.cycles > 0.9 * tile.cycles_without_overlap  # c flows from each tile to the next
    assert reuse.cycles < 1.15 * 61 * 61 < 0.85 * reuse.cycles_without_overlap  # computes all the time
    assert tile.data_moved > reuse.data_moved == whole.data_moved
    assert whole.bursts < reuse.bursts < tile.bursts < remote.bursts
    assert remote.live == 0 < tile.live == reuse.live < whole.live
    assert all(cost.row_changes is not None and cost.row_changes <= cost.bursts for cost in costs.values())


def test_with_one_open_row_strips_gain_what_single_accesses_lose() -> None:
    """Paper C's argument: of three arrays in three rows, nearly each single access opens a row anew."""
    spec = shipped_spec("polyprod")
    moved = traffic(shipped_nest("polyprod", POLYPROD, ["10"], 2, N=100))
    one, four = (evaluate(spec, moved, board) for board in (ONE_ROW, BOARD))
    assert (one["remote"].cycles, one["strip-reuse"].cycles) == (255_025, 11_265)
    assert (four["remote"].cycles, four["strip-reuse"].cycles) == (40_825, 10_915)
    assert one["remote"].data_moved == four["remote"].data_moved == 4 * 101 * 101
    assert all(one[policy].cycles >= four[policy].cycles for policy in one)


def test_a_longer_strip_along_two_dimensions_moves_less() -> None:
    spec = shipped_spec("polyprod", N=60)
    for schedule in (POLYPROD, DIAGONAL):
        one, two = (
            evaluate(spec, traffic(shipped_nest("polyprod", schedule, ["10"], 2, strip_dims=dims, N=60)), BOARD)
            for dims in (1, 2)
        )
        assert two["strip-reuse"].data_moved == 2 * 61 + 2 * 121  # every element once, c both ways
        assert two["strip-reuse"].data_moved < one["strip-reuse"].data_moved
        assert two["strip-reuse"].live > one["strip-reuse"].live


def test_repetitions_occupy_the_datapath_for_their_largest_output() -> None:
    """A repetition of matmul makes S x S data; its elementary's interval and latency count."""
    consts = {"M": 8, "N": 8, "K": 4, "S": 2}
    nest = open_nest(load_sound(shipped_folder() / "matmul.aol", consts), NestRequest("product", tile=["2"]))
    platform = PLAIN.model_copy(update={"elementary": {"matmul": ElementaryEntry(initiation_interval=3, latency=11)}})
    cost = evaluate(shipped_spec("matmul", **consts), traffic(nest), platform)["strip-reuse"]
    assert cost.timeline is not None
    lengths = np.diff(cost.timeline.compute, axis=1).ravel()
    assert lengths.tolist() == [4 * (2 * 2) * 3 + 11] * 4


# The pipeline

units = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), max_size=12)


@given(units, st.booleans())
def test_double_buffering_keeps_every_synchronisation(found: list[tuple[int, ...]], shared: bool) -> None:
    found = sorted(found, key=lambda unit: unit[0])
    strip, load, compute, store = (np.array([unit[part] for unit in found], np.int64) for part in range(4))
    time = overlapped(Units(strip, compute, np.full(len(found), -1)), load, store, shared)
    ways = {"load": time.load, "compute": time.compute, "store": time.store}
    for rule in SYNCHRONISATIONS:
        for tile in range(len(found) - rule.distance):
            if strip[tile] == strip[tile + rule.distance]:
                assert ways[rule.first][tile, 1] <= ways[rule.then][tile + rule.distance, 0]
    for before, after in zip(range(len(found)), range(1, len(found)), strict=False):
        if strip[before] != strip[after]:
            assert time.store[before, 1] <= time.load[after, 0]
    if shared:
        assert not _crossing(np.concatenate([time.load, time.store]))
    in_turn_ = one_after_another(Units(strip, compute, np.full(len(found), -1)), load, store)
    assert time.cycles <= in_turn_.cycles == sum(sum(unit[1:]) for unit in found)


@given(units, st.data())
def test_loads_wait_for_the_stores_that_they_need(found: list[tuple[int, ...]], data: st.DataObject) -> None:
    found = sorted(found, key=lambda unit: unit[0])
    strip, load, compute, store = (np.array([unit[part] for unit in found], np.int64) for part in range(4))
    first = [strip.tolist().index(own) for own in strip.tolist()]
    after = [data.draw(st.sampled_from([-1, *range(start, tile)])) for tile, start in enumerate(first)]
    made = Units(strip, compute, np.array(after, np.int64))
    time = overlapped(made, load, store, shared_port=False)
    for tile, earlier in enumerate(after):
        assert earlier < 0 or time.store[earlier, 1] <= time.load[tile, 0]
        assert earlier < 0 or made.load_steps()[tile] >= made.load_steps()[earlier] + 3
    assert time.cycles <= one_after_another(made, load, store).cycles


def test_runs_end_with_the_array_the_unit_and_a_gap() -> None:
    moved = moves(
        [(np.array([1, 0, 0, 0, 0]), 0, np.array([4, 0, 1, 2, 5])), (np.array([0, 1, 0]), 1, np.array([6, 5, 6]))]
    )
    assert list(zip(*(column.tolist() for column in (moved.unit, moved.array, moved.element)), strict=True)) == [
        *((0, 0, element) for element in (0, 1, 2, 5)),
        (0, 1, 6),
        (1, 0, 4),
        (1, 1, 5),
    ]
    places_ = [Place(100, 4, (8,)), Place(200, 2, (8,))]
    found = as_bursts(moved, places_, write=True)
    assert found.unit.tolist() == [0, 0, 0, 1, 1]
    assert found.bursts.address.tolist() == [100, 120, 212, 116, 210]
    assert found.bursts.size.tolist() == [12, 4, 2, 4, 2]
    assert found.bursts.data.tolist() == [3, 1, 1, 1, 1]
    assert found.bursts.write.all()


def _crossing(spans: np.ndarray) -> bool:
    """Whether two spans of more than nothing overlap."""
    held = sorted(span for span in map(tuple, spans.tolist()) if span[0] < span[1])
    return any(one[1] > other[0] for one, other in itertools.pairwise(held))


def test_each_array_begins_in_a_row_of_its_own() -> None:
    spec = shipped_spec("polyprod", N=3)
    whole = evaluate(spec, traffic(shipped_nest("polyprod", POLYPROD, ["4"], 2, N=3)), BOARD)["whole-strip"]
    # One strip: a, b, c in a row each, one burst each, c once more; 4 + 4 + 7 words in, 7 out, 16 instances between.
    assert (whole.bursts, whole.row_changes, whole.cycles) == (4, 3, (7 + 4) + (7 + 4) + (7 + 7) + 16 + 7)


@pytest.mark.parametrize("port_kind", ["shared", "separate"])
def test_separate_ports_move_both_ways_at_once(port_kind: str) -> None:
    platform = Platform(memory=ExternalMemory(latency=5, data_per_word=1, port=port_kind))
    spec = shipped_spec("polyprod", N=40)
    cost = evaluate(spec, traffic(shipped_nest("polyprod", POLYPROD, ["4"], 2, N=40)), platform)["strip-reuse"]
    assert cost.timeline is not None
    together = _crossing(np.concatenate([cost.timeline.load, cost.timeline.store]))
    assert together == (port_kind == "separate")
