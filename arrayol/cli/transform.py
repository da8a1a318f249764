"""`arrayol transform`: steps that keep the meaning; the new specification goes to stdout."""

from __future__ import annotations

from pathlib import Path

import click

from arrayol.checks.pipeline import load_checked
from arrayol.cli.options import set_option, spec_argument
from arrayol.cli.trace_text import moved
from arrayol.errors import ArrayolError
from arrayol.ir.spec import Spec
from arrayol.language.emitter import spec_text
from arrayol.transforms.pipeline import Step, run_steps
from arrayol.transforms.steps import StepTextError, parse_step
from arrayol.transforms.trace import Transformed

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

BLOCK, FACTORS and SIZES are one whole number for each dimension of the
repetition, as in 4,12, and divide it. A task that is called more than once is
named TASK@RESULT, after a result of the call that is meant.

\b
Examples:
  arrayol transform lpsf.aol "fuse hflr vftd" > fused.aol
  arrayol transform lpsf.aol "tile hflr 4,12" "pave vftd 1,2" > tiled.aol"""


def _steps(ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]) -> list[Step]:
    """The steps that the arguments mean. Raises BadParameter for one that no step is written like."""
    try:
        return [parse_step(text) for text in texts]
    except StepTextError as wrong:
        raise click.BadParameter(str(wrong), ctx, param) from None


@click.command(epilog=_EPILOG)
@spec_argument
@click.argument("steps", metavar="STEP...", nargs=-1, required=True, callback=_steps)
@set_option
def command(spec: Path, steps: list[Step], settings: dict[str, str]) -> None:
    """Transform the specification in FILE, and print one that computes the same arrays, to the last bit.

    Each STEP is taken in turn. The result is self-contained: imports are inlined, consts applied. Remarks, and where
    tasks, their repetitions and arrays went, are told on stderr. A step that cannot keep the meaning is refused, with
    the reason; nothing is printed then.
    """
    result = _transformed(load_checked(spec, settings), steps)
    for line in (*result.remarks, *moved(result)):
        click.echo(line, err=True)
    click.echo(spec_text(result.spec), nl=False)


def _transformed(spec: Spec, steps: list[Step]) -> Transformed:
    """All steps; of several, the one that is refused is named."""
    try:
        return run_steps(spec, steps)
    except ArrayolError:
        if len(steps) > 1:
            place = next(count for count in range(1, len(steps) + 1) if _refused(spec, steps[:count]))
            click.echo(f"step {place} of {len(steps)}, '{steps[place - 1]}', is refused:", err=True)
        raise


def _refused(spec: Spec, steps: list[Step]) -> bool:
    try:
        run_steps(spec, steps)
    except ArrayolError:
        return True
    return False
