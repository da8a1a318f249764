"""Counted evaluation of the machine model beside enumerated evaluation."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from energy_oracle import with_energies
from hypothesis import Phase, event, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from opened_batch import at_rates, opened_batch
from same_figures import require_same_figures
from strategies_machine import (
    bank_layouts,
    groups,
    groups_of_several_ends,
    keeps,
    offered_rates,
    platforms,
    residences,
    some_rates,
    with_channels,
)
from strategies_networks import forked_networks, networks

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from arrayol.ir.network import Network, flatten
from hwmodel.accesses import Accesses
from hwmodel.cost_model.counted.axes.fetches import StructureKeeps
from hwmodel.cost_model.counted.batch import GroupBatch
from hwmodel.cost_model.evaluate.evaluation import fastest, price
from hwmodel.cost_model.group.group import Group
from hwmodel.cost_model.model import MachineModel, find_applicable, possible_fifos
from hwmodel.design import POLICIES, Blocks, GroupDesign, Processor, ReuseLevel, Scan, interval_of, parse_keep
from hwmodel.platform import Platform, find_platform


@settings(max_examples=case_count(300), deadline=None, phases=[Phase.generate, Phase.shrink])
@given(st.data())
def test_priced_in_batches_as_one_by_one(data: st.DataObject) -> None:
    _require_batch_holds(data, data.draw(platforms(plain=data.draw(st.integers(0, 3)) > 0)), _networks())


@settings(max_examples=case_count(200), deadline=None, phases=[Phase.generate, Phase.shrink])
@given(st.data())
def test_by_run_priced_in_batches_as_one_by_one(data: st.DataObject) -> None:
    _require_batch_holds(data, data.draw(platforms(by_run=True)), _networks())


@settings(max_examples=case_count(200), deadline=None, phases=[Phase.generate, Phase.shrink])
@given(st.data())
def test_coupled_priced_in_batches_as_one_by_one(data: st.DataObject) -> None:
    _require_batch_holds(data, data.draw(platforms(plain=True)), _networks(coupled=True))


@settings(max_examples=case_count(60), deadline=None, phases=[Phase.generate, Phase.shrink])
@given(st.data())
def test_several_last_tasks_priced_in_batches_as_one_by_one(data: st.DataObject) -> None:
    platform = data.draw(platforms(plain=True))
    _require_batch_holds(data, platform, forked_networks(separable=True), several_ends=True)


@settings(max_examples=case_count(60), deadline=None, phases=[Phase.generate, Phase.shrink])
@given(st.data(), st.integers(2, 4))
def test_several_channels_priced_in_batches_as_one_by_one(data: st.DataObject, channels: int) -> None:
    _require_batch_holds(data, with_channels(data.draw(platforms(plain=True)), channels), _networks())


@st.composite
def _networks(draw: st.DrawFn, *, coupled: bool = False) -> Network:
    separable = not coupled and draw(st.integers(0, 3)) > 0
    return draw(networks(separable=separable, coupled=coupled, parts=draw(st.booleans()), cropped=draw(st.booleans())))


def _require_batch_holds(
    data: st.DataObject, platform: Platform, drawn: st.SearchStrategy[Network], *, several_ends: bool = False
) -> None:
    """Some blocks of a drawn group have the figures in a batch that enumeration gives them."""
    network, loads = data.draw(residences(data.draw(drawn)))
    tasks = data.draw(groups_of_several_ends(Accesses(network, loads)) if several_ends else groups(network))
    model = MachineModel(network, with_energies(platform, 1.5) if data.draw(st.booleans()) else platform, loads)
    for load in set(loads.values()):
        event(f"load {load}")
    recompute = len(tasks) > 1 and data.draw(st.integers(0, 2)) == 0
    batch = opened_batch(model, tasks, recompute=recompute)
    if batch is None:
        return
    last = batch.counts.parts.group.last
    extents = model.accesses.extents(last)
    shapes = data.draw(st.lists(st.tuples(*(st.integers(1, extent) for extent in extents)), min_size=1, max_size=4))
    scan = data.draw(st.sampled_from(model.legal_scans(last, (1,) * len(extents)) or model.legal_scans(last, extents)))
    shapes = [shape for shape in shapes if scan in model.legal_scans(last, shape)] or [extents]
    rates = some_rates(data.draw(offered_rates(model.platform, network, tasks, (1, 2, 3))))
    _tell(batch)
    intervals = len(np.unique(interval_of(rates)))
    event(f"burst {platform.memory.burst}, axes: {min(len(batch.counts.moved.axes), 4)}, intervals: {intervals}")
    chosen_keeps = data.draw(st.lists(all_keeps(batch, len(extents)), min_size=1, max_size=3))
    which = data.draw(st.lists(st.sampled_from(range(len(chosen_keeps))), min_size=len(shapes), max_size=len(shapes)))
    layouts = tuple(
        layout for layout in data.draw(bank_layouts(network, tasks)) if not model.accesses.is_resident(layout.array)
    )
    batch = batch.with_layouts(layouts)
    table, of_each = (
        np.array(shapes, np.int64).reshape(len(shapes), -1),
        StructureKeeps(tuple(chosen_keeps), np.array(which)),
    )
    priced, structures = price(batch.tables(scan, table, of_each), rates), batch.structures(scan, table, of_each)
    designs = []
    event(f"gaps in lines: {any(int(rows.lines.max()) > 1 for rows in structures.rows)}")
    for number, shape in enumerate(shapes):
        own = tuple(zip(batch.counts.parts.group.loaded, chosen_keeps[which[number]], strict=True))
        for kind in {_kind(keep) for _, keep in own}:
            event(f"{kind}: {'product' if structures.holds[number] else 'no product'}")
        design = GroupDesign(
            tuple(Processor(task) for task in tasks),
            Blocks(tuple(shape), scan),
            layouts=layouts,
            recompute=recompute,
            keeps=own,
        )
        event(f"recomputing {recompute}: {'product' if structures.holds[number] else 'no product'}")
        alone = price(model.enumerated(design), rates)
        np.testing.assert_array_equal(priced.legal[number], alone.legal[0])
        designs.append(design)
        chosen = rates[data.draw(st.integers(0, len(rates) - 1))]
        if priced.legal[number][(rates == chosen).all(axis=1)].all():
            designs.append(at_rates(design, chosen))
        require_same_figures(priced, number, alone)
    _require_same_estimates(model, designs)


def _tell(batch: GroupBatch) -> None:
    parts = batch.counts.parts
    event(f"coupled: {parts.spaces.couple}, loops: {max(map(len, parts.blocks), default=0)}")
    event(f"needed in part: {bool(batch.counts.needed_in_part)}")
    paces = {loop.pace == 1 for own in parts.group.following.values() for loop in own}
    event(f"{1 + len(parts.group.following)} last tasks, one pace: {all(paces)}")


@st.composite
def all_keeps(draw: st.DrawFn, batch: GroupBatch, loops: int) -> tuple[ReuseLevel, ...]:
    """A keep for each array from outside: a policy's, or of each array its own."""
    loaded = batch.counts.parts.group.loaded
    if draw(st.integers(0, 3)) == 0:
        return (parse_keep(draw(st.sampled_from(POLICIES)), loops),) * len(loaded)
    return tuple(draw(keeps(loops)) for _ in loaded)


