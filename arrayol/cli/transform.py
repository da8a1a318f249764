"""`arrayol transform`: steps that keep the meaning; the new specification goes to stdout."""

from __future__ import annotations

from pathlib import Path

import click

from arrayol.checks.pipeline import load_checked
from arrayol.cli.options import set_option, spec_argument
from arrayol.language.emitter import spec_text
from arrayol.transforms.pipeline import Step, run_steps
from arrayol.transforms.step_text import StepTextError, parse_step
from arrayol.transforms.trace_text import moved


def _steps(ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]) -> list[Step]:
    """The steps that the arguments mean. Raises BadParameter for one that no step is written like."""
    try:
        return [parse_step(text) for text in texts]
    except StepTextError as wrong:
        raise click.BadParameter(str(wrong), ctx, param) from None


@click.command()
@spec_argument
@click.argument("steps", metavar="STEP...", nargs=-1, required=True, callback=_steps)
@set_option
def command(spec: Path, steps: list[Step], settings: dict[str, str]) -> None:
    r"""Transform the specification in FILE by each STEP in turn and print the new one, which computes the same arrays.

    A STEP is one argument, in quotes:

    \b
    "fuse PRODUCER CONSUMER [BLOCK]"  one repetition for both; BLOCK: the consumer's
                                      repetitions in a block
    "pave TASK FACTORS"               one repetition does FACTORS old ones
    "tile TASK SIZES"                 the repetition split: blocks of SIZES, and inside
    "collapse TASK"                   the inverse of tile

    BLOCK, FACTORS and SIZES are one whole number for each dimension of the repetition, as in 4,12. A task that is
    called more than once is named TASK@RESULT, after a result of the call that is meant.

    The result is self-contained: imports are inlined and consts applied. Remarks, and where tasks and their repetitions
    went, are told on stderr. A step that cannot keep the meaning is refused, with the reason, and nothing is printed.
    """
    before = load_checked(spec, settings)
    result = run_steps(before, steps)
    for line in (*result.remarks, *moved(result)):
        click.echo(line, err=True)
    click.echo(spec_text(result.spec), nl=False)
