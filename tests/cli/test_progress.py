"""Progress as people read it: lines in a file, a bar on a terminal, with a clock that the test sets."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from rich.console import Console
from rich.progress import Progress as Bar

from arrayol.api.shown_progress import (
    BAR_AFTER,
    LINE_EVERY,
    Sample,
    Seen,
    Stretch,
    _Shown,
    duration,
    progress,
    rate_text,
    say,
    short_rate,
)
from dse.jobs.jobs import COMBINING, SEARCHING, SIMULATING, WRITING, SearchProgress
from dse.search.published import Progress


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def groups(done: int, designs: int, work: float | None = None, share: float | None = None) -> SearchProgress:
    return SearchProgress(SEARCHING, done, 40, "groups", designs=designs, work=work, hypervolume=lambda: share)


def said(clock: Clock, capsys: pytest.CaptureFixture[str], *records: tuple[float, SearchProgress | Progress]) -> str:
    """What stderr gets when records come at these seconds."""
    start = clock.now
    with progress(quiet=False, clock=clock) as report:
        for at, record in records:
            clock.now = start + at
            report(record)
    out, err = capsys.readouterr()
    assert out == ""
    return err


def test_a_line_of_a_search(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    records = groups(0, 94_000), groups(3, 100_000, 0.1), groups(12, 8_214_000, 0.2, 0.7314)
    assert said(clock, capsys, *zip((0, 5, 10), records, strict=True)) == (
        "searching: 12 of 40 groups, 8,214,000 group designs, 812,000 a second, about 40 s left, hypervolume 0.731\n"
    )


def test_a_line_tells_how_far_a_front_is_from_the_best(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[str] = []

    def volume() -> float:
        asked.append("hypervolume")
        return 0.5

    def bound() -> float:
        asked.append("bound")
        return 0.8213

    record = SearchProgress(SEARCHING, 2, 6, "rounds", hypervolume=volume, bound=bound)
    text = said(clock, capsys, (0, record), (10, record))
    assert text == "searching: 2 of 6 rounds, hypervolume 0.500, at least 82.1% of any\n"
    assert asked == ["hypervolume", "bound"]


def test_the_time_left_is_that_of_the_work(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(clock, capsys, (0, groups(0, 0, 0.0)), (10, groups(39, 5_000, 0.2, 0.5)))
    assert text == (
        "searching: 39 of 40 groups, 5,000 group designs, 500 a second, about 40 s left, hypervolume 0.500\n"
    )


def test_a_line_of_the_simulation(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    counts = (0, 120)
    text = said(clock, capsys, *((at * 8.5 + 1.5, simulated(done)) for at, done in enumerate(counts)))
    assert text == "simulating: 120 of 291 designs, 14 a second, about 10 s left\n"


def simulated(done: int) -> SearchProgress:
    return SearchProgress(SIMULATING, done, 291, "designs")


def test_a_line_of_the_published_model(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    first, last = Progress(64, 16_384, 1, 15), Progress(4096, 16_384, 3, 15, hypervolume=lambda: 0.25)
    text = said(clock, capsys, (0, first), (12.6, last))
    assert text == (
        "searching: 4,096 of 16,384 fusions, subspace 3 of 15, 320 a second, about 40 s left, hypervolume 0.250\n"
    )


def test_a_search_that_may_end_earlier(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    records = (SearchProgress(SEARCHING, done, 400, "generations", at_most=True) for done in (0, 100))
    text = said(clock, capsys, *zip((0, 60), records, strict=True))
    assert text == "searching: 100 of at most 400 generations, 1.7 a second, at most 3 min left\n"


def test_where_nothing_is_known_nothing_is_said(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    tangled = Progress(1, None, 1, 1)
    text = said(clock, capsys, (10, tangled), (20, SearchProgress(WRITING)), (30, SearchProgress(WRITING)))
    assert text == "searching: 1 fusion, subspace 1 of 1\nwriting\nwriting\n"


def test_one_of_one(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    record = SearchProgress(SEARCHING, 0, 1, "groups", designs=1)
    assert said(clock, capsys, (10, record)) == "searching: 0 of 1 group, 1 group design\n"


def test_a_line_every_ten_seconds_and_each_phase_has_its_own_pace(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    records: list[tuple[float, SearchProgress]] = [(at / 2, groups(at // 2, 1000 * at)) for at in range(60)]
    records += [(30 + at, SearchProgress(COMBINING, 10 * at, 100, "fusions")) for at in range(11)]
    lines = said(clock, capsys, *records).splitlines()
    assert lines == [
        "searching: 10 of 40 groups, 20,000 group designs, 2,000 a second, about 30 s left",
        "searching: 20 of 40 groups, 40,000 group designs, 2,000 a second, about 20 s left",
        "combining: 0 of 100 fusions",
        "combining: 100 of 100 fusions, 10 a second",
    ]


def test_a_line_on_a_terminal_is_parted_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("COLUMNS", "30")
    say("lpsf: 8 fusions of 4 tasks, 10 groups [of them]")
    lines = stream.getvalue().splitlines()
    assert [line.rstrip() for line in lines] == ["lpsf: 8 fusions of 4 tasks, 10", "groups [of them]"]


def test_short_work_says_nothing(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    record = SearchProgress(SEARCHING, 1, 2, "groups", designs=5, hypervolume=_never)
    assert said(clock, capsys, (0, record), (LINE_EVERY - 0.01, record)) == ""


def test_quiet_says_nothing(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    file = io.StringIO()
    for console in (None, terminal(file)):
        with progress(quiet=True, clock=clock, console=console) as report:
            for _ in range(3):
                clock.now += 100
                report(SearchProgress(SEARCHING, 1, 2, "groups", hypervolume=_never))
    assert (file.getvalue(), *capsys.readouterr()) == ("", "", "")


def _never() -> float | None:
    raise AssertionError("nobody sees this hypervolume")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        *((1, "1 s"), (7.4, "7 s"), (9.6, "10 s"), (42, "40 s"), (57, "55 s"), (58, "1 min"), (89, "1 min")),
        *((100, "2 min"), (700, "12 min"), (1400, "25 min"), (3480, "1 h"), (4000, "1 h 10 min"), (7200, "2 h")),
        *((40_000, "11 h"), (90_000, "25 h"), (200_000, "2 days"), (1e6, "12 days")),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("rate", "sentence", "short"),
    [
        (812_345, "812,000 a second", "812k designs/s"),
        (1_234_567, "1,230,000 a second", "1.2M designs/s"),
        (12_345_678, "12,300,000 a second", "12M designs/s"),
        (999_999, "1,000,000 a second", "1M designs/s"),
        (14.2, "14 a second", "14 designs/s"),
        (123.4, "123 a second", "123 designs/s"),
        (2.44, "2.4 a second", "2.4 designs/s"),
        (3, "3 a second", "3 designs/s"),
        (9.97, "10 a second", "10 designs/s"),
        (1 / 3, "20 a minute", "20 designs/min"),
        (1 / 1200, "3 an hour", "3 designs/h"),
    ],
)
def test_rates(rate: float, sentence: str, short: str) -> None:
    assert (rate_text(rate), short_rate(rate, "designs")) == (sentence, short)


def terminal(file: io.StringIO, width: int = 80) -> Console:
    return Console(file=file, force_terminal=True, width=width, height=24, legacy_windows=False, _environ={})


def screen(written: str) -> list[str]:
    """The lines that a terminal shows after this, empty ones at the end left out."""
    lines, row, column = [""], 0, 0
    for escape, text in re.findall(r"\x1b\[([0-9;?]*[A-Za-z])|([^\x1b])", written):
        if text == "\n":
            row, column = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
        elif text == "\r" or escape == "G":
            column = 0
        elif text:
            lines[row] = lines[row][:column].ljust(column) + text + lines[row][column + 1 :]
            column += 1
        elif escape.endswith("A"):
            row -= int(escape[:-1] or 1)
        elif escape == "2K":
            lines[row] = ""
    while lines and not lines[-1]:
        lines.pop()
    return [line.rstrip() for line in lines]


@pytest.fixture
def bar(clock: Clock) -> Iterator[Callable[..., list[str]]]:
    """The screen right after the last record, which comes when the bar is due; it is empty in the end."""
    file = io.StringIO()

    def shown(*records: tuple[float, SearchProgress | Progress], width: int = 80) -> list[str]:
        start = clock.now
        with progress(quiet=False, clock=clock, console=terminal(file, width)) as report:
            for at, record in records:
                clock.now = start + at
                report(record)
            return screen(file.getvalue())

    yield shown
    assert screen(file.getvalue()) == []


def test_a_bar_on_80_columns(bar: Callable[..., list[str]]) -> None:
    assert bar((0, groups(0, 0, 0.0)), (5, groups(12, 6_172_839, 0.5, 0.7314))) == [
        "searching ━━━━━━━━━━━━━━━╺━━━━━━━━━━━━━━ 12/40 groups, about 5 s left",
        "                                         1.2M designs/s, hypervolume 0.731",
    ]


def test_a_bar_on_120_columns(bar: Callable[..., list[str]]) -> None:
    found = bar((0, groups(0, 0, 0.0)), (5, groups(12, 6_172_839, 0.5, 0.7314)), width=120)
    bar_of_40 = "━" * 20 + "╺" + "━" * 19
    assert found == [f"searching {bar_of_40} 12/40 groups, about 5 s left, 1.2M designs/s, hypervolume 0.731"]


LONG = Seen(
    SearchProgress(SEARCHING, 12_345, 1_007_616, "group designs", place="subspace 3 of 15"),
    Stretch(0.0, Sample(0.0, 0, 0.0), Sample(50.0, 12_345, 0.001), 50.0 * 1000),
    0.7314,
    0.8213,
)


@pytest.mark.parametrize("width", [200, 120, 100, 99, 80, 79, 72, 60, 50, 40, 30, 20])
def test_nothing_is_wider_than_the_terminal(width: int) -> None:
    file = io.StringIO()
    console = terminal(file, width)
    bar = Bar(_Shown(lambda: 60.0, console), console=console)
    bar.add_task(SEARCHING, total=1.0, completed=0.4, seen=LONG)
    console.print(bar.get_renderable())
    lines = screen(file.getvalue())
    text = " ".join(" ".join(lines).split())
    assert max(map(len, lines)) <= width
    assert text.startswith("searching ━")
    facts = ["12,345/1,007,616 group designs", "about 14 h left", "subspace 3 of 15", "247 group designs/s"]
    facts = [*facts, "hypervolume 0.731", "at least 82.1% of any"]
    assert all(fact in text for fact in facts) == (width >= 30)
    assert len(lines) == {200: 1, 80: 3, 79: 3, 72: 4, 60: 4, 50: 4, 40: 5, 30: 7, 20: 7}.get(width, 2)


def test_a_bar_of_the_simulation(bar: Callable[..., list[str]]) -> None:
    (line,) = bar((0, groups(0, 0)), (0.2, simulated(0)), (5, simulated(100)), width=120)
    assert line.endswith(" 100/291 designs, about 9 s left, 21 designs/s")
    assert line.startswith("simulating ━━━━━━━━━━━━━╸")


def test_a_bar_of_the_published_model(bar: Callable[..., list[str]]) -> None:
    assert bar((0, Progress(0, 16_384, 1, 15)), (1, Progress(64, 16_384, 2, 15))) == [
        "searching ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 64/16,384 fusions",
        "                                         subspace 2 of 15, 64 fusions/s",
    ]


def test_a_bar_of_what_has_no_total(bar: Callable[..., list[str]]) -> None:
    assert [line.split(" ", 1)[0] for line in bar((1, groups(40, 9)), (2, SearchProgress(WRITING)))] == ["writing"]


def test_a_bar_that_knows_no_total_pulses(clock: Clock) -> None:
    colours = []
    for record in (SearchProgress(WRITING), SearchProgress(WRITING, 0, 9, "files")):
        file = io.StringIO()
        console = Console(file=file, force_terminal=True, width=80, color_system="truecolor", _environ={})
        with progress(quiet=False, clock=clock, console=console) as report:
            clock.now += 1
            report(record)
            colours.append(len(set(re.findall(r"38;2;[0-9;]+m", file.getvalue()))))
    assert colours[0] > 5 > colours[1]


def test_the_output_of_the_command_stays_on_stdout(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    file = io.StringIO()
    with progress(quiet=False, clock=clock, console=terminal(file)) as report:
        clock.now += 1
        report(SearchProgress(WRITING))
        sys.stdout.write("a result\n")
    assert capsys.readouterr().out == "a result\n"


def test_no_bar_for_short_work(bar: Callable[..., list[str]]) -> None:
    record = SearchProgress(SEARCHING, 1, 2, "groups", hypervolume=_never)
    assert bar((0, record), (BAR_AFTER, record)) == []


def test_the_hypervolume_is_asked_for_now_and_then(clock: Clock) -> None:
    asked = []

    def slow() -> float:
        asked.append(clock.now)
        clock.now += 0.5
        return 0.5

    with progress(quiet=False, clock=clock, console=terminal(io.StringIO())) as report:
        for _ in range(400):
            clock.now += 0.1
            report(SearchProgress(SEARCHING, 1, 2, "groups", hypervolume=slow))
    assert len(asked) == 4  # in 42 seconds, with rests of ten
    assert all(later - before > 10 for before, later in pairwise(asked))


def test_lines_on_a_terminal_that_cannot_move_its_cursor(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    file = io.StringIO()
    dumb = Console(file=file, force_terminal=True, _environ={"TERM": "dumb"})
    with progress(quiet=False, clock=clock, console=dumb) as report:
        clock.now += 10
        report(SearchProgress(SEARCHING, 1, 2, "groups"))
    assert (file.getvalue(), capsys.readouterr().err) == ("", "searching: 1 of 2 groups\n")
