"""`arrayol check`: every mistake of a specification at once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from arrayol.checks.check import check
from arrayol.checks.top import choose_top, idle_settings
from arrayol.cli.completion import task_names
from arrayol.cli.options import json_option, set_option, spec_argument
from arrayol.errors import Diagnostic, Severity, document_of, render
from arrayol.ir.spec import Spec
from arrayol.text import counted


@click.command()
@spec_argument
@click.option(
    "--top", metavar="NAME", shell_complete=task_names, help="Count only what this task is made of; it must exist."
)
@set_option
@json_option
@click.pass_context
def command(ctx: click.Context, spec: Path, top: str | None, settings: dict[str, str], *, as_json: bool) -> None:
    """Check FILE exactly and report every mistake at once.

    Exit code 0 if there is no error (there may be warnings), else 1.
    """
    checked = check(spec, settings)
    task = choose_top(checked.spec, top) if checked.ok and top is not None else None
    diagnostics = (*checked.diagnostics, *(idle_settings(checked.spec, task) if checked.ok else ()))
    if as_json:
        click.echo(json.dumps(document_of(diagnostics), indent=2))
    else:
        verdict = [_sound(checked.spec, task)] if checked.ok else []
        click.echo("\n\n".join([*map(render, diagnostics), f"{spec}: {', '.join([*verdict, *_counts(diagnostics)])}"]))
    ctx.exit(0 if checked.ok else 1)


def _sound(spec: Spec, task: str | None) -> str:
    """How much is fine: the specification, or what a task of it is made of."""
    parts = spec.components.keys() if task is None else spec.made_of(task)
    tasks, elementaries = len(parts & spec.tasks.keys()), len(parts & spec.elementaries.keys())
    fine = "fine" if task is None else f"'{task}' is fine"
    return f"{fine}: {counted(tasks, 'task')}, {counted(elementaries, 'elementary task')}"


def _counts(diagnostics: Sequence[Diagnostic]) -> list[str]:
    severities = [diagnostic.severity for diagnostic in diagnostics]
    return [counted(severities.count(kind), kind.value) for kind in Severity if kind in severities]
