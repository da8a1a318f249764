"""`arrayol transform`: steps that keep the meaning; the new specification goes to stdout.

Where old repetitions went is printed to stderr as expressions of the new indices. A trace holds the map from new to old
as steps, each a matrix with quotients and remainders; sums of multiples of indices are carried through them, and a pair
`b * (x // b) + x % b` becomes x again, so that what people read is as plain as the step was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import click

from arrayol import api
from arrayol.checks.check import load_checked
from arrayol.cli.options import PLACE, folders, set_option, spec_argument, warn, warn_of_idle
from arrayol.cli.picking import design_of, design_options
from arrayol.errors import ArrayolError
from arrayol.files import atomic_file, write_next_to, writing
from arrayol.ir.affine import Affine
from arrayol.ir.spec import RepetitiveTask, Shape, Spec
from arrayol.language.emitter import data_files
from arrayol.transforms.kept_consts import KeptText, text_with_consts
from arrayol.transforms.steps import Step, StepTextError, parse_step, run_steps
from arrayol.transforms.trace import IndexMap, IndexSplit, MatrixMap, Trace, Transformed
from dse.results.pick import Rule


def moved(result: Transformed) -> tuple[str, ...]:
    """A line for each task and array that is not where it was, in the order of the old specification.

    `hflr[i0, 4 * i1 + i3] is now hflr_vftd[i0, i1] > hflr_block[i2, i3]` says which old repetition of `hflr` is done in
    the repetition (i0, i1) of `hflr_vftd`, by the repetition (i2, i3) of the `hflr_block` inside it.
    """
    return (*_tasks(result), *_arrays(result.trace))


def _tasks(result: Transformed) -> Iterator[str]:
    for name, maps in result.trace.tasks.items():
        if not maps:
            yield f"{name}: nothing needs its repetitions any more"
        for index_map in maps:
            old, new = f"{name}{old_index(index_map)}", new_index(index_map, result.spec)
            if old != new:
                yield f"{old} is now {new}"


def _arrays(trace: Trace) -> Iterator[str]:
    for (task, array), places in trace.arrays.items():
        if task in trace.tasks or (task, array) in places:
            continue  # the ports of a repetitive task go with its repetitions
        there = ", ".join(f"{new} of {around}" for around, new in places)
        yield f"{array} of {task} {f'now lies in {there}' if there else 'is kept nowhere any more'}"


def new_index(index_map: IndexMap, spec: Spec) -> str:
    """The repetitions of the new specification around the work: `outer[i0, i1] > inner[i2]`."""
    names = iter(_names(index_map.extents))
    levels = ((task, spec.components[task]) for task in index_map.path)
    return " > ".join(
        f"{task}[{', '.join(islice(names, len(component.repetition)))}]"
        for task, component in levels
        if isinstance(component, RepetitiveTask)
    )


def old_index(index_map: IndexMap) -> str:
    """The old repetition that a new one does, as expressions of the new indices: `[i0, 4 * i1 + i3]`."""
    return f"[{', '.join(map(str, _mapped(index_map, [_Sum(((name, 1),)) for name in _names(index_map.extents)])))}]"


def _names(extents: Shape) -> list[str]:
    return [f"i{place}" for place in range(len(extents))]


@dataclass(frozen=True, slots=True)
class _Rounded:
    """The quotient `//` or the remainder `%` of a sum by a number."""

    value: _Sum
    sign: str
    by: int

    def __str__(self) -> str:
        return f"({self.inner})"

    @property
    def inner(self) -> str:
        """The text without parentheses around it."""
        text = str(self.value)
        return f"{text if text.isidentifier() else f'({text})'} {self.sign} {self.by}"


@dataclass(frozen=True, slots=True)
class _Sum(Affine[str | _Rounded]):
    """A sum of multiples of indices and of rounded sums."""

    def __str__(self) -> str:
        if len(self.terms) == 1 and not self.constant and self.terms[0][1] == 1:
            only = self.terms[0][0]
            return only.inner if isinstance(only, _Rounded) else only
        parts = [(str(part) if abs(factor) == 1 else f"{abs(factor)} * {part}", factor) for part, factor in self.terms]
        parts += [(str(abs(self.constant)), self.constant)] if self.constant or not parts else []
        parts.sort(key=lambda part: part[1] < 0)
        text = "".join(f" {'+' if factor >= 0 else '-'} {part}" for part, factor in parts)
        return text[3:] if text.startswith(" + ") else f"-{text[3:]}"


def _mapped(index_map: IndexMap, index: Sequence[_Sum]) -> list[_Sum]:
    current = list(index)
    for step in index_map.steps:
        if isinstance(step, IndexSplit):
            current = [entry for part in step.parts for entry in _mapped(part.map, current[part.begin : part.end])]
        else:
            current = _affine(step, current)
    return current


def _affine(step: MatrixMap, index: Sequence[_Sum]) -> list[_Sum]:
    rows = zip(step.origin, step.matrix, step.divisor, step.modulus, strict=True)
    return [
        _rounded(_rounded(_combined(origin, row, index), "//", None if divisor == 1 else divisor), "%", modulus)
        for origin, row, divisor, modulus in rows
    ]


def _rounded(value: _Sum, sign: str, by: int | None) -> _Sum:
    return value if by is None else _Sum(((_Rounded(value, sign, by), 1),))


def _combined(origin: int, row: Sequence[int], index: Sequence[_Sum]) -> _Sum:
    """The sum of multiples of sums; `b * (x // b) + x % b` is x again."""
    total = _Sum(constant=origin)
    for factor, entry in zip(row, index, strict=True):
        total += entry.scaled(factor)
    for part, own in total.terms:
        if isinstance(part, _Rounded) and part.sign == "//":
            rest = _Rounded(part.value, "%", part.by)
            factor = total.factor(rest)
            if factor and own == factor * part.by:
                return _combined(0, (1, factor), (total.without(part).without(rest), part.value))
    return total


_EPILOG = """\b
STEP is one argument, in quotes:
  "fuse PRODUCER CONSUMER [BLOCK]"
                   one repetition computes a block of both; BLOCK counts the
                   consumer's repetitions in it
  "pave TASK FACTORS"
                   one repetition does FACTORS old ones
  "tile TASK SIZES"
                   the repetition is split: blocks of SIZES, and those inside
  "collapse TASK"  the inverse of tile; also brings a repeated composition of
                   repetitions into canonical form
  "split TASK RANGE N"
                   a sum over RANGE in the elementary becomes a dimension of
                   the repetition, N iterations at a time
  "serial TASK RESULT"
                   a copy behind TASK writes RESULT element by element
  "again PRODUCER CONSUMER"
                   the consumer computes for itself what it reads of the
                   producer
  "inline TASK"    the calls of compound tasks below TASK give way to the calls
                   in them

