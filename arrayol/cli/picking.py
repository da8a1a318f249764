"""How commands take a design of a result: by its name or by a rule; and whom a wrong figure in a rule is blamed on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from arrayol.cli.options import choice_of, warn
from arrayol.errors import ArrayolError, Diagnostic
from dse.output.folder import load_result
from dse.results.pick import FASTEST, KNEE, Rule, parse_rule, pick
from dse.space.objectives import WrongObjectiveError
from dse.space.study import NUMBERS


def _rule(ctx: click.Context, param: click.Parameter, text: str | None) -> Rule | None:
    """The rule of a text. Raises BadParameter for another form."""
    if text is None:
        return None
    try:
        return parse_rule(text)
    except ValueError:
        form = (
            f"'{text}' is neither '{KNEE}', '{FASTEST}' nor a bound as \"internal_memory_bits <= 1e6\"; join several "
        )
        form += f"by commas. A number is {NUMBERS}."
        raise click.BadParameter(form, ctx, param) from None


pick_option = click.option(
    "--pick",
    "rule",
    metavar="RULE",
    callback=_rule,
    shell_complete=choice_of([KNEE, FASTEST]),
    help='Pick one design: "knee", an end of the front as "fastest" or "least memory", or the fastest within bounds: '
    '"internal_memory_bits <= 1e6".',
)


def design_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The two options by which a command takes one design of a stored result, see `design_of`."""
    named = click.option(
        "--design", metavar="ID", help="The design, by its name in the result, such as 2+2:1. Or use --pick."
    )
    return named(pick_option(function))


def design_of(result: Path, design: str | None, rule: Rule | None) -> str:
    """The name of the design that one of the two options takes of the result in a folder.

    Mistakes of the result are reported when the design is opened. Raises UsageError where both options are given, or
    none, and ArrayolError and InfeasibleError as `load_result` and `pick` do.
    """
    require_one_design(design, rule)
    return design if design is not None else picked_of(result, rule)


def require_one_design(design: str | None, rule: Rule | None) -> None:
    """Raises UsageError where a design is named in both ways, or in none."""
    if (design is None) == (rule is None):
        raise click.UsageError("Take either '--design' or '--pick'.")


def picked_of(result: Path, rule: Rule | None) -> str:
    """The name of the design that a rule picks of the result in a folder; stderr says why that one.

    Mistakes of the result are reported where no design is picked, else when the design is opened.
    """
    assert rule is not None, "the command takes a rule where no design is named"
    warnings: list[Diagnostic] = []
    stored = load_result(result, warnings.append)
    try:
        with blamed_on("--pick"):
            picked = pick(stored, rule)
    except (ArrayolError, click.UsageError):
        for warning in warnings:
            warn(warning)
        raise
    click.echo(f"picked {picked.design.id}: {picked.why}", err=True)
    return picked.design.id


@contextmanager
def blamed_on(option: str) -> Iterator[None]:
    """An objective that is not there, named on the command line, is wrong usage of an option."""
    try:
        yield
    except WrongObjectiveError as wrong:
        (mistake,) = wrong.diagnostics
        raise click.BadParameter(f"{mistake.message}; {mistake.hint}", param_hint=f"'{option}'") from None
