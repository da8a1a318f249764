"""`arrayol import`: the loop nests of a C file as a specification."""

from __future__ import annotations

from pathlib import Path

import click

from arrayol import api
from arrayol.cli.options import PLACE, set_option, warn
from arrayol.files import atomic_file, writing

_EPILOG = """\b
Examples:
  arrayol import gemm.c > gemm.aol
  arrayol import jacobi.c --set N=64 --out jacobi.aol"""


@click.command(epilog=_EPILOG)
@click.argument("source", metavar="FILE", type=PLACE)
@click.option("--out", metavar="FILE", type=PLACE, help="Write the specification to this file, not to stdout.")
@set_option
def command(source: Path, out: Path | None, settings: dict[str, str]) -> None:
    """Turn the loops between `#pragma scop` and `#pragma endscop` of a C file into a specification.

    It computes the same to the last bit. Loops that pass no values between their iterations become repetitions, values
    that go a constant distance become delays. Everything else stays a body with loops, and stderr says so. Bounds and
    subscripts must be affine; otherwise the message names the line and the reason.
    """
    imported = api.import_c(source, settings)
    for remark in imported.remarks():
        warn(remark)
    if out is None:
        click.echo(imported.text, nl=False)
        return
    with atomic_file(out) as temporary, writing(out):
        temporary.write_text(imported.text, encoding="utf-8", newline="\n")
    click.echo(f"wrote {out}", err=True)