def _kind(keep: ReuseLevel) -> str:
    return f"{'shared ' * keep.shared}{'eager ' * keep.eager}{min(keep.level, 1)}"


def _require_same_estimates(model: MachineModel, designs: list[GroupDesign]) -> None:
    """Where cycles and bits go, too: of all designs together as of each by itself."""
    for design, found in zip(designs, model.estimates(designs), strict=True):
        event(f"{found.evaluator}")
        assert replace(found, evaluator="enumerated") == model.estimate_enumerated(design)


@settings(max_examples=case_count(150), deadline=None)
@given(st.data())
def test_both_paths_offer_the_same(data: st.DataObject) -> None:
    network = data.draw(networks(separable=True))
    tasks = data.draw(groups(network))
    model = MachineModel(network, data.draw(platforms(plain=True)))
    try:
        batch = model.batch(tasks)
    except ArrayolError:
        return
    group = Group(model.accesses, tasks)
    extents = model.accesses.extents(group.last)
    shape = data.draw(st.tuples(*(st.integers(1, extent) for extent in extents)))
    scans = model.legal_scans(group.last, shape)
    blocks = Blocks(shape, data.draw(st.sampled_from(scans)))
    try:
        (found,) = model.offers(tasks, [blocks])
    except ArrayolError as refused:
        event(f"refused: {refused.diagnostics[0].code}")
        assert batch is None
        return
    event(f"separable: {batch is not None}, policies: {found.policies_differ}, cuts: {bool(found.cuts)}")
    event(f"fifos: {len(found.fifos)}")
    assert found == find_applicable(group, blocks, found.fifos)
    assert found.fifos == possible_fifos(group)


