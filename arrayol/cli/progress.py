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

from dse.walk import Progress

Report = Callable[[Progress], None]

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
        TextColumn("exploring, subspace {task.fields[place]}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("fusions,"),
        TimeRemainingColumn(compact=True),
    )
    bar = Bar(*columns, console=Console(stderr=True), transient=True)
    work = bar.add_task("", total=None, place="")
    started = monotonic()

    def report(now: Progress) -> None:
        bar.update(work, completed=now.evaluated, total=now.total, place=f"{now.subspace} of {now.subspaces}")
        if monotonic() - started > _BAR_AFTER:
            bar.start()

    try:
        yield report
    finally:
        bar.stop()


def _lines() -> Report:
    said = monotonic()

    def report(now: Progress) -> None:
        nonlocal said
        if monotonic() - said >= _LINE_EVERY:
            said = monotonic()
            of = f" of {now.total:,}" if now.total is not None else ""
            click.echo(f"explored {now.evaluated:,}{of} fusions, subspace {now.subspace} of {now.subspaces}", err=True)

    return report
