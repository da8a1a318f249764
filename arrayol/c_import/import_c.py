"""From a C file to a specification: preprocessed, parsed, executed symbolically, cut into stages, written, checked.

A function with small arrays that loops hand on is imported in two ways, with these arrays as registers and as arrays.
The better one is kept. The text that was written is parsed and checked like any other specification.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import inf
from pathlib import Path

from arrayol.c_import.emit import Writer
from arrayol.c_import.expansion.instances import with_instances
from arrayol.c_import.expansion.scratch import with_parts
from arrayol.c_import.expansion.slices import with_slices
from arrayol.c_import.forms import extreme, form_text, isl_condition, isl_text, names_of, number_at, without_data
from arrayol.c_import.formulas import with_formulas
from arrayol.c_import.lowering.function import lowered
from arrayol.c_import.model import ElementAccess, Form, Scop, Statement, data_of
from arrayol.c_import.plans import Stage, guards_of, program_of
from arrayol.c_import.pragmas import Request
from arrayol.c_import.reading.preprocess import preprocess
from arrayol.c_import.reading.syntax import Unit, chosen_function, parse_unit
from arrayol.c_import.stages import stages_of
from arrayol.checks.check import sound
from arrayol.errors import ArrayolError, Diagnostic, Severity, error
from arrayol.ir.spec import Spec
from arrayol.language.loader import load_source
from arrayol.language.namespace import read_source
from arrayol.language.syntax.parser import parse
from arrayol.language.syntax.printer import print_file
from arrayol.polyhedral.isl import TooHardError, bounded_effort
from arrayol.source import SourceFile, Span
from arrayol.text import counted, few, listed

_EFFORT = 30_000_000  # of isl's operations: some seconds; each of PolyBench's kernels takes below a million
_TRIED_EFFORT, _MOST_TRIED = 4_000_000, 100  # where there is another way
_MOST_STATEMENTS = 600
_MOST_IN_BODY = 64  # iterations of loops that stay in a body as they are


@dataclass(frozen=True)
class Imported:
    """The text of a specification, what it means, and the stages that it was made of.

    `tasks` are those of the stages, by name; `requests` are the pragmas HLS of the function.
    """

    text: str
    spec: Spec
    stages: tuple[Stage, ...]
    assumed: tuple[tuple[Span, str], ...] = ()
    inputs: Mapping[str, str] = field(default_factory=dict)  # ports of the top task, and what they are in C
    outputs: Mapping[str, str] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)  # names of arrays and scalars, and what they are in C
    tasks: Mapping[str, Stage] = field(default_factory=dict)
    requests: tuple[Request, ...] = ()

    def summary(self) -> list[str]:
        """Lines about the result: stages with their dimensions, delays, and the loops that stayed in bodies."""
        stages = list(_flat(self.stages))
        repeated = [stage for stage in stages if stage.axes]
        bodies = [stage for stage in stages if stage.is_body]
        times = [stage for stage in stages if stage.steps]
        parts = [
            counted(len(repeated), "repetition"),
            *([counted(len(times), "loop in time", "loops in time")] if times else []),
        ]
        parts += [counted(len(bodies), "body", "bodies")] if bodies else []
        arrays = [
            f"{port} is {name} of the C" for port, name in self.inputs.items() if port.removesuffix("_in") != name
        ]
        return [
            f"stages: {listed(parts)}",
            f"dimensions: {few([f'{_where(stage)} {_extents(stage)}' for stage in repeated]) or 'none'}",
            f"delays: {few([f'{_where(stage)} {_delays(stage)}' for stage in repeated if stage.delays]) or 'none'}",
            f"loops that stay in bodies: {few([text for stage in stages if (text := _inner_loops(stage))]) or 'none'}",
            *([f"names: {few(arrays)}"] if arrays else []),
        ]

    def remarks(self) -> Iterator[Diagnostic]:
        """Warnings: what was assumed, and which loops are no repetition but stay the body of one task."""
        for span, text in self.assumed:
            yield Diagnostic("assumed", text, span, None, Severity.WARNING)
        for stage in _bodies(self.stages):
            loops = [one for one in stage.statements if one.loops]
            if not loops:
                continue
            message = "these loops stay the body of one elementary task"
            why = _why_one_body(stage, self.origins)
            yield Diagnostic("one-body", message, loops[0].loops[0].span, why, Severity.WARNING)


def _why_one_body(stage: Stage, origins: Mapping[str, str]) -> str:
    """Why the loops of a stage are no repetition."""
    inside = [one for one in stage.statements if one.loops]
    looked_up = dict.fromkeys(one.target.array for one in inside if data_of(one.target))
    if looked_up:
        return f"which element they write of {_quoted(looked_up, origins)} depends on data"
    scalars = {one.target.array for one in inside if not one.target.subscripts}
    handed_on = dict.fromkeys(
        one.target.array
        for one in inside
        if one.target.array in scalars and any(access.array == one.target.array for access in one.reads)
    )
    if handed_on:
        return f"each iteration needs what the one before made of {_quoted(handed_on, origins)}"
    written = _quoted(stage.written, origins)
    return f"what they write of {written} is read again in other iterations, at no constant distance"


def _quoted(names: Iterable[str], origins: Mapping[str, str]) -> str:
    return ", ".join(dict.fromkeys(f"'{origins.get(name, name)}'" for name in names))


def _flat(stages: tuple[Stage, ...]) -> Iterator[Stage]:
    """All stages; after a loop in time, the stages of its step."""
    for stage in stages:
        yield stage
        yield from _flat(stage.steps)


def _where(stage: Stage) -> str:
    first, last = stage.lines[0], stage.lines[-1]
    return f"line {first}" if first == last else f"lines {first} to {last}"


def _extents(stage: Stage) -> str:
    return f"[{', '.join(form_text(axis.extent) for axis in stage.axes)}]"


def _delays(stage: Stage) -> str:
    texts = dict.fromkeys(f"[{', '.join(map(str, delay))}]" for delay in stage.delays.values())
    return listed(list(texts))


def _inner_loops(stage: Stage) -> str:
    """The loops of a stage's statements that are no dimensions; nothing where there are none."""
    if stage.steps:
        return ""
    axes = {axis.loop.name for axis in stage.axes}
    names = dict.fromkeys(loop.name for one in stage.statements for loop in one.loops if loop.name not in axes)
    return f"{_where(stage)}: {', '.join(names)}" if names else ""


