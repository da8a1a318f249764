"""`arrayol explore`: map a specification on hardware and show the Pareto front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from arrayol import api
from arrayol.cli.options import json_option, set_option, spec_argument, top_option
from arrayol.cli.progress import progress
from arrayol.cli.tables import show
from dse.explore import MODELS
from dse.objectives import DEFAULT, PUBLISHED, WrongObjectiveError, chosen
from dse.store import SPECS, require_writable

SPECS_NAMED = 3  # more specifications are only counted


def _objectives(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    """A,B as known names. Raises BadParameter, as a wrong objective is wrong usage."""
    names = tuple(name.strip() for name in value.split(",")) if value.strip() else ()
    try:
        chosen(names)
    except WrongObjectiveError as wrong:
        (found,) = wrong.diagnostics
        raise click.BadParameter(f"{found.message}; {found.hint}", ctx, param) from None
    return names


@click.command()
@spec_argument
@click.option(
    "--platform",
    metavar="P",
    type=click.Path(path_type=Path),
    help="The platform, a TOML file. Else the one beside FILE with its name, else the shipped default.",
)
@click.option(
    "--model", type=click.Choice(list(MODELS)), default="published", show_default=True, help="How designs are priced."
)
@click.option(
    "--objectives",
    metavar="A,B",
    default=",".join(DEFAULT),
    show_default=True,
    callback=_objectives,
    help=f"What to minimise, of {', '.join(PUBLISHED)} (with a clock).",
)
@click.option(
    "--out", metavar="DIR", type=click.Path(path_type=Path), help="The folder for the result.  [default: STEM-explore]"
)
@click.option("--all", "keep_all", is_flag=True, help="Store every feasible design, not only the front.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
@top_option
@set_option
@json_option
def command(  # noqa: PLR0913  one for each option
    *,
    spec: Path,
    platform: Path | None,
    model: str,
    objectives: tuple[str, ...],
    out: Path | None,
    keep_all: bool,
    quiet: bool,
    top: str | None,
    settings: Mapping[str, str],
    as_json: bool,
) -> None:
    """Explore the fusions of the tasks in FILE on a platform, and show and store the Pareto front.

    A design is a fusion: a partition of the tasks in groups that keep the arrays between their tasks on the chip. It
    is named by the number of tasks of its groups, as 2+2.

    DIR receives result.json, designs.csv, pareto.png, pareto.svg and for each design of the front specs/DESIGN.aol, the
    specification that its steps make; all of them or none. A former result there is
    replaced, any other folder that is not empty is refused.
    """
    folder = out if out is not None else Path(f"{spec.stem}-explore")
    loaded = api.load(spec, settings)
    require_writable(folder)
    with progress(quiet=quiet) as report:
        found = api.explore(
            loaded, platform, top=top, model=model, objectives=objectives, keep_all=keep_all, report=report
        )
        files = api.write_result(found, folder)
    if as_json:
        click.echo(found.result.to_json(), nl=False)
        return
    show(found.result, f"{folder}: {', '.join(_written(folder, files))}")


def _written(folder: Path, files: Sequence[Path]) -> list[str]:
    """The names of the files in a result folder; many specifications are counted."""
    names = [file.name for file in files if file.parent == folder]
    specs = [f"{file.parent.name}/{file.name}" for file in files if file.parent != folder]
    return names + (specs if len(specs) <= SPECS_NAMED else [f"{len(specs)} specifications in {SPECS}"])
