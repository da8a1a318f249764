"""`arrayol export`: the same specification as JSON, or as text."""

from __future__ import annotations

from pathlib import Path

import click

from arrayol import api
from arrayol.cli.options import PLACE, spec_argument
from arrayol.files import atomic_file

JSON, TEXT = "json", "text"


@click.command()
@spec_argument
@click.option(
    "--to",
    "form",
    type=click.Choice([JSON, TEXT]),
    default=JSON,
    show_default=True,
    help="json: the model, for other programs; text: the language, as `arrayol fmt` writes it.",
)
@click.option("--out", type=PLACE, help="Write to this file instead of stdout.")
def command(spec: Path, form: str, out: Path | None) -> None:
    """Write the model of FILE as JSON, which every command takes in the place of text; or JSON as text.

    FILE may be either. Only its form has to be right, as for `arrayol fmt`. Consts, parameters, imports and files of
    const arrays stay as they are written, their paths from the folder of FILE; comments go. `arrayol schema
    specification` writes the JSON Schema: docs/schemas.md.
    """
    model = api.model_of(spec)
    text = api.spec_json(model) if form == JSON else api.spec_text(model)
    if out is None:
        click.echo(text, nl=False)
        return
    with atomic_file(out) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
    click.echo(f"wrote {out}")
