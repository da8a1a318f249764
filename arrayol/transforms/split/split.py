"""Splitting a sum: an accumulation inside an elementary becomes a dimension of the repetition.

Before:

    elementary dot(x: i8[64], w: i8[64]) -> (y: i32) {
      y = 0
      y += i32(x[k]) * w[k]  for k in 0..64
    }
    task rows(a: i8[8, 64], b: i8[64]) -> (c: i32[8]) {
      repeat [8] of dot { x <- a  w <- b  y -> c }
    }

After `split rows k 16`:

    elementary dot_fold(x: i8[16], w: i8[16], y_before: i32) -> (y: i32) {
      y = y_before
      y += i32(x[k]) * w[k]  for k in 0..16
    }
    task rows_fold(a: i8[8, 64], b: i8[64]) -> (c: i32[8]) {
      repeat [8, 4] of dot_fold {
        x              <- a at origin [0, 0] paving [1, 0; 0, 16] fitting [0; 1]
        w              <- b at origin [0]    paving [0, 16]       fitting [1]
        y_before       <- y delay [0, 1] else 0
        y delay [0, 1] -> c at origin [0]    paving [1, 0]        fitting []
      }
    }
    task rows(a: i8[8, 64], b: i8[64]) -> (c: i32[8]) { c = rows_fold(a, b) }

Nothing is stored before the last block. What stands before the accumulation in the body, and more than its initial
value, becomes a task TASK_start, what stands after it TASK_end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from arrayol.ir.spec import (
    Call,
    Component,
    CompoundTask,
    ConstValue,
    Delay,
    Elementary,
    Link,
    Port,
    RepetitiveTask,
    Spec,
    TiledDefault,
    Tiler,
    own_part_tiler,
)
from arrayol.transforms.blocks.block import added, times
from arrayol.transforms.rewrite import CallName, FreeNames, in_dataflow_order, own_task, refused, with_definitions
from arrayol.transforms.split.split_body import FirstElement, Folded, find_accumulation, fold_body
from arrayol.transforms.split.split_reads import Shrunk, Vector
from arrayol.transforms.trace import IndexMap, MatrixMap, Trace, Transformed, identity


@dataclass(frozen=True, slots=True)
class Split:
    """Let each instance of `task` add up one block of `size` iterations of the range `range` of its elementary.

    The task becomes a composition of TASK_start (where the sum starts from what is computed), TASK_fold, whose
    last dimension is the blocks, and TASK_end (where statements follow the sum). Integers are added in any order; of
    floats the order of the additions stays. Raises ArrayolError (`step-refused`).
    """

    task: CallName
    range: str
    size: int

    def __str__(self) -> str:
        return f"split {self.task} {self.range} {self.size}"

    def apply(self, spec: Spec) -> Transformed:
        prepared, task = own_task(spec, self.task)
        callee = prepared.components[task.callee]
        if not isinstance(callee, Elementary):
            message = f"'{task.name}' repeats '{callee.name}', which is no elementary task: there is no sum to split"
            raise refused(message, task.span, f"split what repeats it, or collapse '{task.name}' first")
        if task.delays:
            message = f"'{task.name}' has delays already: its instances wait for others than those of their own sum"
            raise refused(message, task.delays[0].span, "split a task without delays")
        found = find_accumulation(callee, self.range, self.size)
        leaving = next((link for link in task.output_links if link.exit is not None), None)
        if leaving is not None:
            message = f"'{leaving.port}' leaves '{task.name}' by an exit already"
            raise refused(message, leaving.span, "split a task whose instances all write")
        names = FreeNames(prepared)
        linked = frozenset(link.port for link in task.output_links)
        parts = fold_body(callee, found, self.size, names, linked, frozenset(prepared.tables))
        composed = _Composition.of(task, parts, names, found.blocks(self.size)).composed()
        after = with_definitions(prepared, {task.name: composed})
        return Transformed(after, self._trace(spec, task, composed), (), task.name)

    def _trace(self, spec: Spec, task: RepetitiveTask, composed: tuple[Component, ...]) -> Trace:
        """Repetition r went to all blocks of its sum, and to one repetition of what stands before and after it."""
        before, rank = identity(spec), len(task.repetition)
        went = []
        for part in composed:
            if isinstance(part, RepetitiveTask):
                more = len(part.repetition) - rank
                rows = tuple(tuple(int(row == column) for column in range(rank + more)) for row in range(rank))
                steps = (MatrixMap((0,) * rank, rows, (1,) * rank, (None,) * rank),) if more else ()
                went.append(IndexMap((part.name,), part.repetition, steps))
        kept = before.tasks[self.task.task] if task.name != self.task.task else ()
        return Trace({**before.tasks, self.task.task: (*kept, *went)}, before.arrays)


@dataclass(frozen=True, slots=True)
class _Composition:
    """The tasks of the parts of a body, and the arrays between them.

    `started` are those that the start makes, by the array of the body that they hold; the end reads the sum `summed`.
    """

    task: RepetitiveTask
    parts: Folded
    names: FreeNames
    blocks: int
    started: Mapping[str, Port]
    summed: Port | None

    @staticmethod
    def of(task: RepetitiveTask, parts: Folded, names: FreeNames, blocks: int) -> _Composition:
        """With fresh names for the arrays between the parts."""
        used = [port.name for port in (*task.inputs, *task.outputs)]

        def fresh(port: Port, suffix: str) -> Port:
            used.append(names.local(f"{port.name}_{suffix}", used))
            return replace(port, name=used[-1], shape=(*task.repetition, *port.shape))

        started = {one.name: fresh(one.port, "start") for one in parts.from_start}
        summed = fresh(parts.sum.port, "sum") if parts.sum.name in parts.into_end.values() else None
        return _Composition(task, parts, names, blocks, started, summed)

    def composed(self) -> tuple[Component, ...]:
        """The elementaries, their tasks, and the composition last."""
        parts = self.parts
        tasks = [*([self._start(parts.start)] if parts.start else []), self._fold()]
        tasks += [self._end(parts.end)] if parts.end else []
        calls = tuple(
            Call(tuple(port.name for port in one.outputs), one.name, tuple(port.name for port in one.inputs), one.span)
            for one in tasks
        )
        arrays = {port.name: port for port in (*self.task.inputs, *self.task.outputs)}
        arrays |= {port.name: port for one in tasks for port in one.outputs}
        whole = CompoundTask(
            self.task.name, self.task.inputs, self.task.outputs, in_dataflow_order(calls), arrays, self.task.span
        )
        elementaries = [one for one in (parts.start, parts.fold, parts.end) if one is not None]
        return (*elementaries, *tasks, whole)

    def _start(self, start: Elementary) -> RepetitiveTask:
        """What comes before the sum; outputs of the task that nothing changes later are written here."""
        own, later = self._links_of(start), self._written_later()
        outputs = [
            self._part_of_repetition(one.port, self.started[one.name])
            for one in self.parts.from_start
            if one.name not in self._final_at_start(later) or self._is_read(one.name)
        ]
        final = self._final_at_start(later)
        outputs += [link for link in self.task.output_links if link.port in final]
        return self._repetition("start", start, self.task.repetition, own, outputs)

    def _written_later(self) -> set[str]:
        """The outputs of the elementary that the fold or the end gives."""
        end = () if self.parts.end is None else self.parts.end.outputs
        return {self.parts.sum.name, *(port.name for port in end)}

    def _final_at_start(self, later: set[str]) -> set[str]:
        return {one.name for one in self.parts.from_start} - later

    def _is_read(self, name: str) -> bool:
        """Whether the fold or the end reads an array of the start."""
        own = next(one.port.name for one in self.parts.from_start if one.name == name)
        read = {self.parts.sum.name, *self.parts.into_end.values()}
        return name in read or any(one.source == own for one in self.parts.inputs)

    def _fold(self) -> RepetitiveTask:
        """The sum, block by block: its last dimension."""
        rank, total, fold = len(self.task.repetition), self.parts.sum, self.parts.fold
        space, vector = (*self.task.repetition, self.blocks), (*(0,) * rank, 1)
        links = [link for one in self.parts.inputs for link in self._shrunk(one)]
        default = self._initial()
        acts = self.blocks > 1
        delay = Delay(self.parts.before.name, total.port.name, vector, default, acts, self.task.span)
        end = () if self.parts.end is None else self.parts.end.outputs
        leaves = vector if acts else None
        outputs = [] if self.summed is None else [self._part_of_repetition(total.port, self.summed)]
        if all(port.name != total.name for port in end):
            outputs += [link for link in self.task.output_links if link.port == total.name]
        outputs = [replace(link, tiler=_still(link.tiler), exit=leaves) for link in outputs]
        return self._repetition("fold", fold, space, links, outputs, (delay,))

    def _end(self, end: Elementary) -> RepetitiveTask:
        """What comes after the sum."""
        links = self._links_of(end)
        for port in end.inputs:
            name = self.parts.into_end.get(port.name)
            if name is not None:
                array = self.summed if name == self.parts.sum.name else self.started[name]
                assert array is not None
                links.append(self._part_of_repetition(port, array))
        given = {port.name for port in end.outputs}
        outputs = [link for link in self.task.output_links if link.port in given]
        return self._repetition("end", end, self.task.repetition, links, outputs)

    def _links_of(self, elementary: Elementary) -> list[Link]:
        inputs = {port.name for port in elementary.inputs} - self.parts.into_end.keys()
        return [link for link in self.task.input_links if link.port in inputs]

    def _part_of_repetition(self, port: Port, array: Port) -> Link:
        """Each repetition's own part of an array between the parts."""
        return Link(
            port.name, array.name, own_part_tiler(len(self.task.repetition), len(port.shape), port.span), port.span
        )

    def _shrunk(self, one: Shrunk) -> list[Link]:
        """The part of a pattern that a block reads."""
        started = next((own for own in self.parts.from_start if own.port.name == one.source), None)
        whole = [link for link in self.task.input_links if link.port == one.source]
        if started is not None and not whole:
            whole = [self._part_of_repetition(started.port, self.started[started.name])]
        return [Link(one.port.name, link.array, _part(link.tiler, one.low, one.step), link.span) for link in whole]

    def _initial(self) -> ConstValue | TiledDefault:
        initial, span = self.parts.initial, self.task.span
        if initial is None:
            link = self._part_of_repetition(self.parts.sum.port, self.started[self.parts.sum.name])
            return TiledDefault(link.array, _still(link.tiler), span)
        if not isinstance(initial, FirstElement):
            return initial
        link = next(link for link in self.task.input_links if link.port == initial.port)
        tiler = _part(link.tiler, initial.offset, (0,) * len(initial.offset))
        rank = len(self.parts.sum.extents)
        columns = [times(link.tiler.fitting, tuple(row[axis] for row in initial.matrix)) for axis in range(rank)]
        fitting = tuple(tuple(column[row] for column in columns) for row in range(len(tiler.origin)))
        return TiledDefault(link.array, replace(tiler, fitting=fitting), span)

    def _repetition(
        self,
        part: str,
        elementary: Elementary,
        space: tuple[int | None, ...],
        links: Iterable[Link],
        outputs: Iterable[Link],
        delays: tuple[Delay, ...] = (),
    ) -> RepetitiveTask:
        inputs, written = tuple(links), tuple(outputs)
        read = [link.array for link in inputs]
        read += [one.default.array for one in delays if isinstance(one.default, TiledDefault)]
        between = [*self.started.values(), *([self.summed] if self.summed else [])]
        ports = {port.name: port for port in (*self.task.inputs, *self.task.outputs, *between)}
        name = self.names.definition(f"{self.task.name}_{part}")
        ends = tuple(
            tuple(ports[array] for array in dict.fromkeys(side)) for side in (read, [one.array for one in written])
        )
        return RepetitiveTask(name, ends[0], ends[1], space, elementary.name, inputs, written, delays, self.task.span)


def _still(tiler: Tiler) -> Tiler:
    """The tiler of a space with one dimension more, along which nothing moves."""
    return replace(tiler, paving=tuple((*row, 0) for row in tiler.paving))


def _part(tiler: Tiler, low: Vector, step: Vector) -> Tiler:
    """The tiler of the pattern's part from `low` on, which moves by `step` along one dimension more."""
    moved = times(tiler.fitting, step) if tiler.origin else ()
    paving = tuple((*row, entry) for row, entry in zip(tiler.paving, moved, strict=True))
    return replace(tiler, origin=added(tiler.origin, times(tiler.fitting, low)) if tiler.origin else (), paving=paving)
