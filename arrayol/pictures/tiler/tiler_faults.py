"""What is wrong with the tasks that are shown: the checks' messages, and the elements behind those about tilers.

A picture is drawn all the same: it is there to find mistakes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from arrayol.checks.check import check_body, check_delays, check_tilers, sound
from arrayol.errors import Diagnostic, Severity
from arrayol.ir.exits import ExitBox, writing_parts
from arrayol.ir.network import Network
from arrayol.ir.spec import Elementary, Link, Port, RepetitiveTask, Spec, TiledDefault, Tiler, port_named
from arrayol.language.loader import load
from arrayol.language.settings import Settings
from arrayol.language.tasks import TaskSignature
from arrayol.pictures.text import reachable, repeated_task
from arrayol.polyhedral.accesses import Access, find_outside
from arrayol.polyhedral.isl import Point
from arrayol.polyhedral.single_write import find_clash, find_hole


@dataclass(frozen=True)
class Linked:
    """A link of a repetitive task with its port and array.

    `delay` is the vector v where only the repetitions r with r - v outside the space use it: a delay's default, and for
    an exit its opposite.
    """

    port: Port
    array: Port
    tiler: Tiler
    writes: bool
    repetition: tuple[int | None, ...]
    delay: tuple[int, ...] | None = None

    @property
    def access(self) -> Access:
        """The elements it touches."""
        pattern = tuple(extent for extent in self.port.shape if extent is not None)
        return Access(self.tiler, self.repetition, pattern, self.array.shape)

    @property
    def parts(self) -> tuple[ExitBox, ...]:
        """The boxes of repetitions that write through an output."""
        leaves = None if self.delay is None else tuple(-step for step in self.delay)
        return writing_parts(
            Link(self.port.name, self.array.name, self.tiler, self.tiler.span, leaves), self.repetition
        )

    def uses(self, repetition: Point) -> bool:
        """Whether the link is used at a repetition."""
        if self.delay is None:
            return True
        before = [here - step for here, step in zip(repetition, self.delay, strict=True)]
        return any(
            place < 0 or (extent is not None and place >= extent)
            for place, extent in zip(before, self.repetition, strict=True)
        )


@dataclass(frozen=True)
class TilerFault:
    """An element that is touched as it must not be, and the repetitions that do or, for a hole, that write beside it.

    The element is None where holes are only counted.
    """

    code: str
    text: str
    element: Point | None
    repetitions: tuple[tuple[int, Point], ...]  # number of the link, repetition
    links: tuple[int, ...]  # numbers of the links whose pictures show it


def links_of(spec: Spec, task: RepetitiveTask) -> tuple[Linked, ...]:
    """The links to arrays: inputs, tiled defaults of delays, outputs."""
    callee, space = spec.components[task.callee], task.repetition
    reads = [
        Linked(port_named(callee.inputs, link.port), port_named(task.inputs, link.array), link.tiler, False, space)
        for link in task.input_links
    ]
    firsts = [
        Linked(
            port_named(callee.inputs, delay.port),
            port_named(task.inputs, delay.default.array),
            delay.default.tiler,
            False,
            space,
            delay.vector,
        )
        for delay in task.delays
        if isinstance(delay.default, TiledDefault)
    ]
    writes = [
        Linked(
            port_named(callee.outputs, link.port),
            port_named(task.outputs, link.array),
            link.tiler,
            True,
            space,
            None if link.exit is None else tuple(-step for step in link.exit),
        )
        for link in task.output_links
    ]
    return (*reads, *firsts, *writes)


def find_faults(links: Sequence[Linked], mistakes: Iterable[Diagnostic]) -> tuple[TilerFault, ...]:
    """The elements behind the mistakes that the check of the tilers found; each has the place of a link's tiler."""
    faults: list[TilerFault] = []
    for mistake in mistakes:
        named = [number for number, link in enumerate(links) if link.tiler.span == mistake.span]
        if mistake.code in {"out-of-bounds", "border-too-far"}:
            faults += [fault for number in named for fault in _outside(number, links[number])]
        elif mistake.code in {"written-twice", "not-covered"} and named:
            array = links[named[0]].array
            faults += _miswritten(links, [at for at, link in enumerate(links) if link.writes and link.array == array])
    return tuple(faults)


