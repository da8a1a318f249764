"""Progress of long work on stderr: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

import click
from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TextColumn
from rich.progress import Progress as Bar
from rich.text import Text

from arrayol.cli.pace import Pace, Sample
from arrayol.cli.progress_text import Seen, bar_facts, line
from dse.jobs.progress import SEARCHING, SearchProgress
from dse.search.walk import Progress

Record = SearchProgress | Progress
Report = Callable[[Record], None]
Clock = Callable[[], float]

BAR_AFTER = 0.5  # seconds; shorter work shows none
LINE_EVERY = 10.0  # seconds
_VOLUME_EVERY = 3.0  # seconds between two hypervolumes, more where one takes long:
_VOLUME_RESTS = 20  # times as long as it took
_ONE_LINE_FROM = 100  # columns of the terminal; on narrower ones there are two lines


@contextmanager
def progress(*, quiet: bool, clock: Clock = monotonic, console: Console | None = None) -> Iterator[Report]:
    """A function to report to while the block runs; `quiet` silences it. The bar is gone at the end.

    `console`, stderr's by default, gets a bar where it is a terminal with a cursor that can be moved.
    """
    console = console or Console(stderr=True, force_terminal=None if sys.stderr.isatty() else False)
    if quiet:
        yield lambda _: None
    elif console.is_terminal and not console.is_dumb_terminal:
        bar = _Bar(console, clock)
        try:
            yield bar.report
        finally:
            bar.stop()
    else:
        yield _Lines(clock).report


class _Watch:
    """Makes of records what can be shown of them. Each phase has a pace of its own."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pace = Pace()
        self._phase = ""
        self._volume: float | None = None
        self._ask_at = -1.0

    def see(self, record: SearchProgress, *, shown: bool) -> Seen:
        """A record as of now; its hypervolume is computed where it is `shown`, now and then."""
        if record.phase != self._phase:
            self._phase, self._pace, self._volume, self._ask_at = record.phase, Pace(), None, -1.0
        sample = Sample(self._clock(), record.designs or record.done, share_done(record))
        stretch = self._pace.note(sample)
        if shown and sample.at >= self._ask_at:
            self._volume = record.hypervolume()
            after = self._clock()
            self._ask_at = after + max(_VOLUME_EVERY, _VOLUME_RESTS * (after - sample.at))
        return Seen(record, stretch, self._volume)


class _Lines:
    """A line on stderr every ten seconds, none in shorter work."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._watch = _Watch(clock)
        self._said = clock()

    def report(self, now: Record) -> None:
        at = self._clock()
        is_due = at - self._said >= LINE_EVERY
        seen = self._watch.see(search_progress(now), shown=is_due)
        if is_due:
            self._said = at
            click.echo(line(seen, at), err=True)


class _Bar:
    """A bar on a terminal, from half a second on."""

    def __init__(self, console: Console, clock: Clock) -> None:
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=max(5, min(40, console.width - 50))),
            _Facts(clock, ", " if console.width >= _ONE_LINE_FROM else "\n"),
        )
        # What is printed on stdout meanwhile stays there; rich would send it to stderr.
        self._bar = Bar(*columns, console=console, transient=True, redirect_stdout=False, get_time=clock)
        self._clock = clock
        self._watch = _Watch(clock)
        self._started = clock()

    def report(self, now: Record) -> None:
        record = search_progress(now)
        is_shown = self._clock() - self._started > BAR_AFTER
        seen, share = self._watch.see(record, shown=is_shown), share_done(record)
        tasks = self._bar.tasks
        if not tasks or tasks[0].description != record.phase:
            for task in tasks:  # rich would never take a task's total away again
                self._bar.remove_task(task.id)
            self._bar.add_task(record.phase, total=None, seen=seen)
        total = None if share is None else 1.0
        self._bar.update(self._bar.task_ids[0], total=total, completed=share or 0.0, seen=seen)
        if is_shown:
            self._bar.start()

    def stop(self) -> None:
        """Take the bar away."""
        self._bar.stop()


class _Facts(ProgressColumn):
    """What is said beside a bar; the time left runs down between two records."""

    def __init__(self, clock: Clock, separator: str) -> None:
        super().__init__()
        self._clock = clock
        self._separator = separator

    def render(self, task: Task) -> Text:
        """The facts as text."""
        facts = bar_facts(task.fields["seen"], self._clock())
        return Text(self._separator.join(fact for fact in facts if fact), no_wrap=True)


def share_done(record: SearchProgress) -> float | None:
    """The share of the phase's work that is done, as well as it is known."""
    if record.work is not None:
        return record.work
    return record.done / record.total if record.total else None


def search_progress(now: Record) -> SearchProgress:
    """The one record for all: what a walk through the fusions of the published model says in it."""
    if isinstance(now, Progress):
        place = f"subspace {now.subspace} of {now.subspaces}"
        return SearchProgress(SEARCHING, now.evaluated, now.total, "fusions", place=place, hypervolume=now.hypervolume)
    return now
