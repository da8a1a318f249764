"""The option that picks one design of a front, and whom a wrong figure in it is blamed on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from arrayol.cli.completion import one_of
from dse.results.pick import KNEE, Rule, parse_rule
from dse.space.objectives import WrongObjectiveError
from dse.space.study import NUMBERS


def _rule(ctx: click.Context, param: click.Parameter, text: str | None) -> Rule | None:
    """The rule of a text. Raises BadParameter for another form."""
    if text is None:
        return None
    try:
        return parse_rule(text)
    except ValueError:
        form = f"'{text}' is neither '{KNEE}' nor a bound as \"internal_memory_bits <= 1e6\"; join several by commas."
        form += f" A number is {NUMBERS}."
        raise click.BadParameter(form, ctx, param) from None


pick_option = click.option(
    "--pick",
    "rule",
    metavar="RULE",
    callback=_rule,
    shell_complete=one_of([KNEE]),
    help='Pick one design: "knee", or the fastest within bounds, as "internal_memory_bits <= 1e6".',
)


@contextmanager
def blamed_on(option: str) -> Iterator[None]:
    """An objective that is not there, named on the command line, is wrong usage of an option."""
    try:
        yield
    except WrongObjectiveError as wrong:
        (mistake,) = wrong.diagnostics
        raise click.BadParameter(f"{mistake.message}; {mistake.hint}", param_hint=f"'{option}'") from None