def test_tables_of_groups_are_dropped_oldest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    path = shipped_folder() / "lpsf.aol"
    spec = load_checked(path, {"H": 24, "W": 16})
    model = MachineModel(flatten(spec, choose_top(spec, None)), find_platform(path, None)[0])
    batches = [batch for task in model.network.processes if (batch := model.batch((task,)))]
    prices = [_prices(model, batch) for batch in batches]
    for batch in batches:
        batch.kept.count()
    sizes = [batch.kept.size for batch in batches]
    assert len(sizes) == 4
    assert all(sizes)
    for batch in batches:
        own = sum(table.nbytes for table in batch.kept.tables.values())
        assert batch.kept.size > own + sum(order.steps.key.nbytes for order in batch.kept.orders.values())
    monkeypatch.setattr("hwmodel.cost_model.model.TABLE_BYTES", sizes[1] + sizes[3])
    model.batch(batches[2].tasks)  # it counts for nothing itself, and of the others the first was asked for longest ago
    assert [batch.kept.size for batch in batches] == [0, *sizes[1:]]
    assert _prices(model, batches[0]) == prices[0]
    batches[0].kept.count()
    assert batches[0].kept.size == sizes[0]


def _prices(model: MachineModel, batch: GroupBatch) -> list[int]:
    extents = model.accesses.extents(batch.counts.parts.group.last)
    shapes = np.array([extents, [1, *extents[1:]]], np.int64)
    scan = model.legal_scans(batch.counts.parts.group.last, (1,) * len(extents))[0]
    found: list[int] = fastest(batch.tables(scan, shapes), [(1, 2)] * len(batch.tasks)).latency_cycles.ravel().tolist()
    return found


HALVES = """
elementary split(x: u8) -> (a: u8, b: u8) {
  a = x
  b = x + 1
}
elementary add(x: u8[2]) -> (y: u8) {
  y = x[0] + x[1]
}
elementary copy(x: u8) -> (y: u8) {
  y = x
}
task halves(x: u8[6]) -> (a: u8[6], b: u8[6]) {
  repeat [6] of split {
    x <- x
    a -> a
    b -> b
  }
}
task sums(t: u8[2, 6]) -> (y: u8[6]) {
  repeat [6] of add {
    x <- t at origin [0, 0] paving [0; 1] fitting [1; 0]
    y -> y
  }
}
task copies(x: u8[6]) -> (z: u8[6]) {
  repeat [6] of copy {
    x <- x
    y -> z
  }
}
task top(x: u8[6]) -> (y: u8[6], z: u8[6]) {
  t: u8[2, 6]
  (t[0, ..], t[1, ..]) = halves(x)
  y                    = sums(t)
  z                    = copies(t[PIECE, ..])
}
"""


