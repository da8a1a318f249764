"""What of its inputs a task never reads: a remark, since it may be meant.

Slices of a call say that it is meant: the called task then has no other elements. So does an origin that begins inside
of the array, for a part without gaps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import gcd

from arrayol.errors import Diagnostic, Severity
from arrayol.ir.spec import Delay, Port, RepetitiveTask, Shape, TiledDefault
from arrayol.language.tasks import TaskSignature
from arrayol.polyhedral.accesses import Access
from arrayol.polyhedral.unread import Unread, find_unread
from arrayol.source import Span
from arrayol.text import counted


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
