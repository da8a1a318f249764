"""Steps and moves for pictures: the same by both evaluators, and what the model's totals say."""

from __future__ import annotations

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies_machine import array_keeps, groups, platforms
from strategies_networks import networks

from arrayol.errors import ArrayolError
from hwmodel.cost_model.model import MachineModel
from hwmodel.cost_model.timeline import group_timeline
from hwmodel.design import Blocks, GroupDesign, Processor


@settings(max_examples=case_count(60))
@given(st.data())
def test_every_step_is_that_of_the_exact_path(data: st.DataObject) -> None:
    network = data.draw(networks(separable=data.draw(st.integers(0, 3)) > 0))
    tasks = data.draw(groups(network))
    model = MachineModel(network, data.draw(platforms(plain=data.draw(st.booleans()))))
    extents = model.accesses.extents(tasks[-1])
    shape = tuple(data.draw(st.integers(1, extent)) for extent in extents)
    scans = model.legal_scans(tasks[-1], shape)
    assume(scans)
    policy = data.draw(st.sampled_from(("reuse", "reuse", "strip", "tile")))
    blocks = Blocks(shape, data.draw(st.sampled_from(scans)))
    own = data.draw(array_keeps(network, tasks, len(shape)))
    design = GroupDesign(tuple(Processor(task) for task in tasks), blocks, policy=policy, keeps=own)
    try:
        estimate = model.estimate_enumerated(design)
    except ArrayolError:
        assume(False)
    event(model.estimate(design).evaluator)
    totals = estimate.steps, estimate.latency_cycles
    whole = group_timeline(model, design, totals, first=estimate.steps, last=0)
    assert [step.length for step in whole.steps] == list(model.step_cycles(design))
    assert [step.start + step.length for step in whole.steps][-1] == estimate.latency_cycles
    for place, task in enumerate(whole.tasks):
        time = next(one for one in estimate.processors if one.task == task)
        assert sum(step.busy[place] for step in whole.steps) == time.computing
    bytes_of = {name: -(-array.type.bits // 8) for name, array in network.arrays.items()}
    assert (
        sum((one.loaded + one.stored) * bytes_of[one.array] for one in whole.moved)
        == estimate.additive["traffic_bytes"]
    )
    some = group_timeline(model, design, totals, first=2, last=3)
    assert some.moved == whole.moved
    assert list(some.steps) == [step for step in whole.steps if step.number < 2 or step.number >= estimate.steps - 3]
