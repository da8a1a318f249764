"""What buffers hold: pieces, or data one by one, with a word for each as long as it lives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from hypothesis import event, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies_designs import MappedSpec, mapped_specs
from strategies_machine import array_keeps, groups, platforms, residences
from strategies_networks import networks

from arrayol.errors import ArrayolError
from hwmodel.cost_model.enumerated.plan import EnumeratedPlan, plan_group
from hwmodel.cost_model.group.moves import Lifetimes, largest_live, largest_live_folded
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import POLICIES, Blocks, GroupDesign, Processor
from hwmodel.local_memory.contents import Contents, Pieces


def buffers(plan: EnumeratedPlan) -> Iterator[tuple[Lifetimes, Contents]]:
    return ((buffer.held, buffer.contents) for buffer in plan.buffers.values())


def overwrites(words: np.ndarray, held: Lifetimes) -> bool:
    """Whether a word is given to a datum while it has another one that lives."""
    order = np.lexsort((held.born, words))
    word, born, last = words[order], held.born[order], held.last[order]
    return bool(((word[1:] == word[:-1]) & (born[1:] <= last[:-1])).any())


def require_sound(plan: EnumeratedPlan, held: Lifetimes, contents: Contents) -> None:
    """Sizes are no less than what lives; every datum has a word for itself."""
    assert contents.size >= largest_live(held.born, held.last)
    assert contents.in_succession.size >= largest_live_folded(held.born, held.last, plan.ticks)
    assert contents.in_succession.size >= contents.size
    if len(held.element):
        words = contents.words.word(held.element, held.born)
        assert contents.words.size == contents.size
        assert 0 <= words.min() <= words.max() < contents.size
        assert not overwrites(words, held)


@settings(max_examples=case_count(60), deadline=None)
@given(mapped_specs())
def test_every_datum_of_generated_designs_has_a_word(case: MappedSpec) -> None:
    model = MachineModel(case.network, case.platform, case.loads)
    for group in case.design.groups:
        try:
            plan = plan_group(model.accesses, model.platform, group)
        except ArrayolError:
            continue
        for held, contents in buffers(plan):
            event(f"{type(contents).__name__}, {len(held.sources)} sources")
            require_sound(plan, held, contents)


@settings(max_examples=case_count(150), deadline=None)
@given(st.data())
def test_what_counts_by_axes_is_held_in_pieces(data: st.DataObject) -> None:
    network = data.draw(networks(separable=True, parts=data.draw(st.booleans())))
    network, loads = data.draw(residences(network))
    tasks = data.draw(groups(network))
    model = MachineModel(network, data.draw(platforms(plain=True)), loads)
    try:
        batch = model.batch(tasks)
    except ArrayolError:
        return
    if batch is None:
        return
    last = batch.counts.parts.group.last
    shape = data.draw(st.tuples(*(st.integers(1, extent) for extent in model.accesses.extents(last))))
    blocks = Blocks(shape, data.draw(st.sampled_from(model.legal_scans(last, shape))))
    policy, own = data.draw(st.sampled_from(POLICIES)), data.draw(array_keeps(network, tasks, len(shape)))
    design = GroupDesign(tuple(Processor(task) for task in tasks), blocks, policy=policy, keeps=own)
    if batch.structures_of(design).holds.all():
        plan = plan_group(model.accesses, model.platform, design)
        for held, contents in buffers(plan):
            event(f"{policy}, {len(held.sources)} sources")
            assert isinstance(contents, Pieces), held.array
            require_sound(plan, held, contents)