def _bodies(stages: tuple[Stage, ...]) -> Iterator[Stage]:
    for stage in stages:
        yield from _bodies(stage.steps)
        if stage.is_body:
            yield stage


@dataclass(frozen=True)
class Choices:
    """The choices of a user: values of consts, extents of arrays, the function, the compiler's command."""

    settings: Mapping[str, str] = field(default_factory=dict)
    sizes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    function: str | None = None
    compiler: str | None = None


def import_file(path: Path, choices: Choices | None = None) -> Imported:
    """The specification of a function in a C file. Raises ArrayolError where it has none that computes the same."""
    return import_source(read_source(path), choices or Choices())


def import_source(file: SourceFile, choices: Choices | None = None) -> Imported:
    """The specification of a function in a text of C; errors as `import_file`."""
    choices = choices or Choices()
    try:
        unit = parse_unit(file, preprocess(file, choices.compiler, choices.settings))
        scop, stages = _best(file, unit, choices)
    except RecursionError:
        hint = "name parts of long expressions by scalars of their own"
        raise error("c-syntax", "the C of this file nests too deeply", hint=hint, file=file.name) from None
    writer = Writer(scop, Path(file.name).name)
    draft = writer.text(stages)
    parsed = parse(SourceFile(f"{Path(file.name).stem}.aol", draft))
    if parsed.diagnostics:
        raise ArrayolError(parsed.diagnostics)
    text = print_file(parsed)
    loaded = sound(load_source(SourceFile(f"{Path(file.name).stem}.aol", text)))
    origins = {name: one.origin for name, one in scop.variables.items()}
    before = {new: origins[name] for name, new in writer.before.items()}
    top = loaded.spec.tasks[scop.name]
    taken = [port for port in top.inputs if port.name not in loaded.spec.tables]
    inputs = {port.name: before.get(port.name) or origins[port.name] for port in taken}
    outputs = {port.name: origins[port.name] for port in top.outputs}
    tasks = {name: stage for stage, name in writer.tasks}
    return Imported(text, loaded.spec, stages, _assumed(scop), inputs, outputs, origins, tasks, scop.requests)


