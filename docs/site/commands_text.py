"""The reference of the command line, from the commands themselves."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

from arrayol.cli.command_table import cli

PAGES = {  # the page that explains a command; `completion` says all in its help
    "check": "language.md#a-first-specification",
    "fmt": "language.md#canonical-text",
    "export": "language.md#the-same-as-json",
    "import": "import.md",
    "lsp": "editors.md",
    "show": "language.md#tilers",
    "run": "run.md",
    "transform": "transformations.md",
    "cost": "cost.md",
    "explore": "explore.md",
    "simulate": "report.md#one-design-simulated",
    "emit": "hardware.md",
    "synth": "hardware.md#synthesis",
    "calibrate": "technologies.md#what-steers-a-design",
    "layout": "layout.md",
    "transfers": "transfers.md",
    "report": "report.md",
    "compare": "report.md#comparing-two-results",
    "schema": "schemas.md",
    "example": "examples.md",
}
LITERAL_BAR = r"\|"  # a bar alone ends a cell of a table


def commands_text() -> str:
    """A section for each command in the order of the help: usage, what it does, options, and the page about it."""
    root = click.Context(cli, info_name="arrayol")
    return "\n".join(
        line for name in cli.list_commands(root) for line in _section(name, _command(cli, root, name), root)
    )


def _command(group: click.Group, context: click.Context, name: str) -> click.Command:
    command = group.get_command(context, name)
    assert command, name
    return command


def _section(name: str, command: click.Command, parent: click.Context, level: int = 2) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent)
    yield from ["", f"{'#' * level} {context.command_path}", ""]
    yield from ["```text", f"{context.command_path} {' '.join(command.collect_usage_pieces(context))}", "```", ""]
    yield _prose(command.help)
    yield from _options(command, context)
    yield _prose(command.epilog)
    if level == 2 and name in PAGES:
        yield from ["", f"More: []({PAGES[name]})"]
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            yield from _section(inner, _command(command, context, inner), context, level + 1)


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    options = [parameter for parameter in command.get_params(context) if isinstance(parameter, click.Option)]
    yield from ["", "| option | meaning |", "|---|---|"]
    for names, meaning in filter(None, (option.get_help_record(context) for option in options)):
        yield f"| `{names.replace('|', LITERAL_BAR)}` | {_escaped(meaning)} |"


def _prose(text: str | None) -> str:
    """Paragraphs of a help text; those that click leaves as they are become blocks."""
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(text or "").replace("\f", ""))
    return "\n\n".join(_block(text) if text.startswith("\b") else _escaped(text) for text in paragraphs)


def _block(paragraph: str) -> str:
    return "```text\n" + paragraph.removeprefix("\b").strip("\n") + "\n```"


def _escaped(text: str) -> str:
    return re.sub(r"([|<>*\[\]_])", r"\\\1", text)
