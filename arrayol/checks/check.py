"""Every element of an array written exactly once, and nothing read or written outside (docs/language.md, "Tilers")."""

from __future__ import annotations

from collections.abc import Iterator

from arrayol.errors import Diagnostic
from arrayol.ir.spec import (
    Link,
    Port,
    RepetitiveTask,
    Shape,
    TiledDefault,
    Tiler,
    port_named,
)
from arrayol.language.signatures import Signature
from arrayol.polyhedral.accesses import Access, Instance, Outside, find_outside
from arrayol.polyhedral.isl import TooHardError
from arrayol.polyhedral.single_write import Clash, find_clash, find_hole


def check_tilers(task: RepetitiveTask, callee: Signature, *, all_outputs: bool = True) -> Iterator[Diagnostic]:
    """The mistakes of a repetitive task's tilers. One that leaves its array is told once, and not checked further.

    Without `all_outputs` some links to outputs are missing, and whether each element is written once is not asked.
    """
    for link in task.input_links:
        yield from _check_reach(task, link, port_named(task.inputs, link.array), callee.inputs)
    yield from _check_defaults(task, callee)
    for array in task.outputs:
        links = [link for link in task.output_links if link.array == array.name]
        mistakes = [found for link in links for found in _check_reach(task, link, array, callee.outputs)]
        yield from mistakes or (_check_writes(task, array, links, callee) if all_outputs else ())


def _access(task: RepetitiveTask, tiler: Tiler, pattern: Shape, array: Port) -> Access:
    return Access(tiler, task.repetition, pattern, array.shape)


def _check_reach(task: RepetitiveTask, link: Link, array: Port, ports: tuple[Port, ...]) -> Iterator[Diagnostic]:
    port = port_named(ports, link.port)
    outside = find_outside(_access(task, link.tiler, port.shape, array))
    if outside:
        yield _out_of_bounds(task, outside, array, link.tiler, port)
    elif (None in array.shape or None in port.shape) and not _follows(link.tiler, task.repetition, port, array):
        what = f"port '{port.name}'" if None in port.shape else f"dimension {array.shape.index(None)} of '{array.name}'"
        yield Diagnostic(
            "infinite-not-followed",
            f"{what} is infinite, and the tiler does not go along it",
            link.tiler.span,
            "an infinite array is read and written along an infinite dimension of the repetition or pattern, forwards",
        )


def _follows(tiler: Tiler, repetition: Shape, port: Port, array: Port) -> bool:
    """Whether an infinite dimension moves forwards along the array's infinite axis: that of the port, if it has one."""
    if None not in array.shape:
        return False
    axis = array.shape.index(None)
    extents, row = (port.shape, tiler.fitting[axis]) if None in port.shape else (repetition, tiler.paving[axis])
    return any(extent is None and factor > 0 for extent, factor in zip(extents, row, strict=True))


def _check_defaults(task: RepetitiveTask, callee: Signature) -> Iterator[Diagnostic]:
    for delay in task.delays:
        if isinstance(delay.default, TiledDefault):
            port, array = port_named(callee.inputs, delay.port), port_named(task.inputs, delay.default.array)
            outside = find_outside(_access(task, delay.default.tiler, port.shape, array), delay.vector)
            if outside:
                yield _out_of_bounds(task, outside, array, delay.default.tiler, port)


def _check_writes(task: RepetitiveTask, array: Port, links: list[Link], callee: Signature) -> Iterator[Diagnostic]:
    accesses = [_access(task, link.tiler, port_named(callee.outputs, link.port).shape, array) for link in links]
    clash = find_clash(accesses)
    if clash:
        yield _written_twice(task, array, links, clash)
        return
    try:
        hole = find_hole(accesses)
    except TooHardError:
        message = f"whether every element of '{array.name}' is written is beyond what can be decided for such tilers"
        hint = "use smaller extents on the axes that wrap, or a simpler paving"
        yield Diagnostic("undecided", message, links[0].tiler.span, hint)
        return
    if hole is not None:
        what = f"element {shown_point(hole.element)}" if hole.element is not None else f"{hole.missing} elements"
        verb = "are" if hole.element is None else "is"
        yield Diagnostic(
            "not-covered",
            f"{what} of '{array.name}' {verb} written by no repetition of '{task.name}'",
            links[0].tiler.span,
            "every element is written exactly once: check paving, fitting and the repetition space "
            f"{shown_extents(task.repetition)}",
        )


def _written_twice(task: RepetitiveTask, array: Port, links: list[Link], clash: Clash) -> Diagnostic:
    instances = sorted((clash.first, clash.second), key=lambda one: (one.access, one.repetition, one.pattern))
    first, second = map(_shown_instance, instances)
    hint = "every element is written exactly once: the paving must step over the whole pattern"
    if instances[0].access != instances[1].access:
        hint = "several links may write one array, but each element exactly once"
        one, other = (links[instance.access].tiler.span.place[1] for instance in instances)
        first, second = f"{first} through the link of line {one}", f"{second} through that of line {other}"
    return Diagnostic(
        "written-twice",
        f"element {shown_point(clash.element)} of '{array.name}' is written twice in '{task.name}': "
        f"by {first} and {second}",
        links[instances[1].access].tiler.span,
        hint,
    )


def _out_of_bounds(task: RepetitiveTask, outside: Outside, array: Port, tiler: Tiler, port: Port) -> Diagnostic:
    hint = "shrink the repetition space or move the origin"
    if array.shape[outside.axis] is None:
        hint += "; an infinite dimension never wraps" if tiler.wrap else ""
    elif None not in task.repetition:
        hint += "; if the array shall be a torus, add 'wrap'"
    if _transpose_fits(task, array, tiler, port):
        hint = "the transposed paving would fit: rows are array dimensions, columns repetition dimensions"
    instance = _shown_instance(outside.instance)
    return Diagnostic(
        "out-of-bounds",
        f"{instance} of '{task.name}' touches {shown_point(outside.element)}, "
        f"outside '{array.name}' of {shown_extents(array.shape)}",
        tiler.span,
        hint,
    )


def _transpose_fits(task: RepetitiveTask, array: Port, tiler: Tiler, port: Port) -> bool:
    if len(array.shape) != len(task.repetition):
        return False
    transposed = Tiler(tiler.origin, tuple(zip(*tiler.paving, strict=True)), tiler.fitting, tiler.wrap, tiler.span)
    return transposed.paving != tiler.paving and find_outside(_access(task, transposed, port.shape, array)) is None


def shown_point(point: tuple[int, ...]) -> str:
    """A point in a message: `[3, 4]`."""
    return f"[{', '.join(map(str, point))}]"


def shown_extents(shape: Shape) -> str:
    """The extents of an array or space in a message: `1080 x 1920`."""
    return " x ".join("*" if extent is None else str(extent) for extent in shape) or "one element"


def _shown_instance(instance: Instance) -> str:
    where = f" (pattern index {shown_point(instance.pattern)})" if instance.pattern else ""
    return f"repetition {shown_point(instance.repetition)}{where}"
