"""Requests of runs word for word: sets of elements, and a memory that is looked at in every cycle."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hwmodel.platform_memories import ExternalMemory

Point = tuple[int, ...]
Run = tuple[int, int]  # the first element, and how many follow each other


def cycles_of_requests(words: Sequence[int], latency: int, outstanding: int) -> int:
    """When the last word has come: each cycle may issue a request, and may bring a word of the oldest unfinished."""
    cycle, issued, done = 0, list[int](), 0
    left = list(words)
    while done < len(words):
        issues = len(issued) < len(words) and len(issued) - done < outstanding
        if issues:
            issued.append(cycle)
        brings = cycle >= issued[done] + latency
        if brings:
            left[done] -= 1
            done += left[done] == 0
        cycle = cycle + 1 if issues or brings else issued[done] + latency  # nothing happens until then
    return cycle


def runs_of_set(points: Iterable[Point], shape: Sequence[int]) -> list[Run]:
    """First element and length of each run: an end of a line is passed where the lines on both sides are whole."""
    flat = {sum(i * math.prod(shape[axis + 1 :]) for axis, i in enumerate(point)) for point in points}
    runs: list[list[int]] = []
    for number in sorted(flat):
        lines = [math.prod(shape[axis:]) for axis in range(1, len(shape)) if number % math.prod(shape[axis:]) == 0]
        line = max(lines, default=1)
        if runs and number - 1 in flat and flat >= set(range(number - line, number + line)):
            runs[-1].append(number)
        else:
            runs.append([number])
    return [(run[0], len(run)) for run in runs]


def spans_of_set(points: Iterable[Point], shape: Sequence[int], axis: int, near: int) -> list[Run]:
    """The same of whole entries of an axis: in a row of it those that are no further apart than `near` are one run."""
    inner, spans = math.prod(shape[axis + 1 :]), list[Run]()
    rows: dict[Point, set[int]] = {}
    for point in points:
        rows.setdefault(point[:axis], set()).add(point[axis])
    for row in sorted(rows):
        begin = sum(i * math.prod(shape[number + 1 :]) for number, i in enumerate(row))
        for entry in sorted(rows[row]):
            if any(other in rows[row] for other in range(entry - near, entry)):
                first, _ = spans.pop()
            else:
                first = begin + entry * inner
            spans.append((first, begin + (entry + 1) * inner - first))
    return spans


def worst_place(every: Sequence[Run], shape: Sequence[int], size: int, word: int, axis: int | None = None) -> int:
    """The latest place in a word, of all that differ from a known start by multiples of the granule.

    `every` are the runs of all steps, which are of whole entries of an axis, or of the outermost for which that holds.
    """
    lines = [(math.prod(shape[axis:]), math.prod(shape[axis + 1 :])) for axis in range(len(shape))] or [(1, 1)]
    whole = [pair for pair in lines if all(start % pair[1] == length % pair[1] == 0 for start, length in every)]
    row, inner = whole[0] if axis is None else lines[axis]
    starts = sorted({start % row for start, _ in every} - {0})
    granule = math.gcd(word, row * size if row < math.prod(shape) else 0, *(size * (s - starts[0]) for s in starts))
    assert all(s % inner == 0 for s in starts)
    return max(place for place in range(word) if (place - size * (starts[0] if starts else 0)) % granule == 0)


@dataclass(frozen=True)
class RequestsOfStep:
    """What a step asks for of an array: so many requests of so many words, and the cycles in which each passes."""

    requests: int
    words: int
    cycles: int


def asked(
    steps: Iterable[list[Point]],
    now: list[Point],
    shape: Sequence[int],
    size: int,
    m: ExternalMemory,
    width: int | None = None,
) -> RequestsOfStep:
    """Of what one step moves, all `steps` known: by run, or the quickest of whole entries that are fewer runs.

    Elements have `size` bytes; the memory inside has local words of so many data, None where it keeps pace.
    """
    steps = list(steps)
    found = [
        _asked(
            [run for one in steps for run in runs_of_set(one, shape)], runs_of_set(now, shape), shape, size, m, width
        )
    ]
    for axis, extent in enumerate(shape):
        for near in range(1, max(extent, 2)):
            every = [run for one in steps for run in spans_of_set(one, shape, axis, near)]
            spans = spans_of_set(now, shape, axis, near)
            if len(spans) < len(runs_of_set(now, shape)):
                found.append(_asked(every, spans, shape, size, m, width, axis))
    return min(found, key=lambda one: (_time(one, m), one.requests * one.words))


def _asked(
    every: Sequence[Run],
    runs: Sequence[Run],
    shape: Sequence[int],
    size: int,
    m: ExternalMemory,
    width: int | None,
    axis: int | None = None,
) -> RequestsOfStep:
    unit, word = (1, m.data_per_word) if m.data_per_word else (size, m.word_bits // 8)
    longest = max(length for _, length in runs)
    words = math.ceil((worst_place(every, shape, unit, word, axis) + longest * unit) / word)
    parts = math.ceil(words / m.max_burst_words)
    each = math.ceil(words / parts)
    if width is None:
        return RequestsOfStep(parts * len(runs), each, each)
    begin = worst_place(every, shape, unit, width * unit, axis)
    return RequestsOfStep(
        parts * len(runs), each, local_cycles(each, longest, row_of(shape, width), width, unit, word, begin)
    )


def _time(one: RequestsOfStep, m: ExternalMemory) -> int:
    return cycles_of_requests([one.cycles] * one.requests, m.latency or 0, m.outstanding)


def run_cycles(
    steps: Iterable[list[Point]],
    now: list[Point],
    shape: Sequence[int],
    size: int,
    m: ExternalMemory,
    width: int | None = None,
) -> int:
    """Cycles of the same."""
    return _time(asked(steps, now, shape, size, m, width), m) if now else 0


def local_cycles(words: int, run: int, row: int, width: int, unit: int, word: int, begin: int) -> int:
    """Cycles of a request of some words, by docs/machine.md, section 4."""
    ends = run // row - 1 if run > row else 0
    if word % unit:
        return max(words, words * math.ceil((word // unit + 1) / width) + ends)
    if row % width == 0 and begin == 0:
        ends = 0
    parts = min(1 + (begin + run * unit - 1) // (width * unit), words * (word // unit) // width)
    return max(words, parts + min(ends, (words * (word // unit) + row - 2) // row))


def row_of(shape: Sequence[int], width: int) -> int:
    """Data of the last axis, or of the last axes together that hold a word."""
    lengths = [math.prod(shape[axis:]) for axis in reversed(range(len(shape)))]
    return next((length for length in lengths if length >= width), math.prod(shape))


def local_words_of_set(points: Iterable[Point], shape: Sequence[int], width: int) -> int:
    """Local words of a box: of each run in each row as many as begin in it."""
    row, number = row_of(shape, width), 0
    for start, length in runs_of_set(points, shape):
        rows = [element // row for element in range(start, start + length)]
        number += sum(math.ceil(rows.count(own) / width) for own in set(rows))
    return number
