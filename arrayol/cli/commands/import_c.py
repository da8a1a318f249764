"""`arrayol import`: a function of C as a specification."""

from __future__ import annotations

import re
from pathlib import Path

import click

from arrayol import api
from arrayol.cli.options import PLACE, set_option, warn
from arrayol.files import atomic_file, writing

_EPILOG = """\b
Examples:
  arrayol import gemm.c > gemm.aol
  arrayol import jacobi.c --set N=64 --out jacobi.aol
  arrayol import filters.c --function blur --size x=480,640 --cc 'gcc -Iinc'"""
_SIZE = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*([1-9]\d*(?:\s*,\s*[1-9]\d*)*)\s*")


def _sizes(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
    """NAME=480,640 pairs. Raises BadParameter for one that is malformed, and for a NAME given twice."""
    sizes: dict[str, tuple[int, ...]] = {}
    for text in values:
        found = _SIZE.fullmatch(text)
        if found is None:
            raise click.BadParameter(f"'{text}' is not NAME=EXTENTS, as in x=480,640.", ctx, param)
        if found[1] in sizes:
            raise click.BadParameter(f"'{found[1]}' is given twice.", ctx, param)
        sizes[found[1]] = tuple(map(int, found[2].split(",")))
    return sizes


@click.command(epilog=_EPILOG)
@click.argument("source", metavar="FILE", type=PLACE)
@click.option("--function", metavar="NAME", help="The function to import; needed if several are not called by others.")
@click.option(
    "--size",
    "sizes",
    metavar="NAME=EXTENTS",
    multiple=True,
    callback=_sizes,
    help="The extents of a pointer that is an array, such as x=480,640.  [default: what the loops reach] Repeatable.",
)
@click.option(
    "--cc",
    "compiler",
    metavar="COMMAND",
    help="The compiler whose preprocessor reads the file, with its options, as 'gcc -Iinc -DN=64'; else cc.",
)
@click.option("--out", metavar="FILE", type=PLACE, help="Write the specification to this file, not to stdout.")
@click.option(
    "--study",
    metavar="FILE",
    type=PLACE,
    help="Write what '#pragma HLS' asks for (pipeline, unroll, dataflow) to this file, a study for `arrayol explore`.",
)
@set_option
def command(
    source: Path,
    function: str | None,
    sizes: dict[str, tuple[int, ...]],
    compiler: str | None,
    out: Path | None,
    study: Path | None,
    settings: dict[str, str],
) -> None:
    """Turn a function of C into a specification that computes the same to the last bit.

    FILE is read by the compiler's preprocessor. The function is the one that --function names, else the one with
    `#pragma scop`, else the only one that no other calls. Loops that pass no values between their iterations become
    repetitions, values that go a constant distance become delays. Everything else stays a body with loops. stderr says
    what was made, and what was assumed. All that has no counterpart is named with its line and a remedy.
    """
    imported = api.import_c(source, settings, sizes=sizes, function=function, compiler=compiler)
    for remark in imported.remarks():
        warn(remark)
    for line in (*imported.summary(), *api.way_to_hardware(imported.spec)):
        click.echo(line, err=True)
    asked = api.study_of_pragmas(imported) if study is not None else None
    if out is None:
        click.echo(imported.text, nl=False)
    else:
        _write(out, imported.text)
    if study is not None and asked is not None:
        _write(study, asked)


def _write(path: Path, text: str) -> None:
    with atomic_file(path) as temporary, writing(path):
        temporary.write_text(text, encoding="utf-8", newline="\n")
    click.echo(f"wrote {path}", err=True)
