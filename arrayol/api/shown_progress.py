"""Progress of long work on stderr: a bar on a terminal, else, as in notebooks, a line now and then.

Three parts, one behind the other: a pace keeps what was done at which time and tells rates and the time left; words for
a line or a bar; what is shown when. Rates are taken over the last half minute, or over the later half of the time where
that is longer, so that neither a single slow group nor an easy beginning is taken for the whole.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic

import click
from rich.console import Console, Group, RenderableType
from rich.progress import Progress as Bar
from rich.progress import ProgressColumn, Task
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from arrayol.text import counted
from dse.jobs.jobs import SEARCHING, SearchProgress
from dse.search.published import Progress

WINDOW = 30.0  # seconds that rates are taken over, or the later half of the time, where that is longer
SETTLED = 2.0  # seconds before anything is said of the time left
_TOO_SHORT = 0.5  # seconds before anything is said of rates
_SAMPLES = 200  # about so many are held of a window
_LEAST_LEFT = 1.0  # seconds; of less, and of work that takes longer than it should, nothing is said
_RISES = 1.25  # times as long as was said, up to which the time left stays as it was: paces differ by so much


@dataclass(frozen=True, slots=True)
class Sample:
    """What was done at a time: a count, and the share of all work, where that is known."""

    at: float
    count: int
    work: float | None


@dataclass(frozen=True, slots=True)
class Stretch:
    """From one sample to the last one, of work that `began` at some time and ends at another, if that can be told."""

    began: float
    first: Sample
    last: Sample
    ends: float | None = None

    def rate(self, now: float) -> float | None:
        """What is counted in a second; None before that can be told. It falls when long nothing comes."""
        seconds = max(self.last.at - self.first.at, now - self.last.at)
        count = self.last.count - self.first.count
        return count / seconds if seconds >= _TOO_SHORT and count > 0 else None

    def seconds_left(self, now: float) -> float | None:
        """Seconds until all work is done; None where that cannot be told, or not any more."""
        if self.ends is None or now - self.began < SETTLED:
            return None
        left = self.ends - now
        return left if left >= _LEAST_LEFT else None


class Pace:
    """Samples of one piece of work; the first counts as its beginning."""

    def __init__(self) -> None:
        self._samples: deque[Sample] = deque()
        self._began = 0.0
        self._left: float | None = None

    def note(self, sample: Sample) -> Stretch:
        """Take one more, and give the stretch that rates are taken over."""
        samples = self._samples
        if not samples:
            self._began = sample.at
        window = max(WINDOW, (sample.at - self._began) / 2)
        if len(samples) > 1 and sample.at - samples[-2].at < window / _SAMPLES:
            samples[-1] = sample
        else:
            samples.append(sample)
        while len(samples) > 2 and samples[1].at <= sample.at - window:
            samples.popleft()
        self._left = self._seconds_left(samples[0], sample)
        return Stretch(self._began, samples[0], sample, None if self._left is None else sample.at + self._left)

    def _seconds_left(self, first: Sample, last: Sample) -> float | None:
        """Until all work is done, if what is left of it takes as long as what was measured.

        A little more than at the sample before is not said, so that the time left falls.
        """
        before, after = first.work, last.work
        if before is None or after is None or after <= before:
            return None
        left = (last.at - first.at) * (1 - after) / (after - before)
        return self._left if self._left is not None and self._left < left <= _RISES * self._left else left


# How far a search is, in words: for lines in a file, and shorter for a bar.


@dataclass(frozen=True, slots=True)
class Seen:
    """A record, the stretch of work that leads to it, and the hypervolume and its bound, if they are known."""

    record: SearchProgress
    stretch: Stretch
    volume: float | None
    bound: float | None = None


def line(seen: Seen, now: float) -> str:
    """One line with everything; `now` is the time of the clock that the stretch was taken with."""
    facts = ", ".join(_facts(seen, now))
    return f"{seen.record.phase}: {facts}" if facts else seen.record.phase


def _facts(seen: Seen, now: float) -> Iterator[str]:
    record = seen.record
    if record.counted:
        yield _amount(record)
    if record.place:
        yield record.place
    if record.designs:
        yield counted(record.designs, "group design")
    rate = seen.stretch.rate(now)
    if rate is not None:
        yield rate_text(rate)
    yield from _seconds_left(seen, now)
    yield from _volume(seen)


def bar_facts(seen: Seen, now: float) -> tuple[str, str]:
    """What stands beside a bar, and what stands beside or below that."""
    record = seen.record
    done = "" if record.total is None else f"{record.done:,}/"
    amount = [f"{done}{counted(_of(record), _noun(record))}"] if record.counted else []
    rate = seen.stretch.rate(now)
    rates = [] if rate is None else [short_rate(rate, "designs" if record.designs else record.counted)]
    places = [record.place] if record.place else []
    return ", ".join([*amount, *_seconds_left(seen, now)]), ", ".join([*places, *rates, *_volume(seen)])


def _amount(record: SearchProgress) -> str:
    most = "at most " if record.at_most else ""
    done = "" if record.total is None else f"{record.done:,} of {most}"
    return f"{done}{counted(_of(record), _noun(record))}"


def _seconds_left(seen: Seen, now: float) -> Iterator[str]:
    left = seen.stretch.seconds_left(now)
    if left is not None:
        yield f"{'at most' if seen.record.at_most else 'about'} {duration(left)} left"


def _volume(seen: Seen) -> Iterator[str]:
    if seen.volume is not None:
        yield f"hypervolume {seen.volume:.3f}"
    if seen.volume is not None and seen.bound is not None:
        yield f"at least {seen.bound:.1%} of any"


def _of(record: SearchProgress) -> int:
    return record.done if record.total is None else record.total


def _noun(record: SearchProgress) -> str:
    return record.counted.removesuffix("s")  # one of what is counted: 1 fusion, 2 fusions


def duration(seconds: float) -> str:
    """A time as people say it: 7 s, 40 s, 3 min, 25 min, 1 h 20 min, 15 h, 4 days."""
    if seconds < 57.5:
        return f"{_to(seconds, 1 if seconds < 9.5 else 5)} s"
    minutes = _to(seconds / 60, 1 if seconds < 20 * 60 else 5)
    if minutes < 60:
        return f"{minutes} min"
    hours, rest = divmod(_to(seconds / 60, 10), 60)
    if hours < 10:
        return f"{hours} h {rest} min" if rest else f"{hours} h"
    hours = _to(seconds / 3600, 1)
    return f"{hours} h" if hours < 48 else f"{_to(hours / 24, 1)} days"


def rate_text(rate: float) -> str:
    """A rate (1/s) in a sentence: 812,000 a second, 2.4 a second, 20 a minute, 3 an hour."""
    count, unit = _per(rate)
    number = f"{count:.1f}".removesuffix(".0") if count < 9.95 else f"{_three_digits(count):,}"
    return f"{number} {'an hour' if unit == 'h' else 'a minute' if unit == 'min' else 'a second'}"


def short_rate(rate: float, noun: str) -> str:
    """A rate (1/s) beside a bar: 1.2M designs/s, 812k designs/s, 14 designs/s, 20 designs/min."""
    count, unit = _per(rate)
    letter = ""
    for larger in "kMG":
        if count < 999.5:
            break
        count, letter = count / 1000, larger
    number = f"{count:.1f}".removesuffix(".0") if count < 9.95 else f"{count:.0f}"
    return f"{number}{letter} {noun}/{unit}"


def _per(rate: float) -> tuple[float, str]:
    """The rate by the first of second, minute, hour in which it is at least one."""
    if rate >= 1:
        return rate, "s"
    return (rate * 60, "min") if rate * 60 >= 1 else (rate * 3600, "h")


def _three_digits(count: float) -> int:
    whole = round(count)
    return round(whole, min(0, 3 - len(str(whole))))


def _to(value: float, step: int) -> int:
    """The nearest multiple of a step, at least one step."""
    return max(step, round(value / step) * step)


Record = SearchProgress | Progress
Report = Callable[[Record], None]
Clock = Callable[[], float]

BAR_AFTER = 0.5  # seconds; shorter work shows none
LINE_EVERY = 10.0  # seconds
_VOLUME_EVERY = 3.0  # seconds between two hypervolumes, more where one takes long:
_VOLUME_RESTS = 20  # times as long as it took
_ONE_LINE_FROM = 100  # columns of the terminal; on narrower ones there are two lines
_FACTS_WIDTH = 50  # columns that are left to the phase and the facts,
_SHORTEST_BAR, _LONGEST_BAR = 5, 40  # unless the bar would be shorter; the facts may need more of it


@contextmanager
def progress(*, quiet: bool = False, clock: Clock = monotonic, console: Console | None = None) -> Iterator[Report]:
    """Give a function that shows progress on stderr while the block runs: the `report` of `explore`.

    On a terminal it is a bar, which is gone at the end; a notebook or a file gets a line every ten seconds. `quiet`
    silences it. `console`, by default stderr's, gets the bar; `clock` gives seconds.

    >>> with api.progress(quiet=True) as report:
    ...     again = api.explore(spec, report=report, space=api.Space(narrow=True, verify=False))
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


