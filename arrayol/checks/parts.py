"""Arrays that a compound task writes in parts: each element once, with a concrete element where that is not so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from arrayol.errors import Diagnostic
from arrayol.ir.spec import Component, CompoundTask, Part, Port, whole_part
from arrayol.language.tasks import TaskSignature
from arrayol.polyhedral.parts import find_meeting, find_uncovered
from arrayol.source import Span
from arrayol.text import counted

Writer = tuple[str, Part]  # the task that is called, and what it writes


def check_parts(task: CompoundTask, callees: Mapping[str, TaskSignature | Component]) -> Iterator[Diagnostic]:
    """The mistakes of arrays that several calls write, or one in part."""
    writers: dict[str, list[Writer]] = {}
    for call in task.calls:
        for port, array in zip(callees[call.callee].outputs, call.results, strict=True):
            part = call.part_at(port.name) or whole_part(task.arrays[array].shape, call.span)
            writers.setdefault(array, []).append((call.callee, part))
    for array, own in writers.items():
        own.sort(key=lambda writer: writer[1].span.start)
        yield from _check_array(task, task.arrays[array], own)


def _check_array(task: CompoundTask, array: Port, writers: list[Writer]) -> Iterator[Diagnostic]:
    parts = [part for _, part in writers]
    meeting = find_meeting(parts)
    if meeting is not None:
        first, second, element = meeting
        by = " and ".join(f"'{name}' ({_place(part.span)})" for name, part in (writers[first], writers[second]))
        yield Diagnostic(
            "written-twice",
            f"element {list(element)} of '{array.name}' is written twice in '{task.name}': by {by}",
            parts[second].span,
            "several calls may write one array in parts, but each element exactly once",
        )
        return
    hole = find_uncovered(parts, array.shape)
    if hole is not None:
        element, missing = hole
        verb = "is" if missing == 1 else "are"
        each = " of each frame" if None in array.shape else ""
        yield Diagnostic(
            "not-covered",
            f"{counted(missing, 'element')} of '{array.name}' {verb} written by no call of '{task.name}'{each}: "
            f"the first is {list(element)}",
            parts[0].span,
            "every element is written exactly once; the parts of all calls together make the whole array",
        )


def _place(span: Span) -> str:
    return f"line {span.place[1]}"