def _assumed(scop: Scop) -> tuple[tuple[Span, str], ...]:
    """What was assumed, with what states start with, in the order of the text."""
    found = [*scop.remarks]
    for one in scop.variables.values():
        if one.first and not one.local:
            text = f"'{one.origin}' is an input and an output: hand over {one.first} first, then what came out"
            found.append((one.span, text))
    return tuple(sorted(found, key=lambda remark: remark[0].start))


def _best(file: SourceFile, unit: Unit, choices: Choices) -> tuple[Scop, tuple[Stage, ...]]:
    """The scop and its stages: small arrays that loops hand on are registers if that makes repetitions of loops."""
    try:
        with_registers = _staged(file, unit, choices, keeps_state=True)
    except ArrayolError:  # numbers of unrolled loops may be refused, too
        return _parted(*_staged(file, unit, choices, keeps_state=False))
    if not with_registers[0].has_registers:
        return _parted(*with_registers)
    plain = _staged(file, unit, choices, keeps_state=False)
    if _is_better(with_registers, plain):
        return _parted(*with_registers)
    with_registers, plain = _parted(*with_registers), _parted(*plain)
    return with_registers if _is_better(with_registers, plain) else plain


def _is_better(one: tuple[Scop, tuple[Stage, ...]], than: tuple[Scop, tuple[Stage, ...]]) -> bool:
    (loops, *counts), (other_loops, *others) = _costs(*one), _costs(*than)
    return loops < other_loops and any(own < other for own, other in zip(counts, others, strict=True))


def _costs(scop: Scop, stages: tuple[Stage, ...]) -> tuple[float, ...]:
    """Counts of which less is better: bodies with loops, bodies, and, negated, stages with delays and with axes.

    The last one is how often statements of bodies run.
    """
    bodies, flat = list(_bodies(stages)), list(_flat(stages))
    return (
        sum(any(one.loops for one in stage.statements) for stage in bodies),
        len(bodies),
        -sum(bool(stage.delays) for stage in flat),
        -sum(bool(stage.axes) for stage in flat),
        _in_bodies(scop, stages),
    )


def _staged(file: SourceFile, unit: Unit, choices: Choices, *, keeps_state: bool) -> tuple[Scop, tuple[Stage, ...]]:
    function = chosen_function(unit, choices.function)
    scop = lowered(unit, function, choices.settings, choices.sizes, keeps_state=keeps_state)
    _check_written(scop, file)
    try:
        with bounded_effort(_TRIED_EFFORT if scop.has_registers else _EFFORT):
            _check_inside(scop)
            return with_formulas(*stages_of(scop))
    except TooHardError:
        hint = "import it in parts"
        raise error("scop-too-large", "the dependences of this scop are too many", hint=hint, file=file.name) from None


def _parted(scop: Scop, stages: tuple[Stage, ...]) -> tuple[Scop, tuple[Stage, ...]]:
    """The scop and its stages, with more or smaller arrays for bodies where fewer loops stay there then."""
    ways = [partial(with_instances, scop, group) for group in _long_bodies(scop, stages)]
    ways += [partial(with_slices, scop, stage) for stage in _bodies(stages)]
    for way in ways:
        try:
            with bounded_effort(_TRIED_EFFORT):
                parted = way()
                if parted is not None:
                    other, others = with_formulas(*stages_of(parted))
        except TooHardError:
            continue
        if parted is not None and _in_bodies(other, others) < _in_bodies(scop, stages):
            return _parted(other, others)
    return _with_parts_of_scratch(scop, stages)