def _outside(number: int, link: Linked) -> Iterator[TilerFault]:
    outside = find_outside(link.access, link.delay)
    if outside:
        touched = ((number, outside.instance.repetition),)
        code, text = (
            ("border-too-far", "too far outside") if link.tiler.border else ("out-of-bounds", "outside the array")
        )
        yield TilerFault(code, text, outside.element, touched, (number,))


def _miswritten(links: Sequence[Linked], numbers: Sequence[int]) -> Iterator[TilerFault]:
    parts = [(number, part) for number in numbers for part in links[number].parts]
    accesses = [replace(links[number].access, tiler=part.tiler, repetition=part.extents) for number, part in parts]
    clash = find_clash(accesses)
    if clash:
        pair = sorted((clash.first, clash.second), key=lambda write: (write.access, write.repetition, write.pattern))
        written = [(*parts[write.access], write.repetition) for write in pair]
        touched = tuple((number, part.instance(repetition)) for number, part, repetition in written)
        shown = tuple(dict.fromkeys(number for number, _ in touched))
        yield TilerFault("written-twice", "written twice", clash.element, touched, shown)
        return
    hole = find_hole(accesses)
    if hole is not None and hole.element is not None:
        neighbours = _neighbours(hole.element)
        beside = dict.fromkeys(writer for element in neighbours for writer in _writers(links, numbers, element))
        yield TilerFault("not-covered", "never written", hole.element, tuple(beside), tuple(numbers))


def _neighbours(element: Point) -> Iterator[Point]:
    for axis in range(len(element)):
        for step in (-1, 1):
            yield (*element[:axis], element[axis] + step, *element[axis + 1 :])


def _writers(links: Sequence[Linked], numbers: Sequence[int], element: Point) -> Iterator[tuple[int, Point]]:
    """The repetition that writes an element: where the link clashes with one that writes just this element."""
    for number, part in [(at, part) for at in numbers for part in links[at].parts]:
        access, nothing = links[number].access, ((),) * len(element)
        alone = Access(Tiler(element, nothing, nothing, False, access.tiler.span), (), (), access.array)
        clash = find_clash([replace(access, tiler=part.tiler, repetition=part.extents), alone])
        if clash:
            yield number, part.instance(clash.first.repetition)


# What the checks say.

Findings = dict[str, tuple[Diagnostic, ...]]  # by component, those without a mistake left out


def load_to_show(path: Path, settings: Settings | None = None) -> Spec:
    """A specification that can be resolved, and is checked no further. Raises ArrayolError with every mistake else."""
    loaded = load(path, settings)
    return (sound(loaded) if _errors(loaded.diagnostics) else loaded).spec


def find_in_task(spec: Spec, task: RepetitiveTask) -> Findings:
    """The mistakes of a repetitive task's tilers and delays."""
    callee = spec.components[task.callee]
    mistakes = _errors([*check_tilers(task, TaskSignature(callee.inputs, callee.outputs)), *check_delays(task)])
    return {task.name: mistakes} if mistakes else {}


def find_in_graph(spec: Spec, top: str) -> Findings:
    """The mistakes of a component and of all that it calls."""
    findings: Findings = {}
    for name in reachable(spec, top):
        component = spec.components[name]
        if isinstance(component, Elementary):
            mistakes = _errors(check_body(component, spec.tables))
            findings |= {name: mistakes} if mistakes else {}
        elif isinstance(component, RepetitiveTask):
            findings |= find_in_task(spec, component)
    return findings


def by_process(spec: Spec, network: Network, findings: Findings) -> dict[str, tuple[str, ...]]:
    """Codes of what is wrong with each process: with its task, its elementary, or inside the task that it repeats."""
    codes: dict[str, tuple[str, ...]] = {}
    for name, process in network.processes.items():
        inner = repeated_task(process) or process.elementary
        parts = dict.fromkeys((process.task, *reachable(spec, inner)))
        where = {part: "" if part == process.task else f" in {part}" for part in parts}
        told = (mistake.code + where[part] for part in parts for mistake in findings.get(part, ()))
        codes[name] = tuple(dict.fromkeys(told))
    return codes


def _errors(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(diagnostic for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR)
