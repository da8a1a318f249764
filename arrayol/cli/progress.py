"""Progress of long work on stderr: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from dse.mapping import GroupProgress
from dse.walk import Progress

Report = Callable[[Progress | GroupProgress], None]

_BAR_AFTER = 0.5  # seconds; shorter work shows none
_LINE_EVERY = 10.0  # seconds


@contextmanager
def progress(*, quiet: bool) -> Iterator[Report]:
    """A function to report to while the block runs; `quiet` silences it. The bar is gone at the end."""
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty():
        with _bar() as report:
            yield report
    else:
        yield _lines()


@contextmanager
def _bar() -> Iterator[Report]:
    columns = (
        TextColumn("exploring, {task.fields[place]}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[what]},"),
        TimeRemainingColumn(compact=True),
    )
    bar = Bar(*columns, console=Console(stderr=True), transient=True)
    work = bar.add_task("", total=None, place="", what="")
    started = monotonic()

    def report(now: Progress | GroupProgress) -> None:
        bar.update(work, completed=_done(now), total=now.total, what=_what(now), place=_place(now))
        if monotonic() - started > _BAR_AFTER:
            bar.start()

    try:
        yield report
    finally:
        bar.stop()


def _lines() -> Report:
    said = monotonic()

    def report(now: Progress | GroupProgress) -> None:
        nonlocal said
        if monotonic() - said >= _LINE_EVERY:
            said = monotonic()
            of = f" of {now.total:,}" if now.total is not None else ""
            click.echo(f"explored {_done(now):,}{of} {_what(now)}, {_place(now)}", err=True)

    return report


def _done(now: Progress | GroupProgress) -> int:
    return now.evaluated if isinstance(now, Progress) else now.groups


def _what(now: Progress | GroupProgress) -> str:
    return "fusions" if isinstance(now, Progress) else "groups"


def _place(now: Progress | GroupProgress) -> str:
    if isinstance(now, Progress):
        return f"subspace {now.subspace} of {now.subspaces}"
    return f"{now.designs:,} group designs"
