"""What no design of a structure has less of, beside all of its designs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from energy_oracle import with_energies
from hypothesis import event, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from opened_batch import opened_batch
from strategies_machine import Case, cases, groups, offered_rates, platforms, residences
from strategies_networks import networks

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from hwmodel.cost_model.estimate import DYNAMIC, LEAKAGE, OBJECTIVES
from hwmodel.cost_model.evaluate.evaluation import bounded, price
from hwmodel.cost_model.evaluate.lower_bounds import Bounded
from hwmodel.cost_model.memories.local_ports import LocalPorts
from hwmodel.cost_model.metrics import TIMES, Metrics
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import rate_of, row_major
from hwmodel.platform import load_platform


@settings(max_examples=case_count(150), deadline=None)
@given(cases(), st.booleans(), st.data())
def test_of_any_structure(case: Case, has_energies: bool, data: st.DataObject) -> None:
    platform = with_energies(case.platform, 1.5) if has_energies else case.platform
    model = MachineModel(case.network, platform)
    offered = data.draw(offered_rates(platform, case.network, case.design.tasks, (1, 2, 3)))
    rates = np.array(list(product(*offered)), np.int64)
    try:
        priced = model.price_structure(case.design, rates)
    except ArrayolError as refused:
        event(f"refused: {refused.diagnostics[0].code}")
        return
    bounds = model.bounded(case.design, offered, times=TIMES)
    _require_bounds(bounds, priced, np.arange(1))
    event(f"built: {priced.built is not None}")


@settings(max_examples=case_count(150), deadline=None)
@given(st.data())
def test_of_many_structures_at_once(data: st.DataObject) -> None:
    network = data.draw(networks(separable=True))
    network, loads = data.draw(residences(network))
    tasks, platform = data.draw(groups(network)), data.draw(platforms(plain=True))
    model = MachineModel(network, with_energies(platform, 1.5) if data.draw(st.booleans()) else platform, loads)
    batch = opened_batch(model, tasks, recompute=len(tasks) > 1 and data.draw(st.integers(0, 3)) == 0)
    if batch is None:
        return
    last = batch.counts.parts.group.last
    extents = model.accesses.extents(last)
    scan = data.draw(st.sampled_from(model.legal_scans(last, extents)))
    drawn = data.draw(st.lists(st.tuples(*(st.integers(1, extent) for extent in extents)), max_size=3))
    shapes = np.array([extents, *(one for one in drawn if scan in model.legal_scans(last, one))], np.int64)
    shapes = shapes.reshape(len(shapes), -1)
    offered = data.draw(offered_rates(model.platform, network, tasks, (1, 2, 3)))
    rates = np.array(list(product(*offered)), np.int64)
    bounds = bounded(batch.tables(scan, shapes), offered, times=TIMES)
    rows = np.flatnonzero(np.arange(len(shapes)) % 2 == 0)
    _require_bounds(bounds, price(batch.tables(scan, shapes[rows]), rates), rows)
    event(f"built: {bounds.price(rows).built is not None}, structures: {len(rows)}")


def test_of_banks_that_are_filled() -> None:
    """Where data fill their banks to the last word the bound of a design is what it has, and no less."""
    spec = load_checked(shipped_folder() / "conv3x3.aol", {"H": 64, "W": 128})
    network, platform = flatten(spec, choose_top(spec, None)), load_platform(shipped_folder() / "conv3x3.toml")
    model = MachineModel(network, platform)
    task = next(iter(model.network.processes))
    batch = opened_batch(model, (task,))
    assert batch is not None
    extents = model.accesses.extents(task)
    shapes = np.array([(rows, columns) for rows in (1, 2, 4) for columns in (16, 30, extents[1])], np.int64)
    rates = np.array([[rate_of(units, 0)] for units in range(1, 9)], np.int64)
    priced = price(batch.tables(row_major(2), shapes), rates)
    designs = np.nonzero(priced.legal)
    bound, own = (priced.at(*designs, least=least).internal_memory_bits for least in (True, False))  # in this order
    assert (bound <= own).all()
    assert 0 < int(np.count_nonzero(bound == own)) < len(own)


def test_of_fewer_units_whose_lines_fill_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the port ends all steps one unit is enough, though two start lines sooner."""
    monkeypatch.setattr(LocalPorts, "fill", lambda _, __, units, ___: 2 if units == 1 else 1)
    spec = load_checked(shipped_folder() / "conv3x3.aol", {"H": 16, "W": 32})
    platform = load_platform(shipped_folder() / "conv3x3.toml")
    memory = platform.memory.model_copy(update={"latency": 3000})
    model = MachineModel(flatten(spec, choose_top(spec, None)), platform.model_copy(update={"memory": memory}))
    batch, shapes, rows = (
        model.batch((next(iter(model.network.processes)),)),
        np.array([[4, 10], [7, 30]]),
        np.arange(2),
    )
    assert batch is not None
    bounds = bounded(batch.tables(row_major(2), shapes), [(1, 2, 3, 4)], times=TIMES)
    assert bounds.fewest.tolist() == [1, 1]
    _require_bounds(bounds, price(batch.tables(row_major(2), shapes), np.array([[1], [2], [3], [4]])), rows)


def _require_bounds(bounds: Bounded, priced: Metrics, rows: np.ndarray) -> None:
    """All figures of legal designs are at least those of the bound; some of the structures are priced as all are."""
    floor, least = bounds.price(rows), bounds.least
    alone = floor.exactly
    for name in _names(priced):
        every, bound = priced.objective(name), least.objective(name)[rows]
        assert np.array_equal(alone.objective(name)[alone.legal], every[priced.legal])
        assert np.array_equal(alone.legal, priced.legal)
        own = bounds.sure[rows, None] & priced.legal
        assert (np.broadcast_to(bound, every.shape)[own] <= every[own] + 1e-6).all(), name
    times = np.stack([priced.objective(name) == least.objective(name)[rows] for name in TIMES]).all(axis=0)
    units = np.broadcast_to(priced.units, times.shape)
    fewest = np.broadcast_to(bounds.fewest[rows, None], times.shape)
    own = bounds.sure[rows, None] & priced.legal & times
    assert (fewest[own] <= units[own]).all()
    _require_bounds_of_designs(floor, bounds.live(rows))
    legal = priced.legal.any(axis=1)  # what no memory serves is known only then
    assert (least.legal[rows, 0] >= legal)[bounds.sure[rows]].all()


def _require_bounds_of_designs(priced: Metrics, live: tuple[np.ndarray, np.ndarray] | None) -> None:
    """Designs one by one: what they have at the least, and with what is live, is no more than what they have."""
    every = priced.exactly
    places, columns = np.nonzero(every.legal)
    assert priced.legal[every.legal].all()
    some = slice(None, None, 2)  # of these what is built is told first
    first, found = priced.at(places[some], columns[some]), priced.at(places, columns)
    least, after = priced.at(places, columns, least=True), priced.at(places, columns, least=True)
    floor = least if live is None else priced.keeping(*live).at(places, columns)
    for name in _names(priced):
        before = least.objective(name)
        own = found.objective(name)
        assert np.array_equal(own[:, 0], every.objective(name)[places, columns])
        assert np.array_equal(first.objective(name), own[some])
        assert all((bound <= own + 1e-6).all() for bound in (before, after.objective(name), floor.objective(name))), (
            name
        )


def _names(priced: Metrics) -> list[str]:
    names = [*OBJECTIVES, *priced.costs, *((DYNAMIC, LEAKAGE) if priced.energy is not None else ())]
    return [name for name in names if name != "memory_blocks" or priced.memory_blocks is not None]
