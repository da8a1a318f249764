"""A simulated run as a trace in the Trace Event Format, which Perfetto and Chrome's about:tracing open.

A row is a thread: the port's loads, its stores, then each task in the order of the groups, and the steps. Times of
events are in microseconds; without a clock a cycle counts as one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arrayol.files import atomic_file
from arrayol.pictures.shown import StepShown

_LOADS, _STORES, _STEPS, _TASKS = 1, 2, 3, 4  # threads; that of a task follows the last


@dataclass(frozen=True)
class GroupTrace:
    """A group's tasks, the cycle at which it starts, and all of its steps, in cycles from there."""

    title: str
    tasks: tuple[str, ...]
    start: int
    steps: Iterable[StepShown]


def write_trace(title: str, groups: Sequence[GroupTrace], clock_mhz: float | None, path: Path) -> None:
    """Write a run of groups; the same run gives the same bytes. Raises ArrayolError (`cannot-write`)."""
    events = _events(title, groups, clock_mhz or 1.0)
    notes = {"design": title, "microseconds": f"of a clock of {clock_mhz:g} MHz" if clock_mhz else "are cycles"}
    with atomic_file(path) as file, file.open("w", encoding="utf-8", newline="\n") as text:
        text.write('{"displayTimeUnit": "ns", "otherData": ' + json.dumps(notes) + ', "traceEvents": [\n')
        text.writelines(",\n" * (place > 0) + json.dumps(event) for place, event in enumerate(events))
        text.write("\n]}\n")


def _events(title: str, groups: Sequence[GroupTrace], clock: float) -> Iterator[dict[str, Any]]:
    threads = {"loads": _LOADS, "stores": _STORES, "steps": _STEPS}
    tasks = [task for group in groups for task in group.tasks]
    threads |= {task: _TASKS + place for place, task in enumerate(tasks)}
    yield {"name": "process_name", "ph": "M", "pid": 1, "args": {"name": title}}
    for name, thread in threads.items():
        yield {"name": "thread_name", "ph": "M", "pid": 1, "tid": thread, "args": {"name": name}}
        yield {"name": "thread_sort_index", "ph": "M", "pid": 1, "tid": thread, "args": {"sort_index": thread}}
    for group in groups:
        for step in group.steps:
            for name, thread, begin, end in _spans(step, {task: threads[task] for task in group.tasks}):
                first, last = group.start + begin, group.start + end
                yield {
                    "name": name,
                    "ph": "X",
                    "pid": 1,
                    "tid": thread,
                    "ts": first / clock,
                    "dur": (last - first) / clock,
                    "args": {"group": group.title, "step": step.number, "cycles": [first, last]},
                }


def _spans(step: StepShown, threads: dict[str, int]) -> Iterator[tuple[str, int, int, int]]:
    """What happens in a step: its name, thread, first cycle and the one after its last."""
    yield f"step {step.number}", _STEPS, step.start, step.start + step.length
    for bars, thread in ((step.loads, _LOADS), (step.stores, _STORES)):
        yield from ((name, thread, begin, end) for name, begin, end in bars)
    for task, cycles in step.computing.items():
        yield task, threads[task], step.start, step.start + cycles
