"""Processors are as slow as nothing that is compared notices, and no slower."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies_spaces import spaces

from arrayol.errors import ArrayolError
from dse.jobs.runner import JobRunner
from dse.search.context import SearchContext, SearchRequest
from dse.search.exact.exact import search_exactly
from dse.search.figures import Columns, columns_of, key_of
from dse.search.shown.slowest import slowed
from dse.space.mappings import MappingSpace
from hwmodel.cost_model.estimate import GroupEstimate
from hwmodel.cost_model.metrics import MEMORY, RESIDENT, SHARED
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import GroupDesign, Processor, interval_of, units_of

POINTS = 4  # of each front
OBJECTIVES = (("latency_cycles", "internal_memory_elements"), ("frame_cycles",), ("units", "internal_memory_bits"))
seen: Counter[str] = Counter()


def figures(space: MappingSpace, columns: Columns, group: GroupDesign) -> list[object] | None:
    """What is compared of a group, one by one; None where it is refused."""
    try:
        estimate = space.model.estimate_enumerated(group)
    except ArrayolError:
        return None
    whole = len(group.tasks) == len(space.graph)
    named = [key_of(figure, whole=whole) for figure in columns.figures]
    return [figure(estimate, name) for name in named]


def figure(estimate: GroupEstimate, name: str) -> object:
    """A figure or cost by its name; of shared memory what holds resident arrays, and the rest."""
    if name in estimate.costs:
        return estimate.costs[name]
    if name not in (*RESIDENT, *SHARED):
        return estimate.additive[name] if name in estimate.additive else getattr(estimate, name)
    place = (RESIDENT if name in RESIDENT else SHARED).index(name)
    sizes = [
        (use.data * (use.kind == "once"), use.bits * (use.kind == "once"), use.blocks or 0)
        for use in estimate.memories
        if use.kind in {"once", "rom"}
    ]
    resident = sum(size[place] for size in sizes)
    return resident if name in RESIDENT else getattr(estimate, MEMORY[place]) - resident


def slower(space: MappingSpace, processor: Processor) -> list[Processor]:
    """The processor at larger intervals that the study offers with as many units."""
    intervals = [interval_of(rate) for rate in space.rates(processor.task) if units_of(rate) == processor.units]
    return [replace(processor, interval=one) for one in intervals if one > (processor.interval or 0)]


def port_bound(space: MappingSpace) -> MappingSpace:
    """The same where bursts take so long that processors often wait."""
    model = space.model
    memory = model.platform.memory.model_copy(update={"latency": 9})
    platform = model.platform.model_copy(update={"memory": memory})
    return MappingSpace(MachineModel(model.network, platform), space.study)


@settings(max_examples=case_count(120))
@given(spaces(folded=True), st.sampled_from(OBJECTIVES))
def test_nothing_compared_changes_and_nothing_more_can_be_slowed(
    case: tuple[MappingSpace, Columns], objectives: tuple[str, ...]
) -> None:
    space = port_bound(case[0])
    columns = columns_of(objectives, (), space.model, reuse_memory=space.study.reuse_memory)
    context = SearchContext(space, columns)
    found = search_exactly(context, SearchRequest(), JobRunner())
    designs = [found.design(row) for row in range(min(POINTS, len(found.front)))]
    for before, after in zip(designs, slowed(context, designs), strict=True):
        for group, slow in zip(before.groups, after.groups, strict=True):
            if group.stream is not None:
                assert slow == group
                continue
            best = figures(space, columns, group)
            assert figures(space, columns, slow) == best
            assert [one.units for one in slow.processors] == [one.units for one in group.processors]
            seen["slowed"] += slow != group
            for place, processor in enumerate(slow.processors):
                for one in slower(space, processor):
                    others = replace(slow, processors=(*slow.processors[:place], one, *slow.processors[place + 1 :]))
                    assert figures(space, columns, others) != best
                    seen["cannot be slower"] += 1


@pytest.mark.all_cases
def test_what_was_seen() -> None:
    """After the test above."""
    assert not seen or (seen["slowed"] >= 8 and seen["cannot be slower"] >= 2), seen
