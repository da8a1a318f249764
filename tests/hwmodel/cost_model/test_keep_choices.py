"""What is known of choices of keeps before they are priced, beside their prices."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import event, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from opened_batch import opened_batch
from strategies_machine import groups, keeps, offered_rates, platforms, residences
from strategies_networks import networks

from hwmodel.cost_model.counted.axes.fetches import StructureKeeps
from hwmodel.cost_model.counted.keep_choices import keep_choices
from hwmodel.cost_model.evaluate.evaluation import price
from hwmodel.cost_model.metrics import TIMES
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import ReuseLevel
from hwmodel.figures import FRAME


@settings(max_examples=case_count(300), deadline=None)
@given(st.data())
def test_no_design_is_below_what_is_known_of_its_keeps(data: st.DataObject) -> None:
    network, loads = data.draw(residences(data.draw(networks(separable=True))))
    tasks, platform = data.draw(groups(network)), data.draw(platforms(plain=True))
    model = MachineModel(network, platform, loads)
    batch = opened_batch(model, tasks)
    if batch is None or batch.at_once is not None or not batch.counts.parts.group.loaded:
        return
    extents = model.accesses.extents(batch.counts.parts.group.last)
    scan = data.draw(st.sampled_from(model.legal_scans(tasks[-1], extents)))
    drawn = data.draw(st.lists(st.tuples(*(st.integers(1, extent) for extent in extents)), max_size=3))
    legal = [shape for shape in ((1,) * len(extents), *drawn) if scan in model.legal_scans(tasks[-1], shape)]
    shapes = np.array([extents, *legal], np.int64).reshape(1 + len(legal), -1)
    levels = [ReuseLevel(level) for level in range(len(extents) + 1)]
    more = [data.draw(keeps(len(extents))) for _ in batch.counts.parts.group.loaded[:3]]
    options = [[*levels, one] if one not in levels else levels for one in more]
    options += [levels[:1] for _ in batch.counts.parts.group.loaded[3:]]
    offered = data.draw(offered_rates(platform, network, tasks, (1, 2, 3)))
    rates = np.array(list(product(*offered)), np.int64)
    choices = keep_choices(batch, scan, shapes, options, offered, {name: name == FRAME for name in TIMES})
    rows, chosen = np.nonzero(choices.distinct)
    if not len(rows):
        return
    priced = price(batch.tables(scan, shapes[choices.rows[rows]], StructureKeeps(choices.keeps, chosen)), rates)
    sure = batch.takes(scan, shapes[choices.rows[rows]], StructureKeeps(choices.keeps, chosen))[:, None] & priced.legal
    known = {"internal_memory_elements": choices.data, "internal_memory_bits": choices.bits, **choices.floors}
    for name, least in known.items():
        every = priced.objective(name)
        assert (np.broadcast_to(least[rows, chosen][:, None], sure.shape) <= every)[sure].all(), name
        event(f"reached: {name}, {bool((least[rows, chosen][:, None] == every)[sure].any())}")
    moved = np.broadcast_to(priced.objective("traffic_bytes"), sure.shape)
    assert (choices.traffic[rows, chosen][:, None] == moved)[sure].all()
    event(f"built: {priced.built is not None}")
