"""`arrayol example`: write a shipped specification and its platform into the current folder."""

from __future__ import annotations

from contextlib import ExitStack
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

import click
from click.shell_completion import CompletionItem

from arrayol.errors import ArrayolError, Diagnostic
from arrayol.files import atomic_file, holds, shipped_folder, writing
from arrayol.language.emitter import data_files
from arrayol.language.loader import load


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in _names() if name.startswith(incomplete)]


@click.command()
@click.argument("name", required=False, shell_complete=_complete)
@click.option("--force", is_flag=True, help="Overwrite files that are there.")
@click.pass_context
def command(ctx: click.Context, name: str | None, *, force: bool) -> None:
    """Write the shipped specification NAME, and its platform if it has one, into this folder.

    Without NAME, list what is shipped.
    """
    if name is None and force:
        raise click.UsageError("--force is for a NAME.", ctx)
    if name is None:
        click.echo(_listing())
        return
    if name.removesuffix(".aol") not in _names():
        _refuse_unknown(ctx, name)
    sources = _files_of(name.removesuffix(".aol"))
    if not force:
        _refuse_overwriting(sources)
    _write(sources)
    for source in sources:
        click.echo(f"wrote {_place_of(source)}")


def _names() -> list[str]:
    return sorted(path.stem for path in shipped_folder().glob("*.aol"))


def _files_of(name: str) -> list[Path]:
    """The specification, the platform beside it where there is one, and the files of its const arrays."""
    files = (shipped_folder() / f"{name}{suffix}" for suffix in (".aol", ".toml"))
    data = (shipped_folder() / file for file in data_files(load(shipped_folder() / f"{name}.aol").spec))
    return [*(path for path in files if path.is_file()), *data]


def _place_of(source: Path) -> Path:
    """Where a shipped file comes to lie, from this folder."""
    return source.relative_to(shipped_folder())


def _listing() -> str:
    """Every name with the first comment line of its specification."""
    width = max(map(len, _names()), default=0)
    lines = (f"{name:{width}}  {_first_comment(shipped_folder() / f'{name}.aol')}".rstrip() for name in _names())
    return "\n".join(lines)


def _first_comment(path: Path) -> str:
    lines = path.read_text(encoding="utf-8").splitlines()
    return next((line.lstrip("# ") for line in lines if line.startswith("#")), "")


def _refuse_unknown(ctx: click.Context, name: str) -> NoReturn:
    near = get_close_matches(name, _names(), n=1)
    guess = f"Did you mean '{near[0]}'? " if near else ""
    raise click.UsageError(f"There is no shipped specification '{name}'. {guess}There are {', '.join(_names())}.", ctx)


def _refuse_overwriting(sources: list[Path]) -> None:
    """Raises ArrayolError (`exists`), naming every file here that differs from what would be written."""
    different = [str(_place_of(source)) for source in sources if not _absent_or_equal(_place_of(source), source)]
    if different:
        raise ArrayolError(
            Diagnostic(
                "exists",
                "there is another file of this name here, and nothing was written",
                file=name,
                hint="--force overwrites it",
            )
            for name in different
        )


def _absent_or_equal(target: Path, source: Path) -> bool:
    return not target.exists() or holds(target, source.read_bytes())


def _write(sources: list[Path]) -> None:
    """All or nothing, up to the renames that end it."""
    with ExitStack() as stack:
        for source in sources:
            place = _place_of(source)
            with writing(place):
                place.parent.mkdir(parents=True, exist_ok=True)
            stack.enter_context(atomic_file(place)).write_bytes(source.read_bytes())
