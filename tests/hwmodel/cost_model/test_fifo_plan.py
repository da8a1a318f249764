"""Structures with FIFOs that are planned by counts, beside their plans of every repetition and element."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from energy_oracle import with_energies
from hypothesis import HealthCheck, Phase, assume, event, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from opened_batch import at_rates, opened_batch
from same_figures import require_same_figures
from strategies_machine import array_keeps, bank_layouts, groups, offered_rates, platforms, residences, some_rates
from strategies_networks import networks

from arrayol.errors import ArrayolError
from hwmodel.cost_model.counted.fifo_steps import FifoProcessors
from hwmodel.cost_model.enumerated.scheduled import ScheduledSteps
from hwmodel.cost_model.evaluate.evaluation import bounded, fastest, price
from hwmodel.cost_model.model import MachineModel
from hwmodel.cost_model.tables.group_tables import GroupTables
from hwmodel.design import Blocks, GroupDesign, Processor
from hwmodel.figures import FRAME, LATENCY

Rates = Sequence[tuple[int, ...]]


@settings(
    max_examples=case_count(200),
    deadline=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.filter_too_much],
)
@given(st.data())
def test_planned_by_counts_as_one_by_one(data: st.DataObject) -> None:
    model, structure = _structure(data)
    rates = data.draw(offered_rates(model.platform, model.network, structure.tasks, (1, 2, 3)))
    try:
        alone = model.enumerated(structure)
        price(alone, some_rates(rates))
    except ArrayolError as refused:
        _require_refused(model, structure, rates, refused.diagnostics[0].code)
        return
    for tables in (alone, model.tables(structure)):
        assert price(tables, some_rates(rates)[:0]).legal.shape == (1, 0)
    steps = model.tables(structure).steps
    processors = steps.processors if isinstance(steps, ScheduledSteps) else None
    delays = any(model.network.processes[task].delays for task in structure.tasks)
    event(f"planned by counts: {isinstance(processors, FifoProcessors)}, delays: {delays}")
    if isinstance(processors, FifoProcessors):
        ticks = [processors.ticks(own) for own in processors.pipelines if len(own) > 1]
        event(f"ticks alike: {any(own.of_each.steps <= len(own.rows) * len(own.columns) for own in ticks)}")
    _require_same(data, model, structure, rates, alone)


def _structure(data: st.DataObject) -> tuple[MachineModel, GroupDesign]:
    """A structure of a group of several tasks, mostly with FIFOs that the model offers."""
    network, loads = data.draw(residences(data.draw(networks(separable=True, fifos=True))))
    tasks = data.draw(groups(network))
    platform = data.draw(platforms(**{data.draw(st.sampled_from(("plain", "by_run", "built"))): True}))
    model = MachineModel(network, with_energies(platform, 1.5) if data.draw(st.booleans()) else platform, loads)
    batch = opened_batch(model, tasks)
    assume(batch is not None and len(tasks) > 1)
    assert batch is not None
    last = batch.counts.parts.group.last
    extents = model.accesses.extents(last)
    shape = tuple(data.draw(st.integers(1, extent)) for extent in extents)
    blocks = Blocks(shape, data.draw(st.sampled_from(model.legal_scans(last, shape))))
    fifos = model.offers(tasks, [blocks])[0].fifos
    if data.draw(st.integers(0, 19)) == 0:
        fifos = tuple(batch.counts.parts.group.writers_of)
    assume(fifos)
    chosen = data.draw(st.frozensets(st.sampled_from(fifos), min_size=1))
    keeps = data.draw(array_keeps(network, tasks, len(extents)))
    drawn = data.draw(bank_layouts(network, tasks))
    layouts = tuple(layout for layout in drawn if not model.accesses.is_resident(layout.array))
    event(f"layouts: {len(layouts)}")
    return model, GroupDesign(tuple(map(Processor, tasks)), blocks, chosen, layouts, keeps=keeps)


def _require_refused(model: MachineModel, structure: GroupDesign, rates: Rates, code: str) -> None:
    event("refused")
    with pytest.raises(ArrayolError) as found:
        model.price_structure(structure, some_rates(list(rates)))
    assert found.value.diagnostics[0].code == code


def _require_same(
    data: st.DataObject, model: MachineModel, structure: GroupDesign, rates: Rates, alone: GroupTables
) -> None:
    every = some_rates(list(rates))
    priced, expected = model.price_structure(structure, every), price(alone, every)
    np.testing.assert_array_equal(priced.legal, expected.legal)
    require_same_figures(priced, 0, expected)
    times = data.draw(st.sampled_from(((LATENCY,), (FRAME,), (LATENCY, FRAME))))
    fast = model.fastest(structure, rates, times=times), fastest(alone, rates, times=times)
    np.testing.assert_array_equal(fast[0].combinations, fast[1].combinations)
    bounds = model.bounded(structure, rates).least, bounded(alone, rates).least
    for name in (LATENCY, "internal_memory_bits", "port_bytes"):
        assert bounds[0].objective(name) == bounds[1].objective(name)
    if priced.legal.any():
        design = at_rates(structure, every[np.flatnonzero(priced.legal[0])[-1]])
        assert replace(model.estimate(design), evaluator="enumerated") == model.estimate_enumerated(design)
