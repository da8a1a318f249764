"""`arrayol check`: every mistake of specifications at once."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from arrayol.checks.check import Checked, check, check_source
from arrayol.checks.top import choose_top, idle_settings
from arrayol.cli.options import json_option, set_option, task_names
from arrayol.cli.sarif import sarif_log
from arrayol.cli.several_files import (
    STANDARD_INPUT,
    STANDARD_INPUT_NAME,
    read_standard_input,
    specs_argument,
    wants_colour,
)
from arrayol.errors import ArrayolError, Diagnostic, Severity, document_of, render
from arrayol.ir.spec import Spec
from arrayol.language.namespace import source_of
from arrayol.text import counted

TEXT, SARIF = "text", "sarif"


@click.command()
@specs_argument
@click.option(
    "--top",
    metavar="NAME",
    shell_complete=task_names,
    help="Check that this task exists, and count only what it consists of.",
)
@set_option
@click.option(
    "--format",
    "form",
    type=click.Choice([TEXT, SARIF]),
    default=TEXT,
    show_default=True,
    help="sarif: print a log in SARIF 2.1.0, which GitHub's code scanning and other tools read.",
)
@json_option
@click.pass_context
def command(
    ctx: click.Context, specs: tuple[Path, ...], top: str | None, settings: dict[str, str], form: str, *, as_json: bool
) -> None:
    """Check each FILE exactly and report every mistake at once.

    FILE - is the standard input; it imports files from the current folder. Exit code 0 if there is no error (there
    may be warnings), else 1.
    """
    if as_json and form == SARIF:
        raise click.UsageError("--json and --format sarif exclude each other.", ctx)
    shows = not as_json and form == TEXT
    reports: list[_Report] = []
    for spec in specs:
        report = _report(spec, settings, top)
        if report.verdict is None:
            color = wants_colour(sys.stderr)
            told = "\n".join(render(diagnostic, coloured=color) for diagnostic in report.diagnostics)
            click.echo(told, err=True, color=color)
        elif shows:
            _show(report, after=[former for former in reports if former.verdict is not None])
        reports.append(report)
    if as_json:
        found = {tuple(each.to_json().values()): each for report in reports for each in report.diagnostics}
        click.echo(json.dumps(document_of(found.values()), indent=2))
    elif form == SARIF:
        click.echo(json.dumps(sarif_log(_distinct(reports)), indent=2))
    elif len(reports) > 1:
        _show_count(reports)
    ctx.exit(0 if all(report.ok for report in reports) else 1)


@dataclass(frozen=True, slots=True)
class _Report:
    """What was found in a file, and the line that ends it; no line where the file cannot be used at all."""

    name: str
    diagnostics: tuple[Diagnostic, ...]
    verdict: str | None

    @property
    def ok(self) -> bool:
        return all(diagnostic.severity is Severity.WARNING for diagnostic in self.diagnostics)


def _report(spec: Path, settings: Mapping[str, str], top: str | None) -> _Report:
    name = STANDARD_INPUT_NAME if spec == STANDARD_INPUT else str(spec)
    try:
        checked = _checked(spec, settings)
        task = choose_top(checked.spec, top) if checked.ok and top is not None else None
    except ArrayolError as refused:
        return _Report(name, refused.diagnostics, None)
    diagnostics = (*checked.diagnostics, *(idle_settings(checked.spec, task) if checked.ok else ()))
    verdict = [_sound(checked.spec, task)] if checked.ok else []
    return _Report(name, diagnostics, f"{name}: {', '.join([*verdict, *_counts(diagnostics)])}")


def _checked(spec: Path, settings: Mapping[str, str]) -> Checked:
    if spec == STANDARD_INPUT:
        return check_source(source_of(read_standard_input(), STANDARD_INPUT_NAME), settings)
    return check(spec, settings)


def _distinct(reports: Sequence[_Report]) -> list[tuple[str, Diagnostic]]:
    """Diagnostics with the names of their files; a mistake of a file that several import is there once."""
    found: dict[tuple[object, ...], tuple[str, Diagnostic]] = {}
    for report in reports:
        for diagnostic in report.diagnostics:
            found.setdefault(tuple(diagnostic.to_json().values()), (report.name, diagnostic))
    return list(found.values())


def _show(report: _Report, after: Sequence[_Report]) -> None:
    """Print the report of a file, with an empty line before and after reports of more than one line."""
    if after and (report.diagnostics or after[-1].diagnostics):
        click.echo()
    color = wants_colour(sys.stdout)
    told = [render(diagnostic, coloured=color) for diagnostic in report.diagnostics]
    click.echo("\n\n".join([*told, str(report.verdict)]), color=color)


def _show_count(reports: Sequence[_Report]) -> None:
    fine = sum(report.ok for report in reports)
    parts = [f"{count} {word}" for count, word in ((fine, "fine"), (len(reports) - fine, "wrong")) if count]
    click.echo(f"\n{counted(len(reports), 'file')}: {', '.join(parts)}")


def _sound(spec: Spec, task: str | None) -> str:
    """How much is fine: the specification, or what a task of it is made of."""
    parts = spec.components.keys() if task is None else spec.components_under(task)
    tasks, elementaries = len(parts & spec.tasks.keys()), len(parts & spec.elementaries.keys())
    fine = "fine" if task is None else f"'{task}' is fine"
    return f"{fine}: {counted(tasks, 'task')}, {counted(elementaries, 'elementary task')}"


def _counts(diagnostics: Sequence[Diagnostic]) -> list[str]:
    severities = [diagnostic.severity for diagnostic in diagnostics]
    return [counted(severities.count(kind), kind.value) for kind in Severity if kind in severities]