@pytest.mark.parametrize("piece", [0, 1])
def test_of_an_array_in_parts_only_what_the_outside_needs_is_stored(piece: int, tmp_path: Path) -> None:
    path = tmp_path / "halves.aol"
    path.write_text(HALVES.replace("PIECE", str(piece)), encoding="utf-8")
    model = MachineModel(flatten(load_checked(path, {}), "top"), find_platform(path, None)[0])
    for side, scan in product(range(1, 7), model.legal_scans("sums", (1,))):
        design = GroupDesign((Processor("halves"), Processor("sums")), Blocks((side,), scan))
        found = model.estimate(design)
        assert found.evaluator == "counted"
        assert replace(found, evaluator="enumerated") == model.estimate_enumerated(design)
        assert found.additive["traffic_bytes"] == 18


UNREAD = """
elementary split(x: u8, s: u8) -> (a: u8, b: u8) {
  a = x
  b = x + s
}
elementary add(a: u8, b: u8[2]) -> (y: u8) {
  y = a + b[0] + b[1]
}
task halves(x: u8[8, 6]) -> (a: u8[8, 6], b: u8[8, 6]) {
  repeat [8, 6] of split {
    x <- x
    s <- x at origin [0, 0] paving [1, 1; 0, 0] fitting [] else nearest
    a -> a
    b -> b
  }
}
task sums(t: u8[2, 8, 6]) -> (y: u8[8, 6]) {
  repeat [8, 6] of add {
    a <- t at origin [0, 1, 0]  paving [0, 0; 1, 0; 0, 1] fitting []        else nearest
    b <- t at origin [1, -1, 0] paving [0, 0; 1, 0; 0, 1] fitting [0; 1; 0] else nearest
    y -> y
  }
}
task top(x: u8[8, 6]) -> (y: u8[8, 6]) {
  t: u8[2, 8, 6]
  (t[0, .., ..], t[1, .., ..]) = halves(x)
  y                            = sums(t)
}
"""


def test_pieces_of_a_listed_buffer_are_followed_each_in_its_way(tmp_path: Path) -> None:
    """Nobody reads the first row of one piece, so that its readers are followed; those of the other need not be."""
    path = tmp_path / "unread.aol"
    path.write_text(UNREAD, encoding="utf-8")
    model = MachineModel(flatten(load_checked(path, {}), "top"), find_platform(path, None)[0])
    tasks, evaluators = ("halves", "sums"), set()
    batch = model.batch(tasks)
    assert batch is not None
    assert batch.counts.followed == {"x", "t, piece 0"}
    for shape in product((1, 2, 8), (1, 2, 6)):
        for scan in model.legal_scans("sums", shape):
            design = GroupDesign(tuple(map(Processor, tasks)), Blocks(shape, scan))
            found = model.estimate(design)
            assert replace(found, evaluator="enumerated") == model.estimate_enumerated(design)
            evaluators.add(found.evaluator)
    assert "counted" in evaluators


SHORT_CHAINS = """
elementary add(x: u8, before: u8) -> (y: u8) {
  y = x + before
}
task top(x: u8[5, 8]) -> (y: u8[5, 8]) {
  repeat [5, 8] of add {
    x      <- x
    before <- y delay [2, 0] else 0
    y -> y
  }
}
"""


def test_states_whose_chains_close_out_of_order_are_told_one_by_one(tmp_path: Path) -> None:
    """In each column one chain has three repetitions, one two: blocks of four rows end the second before the first."""
    path = tmp_path / "chains.aol"
    path.write_text(SHORT_CHAINS, encoding="utf-8")
    model = MachineModel(flatten(load_checked(path, {}), "top"), find_platform(path, None)[0])
    (task,) = model.network.processes
    scan, evaluators = Scan((0, 1), (False, True)), dict[int, str]()
    for rows, columns in product((1, 2, 4, 5), (1, 7, 8)):
        design = GroupDesign((Processor(task),), Blocks((rows, columns), scan))
        found, alone = model.estimate(design), model.estimate_enumerated(design)
        assert replace(found, evaluator="enumerated") == alone
        evaluators[rows] = found.evaluator
        (state,) = (memory for memory in found.memories if memory.kind == "state")
        assert state.addressed >= state.live
    assert evaluators[5] == "counted"
    assert evaluators[4] == "enumerated"