BLOCK, FACTORS and SIZES are one whole number for each dimension of the
repetition, as in 4,12, and divide it. A task that is called more than once is
named TASK@RESULT, after a result of the call that is meant.

\b
Examples:
  arrayol transform lpsf.aol "fuse hflr vftd" > fused.aol
  arrayol transform lpsf.aol "tile hflr 4,12" "pave vftd 1,2" > tiled.aol
  arrayol transform matmul.aol "split product k 32" > split.aol
  arrayol transform lpsf.aol --result lpsf-explore --design 2+2:1
  arrayol transform lpsf.aol --result lpsf-explore --pick knee"""


def _steps(ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]) -> list[Step]:
    """The steps that the arguments mean. Raises BadParameter for one that no step is written like."""
    try:
        return [parse_step(text) for text in texts]
    except StepTextError as wrong:
        quotes = " Each step is one argument, in quotes." if any(len(text.split()) == 1 for text in texts) else ""
        raise click.BadParameter(f"{wrong}{quotes}", ctx, param) from None


@click.command(epilog=_EPILOG)
@spec_argument
@click.argument("steps", metavar="STEP...", nargs=-1, callback=_steps)
@click.option(
    "--result",
    metavar="DIR",
    type=PLACE,
    shell_complete=folders,
    help="Take the steps of a design in this folder, which `arrayol explore` wrote. Consts come from it.",
)
@design_options
@click.option(
    "--out",
    metavar="FILE",
    type=PLACE,
    help="Write the specification to this file instead of stdout, and files of const arrays into its folder.",
)
@set_option
def command(
    spec: Path,
    steps: Sequence[Step],
    result: Path | None,
    design: str | None,
    rule: Rule | None,
    out: Path | None,
    settings: dict[str, str],
) -> None:
    """Transform the specification in FILE, and print one that computes the same arrays, to the last bit.

    The STEPs are applied in turn. With --result and --design or --pick, they are the steps of that design. The new
    specification is self-contained: imports are inlined. It keeps its consts, so --set works on it too, unless a step
    depends on their numbers. stderr shows remarks, and how each old task, repetition and array maps to the new
    specification. A step that would change the results is refused with the reason; then nothing is printed.
    """
    loaded = load_checked(spec, settings)
    is_named = design is not None or rule is not None
    if result is not None and is_named and not steps:
        loaded, steps = api.design_steps(loaded, result, design_of(result, design, rule), warn=warn)
        transformed = run_steps(loaded, steps)
    elif result is not None or is_named or not steps:
        raise click.UsageError("Give steps, or with --result and --design or --pick the design that has them.")
    else:
        warn_of_idle(loaded)
        transformed = _transformed(loaded, steps)
    kept, files = text_with_consts(loaded, steps, transformed.spec), data_files(transformed.spec)
    for line in (*transformed.remarks, *_applied(loaded, kept), *moved(transformed)):
        click.echo(line, err=True)
    if out is None:
        click.echo(kept.text, nl=False)
        return
    write_next_to(out, files)
    with atomic_file(out) as temporary, writing(out):
        temporary.write_text(kept.text, encoding="utf-8", newline="\n")
    click.echo(f"wrote {out}", err=True)


def _applied(spec: Spec, kept: KeptText) -> Iterator[str]:
    """Which consts the text has no more."""
    values = [f"{const} = {spec.constants[const]}" for const in kept.applied]
    if values:
        yield f"applied: {', '.join(values)}; with other values the steps make something else than other numbers"


def _transformed(spec: Spec, steps: Sequence[Step]) -> Transformed:
    """All steps; of several, the one that is refused is named."""
    try:
        return run_steps(spec, steps)
    except ArrayolError:
        if len(steps) > 1:
            place = next(count for count in range(1, len(steps) + 1) if _refused(spec, steps[:count]))
            click.echo(f"step {place} of {len(steps)}, '{steps[place - 1]}', is refused:", err=True)
        raise


def _refused(spec: Spec, steps: Sequence[Step]) -> bool:
    try:
        run_steps(spec, steps)
    except ArrayolError:
        return True
    return False
