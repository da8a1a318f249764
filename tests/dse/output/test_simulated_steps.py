"""Timeline and trace of a simulated run: the same cycles as the run has."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from arrayol.pictures.trace import write_trace
from dse.output.open_design import Simulated
from dse.output.simulated_steps import timeline_of, trace_of

Event = dict[str, Any]


def _events(simulated: Simulated, path: Path, clock: float | None) -> tuple[dict[str, list[Event]], dict[str, Any]]:
    """The events by the name of their row, and the whole document."""
    write_trace("a design", trace_of(simulated.simulation), clock, path)
    document = json.loads(path.read_text(encoding="utf-8"))
    rows = {one["tid"]: one["args"]["name"] for one in document["traceEvents"] if one["name"] == "thread_name"}
    found: dict[str, list[Event]] = defaultdict(list)
    for event in document["traceEvents"]:
        if event["ph"] == "X":
            found[rows[event["tid"]]].append(event)
    return found, document


def test_the_timeline_has_the_first_and_last_steps(simulated: Simulated) -> None:
    for shown, run in zip(timeline_of(simulated.simulation), simulated.simulation.groups, strict=True):
        assert (shown.steps, shown.cycles) == (len(run.lengths), sum(run.lengths))
        first, last = shown.runs
        assert [step.number for step in first] == list(range(6))
        assert [step.number for step in last] == list(range(shown.steps - 6, shown.steps))
        for step in (*first, *last):
            assert step.start == sum(run.lengths[: step.number])
            assert step.length == run.lengths[step.number]
            port = [bar for side in (step.loads, step.stores) for bar in side]
            ends = [step.start, *(end for _, _, end in port), *(step.start + busy for busy in step.computing.values())]
            assert max(ends) == step.start + step.length
            assert all(before[2] <= after[1] for before, after in pairwise(port))
        assert not first[0].computing
        assert first[0].loads
        assert last[-1].stores
        assert not last[-1].computing
        assert list(shown.tasks) == ["hflr", "vftd"] or list(shown.tasks) == ["hfrl", "vfbu"]


@pytest.mark.parametrize("clock", [None, 100.0, 66.5])
def test_a_trace_has_every_step_of_every_group(simulated: Simulated, tmp_path: Path, clock: float | None) -> None:
    found, document = _events(simulated, tmp_path / "run.json", clock)
    assert document["otherData"]["microseconds"] == (f"of a clock of {clock:g} MHz" if clock else "are cycles")
    lengths = [length for run in simulated.simulation.groups for length in run.lengths]
    cycles = [event["args"]["cycles"] for event in found["steps"]]
    assert [last - first for first, last in cycles] == lengths
    assert [first for first, _ in cycles] == [sum(lengths[:place]) for place in range(len(lengths))]
    for event in (event for row in found.values() for event in row):
        first, last = event["args"]["cycles"]
        assert event["ts"] == first / (clock or 1.0)
        assert event["dur"] == (last - first) / (clock or 1.0)
    moved = sum(len(step.bursts) for run in simulated.simulation.groups for step in run.events)
    assert len(found["loads"]) + len(found["stores"]) == moved
    assert set(found) == {"loads", "stores", "steps", "hflr", "vftd", "hfrl", "vfbu"}


def test_a_trace_agrees_with_the_timeline(simulated: Simulated, tmp_path: Path) -> None:
    found, _ = _events(simulated, tmp_path / "run.json", None)
    told = {
        (row, event["args"]["group"], event["args"]["step"], event["name"], *event["args"]["cycles"])
        for row, events in found.items()
        for event in events
    }
    start = 0
    for group in timeline_of(simulated.simulation):
        for step in (step for run in group.runs for step in run):
            bars = [("loads", bar) for bar in step.loads] + [("stores", bar) for bar in step.stores]
            for row, (array, begin, end) in bars:
                assert (row, group.title, step.number, array, start + begin, start + end) in told
            for task, busy in step.computing.items():
                begin = start + step.start
                assert (task, group.title, step.number, task, begin, begin + busy) in told
        start += group.cycles
