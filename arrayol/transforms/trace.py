"""What a step gives: the new specification, where old names and repetition indices went, and remarks.

Traces compose: the map of an old repetition through several steps is that of each level of its new nest through the
next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from arrayol.ir.spec import CompoundTask, IntMatrix, RepetitiveTask, Shape, Spec
from arrayol.text import counted

ArrayName = tuple[str, str]  # a task, and one of its ports or arrays


@dataclass(frozen=True, slots=True)
class MatrixMap:
    """x -> floor((origin + matrix x) / divisor) mod modulus, each entry by itself.

    An entry None of `modulus` takes no modulo. Repetition r of a tiled task is block floor(r / b), place r mod b.
    """

    origin: tuple[int, ...]
    matrix: IntMatrix
    divisor: tuple[int, ...]
    modulus: Shape

    def __call__(self, index: Sequence[int]) -> tuple[int, ...]:
        rows = zip(self.origin, self.matrix, self.divisor, self.modulus, strict=True)
        values = (
            ((origin + sum(factor * entry for factor, entry in zip(row, index, strict=True))) // divisor, modulus)
            for origin, row, divisor, modulus in rows
        )
        return tuple(value if modulus is None else value % modulus for value, modulus in values)


@dataclass(frozen=True, slots=True)
class IndexPart:
    """The entries [begin, end) of an index, and what they mean."""

    begin: int
    end: int
    map: IndexMap


@dataclass(frozen=True, slots=True)
class IndexSplit:
    """An index whose parts are mapped one by one, and joined again."""

    parts: tuple[IndexPart, ...]

    def __call__(self, index: Sequence[int]) -> tuple[int, ...]:
        return tuple(entry for part in self.parts for entry in part.map.old(index[part.begin : part.end]))


@dataclass(frozen=True, slots=True)
class IndexMap:
    """Where repetitions of an old task run now.

    `path` names the repetitive tasks of the new specification around the work, outermost first; `extents` are their
    repetition spaces joined. `old` tells which old repetition a new one does: the map goes this way because a
    repetition may be done several times.
    """

    path: tuple[str, ...]
    extents: Shape
    steps: tuple[MatrixMap | IndexSplit, ...] = ()

    def old(self, index: Sequence[int]) -> tuple[int, ...]:
        old = tuple(index)
        for step in self.steps:
            old = step(old)
        return old


@dataclass(frozen=True, slots=True)
class Trace:
    """Where the repetitive tasks and the arrays of the old specification went.

    A task whose repetitions nothing needs any more has no map; a task done twice, beside and inside a fused one, two.
    An array kept nowhere has no place.
    """

    tasks: Mapping[str, tuple[IndexMap, ...]]
    arrays: Mapping[ArrayName, tuple[ArrayName, ...]]

    def then(self, later: Trace) -> Trace:
        """The trace of this step and a later one, as one."""
        tasks = {
            name: tuple(joined for nest in maps for joined in _joined(nest, later)) for name, maps in self.tasks.items()
        }
        arrays = {
            name: tuple(dict.fromkeys(last for place in places for last in later.arrays.get(place, ())))
            for name, places in self.arrays.items()
        }
        return Trace(tasks, arrays)


@dataclass(frozen=True, slots=True)
class Transformed:
    """A specification that computes the same arrays; `task` names what the last step made or changed."""

    spec: Spec
    trace: Trace
    remarks: tuple[str, ...] = ()
    task: str | None = None

    def __repr__(self) -> str:
        changed = f", task {self.task!r}" if self.task else ""
        return f"Transformed({self.spec!r}{changed}, {counted(len(self.remarks), 'remark')})"


def identity(spec: Spec) -> Trace:
    """The trace of no step."""
    tasks = {
        name: (IndexMap((name,), task.repetition),)
        for name, task in spec.tasks.items()
        if isinstance(task, RepetitiveTask)
    }
    return Trace(tasks, {name: (name,) for name in _arrays(spec)})


def _arrays(spec: Spec) -> Iterator[ArrayName]:
    for name, task in spec.tasks.items():
        if isinstance(task, CompoundTask):
            yield from ((name, array) for array in task.arrays)
        else:
            yield from ((name, port.name) for port in (*task.inputs, *task.outputs))


def _joined(nest: IndexMap, later: Trace) -> Iterator[IndexMap]:
    """The map through a later step, which may have changed any task of the path, in several ways."""
    heads: list[list[IndexMap]] = [[]]
    for name in nest.path:
        maps = later.tasks.get(name, ())
        known = {head[-1].path for head in heads if head} & {level.path for level in maps}
        # A level that the step joined with the one around it goes where that one goes, and nowhere else.
        heads = [[*head, level] for head in heads for level in maps if not known or head[-1].path == level.path]
    for head in heads:
        yield _side_by_side(nest, head)


def _side_by_side(nest: IndexMap, maps: Sequence[IndexMap]) -> IndexMap:
    """One nest of the nests that the levels of a path went to; levels joined in one nest share its indices."""
    if len(maps) == 1 and not maps[0].steps:
        return IndexMap(maps[0].path, maps[0].extents, nest.steps)
    path: tuple[str, ...] = ()
    extents: Shape = ()
    parts: list[IndexPart] = []
    for place, level in enumerate(maps):
        if place and level.path == maps[place - 1].path:
            parts.append(replace(parts[-1], map=level))
            continue
        parts.append(IndexPart(len(extents), len(extents) + len(level.extents), level))
        path, extents = path + level.path, extents + level.extents
    return IndexMap(path, extents, (IndexSplit(tuple(parts)), *nest.steps))
