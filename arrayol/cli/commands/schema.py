"""`arrayol schema`: JSON Schemas of the files that arrayol reads."""

from __future__ import annotations

import json
from pathlib import Path

import click

from arrayol.api.schema import KINDS, SchemaKind, json_schema
from arrayol.cli.options import PLACE
from arrayol.files import atomic_file


@click.command()
@click.argument("kind", type=click.Choice(KINDS))
@click.option("--out", type=PLACE, help="Write to this file instead of stdout.")
def command(kind: SchemaKind, out: Path | None) -> None:
    """Write the JSON Schema (draft 2020-12) of a kind of file.

    A platform, a study or a technology is TOML, a result is the result.json of a folder, and a specification is what
    `arrayol export` writes. Editors complete and check files with it: docs/schemas.md.
    """
    text = json.dumps(json_schema(kind), indent=2) + "\n"
    if out is None:
        click.echo(text, nl=False)
        return
    with atomic_file(out) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
    click.echo(f"wrote {out}")
