"""Elements of arrays that are written in parts, each once, and inputs that a task never reads.

Slices of a call say that it is meant: the called task then has no other elements. So does an origin that begins inside
of the array, for a part without gaps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import gcd

from arrayol.errors import Diagnostic, Severity
from arrayol.ir.spec import Component, CompoundTask, Delay, Part, Port, RepetitiveTask, Shape, TiledDefault, whole_part
from arrayol.language.tasks import TaskSignature
from arrayol.polyhedral.accesses import Access
from arrayol.polyhedral.single_write import find_meeting, find_uncovered
from arrayol.polyhedral.unread import Unread, find_unread
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


def check_reads(task: RepetitiveTask, callee: TaskSignature, inputs: Iterable[Port]) -> Iterator[Diagnostic]:
    """A remark on each of these inputs of which no instance ever reads some element; its tilers must be sound."""
    for array in inputs:
        links = [link for link in task.input_links if link.array == array.name]
        defaults = [
            (delay, delay.default)
            for delay in task.delays
            if isinstance(delay.default, TiledDefault) and delay.default.array == array.name
        ]
        shapes = {port.name: port.shape for port in callee.inputs}
        reads = [
            (Access(link.tiler, task.repetition, shapes[link.port], array.shape), (0,) * len(task.repetition))
            for link in links
        ]
        for delay, default in defaults:
            access = Access(default.tiler, task.repetition, shapes[delay.port], array.shape)
            reads += [(replace(access, repetition=part), first) for first, part in _without_source(task, delay)]
        unread = find_unread(reads) if reads else None
        if unread is not None and not unread.is_crop:
            yield _never_read(task, array, unread, links[0].tiler.span if links else defaults[0][1].tiler.span)


def _without_source(task: RepetitiveTask, delay: Delay) -> Iterator[tuple[tuple[int, ...], Shape]]:
    """Boxes of instances r for which r - d lies outside the repetition space, by first index and extents."""
    if not delay.acts:
        yield (0,) * len(task.repetition), task.repetition
        return
    for axis, (step, extent) in enumerate(zip(delay.vector, task.repetition, strict=True)):
        if step and (step > 0 or extent is not None):
            first = tuple(
                0 if other != axis or step > 0 else (extent or 0) + step for other in range(len(delay.vector))
            )
            yield first, (*task.repetition[:axis], abs(step), *task.repetition[axis + 1 :])


def _never_read(task: RepetitiveTask, array: Port, unread: Unread, span: Span) -> Diagnostic:
    common = gcd(unread.missing, unread.total)
    share = f"{unread.missing // common} of {counted(unread.total // common, 'element')}"
    verb = "is" if unread.missing == common else "are"
    exact = f": {unread.missing} of {unread.total}" if common > 1 else ""
    frame = " of each frame" if None in array.shape else ""
    first = f", the first is {list(unread.first)}" if unread.first is not None else ""
    return Diagnostic(
        "never-read",
        f"{share} of '{array.name}' {verb} never read by '{task.name}'{exact}{frame}{first}",
        span,
        "let paving and fitting go over all of it; if a part is meant, call the task with that part, "
        "as in x[0, ..] or x[0..8 : 2]",
        Severity.WARNING,
    )