def _with_parts_of_scratch(scop: Scop, stages: tuple[Stage, ...]) -> tuple[Scop, tuple[Stage, ...]]:
    """The scop with a part of scratch arrays for each iteration where all of their stage is repeated more then."""
    for stage in stages:
        parted = with_parts(scop, stage)
        if parted is None:
            continue
        try:
            with bounded_effort(_TRIED_EFFORT):
                other, others = with_formulas(*stages_of(parted))
        except TooHardError:
            continue
        numbers = {one.number for one in stage.statements}
        inside = [one for one in others if numbers & {own.number for own in one.statements}]
        if all(len(one.axes) > len(stage.axes) and not _repeats_tables(other, stage, one) for one in inside):
            return _with_parts_of_scratch(other, others)
    return scop, stages


def _repeats_tables(scop: Scop, before: Stage, after: Stage) -> bool:
    """Whether elements of const arrays, constants of the body before, would differ from repetition to repetition.

    A division by a constant, or a place in zigzag order, costs next to nothing; by a value that moves it is a divider
    or a choice among all places.
    """
    new = {axis.loop.name for axis in after.axes} - {axis.loop.name for axis in before.axes}
    reads = [read for one in after.statements for read in one.reads if scop.variables[read.array].is_const]
    return any(names_of(subscript) & new for read in reads for subscript in read.subscripts)


def _long_bodies(scop: Scop, stages: tuple[Stage, ...]) -> Iterator[list[Statement]]:
    """The statements of each outermost loop that stays in a body and has many iterations."""
    for stage in _bodies(stages):
        for place in dict.fromkeys(one.position[0] for one in stage.statements):
            group = [one for one in stage.statements if one.position[0] == place]
            if any(_iterations(one, scop) > _MOST_IN_BODY for one in group):
                yield group


def _in_bodies(scop: Scop, stages: tuple[Stage, ...]) -> float:
    """How often statements of bodies run that nothing repeats."""
    return sum(_iterations(one, scop) for stage in _bodies(stages) for one in stage.statements)


def _iterations(statement: Statement, scop: Scop) -> float:
    """How often a statement runs at most, at the sizes that are given."""
    count = 1.0
    for loop in statement.loops:
        extent = number_at(extreme(loop.high - loop.low, statement.loops, greatest=True), scop.values)
        count *= inf if extent is None else max(extent, 0)
    return count


def _check_written(scop: Scop, file: SourceFile) -> None:
    written = [scop.variables[one.target.array] for one in scop.statements]
    if not any((one.dims or one.state) and not one.local for one in written):
        message = "the function writes no array that it was handed"
        raise error("nothing-written", message, hint="make an array a parameter of the function", file=file.name)
    most = _MOST_TRIED if scop.has_registers else _MOST_STATEMENTS
    if len(scop.statements) > most:
        message = f"the scop has {len(scop.statements)} statements; {most} are the most"
        raise error("scop-too-large", message, hint="import it in parts", file=file.name)


def _check_inside(scop: Scop) -> None:
    """Refuse an element outside its array, at the sizes that are given."""
    program = program_of(scop.statements, scop.consts, scop.variables)
    sizes = [f"{name} = {value}" for name, value in scop.values.items() if isinstance(value, int)]
    for statement in scop.statements:
        for access in (statement.target, *statement.reads):
            where = [isl_condition(one) for one in guards_of(statement, access)]
            dims = scop.variables[access.array].dims
            for place, (form, dim) in enumerate(zip(access.subscripts, dims, strict=True)):
                exact = without_data(form)
                if exact is None:
                    continue
                point = program.outside(f"S{statement.number}", isl_text(exact), isl_text(dim), sizes, where)
                if point is not None:
                    raise _outside(access, place, dim, point)


def _outside(access: ElementAccess, place: int, dim: Form, point: Mapping[str, int]) -> Exception:
    where = ", ".join(f"{name} = {value}" for name, value in point.items()) or "always"
    message = f"subscript {place + 1} of '{access.array}' leaves 0..{form_text(dim)} (at {where})"
    hint = "change the bounds of its loops, or guard it with an if"
    if place:
        hint += "; an array whose pointers go through several rows at once is declared with one dimension"
    return error("outside-array", message, access.span, hint=hint)
