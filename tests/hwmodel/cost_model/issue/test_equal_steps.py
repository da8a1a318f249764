"""Steps that are equal are scheduled once: beside the schedule of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from many_cases import case_count
from strategies_machine import Case, cases

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from hwmodel.cost_model.enumerated.plan import EnumeratedPlan, plan_group
from hwmodel.cost_model.enumerated.scheduled import ScheduledPipeline, fifo_depth
from hwmodel.cost_model.group.ticks import Work
from hwmodel.cost_model.issue import equal_steps
from hwmodel.cost_model.issue.equal_steps import EqualSteps, StepRows
from hwmodel.cost_model.issue.fifo import FifoData
from hwmodel.cost_model.issue.issue import Issue, Stage
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, GroupDesign, Processor, row_major, units_of
from hwmodel.platform import Platform
from hwmodel.platform_memories import ExternalMemory


def _all_are_as_each(plan: EnumeratedPlan, design: GroupDesign) -> None:
    """What one of each kind of step says of a design is what its whole schedule says."""
    rate_of = {processor.task: processor.rate for processor in design.processors}
    for pipeline in plan.processors.pipelines:
        rates = tuple(rate_of[task] for task in pipeline)
        if any(units_of(rate_of[task]) > (plan.processors.most[task] or 1 << 30) for task in pipeline):
            continue  # more units than can work
        equal, single_steps = plan.processors.in_equal_steps(pipeline)
        if single_steps.steps < plan.steps:
            event("equal steps")
            event(f"equal steps, {len(pipeline)} tasks")
        has_formula = plan.processors.has_formula(pipeline)
        own = ScheduledPipeline(pipeline, single_steps, plan.processors.most, has_formula).at(rates)
        cycles, busy = own.cycles.max(axis=0), plan.processors.busy(pipeline, rates)
        longest = np.max([of_task.cycles for of_task in busy.values()], axis=0)
        assert (cycles[equal.of] == longest).all()
        folded = equal.folded(plan.ticks, single_steps.works)
        by_tick = np.zeros(plan.ticks, np.int64)
        np.add.at(by_tick, np.arange(plan.steps) % plan.ticks, longest)
        assert (cycles[folded] == by_tick).all()
        fifos = tuple(name for name in plan.fifos if plan.fifos[name].source in pipeline)
        try:
            plan.processors.require_order(busy, fifos)
        except ArrayolError:
            event("another order")
            assert not own.is_legal
            continue
        assert own.depths == {name: fifo_depth(plan.processors, busy, name) for name in fifos}


@settings(max_examples=case_count(150), deadline=None)
@given(cases())
def test_each_kind_of_step_is_scheduled_once(case: Case) -> None:
    model = MachineModel(case.network, case.platform)
    try:
        plan = plan_group(model.accesses, case.platform, case.design)
        for processor in case.design.processors:
            plan.processors.paths.fill(processor.task, processor.rate)
    except ArrayolError:
        return
    _all_are_as_each(plan, case.design)


PIPELINES = (  # tasks of shipped specifications at sizes, and what FIFOs may carry between them
    ("conv3x3", {"H": 12, "W": 15}, ("filter", "threshold"), ("sums",)),
    ("sobel", {"H": 18, "W": 20, "S": 1}, ("gradients", "magnitude", "threshold"), ("across", "down", "strength")),
    ("harris", {"H": 9, "W": 10}, ("product@pxx", "boxsum@sxx", "boxsum@sxy", "response"), ("sxx", "sxy")),
)


@cache
def _model(name: str) -> MachineModel:
    sizes = next(sizes for other, sizes, _, _ in PIPELINES if other == name)
    spec = load_checked(shipped_folder() / f"{name}.aol", sizes)
    return MachineModel(
        flatten(spec, choose_top(spec, None)),
        Platform(assume_datapaths=True, memory=ExternalMemory(latency=3, data_per_word=8)),
    )


@settings(max_examples=case_count(100), deadline=None)
@given(st.sampled_from(PIPELINES), st.data())
def test_tasks_that_fifos_join(
    own: tuple[str, dict[str, int], tuple[str, ...], tuple[str, ...]], data: DataObject
) -> None:
    name, _, tasks, arrays = own
    model = _model(name)
    extents = model.accesses.extents(tasks[-1])
    shape = tuple(data.draw(st.integers(1, extent)) for extent in extents)
    scan = data.draw(st.sampled_from(model.legal_scans(tasks[-1], shape)))
    fifos = data.draw(st.frozensets(st.sampled_from(arrays), min_size=1))
    pieces = data.draw(st.sampled_from(((1, 1), (1, 99), (2, 99))))
    cut = Blocks(tuple(map(min, pieces, model.accesses.extents(tasks[0]))), row_major(2))
    first, *others = (Processor(task, units=data.draw(st.sampled_from((1, 1, 2, 3, 5)))) for task in tasks)
    processors = (replace(first, cut=data.draw(st.none() | st.just(cut))), *others)
    design = GroupDesign(processors, Blocks(shape, scan), fifos)
    try:
        plan = plan_group(model.accesses, model.platform, design)
    except ArrayolError:
        event("refused")
        return
    _all_are_as_each(plan, design)


def test_steps_of_one_sum_that_differ_are_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equal_steps, "_FACTORS", np.zeros(64, np.uint64))  # all sums are 0
    test_each_kind_of_step_is_scheduled_once()
    test_tasks_that_fifos_join()


def _find(
    pairs: Sequence[tuple[int, int]] = (),
    data: Sequence[tuple[int, int, int]] = (),
    places: Sequence[int] = (0, 1, 0, 1),
) -> list[int]:
    """Kinds of steps in each of which two tasks run twice, at these `places` of the first one's lines.

    `pairs` of runs of the first task by a delay, `data` of a FIFO by writer, reader, and place in the reader's pattern.
    """
    numbers, step = np.arange(len(places)), np.arange(len(places)) // 2
    ends = np.array(pairs, np.int64).reshape(-1, 2).T
    first = Issue(numbers, step, 0 * step, np.array(places), ((ends[0], ends[1]),))
    second = Issue(numbers, step, 0 * step, numbers % 2, ())
    stages = {name: Stage(name, Work(numbers, step, step), step, numbers, 0) for name in ("first", "second")}
    writer, reader, taken = np.array(data, np.int64).reshape(-1, 3).T
    fifo = FifoData("x", "first", "second", writer, reader, 0 * writer, taken, 1, 2)
    return EqualSteps.find(len(places) // 2, {"first": first, "second": second}, stages, [fifo]).of.tolist()


@pytest.mark.parametrize(
    ("equal", "other"),
    [
        pytest.param({"places": (0, 1, 0, 1)}, {"places": (0, 1, 0, 0)}, id="lines"),
        pytest.param({"pairs": ((0, 1), (2, 3))}, {"pairs": ((0, 1), (3, 2))}, id="delays"),
        pytest.param({"data": ((0, 1, 0), (2, 3, 0))}, {"data": ((0, 1, 0), (2, 2, 0))}, id="readers"),
        pytest.param({"data": ((0, 1, 1), (2, 3, 1))}, {"data": ((0, 1, 1), (2, 3, 0))}, id="places in patterns"),
        pytest.param({"data": ((0, 1, 0), (2, 3, 0))}, {"data": ((0, 1, 0), (1, 3, 0))}, id="data between steps"),
    ],
)
def test_what_steps_have_to_have_alike(equal: dict[str, Any], other: dict[str, Any]) -> None:
    assert _find(**equal) == [0, 0]
    assert len(set(_find(**other))) == 2


def test_where_data_stay_from_step_to_step_all_differ() -> None:
    data = [(run, run + 2, 0) for run in range(6)]  # what a step writes the next one reads, in all but the last alike
    assert len(set(_find(data=data, places=(0, 1) * 4))) == 4


def test_a_step_with_one_run_is_not_taken_for_one_without() -> None:
    """So they would be if the first row of a step, with nothing but zeros, added nothing to its sum."""
    zeros = np.zeros(2, np.int64)
    assert EqualSteps.by_tables(4, [StepRows(np.array([0, 2]), (zeros,))]).of.tolist() in ([0, 1, 0, 1], [1, 0, 1, 0])
