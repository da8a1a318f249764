"""Structures with FIFOs that are planned by counts, beside their plans of every repetition and element."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from energy_oracle import with_energies
from hypothesis import HealthCheck, Phase, assume, event, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from opened_batch import opened_batch
from same_figures import require_same_figures
from strategies_machine import array_keeps, groups, offered_rates, platforms, residences, some_rates
from strategies_networks import networks

from arrayol.errors import ArrayolError
from hwmodel.design import Blocks, GroupDesign, Processor, interval_of, units_of
from hwmodel.machine.model import MachineModel
from hwmodel.machine.priced import FRAME, LATENCY
from hwmodel.machine.units_exact import PlannedStructure


@settings(
    max_examples=300,
    deadline=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.filter_too_much],
)
@given(st.data())
def test_planned_by_counts_as_one_by_one(data: st.DataObject) -> None:
    network, loads = data.draw(residences(data.draw(networks(separable=True, fifos=True))))
    tasks = data.draw(groups(network))
    kind = data.draw(st.sampled_from(("plain", "by_run", "built")))
    platform = data.draw(platforms(**{kind: True}))
    model = MachineModel(network, with_energies(platform, 1.5) if data.draw(st.booleans()) else platform, loads)
    batch = opened_batch(model, tasks)
    if batch is None:
        return
    last = batch.counts.parts.group.last
    extents = model.accesses.extents(last)
    shape = tuple(data.draw(st.integers(1, extent)) for extent in extents)
    scan = data.draw(st.sampled_from(model.legal_scans(last, shape)))
    made = list(batch.counts.parts.group.made)
    fifos = data.draw(st.frozensets(st.sampled_from(made), min_size=1))
    offered = model.offers(tasks, [Blocks(shape, scan)])[0].fifos
    if data.draw(st.integers(0, 19)):
        assume(offered)
        fifos = data.draw(st.frozensets(st.sampled_from(offered), min_size=1))
    keeps = data.draw(array_keeps(network, tasks, len(extents)))
    structure = GroupDesign(tuple(map(Processor, tasks)), Blocks(shape, scan), fifos, keeps=keeps)
    rates = data.draw(offered_rates(model.platform, network, tasks, (1, 2, 3)))
    try:
        alone = PlannedStructure.of(model.accesses, model.platform, structure)
        priced = alone.price(some_rates(rates))
    except ArrayolError as refused:
        event(f"refused, offered: {fifos <= set(offered)}")
        try:
            model.price_structure(structure, some_rates(rates))
        except ArrayolError as found:
            assert found.diagnostics[0].code == refused.diagnostics[0].code
            return
        raise AssertionError("what is refused is priced") from refused
    planned = model._planned(structure)
    event(f"planned: {planned.plan.path}")
    kinds = [planned.plan.processors.in_equal_steps(own) for own in planned.plan.processors.pipelines if len(own) > 1]
    event(f"equal steps: {any(own.steps - 1 < len(equal.of) - own.steps for equal, own in kinds)}")
    found = planned.price(some_rates(rates))
    np.testing.assert_array_equal(found.legal, priced.legal)
    require_same_figures(found, 0, priced)
    times = data.draw(st.sampled_from(((LATENCY,), (FRAME,), (LATENCY, FRAME))))
    np.testing.assert_array_equal(
        model.fastest(structure, rates, times=times).combinations, alone.fastest(rates, times=times).combinations
    )
    bounds = model.bounded(structure, rates), alone.bounded(rates)
    assert bounds[0].least.latency_cycles == bounds[1].least.latency_cycles
    assert bounds[0].least.internal_memory_bits == bounds[1].least.internal_memory_bits
    if priced.legal.any():
        chosen = some_rates(rates)[np.flatnonzero(priced.legal[0])[-1]]
        design = _at_rates(structure, chosen)
        assert replace(model.estimate(design), path="exact") == model.exact(design)


def _at_rates(structure: GroupDesign, rates: NDArray[np.int64]) -> GroupDesign:
    pairs = zip(structure.processors, units_of(rates).tolist(), interval_of(rates).tolist(), strict=True)
    return replace(
        structure, processors=tuple(replace(one, units=units, interval=own or None) for one, units, own in pairs)
    )
