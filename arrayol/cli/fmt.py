"""`arrayol fmt`: canonical text."""

from __future__ import annotations

from pathlib import Path

import click

from arrayol.cli.options import spec_argument
from arrayol.errors import ArrayolError
from arrayol.files import atomic_file
from arrayol.language.namespace import read_source
from arrayol.language.parser import parse
from arrayol.language.printer import print_file


@click.command()
@spec_argument
@click.option("--check", "check_only", is_flag=True, help="Change nothing; exit with 1 if the file is not canonical.")
@click.pass_context
def command(context: click.Context, spec: Path, *, check_only: bool) -> None:
    """Put FILE into canonical form; comments and single blank lines stay.

    Only the syntax has to be right. A file with a mistake of syntax is left alone.
    """
    source = read_source(spec)
    parsed = parse(source)
    if parsed.diagnostics:
        raise ArrayolError(parsed.diagnostics)
    text = print_file(parsed)
    if text == spec.read_bytes().decode("utf-8"):
        click.echo(f"{spec}: canonical")
    elif check_only:
        click.echo(f"{spec}: not canonical; `arrayol fmt {spec}` would change it")
        context.exit(1)
    else:
        with atomic_file(spec) as temporary:
            temporary.write_bytes(text.encode("utf-8"))
        click.echo(f"{spec}: rewritten")
