"""`arrayol fmt`: canonical text."""

from __future__ import annotations

from pathlib import Path

import click

from arrayol.cli.several_files import STANDARD_INPUT, STANDARD_INPUT_NAME, read_standard_input, specs_argument
from arrayol.errors import ArrayolError, error
from arrayol.files import atomic_file
from arrayol.language.namespace import is_json, read_source, source_of
from arrayol.language.syntax.parser import parse
from arrayol.language.syntax.printer import print_file
from arrayol.source import SourceFile


@click.command()
@specs_argument
@click.option("--check", "check_only", is_flag=True, help="Change nothing; exit with 1 if a file is not canonical.")
@click.pass_context
def command(ctx: click.Context, specs: tuple[Path, ...], *, check_only: bool) -> None:
    """Put each FILE into canonical form; comments and single blank lines stay.

    Only the syntax has to be right. A file with a syntax error stays as it is, and so does JSON. FILE - is the
    standard input, whose canonical form is printed.
    """
    if STANDARD_INPUT in specs and len(specs) > 1 and not check_only:
        raise click.UsageError("'-' stands alone, since its text is printed; or add --check.", ctx)
    fine = [_format(spec, check_only=check_only) for spec in specs]
    ctx.exit(0 if all(fine) else 1)


def _format(spec: Path, *, check_only: bool) -> bool:
    """Format one file, or only look at it; whether that went well. What is wrong is printed to stderr."""
    try:
        if spec == STANDARD_INPUT:
            return _format_standard_input(check_only=check_only)
        text = _canonical(read_source(spec))
        if text == spec.read_bytes():
            click.echo(f"{spec}: canonical")
        elif check_only:
            click.echo(f"{spec}: not canonical; `arrayol fmt {spec}` would change it")
            return False
        else:
            with atomic_file(spec) as temporary:
                temporary.write_bytes(text)
            click.echo(f"{spec}: rewritten")
    except ArrayolError as refused:
        click.echo(str(refused), err=True)
        return False
    return True


def _format_standard_input(*, check_only: bool) -> bool:
    data = read_standard_input()
    text = _canonical(source_of(data, STANDARD_INPUT_NAME))
    if not check_only:
        click.echo(text, nl=False)
        return True
    click.echo(f"{STANDARD_INPUT_NAME}: {'canonical' if text == data else 'not canonical'}")
    return text == data


def _canonical(source: SourceFile) -> bytes:
    """The canonical text of a file. Raises ArrayolError where the syntax is wrong, and for JSON."""
    if is_json(source):
        hint = f"`arrayol export {source.name} --to text` writes it as text, without --to as JSON in its usual form"
        raise error("not-text", "this is JSON, and only text of the language is formatted", hint=hint, file=source.name)
    parsed = parse(source)
    if parsed.diagnostics:
        raise ArrayolError(parsed.diagnostics)
    return print_file(parsed).encode("utf-8")
