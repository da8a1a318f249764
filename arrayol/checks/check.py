"""What is wrong with a specification: every mistake of tilers, bodies and delays, in words, and of the file as a whole.

Tilers write every element of an array exactly once and touch nothing outside of it (docs/language.md, "Tilers");
bodies read only what is written, inside their ports ("Bodies"); delays leave an order ("Delays"). The decisions are
those of `polyhedral`, exact, each "no" with a concrete point; here they become diagnostics.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from arrayol.checks.data_subscripts import check_data_subscripts
from arrayol.checks.elements import check_parts, check_reads
from arrayol.errors import ArrayolError, Diagnostic, Severity
from arrayol.ir.borders import FAR
from arrayol.ir.exits import ExitBox, writing_parts
from arrayol.ir.spec import (
    Elementary,
    Link,
    Port,
    RepetitiveTask,
    Shape,
    Spec,
    TiledDefault,
    Tiler,
    callees,
    port_named,
    written_name,
)
from arrayol.language.kept import Kept
from arrayol.language.loader import Loaded, Resolved, load, load_again, load_source
from arrayol.language.parameters.copies import in_copies
from arrayol.language.settings import Settings
from arrayol.language.tasks import DELAYS, OUTPUTS, PORTS, Fragment, TaskSignature
from arrayol.polyhedral.accesses import Access, Instance, Outside, find_outside
from arrayol.polyhedral.delays import find_circle
from arrayol.polyhedral.isl import TooHardError
from arrayol.polyhedral.nests import (
    BodyPoint,
    NestStatement,
    find_early_reads,
    find_misfit,
    find_outside_port,
    find_unwritten,
    statements_of,
)
from arrayol.polyhedral.single_write import Clash, find_clash, find_hole
from arrayol.source import SourceFile
from arrayol.text import counted


def check_tilers(task: RepetitiveTask, callee: TaskSignature, *, all_outputs: bool = True) -> Iterator[Diagnostic]:
    """The mistakes of a repetitive task's tilers. One that leaves its array is reported once, and not checked further.

    Without `all_outputs` some links to outputs are missing, and whether each element is written once is not asked.
    """
    for link in task.input_links:
        yield from _check_reach(task, link, port_named(task.inputs, link.array), callee.inputs)
    yield from _check_defaults(task, callee)
    for array in task.outputs:
        links = [link for link in task.output_links if link.array == array.name]
        mistakes = [mistake for link in links for mistake in _check_reach(task, link, array, callee.outputs)]
        yield from mistakes or (_check_writes(task, array, links, callee) if all_outputs else ())


def _access(task: RepetitiveTask, tiler: Tiler, pattern: Shape, array: Port) -> Access:
    return Access(tiler, task.repetition, pattern, array.shape)


def _check_reach(task: RepetitiveTask, link: Link, array: Port, ports: tuple[Port, ...]) -> Iterator[Diagnostic]:
    port = port_named(ports, link.port)
    outside = next(
        (
            replace(found, instance=replace(found.instance, repetition=part.instance(found.instance.repetition)))
            for part in writing_parts(link, task.repetition)
            if (found := find_outside(Access(part.tiler, part.extents, port.shape, array.shape)))
        ),
        None,
    )
    if outside:
        border = "to read past the edges, add 'else nearest' or 'else 0'; " if link in task.input_links else ""
        yield _out_of_bounds(task, outside, array, link.tiler, port, border)
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


def _check_defaults(task: RepetitiveTask, callee: TaskSignature) -> Iterator[Diagnostic]:
    for delay in task.delays:
        if isinstance(delay.default, TiledDefault):
            port, array = port_named(callee.inputs, delay.port), port_named(task.inputs, delay.default.array)
            outside = find_outside(_access(task, delay.default.tiler, port.shape, array), delay.vector)
            if outside:
                yield _out_of_bounds(task, outside, array, delay.default.tiler, port, "")


def _check_writes(task: RepetitiveTask, array: Port, links: list[Link], callee: TaskSignature) -> Iterator[Diagnostic]:
    parts = [(link, part) for link in links for part in writing_parts(link, task.repetition)]
    accesses = [
        Access(part.tiler, part.extents, port_named(callee.outputs, link.port).shape, array.shape)
        for link, part in parts
    ]
    clash = find_clash(accesses)
    if clash:
        yield _written_twice(task, array, parts, clash)
        return
    try:
        hole = find_hole(accesses)
    except TooHardError:
        message = f"whether every element of '{array.name}' is written is beyond what can be decided for such tilers"
        hint = "use smaller extents on the axes that wrap, or a simpler paving"
        yield Diagnostic("undecided", message, links[0].tiler.span, hint)
        return
    if hole is not None:
        missing = 1 if hole.element is not None else hole.missing or 0
        what = f"element {shown_point(hole.element)}" if hole.element is not None else counted(missing, "element")
        verb = "is" if missing == 1 else "are"
        yield Diagnostic(
            "not-covered",
            f"{what} of '{array.name}' {verb} written by no repetition of '{task.name}'{_at_exits(links)}",
            links[0].tiler.span,
            "every element is written exactly once: check paving, fitting and the repetition space "
            f"{shown_extents(task.repetition)}; "
            f"to leave a border out make '{array.name}' smaller, to fill it read with 'wrap' and repeat over all of it",
        )


def _at_exits(links: Iterable[Link]) -> str:
    """Which instances write at all, where only some do."""
    vectors = dict.fromkeys(shown_point(link.exit) for link in links if link.exit is not None)
    return f" that leaves by its exit {' or '.join(vectors)}" if vectors and all(link.exit for link in links) else ""


def _written_twice(task: RepetitiveTask, array: Port, parts: list[tuple[Link, ExitBox]], clash: Clash) -> Diagnostic:
    links = [link for link, _ in parts]
    whole = [
        replace(instance, repetition=parts[instance.access][1].instance(instance.repetition))
        for instance in (clash.first, clash.second)
    ]
    instances = sorted(whole, key=lambda instance: (instance.access, instance.repetition, instance.pattern))
    first, second = map(_shown_instance, instances)
    hint = "every element is written exactly once: the paving must step over the whole pattern"
    if links[instances[0].access] is not links[instances[1].access]:
        hint = "several links may write one array, but each element exactly once"
        lines = [links[instance.access].tiler.span.place[1] for instance in instances]
        first, second = f"{first} through the link of line {lines[0]}", f"{second} through that of line {lines[1]}"
    return Diagnostic(
        "written-twice",
        f"element {shown_point(clash.element)} of '{array.name}' is written twice in '{task.name}': "
        f"by {first} and {second}",
        links[instances[1].access].tiler.span,
        hint,
    )


def _out_of_bounds(
    task: RepetitiveTask, outside: Outside, array: Port, tiler: Tiler, port: Port, border: str
) -> Diagnostic:
    if tiler.border is not None and array.shape[outside.axis] is not None:
        return _border_too_far(task, outside, array, tiler)
    hint = "shrink the repetition space or move the origin"
    if array.shape[outside.axis] is None:
        hint += "; nothing lies before the start of an infinite dimension" if tiler.border else ""
        hint += "; an infinite dimension never wraps" if tiler.wrap else ""
    elif None not in task.repetition:
        hint += f"; {border}to wrap around, add 'wrap'"
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


def _border_too_far(task: RepetitiveTask, outside: Outside, array: Port, tiler: Tiler) -> Diagnostic:
    border, extent = tiler.border, array.shape[outside.axis]
    assert border is not None
    assert extent is not None
    beyond = border.limits(extent)[1] - (extent - 1)
    mode = f"'{border.mode}'" if border.pieces else "a constant"
    last = "at most 2**62" if beyond >= FAR >> 1 else f"{counted(beyond, 'element')} beyond an axis of {extent}"
    return Diagnostic(
        "border-too-far",
        f"{_shown_instance(outside.instance)} of '{task.name}' touches {shown_point(outside.element)}, "
        f"too far outside '{array.name}' of {shown_extents(array.shape)}: {mode} reaches {last}",
        tiler.span,
        "move the origin; 'nearest' and constants reach farther",
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


# Bodies of elementary tasks: no access outside a port, no read before the write, every output element written.


def check_body(
    elementary: Elementary, const_arrays: Collection[str] = (), *, whole: bool = True
) -> Iterator[Diagnostic]:
    """The mistakes of a body, some inputs of which are `const_arrays`.

    What only data decide is left to the execution, which checks it.

    Accesses outside a port are reported first, and no others: the order of reads and writes is then beside the point,
    as it is where the body is not whole.
    """
    if elementary.body is None:
        return
    statements = statements_of(elementary)
    yield from _check_conversions(statements)
    outside = [
        *_check_bounds(elementary, statements),
        *check_data_subscripts(elementary, _shapes(elementary), const_arrays),
    ]
    yield from outside
    if whole and not any(one.severity is Severity.ERROR for one in outside):
        yield from _check_order(elementary, statements)


def _shapes(elementary: Elementary) -> dict[str, tuple[int, ...]]:
    """The shapes of ports and locals, by name."""
    ports = (*elementary.inputs, *elementary.outputs)
    shapes = {port.name: tuple(extent for extent in port.shape if extent is not None) for port in ports}
    return shapes | {local.name: local.shape for local in elementary.locals}


def _check_bounds(elementary: Elementary, statements: list[NestStatement]) -> Iterator[Diagnostic]:
    shapes, around = _shapes(elementary), _loop_depths(elementary)
    for statement in statements:
        for access in (statement.write, *statement.reads):
            outer = around.get(access.port, 0)
            point = find_outside_port(statement, access, shapes[access.port], outer)
            if point:
                array = f"'{written_name(access.port)}' of {shown_extents(shapes[access.port])}"
                yield Diagnostic(
                    "subscript-out-of-range",
                    f"{_shown(point, outer)} lies outside {array}{_at(point)}",
                    point.access.span,
                    "subscripts count from 0; narrow the range, or guard the access with 'if' or 'where'",
                )


def _check_conversions(statements: list[NestStatement]) -> Iterator[Diagnostic]:
    for statement in statements:
        for conversion in statement.conversions:
            misfit = find_misfit(statement, conversion)
            if misfit:
                instance, value = misfit
                low, high = conversion.target.whole_range
                yield Diagnostic(
                    "constant-does-not-fit",
                    f"{value} does not fit {conversion.target}, which holds {low} to {high}"
                    f"{_shown_indices(statement, instance)}",
                    conversion.span,
                    "narrow the range, or convert what it meets to a wider type first",
                )


def _check_order(elementary: Elementary, statements: list[NestStatement]) -> Iterator[Diagnostic]:
    """At most one mistake per array: what is read too early is often what was forgotten to be written."""
    outputs = {port.name: _shapes(elementary)[port.name] for port in elementary.outputs}
    around = _loop_depths(elementary)
    ranks = {name: len(shape) for name, shape in outputs.items()} | {
        local.name: local.rank for local in elementary.locals
    }
    told: set[str] = set()
    for point in find_early_reads(statements, ranks):
        if point.access.port not in told:
            told.add(point.access.port)
            outer = around.get(point.access.port, 0)
            yield Diagnostic(
                "read-before-write",
                f"{_shown(point, outer)} is read before anything is written there{_at(point)}",
                point.access.span,
                "a local is a new one in each iteration of its loop; declare it before the loop to keep its value"
                if outer
                else "statements run in the order of the text, ranges upwards: write the element first",
            )
    for port in elementary.outputs:
        hole = None if port.name in told else find_unwritten(statements, port.name, outputs[port.name])
        if hole is not None:
            element = f"{port.name}{shown_point(hole)}" if hole else port.name
            yield Diagnostic(
                "never-written",
                f"'{element}' is never written in '{elementary.name}'",
                port.span,
                "a body writes every element of its outputs",
            )


def _loop_depths(elementary: Elementary) -> dict[str, int]:
    """How many loops are around each local."""
    return {local.name: len(local.around) for local in elementary.locals}


def _shown(point: BodyPoint, around: int) -> str:
    element = shown_point(point.element[around:]) if point.element[around:] else ""
    return f"'{written_name(point.access.port)}{element}'"


def _at(point: BodyPoint) -> str:
    return _shown_indices(point.statement, point.instance)


def _shown_indices(statement: NestStatement, instance: tuple[int, ...]) -> str:
    text = ", ".join(f"{name} = {value}" for name, value in zip(statement.indices, instance, strict=True))
    return f" (at {text})" if text else ""


# Delays must leave an order of the instances (docs/language.md, "Delays").


def check_delays(task: RepetitiveTask) -> Iterator[Diagnostic]:
    """The mistake of delays that make an instance wait for itself, with the combination that does."""
    acting = [delay for delay in task.delays if delay.acts]
    circle = find_circle([delay.vector for delay in acting], task.repetition)
    if circle is None:
        return
    used = [(times, delay) for times, delay in zip(circle, acting, strict=True) if times]
    total = tuple(sum(times * delay.vector[axis] for times, delay in used) for axis in range(len(task.repetition)))
    combination = " + ".join(
        shown_point(delay.vector) if times == 1 else f"{times} x {shown_point(delay.vector)}" for times, delay in used
    )
    reason = (
        "an instance would wait for itself" if not any(total) else "an instance would wait for later ones without end"
    )
    yield Diagnostic(
        "no-order",
        f"the delays of '{task.name}' leave no order: {combination} = {shown_point(total)}; {reason}",
        used[0][1].span,
        "an instance may only use earlier ones: turn one of these delays round",
    )


# From a path to a checked specification: load, then every check on what could be resolved.


@dataclass(frozen=True, slots=True)
class Checked:
    """A specification as it was loaded and everything found in it, sorted by place."""

    loaded: Loaded
    diagnostics: tuple[Diagnostic, ...]

    @property
    def spec(self) -> Spec:
        return self.loaded.spec

    @property
    def ok(self) -> bool:
        """Whether there is no error; warnings do not count."""
        return all(diagnostic.severity is Severity.WARNING for diagnostic in self.diagnostics)


def check(path: Path, settings: Settings | None = None) -> Checked:
    """Load and check a file and its imports. Raises ArrayolError only where the file or a setting cannot be used."""
    return check_loaded(load(path, settings))


def check_source(source: SourceFile, settings: Settings | None = None) -> Checked:
    """Check a text that is already in memory, as what `spec_text` gives; as `check` otherwise."""
    return check_loaded(load_source(source, settings))


def check_loaded(loaded: Loaded, kept: Kept | None = None) -> Checked:
    """Every check on what was loaded; what is `kept` and had no mistakes has none now."""
    semantic = in_copies(_semantic(loaded.resolved, kept), loaded.spec.copies)
    diagnostics = [*loaded.diagnostics, *semantic]
    return Checked(loaded, tuple(sorted(diagnostics, key=lambda diagnostic: diagnostic.sort_key)))


def load_checked(path: Path, settings: Settings | None = None) -> Spec:
    """A specification without errors. Raises ArrayolError with all of them."""
    return load_sound(path, settings).spec


def load_sound(path: Path, settings: Settings | None = None) -> Loaded:
    """What was loaded, without errors. Raises ArrayolError with all of them."""
    return sound(load(path, settings))


def check_again(spec: Spec, settings: Settings, *, same_names: bool = False) -> Spec:
    """A sound specification with other settings, evaluated and checked anew: its file is not read again.

    `same_names` is that of `load_again`. Raises ArrayolError as it does, and with all errors.
    """
    return sound(load_again(spec, settings, same_names=same_names)).spec


def sound(loaded: Loaded) -> Loaded:
    """What was loaded, if there is no error in it. Raises ArrayolError with all of them."""
    checked = check_loaded(loaded)
    if not checked.ok:
        raise ArrayolError(mistake for mistake in checked.diagnostics if mistake.severity is Severity.ERROR)
    return loaded


def _semantic(resolved: Resolved, kept: Kept | None) -> dict[str, list[Diagnostic]]:
    """The exact checks on everything that could be resolved, beside what could not; by name of the component."""
    found: dict[str, list[Diagnostic]] = {}
    for fragment in resolved.fragments:
        component = fragment.component
        used = () if isinstance(component, Elementary) else callees(component)
        ports = tuple(resolved.signatures[name] for name in (component.name, *used))
        if kept is None or not kept.checks.known(fragment, ports):
            found[component.name] = list(_of_fragment(fragment, resolved))
            if kept is not None and not found[component.name]:
                kept.checks.keep(fragment, ports, True)
    return found


def _of_fragment(fragment: Fragment, resolved: Resolved) -> Iterator[Diagnostic]:
    component = fragment.component
    if isinstance(component, Elementary):
        const_arrays = {port.name for port in resolved.signatures[component.name].hidden}
        yield from check_body(component, const_arrays, whole=fragment.whole)
    elif isinstance(component, RepetitiveTask):
        callee = resolved.signatures[component.callee]
        mistakes = list(check_tilers(component, callee, all_outputs=not fragment.damaged & {OUTPUTS, PORTS}))
        yield from mistakes
        if fragment.whole and not mistakes:
            yield from check_reads(component, callee, resolved.signatures[component.name].declared)
        if DELAYS not in fragment.damaged:
            yield from check_delays(component)
    else:
        yield from check_parts(component, resolved.signatures)