def say(text: str) -> None:
    """A line on stderr, parted between words where it is longer than the terminal is wide."""
    if sys.stderr.isatty():
        Console(stderr=True, markup=False, emoji=False, highlight=False).print(text)
    else:
        click.echo(text, err=True)


class _Watch:
    """Makes of records what can be shown of them. Each phase has a pace of its own."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pace = Pace()
        self._phase = ""
        self._volume: float | None = None
        self._bound: float | None = None
        self._ask_at = -1.0

    def see(self, record: SearchProgress, *, shown: bool) -> Seen:
        """A record as of now; its hypervolume is computed where it is `shown`, now and then."""
        if record.phase != self._phase:
            self._phase, self._pace, self._ask_at = record.phase, Pace(), -1.0
            self._volume = self._bound = None
        sample = Sample(self._clock(), record.designs or record.done, share_done(record))
        stretch = self._pace.note(sample)
        if shown and sample.at >= self._ask_at:
            self._volume, self._bound = record.hypervolume(), record.bound()
            after = self._clock()
            self._ask_at = after + max(_VOLUME_EVERY, _VOLUME_RESTS * (after - sample.at))
        return Seen(record, stretch, self._volume, self._bound)


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
            say(line(seen, at))


class _Bar:
    """A bar on a terminal, from half a second on."""

    def __init__(self, console: Console, clock: Clock) -> None:
        # What is printed on stdout meanwhile stays there; rich would send it to stderr.
        self._bar = Bar(_Shown(clock, console), console=console, transient=True, redirect_stdout=False, get_time=clock)
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


class _Shown(ProgressColumn):
    """The phase, a bar and what is said beside it, in the width that the terminal has now.

    The time left runs down between two records.
    """

    def __init__(self, clock: Clock, console: Console) -> None:
        super().__init__()
        self._clock = clock
        self._console = console

    def render(self, task: Task) -> RenderableType:
        """In one line where there is room for it, else facts below facts, else facts below the bar."""
        width, phase = self._console.width, task.description
        beside = [fact for fact in bar_facts(task.fields["seen"], self._clock()) if fact]
        for lines in [[", ".join(beside)], beside] if width >= _ONE_LINE_FROM else [beside]:
            room = width - len(phase) - 2 - max(map(len, lines), default=0)
            if room >= _SHORTEST_BAR:
                length = min(room, _LONGEST_BAR, max(_SHORTEST_BAR, width - _FACTS_WIDTH))
                return _row(phase, _drawn(task, length), Text("\n".join(lines), no_wrap=True))
        below = [Text(fact, overflow="ellipsis", no_wrap=True) for fact in _split(beside, width)]
        return Group(_row(phase, _drawn(task, max(1, min(_LONGEST_BAR, width - len(phase) - 1)))), *below)


def _row(phase: str, *parts: RenderableType) -> Table:
    row = Table.grid(padding=(0, 1))
    for _ in range(1 + len(parts)):
        row.add_column(no_wrap=True)
    row.add_row(Text(phase), *parts)
    return row


def _drawn(task: Task, length: int) -> ProgressBar:
    """A bar; one that pulses where it is not known how much there is to do."""
    return ProgressBar(
        total=task.total,
        completed=task.completed,
        width=length,
        pulse=task.total is None,
        animation_time=task.get_time(),
    )


def _split(facts: Sequence[str], width: int) -> Iterator[str]:
    """Facts that are too long for a line, in several, parted at commas."""
    for fact in facts:
        shown = ""
        for part in fact.split(", "):
            if shown and len(f"{shown}, {part}") > width:
                yield shown
                shown = part
            else:
                shown = f"{shown}, {part}" if shown else part
        yield shown


def share_done(record: SearchProgress) -> float | None:
    """The share of the phase's work that is done, as well as it is known."""
    if record.work is not None:
        return record.work
    return record.done / record.total if record.total else None


def search_progress(now: Record) -> SearchProgress:
    """The one record for all: what the search of the published model through all fusions says in it."""
    if isinstance(now, Progress):
        place = f"subspace {now.subspace} of {now.subspaces}"
        return SearchProgress(SEARCHING, now.evaluated, now.total, "fusions", place=place, hypervolume=now.hypervolume)
    return now
