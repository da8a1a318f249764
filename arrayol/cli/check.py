"""`arrayol check`: every mistake of a specification at once."""

from __future__ import annotations

import json
from pathlib import Path

import click

from arrayol.checks.check import Checked, check
from arrayol.cli.options import json_option, set_option, spec_argument
from arrayol.errors import Severity, document_of, render
from arrayol.text import counted


@click.command()
@spec_argument
@set_option
@json_option
@click.pass_context
def command(context: click.Context, spec: Path, settings: dict[str, str], as_json: bool) -> None:
    """Check FILE exactly and report every mistake at once.

    Exit code 0 where there is no error (warnings may be there), 1 where there is one.
    """
    checked = check(spec, settings)
    if as_json:
        click.echo(json.dumps(document_of(checked.diagnostics), indent=2))
    else:
        click.echo(_report(spec, checked))
    context.exit(0 if checked.ok else 1)


def _report(file: Path, checked: Checked) -> str:
    severities = [diagnostic.severity for diagnostic in checked.diagnostics]
    mistakes = [counted(severities.count(kind), kind.value) for kind in Severity if kind in severities]
    tasks, elementaries = len(checked.spec.tasks), len(checked.spec.elementaries)
    sound = [f"fine: {counted(tasks, 'task')}", counted(elementaries, "elementary task")] if checked.ok else []
    return "\n\n".join([*map(render, checked.diagnostics), f"{file}: {', '.join([*sound, *mistakes])}"])
