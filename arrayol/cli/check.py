"""`arrayol check`: every mistake of a specification at once."""

from __future__ import annotations

import json
from pathlib import Path

import click

from arrayol.checks.check import Checked, check
from arrayol.cli.options import json_option, set_option, spec_argument
from arrayol.errors import ArrayolError, Diagnostic, Severity, render
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
    try:
        checked = check(spec, settings)
    except ArrayolError as failure:
        if not as_json:
            raise
        _print_json(failure.diagnostics)
        context.exit(failure.exit_code)
    if as_json:
        _print_json(checked.diagnostics)
    else:
        click.echo(_report(spec, checked))
    context.exit(0 if checked.ok else 1)


def _print_json(diagnostics: tuple[Diagnostic, ...]) -> None:
    ok = all(diagnostic.severity is Severity.WARNING for diagnostic in diagnostics)
    click.echo(json.dumps({"ok": ok, "diagnostics": [each.to_json() for each in diagnostics]}, indent=2))


def _report(file: Path, checked: Checked) -> str:
    severities = [diagnostic.severity for diagnostic in checked.diagnostics]
    mistakes = [counted(severities.count(kind), kind.value) for kind in Severity if kind in severities]
    tasks, elementaries = len(checked.spec.tasks), len(checked.spec.elementaries)
    sound = [f"fine: {counted(tasks, 'task')}", counted(elementaries, "elementary task")] if checked.ok else []
    return "\n\n".join([*map(render, checked.diagnostics), f"{file}: {', '.join([*sound, *mistakes])}"])
