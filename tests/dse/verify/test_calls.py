"""Simulating a group takes few calls from file to file for each step, however many designs there are."""

from __future__ import annotations

from functools import partial

import pytest
from calls_between import calls_of

from arrayol import api
from arrayol.files import shipped_folder
from arrayol.transforms.steps import canonical_form
from dse.verify.testbench import Testbench
from hwmodel.design import Blocks, GroupDesign, Processor, row_major
from hwmodel.platform import platform_of

CALLS_OF_A_STEP = 19  # of two tasks, three buffers and two states
CALLS_OF_A_GROUP = 2_200  # of seven steps, its plan and its estimate


@pytest.fixture
def bench() -> Testbench:
    spec = api.load(shipped_folder() / "lpsf.aol", {"H": 20, "W": 40})
    form = canonical_form(spec, "lpsf")
    return Testbench(form.spec, form.network, platform_of(spec, None)[0])


def group(side: int, units: int) -> GroupDesign:
    return GroupDesign((Processor("hflr", units), Processor("vftd", units)), Blocks((side, 40), row_major(2)))


def test_steps_take_few_calls(bench: Testbench) -> None:
    assert bench.judge(group(10, 1)).identical  # the reference, and all that is told once
    steps, calls = list[int](), list[int]()
    for side in (1, 4):
        one = group(side, 1)
        calls.append(calls_of(partial(bench.judge, one)))
        steps.append(len(bench.trial(one).simulation.run.lengths))
    assert steps[0] > 2 * steps[1]
    assert calls[0] - calls[1] < CALLS_OF_A_STEP * (steps[0] - steps[1])


def test_values_that_are_read_again_are_not_computed_again(bench: Testbench) -> None:
    """A group of other rates reads the same values, so its tasks need not run once more."""
    assert bench.judge(group(10, 1)).identical
    assert calls_of(partial(bench.judge, group(10, 2))) < CALLS_OF_A_GROUP
