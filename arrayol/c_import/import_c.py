"""From a C file to a specification: read, put into stages, written, checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from arrayol.c_import.emit import Writer
from arrayol.c_import.forms import form_text
from arrayol.c_import.model import Access, Form, Scop
from arrayol.c_import.plans import Stage, program_of
from arrayol.c_import.reader import read_scop
from arrayol.c_import.stages import stages_of
from arrayol.checks.check import sound
from arrayol.errors import ArrayolError, Diagnostic, Severity, error
from arrayol.ir.spec import Spec
from arrayol.language.loader import load_source
from arrayol.language.namespace import read_source
from arrayol.language.parser import parse
from arrayol.language.printer import print_file
from arrayol.polyhedral.isl import TooHardError, bounded_effort
from arrayol.source import SourceFile

_EFFORT = 30_000_000  # of isl's operations: some seconds; each of PolyBench's kernels takes below a million
_MOST_STATEMENTS = 200
_MOST_LOOPS = 20  # around a statement


@dataclass(frozen=True)
class Imported:
    """The text of a specification, what it means, and the stages that it was made of."""

    text: str
    spec: Spec
    stages: tuple[Stage, ...]

    def remarks(self) -> Iterator[Diagnostic]:
        """What stays in one body with its loops, so that nothing of it is a repetition."""
        for stage in _bodies(self.stages):
            loops = [one for one in stage.statements if one.loops]
            if not loops:
                continue
            message = "these loops stay the body of one elementary task"
            names = ", ".join(f"'{name}'" for name in stage.written)
            hint = f"what they write of {names} is read again in other iterations, at no constant distance"
            yield Diagnostic("one-body", message, loops[0].loops[0].span, hint, Severity.WARNING)


def _bodies(stages: tuple[Stage, ...]) -> Iterator[Stage]:
    for stage in stages:
        yield from _bodies(stage.steps)
        if stage.is_body:
            yield stage


def import_file(path: Path, settings: Mapping[str, str] | None = None) -> Imported:
    """The specification of the scop in a C file. Raises ArrayolError where it has none that computes the same."""
    return import_source(read_source(path), settings or {})


def import_source(file: SourceFile, settings: Mapping[str, str]) -> Imported:
    """The same of a text."""
    try:
        scop = read_scop(file, settings)
    except RecursionError:
        hint = "name parts of long expressions by scalars of their own"
        raise error("c-syntax", "the C of this file nests too deeply", hint=hint, file=file.name) from None
    _check_written(scop, file)
    try:
        with bounded_effort(_EFFORT):
            _check_inside(scop)
            stages = tuple(stages_of(scop))
    except TooHardError:
        hint = "import it in parts"
        raise error("scop-too-large", "the dependences of this scop are too many", hint=hint, file=file.name) from None
    draft = Writer(scop, Path(file.name).name).text(stages)
    parsed = parse(SourceFile(f"{Path(file.name).stem}.aol", draft))
    if parsed.diagnostics:
        raise ArrayolError(parsed.diagnostics)
    text = print_file(parsed)
    loaded = sound(load_source(SourceFile(f"{Path(file.name).stem}.aol", text)))
    return Imported(text, loaded.spec, stages)


def _check_written(scop: Scop, file: SourceFile) -> None:
    written = [scop.variables[one.target.array] for one in scop.statements]
    if not any(one.dims and not one.local for one in written):
        message = "the scop writes no array that its function was handed"
        raise error("nothing-written", message, hint="make an array a parameter of the function", file=file.name)
    if len(scop.statements) > _MOST_STATEMENTS:
        message = f"the scop has {len(scop.statements)} statements; {_MOST_STATEMENTS} are the most"
        raise error("scop-too-large", message, hint="import it in parts", file=file.name)
    deepest = max(scop.statements, key=lambda one: len(one.loops))
    if len(deepest.loops) > _MOST_LOOPS:
        message = f"a statement stands in {len(deepest.loops)} loops; {_MOST_LOOPS} are the most"
        raise error("scop-too-large", message, deepest.loops[_MOST_LOOPS].span, hint="make fewer loops of them")


def _check_inside(scop: Scop) -> None:
    """Refuse an element outside its array, at the sizes that are given."""
    program = program_of(scop.statements, scop.consts)
    sizes = [f"{name} = {value}" for name, value in scop.values.items() if isinstance(value, int)]
    for statement in scop.statements:
        for access in (statement.target, *statement.reads):
            dims = scop.variables[access.array].dims
            for place, (form, dim) in enumerate(zip(access.subscripts, dims, strict=True)):
                point = program.outside(f"S{statement.number}", form_text(form), form_text(dim), sizes)
                if point is not None:
                    raise _outside(access, place, dim, point)


def _outside(access: Access, place: int, dim: Form, point: Mapping[str, int]) -> Exception:
    where = ", ".join(f"{name} = {value}" for name, value in point.items()) or "always"
    message = f"subscript {place + 1} of '{access.array}' leaves 0..{form_text(dim)} (at {where})"
    return error("outside-array", message, access.span, hint="change the bounds of its loops, or guard it with an if")
