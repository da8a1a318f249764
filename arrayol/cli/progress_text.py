"""How far a search is, in words: for lines in a file, and shorter for a bar."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from arrayol.cli.pace import Stretch
from dse.jobs.progress import SearchProgress

_GROUP_DESIGNS = "group designs"


@dataclass(frozen=True, slots=True)
class Seen:
    """A record, the stretch of work that leads to it, and the hypervolume, if it is known."""

    record: SearchProgress
    stretch: Stretch
    volume: float | None


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
        yield f"{record.designs:,} {_named(_GROUP_DESIGNS, record.designs)}"
    rate = seen.stretch.rate(now)
    if rate is not None:
        yield rate_text(rate)
    yield from _left(seen, now)
    yield from _volume(seen)


def bar_facts(seen: Seen, now: float) -> tuple[str, str]:
    """What stands beside a bar, and what stands beside or below that."""
    record = seen.record
    of = "" if record.total is None else f"/{record.total:,}"
    amount = [f"{record.done:,}{of} {_named(record.counted, record.total or record.done)}"] if record.counted else []
    rate = seen.stretch.rate(now)
    rates = [] if rate is None else [short_rate(rate, "designs" if record.designs else record.counted)]
    places = [record.place] if record.place else []
    return ", ".join([*amount, *_left(seen, now)]), ", ".join([*places, *rates, *_volume(seen)])


def _amount(record: SearchProgress) -> str:
    if record.total is None:
        return f"{record.done:,} {_named(record.counted, record.done)}"
    most = "at most " if record.at_most else ""
    return f"{record.done:,} of {most}{record.total:,} {_named(record.counted, record.total)}"


def _left(seen: Seen, now: float) -> Iterator[str]:
    left = seen.stretch.left(now)
    if left is not None:
        yield f"{'at most' if seen.record.at_most else 'about'} {duration(left)} left"


def _volume(seen: Seen) -> Iterator[str]:
    if seen.volume is not None:
        yield f"hypervolume {seen.volume:.3f}"


def _named(plural: str, count: int) -> str:
    return plural.removesuffix("s") if count == 1 else plural


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
