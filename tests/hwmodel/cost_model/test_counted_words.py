"""Words and depths of buffers by counting, beside what enumeration finds datum by datum."""

from __future__ import annotations

import numpy as np
from hypothesis import Phase, event, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from opened_batch import opened_batch
from strategies_machine import array_keeps, groups, platforms, residences
from strategies_networks import networks

from hwmodel.cost_model.counted.buffer_size.sizes import CountedBuffers, Sizes
from hwmodel.cost_model.enumerated.plan import plan_group
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import POLICIES, Blocks, GroupDesign, Processor
from hwmodel.local_memory.bank_functions import BankFunction, Linear, Residues


@st.composite
def functions(draw: st.DrawFn, rank: int) -> BankFunction:
    """Functions from places to banks."""
    banks = st.integers(1, 4)
    if not rank or draw(st.booleans()):
        return Residues(tuple(draw(banks) for _ in range(rank)))
    alpha = tuple(draw(st.integers(0, 4)) for _ in range(rank))
    return Linear(alpha, draw(banks), draw(st.sampled_from([1, 1, 2, 3])))


@settings(max_examples=case_count(300), deadline=None, phases=[Phase.generate, Phase.shrink])
@given(st.data())
def test_words_and_depths_are_those_of_the_exact_path(data: st.DataObject) -> None:
    network = data.draw(networks(separable=data.draw(st.integers(0, 5)) > 0, parts=data.draw(st.booleans())))
    network, loads = data.draw(residences(network))
    tasks = data.draw(groups(network))
    model = MachineModel(network, data.draw(platforms(plain=True)), loads)
    batch = opened_batch(model, tasks)
    if batch is None:
        return
    last = batch.counts.parts.group.last
    extents = model.accesses.extents(last)
    shape = data.draw(st.tuples(*(st.integers(1, extent) for extent in extents)))
    scans = model.legal_scans(last, shape)
    blocks = Blocks(shape, data.draw(st.sampled_from(scans)))
    policy, own = data.draw(st.sampled_from(POLICIES)), data.draw(array_keeps(network, tasks, len(shape)))
    design = GroupDesign(tuple(map(Processor, tasks)), blocks, policy=policy, keeps=own)
    structures = batch.structures_of(design)
    if not structures.holds.all():
        event("no product")
        return
    plan = plan_group(model.accesses, model.platform, design)
    sizes, words = Sizes(batch.counts).sizes(structures)[0], CountedBuffers(batch.counts, structures)
    for number, held in enumerate(plan.held):
        expected = plan.buffers[held.array].contents
        event(f"read in part: {any(held.array in piece for piece in batch.counts.read_in_part)}")
        event(f"{len(held.sources)} sources, {type(expected).__name__}")
        assert expected.size == sizes[number]
        several = st.lists(functions(len(model.accesses.shape(held.array))), min_size=1, max_size=3)
        drawn = data.draw(several)
        words.fetch((number, function, np.arange(words.structures)) for function in drawn)
        deepest = [words.depths(number, function, np.arange(words.structures)).tolist() for function in drawn]
        assert deepest == [[expected.depth(function)] for function in drawn]
        assert expected.in_succession.size >= expected.size
