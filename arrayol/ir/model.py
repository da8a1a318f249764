"""The resolved specification: names bound, constants evaluated, shapes and tilers as exact integers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from arrayol.ir.body import Statement
from arrayol.ir.types import ElementType
from arrayol.source import Span

Shape = tuple[int | None, ...]  # None is an infinite dimension
IntMatrix = tuple[tuple[int, ...], ...]
ConstValue = int | float | bool


@dataclass(frozen=True, slots=True)
class Port:
    name: str
    type: ElementType
    shape: Shape
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Tiler:
    """e(r, f) = origin + paving r + fitting f, modulo the array's shape where `wrap` says so.

    `origin` has one entry per array dimension; `paving` and `fitting` one row per array dimension and one column per
    repetition, respectively pattern, dimension.
    """

    origin: tuple[int, ...]
    paving: IntMatrix
    fitting: IntMatrix
    wrap: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Link:
    """A port of the repeated task and the array it reads or writes through a tiler."""

    port: str
    array: str
    tiler: Tiler
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TiledDefault:
    """What a delayed port reads where r - d lies outside the repetition space."""

    array: str
    tiler: Tiler
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Delay:
    """Input `port` of instance r is `output` of instance r - vector; outside the space it is `default`.

    A delay that never acts (as long as a finite dimension) has `acts` false: its port always takes the default.
    """

    port: str
    output: str
    vector: tuple[int, ...]
    default: ConstValue | TiledDefault
    acts: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Elementary:
    """An atomic task: a body, an extern callable "pkg.mod:func", or neither (a black box)."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    body: tuple[Statement, ...] | None
    extern: str | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class RepetitiveTask:
    """`repeat repetition of callee`: one instance of `callee` for each index r of the repetition space."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    repetition: Shape
    callee: str
    input_links: tuple[Link, ...]
    output_links: tuple[Link, ...]
    delays: tuple[Delay, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Call:
    """`results = callee(arguments)`, by array names."""

    results: tuple[str, ...]
    callee: str
    arguments: tuple[str, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class CompoundTask:
    """Calls in an order of the dataflow; `arrays` types every name: ports and intermediate arrays."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    calls: tuple[Call, ...]
    arrays: Mapping[str, Port]
    span: Span = field(compare=False, repr=False)


Task = RepetitiveTask | CompoundTask
Component = Elementary | RepetitiveTask | CompoundTask


@dataclass(frozen=True, slots=True)
class Spec:
    """A whole resolved specification: the file and its imports in one namespace.

    `constants` holds the consts' values after `--set`, `components` every elementary and task by name in textual
    order, `settings` what was set.
    """

    name: str
    constants: Mapping[str, ConstValue]
    components: Mapping[str, Component]
    settings: Mapping[str, ConstValue] = field(default_factory=dict, compare=False, repr=False)

    @property
    def elementaries(self) -> dict[str, Elementary]:
        return {name: found for name, found in self.components.items() if isinstance(found, Elementary)}

    @property
    def tasks(self) -> dict[str, Task]:
        return {name: found for name, found in self.components.items() if not isinstance(found, Elementary)}

    @property
    def tops(self) -> tuple[str, ...]:
        """Names of the tasks that nothing calls, in textual order."""
        called = {name for task in self.tasks.values() for name in callees(task)}
        return tuple(name for name in self.tasks if name not in called)


def callees(task: Task) -> tuple[str, ...]:
    """Names of what a task calls, in dataflow order, repeated where it calls one twice."""
    return (task.callee,) if isinstance(task, RepetitiveTask) else tuple(call.callee for call in task.calls)


def port_named(ports: tuple[Port, ...], name: str) -> Port:
    """The port of that name; the resolver has checked that there is one."""
    return next(port for port in ports if port.name == name)
