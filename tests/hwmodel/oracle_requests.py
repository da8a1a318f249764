"""Requests of runs word for word: sets of elements, and a memory that is looked at in every cycle."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from hwmodel.platform import ExternalMemory

Point = tuple[int, ...]


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


def runs_of_set(points: Iterable[Point], shape: Sequence[int]) -> list[tuple[int, int]]:
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


def worst_place(steps: Iterable[Iterable[Point]], shape: Sequence[int], size: int, word: int) -> int:
    """The latest place in a word, of all that differ from a known start by multiples of the granule."""
    every = [run for points in steps for run in runs_of_set(points, shape)]
    lines = [(math.prod(shape[axis:]), math.prod(shape[axis + 1 :])) for axis in range(len(shape))] or [(1, 1)]
    row, inner = next(
        pair for pair in lines if all(start % pair[1] == length % pair[1] == 0 for start, length in every)
    )
    starts = sorted({start % row for start, _ in every} - {0})
    granule = math.gcd(word, row * size if row < math.prod(shape) else 0, *(size * (s - starts[0]) for s in starts))
    assert all(s % inner == 0 for s in starts)
    return max(place for place in range(word) if (place - size * (starts[0] if starts else 0)) % granule == 0)


def words_of_requests(
    steps: Iterable[list[Point]], now: list[Point], shape: Sequence[int], size: int, m: ExternalMemory
) -> list[int]:
    """The words of each request of what one step moves of an array, all `steps` known; elements of `size` bytes."""
    unit, word = (1, m.data_per_word) if m.data_per_word else (size, m.word_bits // 8)
    runs = runs_of_set(now, shape)
    words = math.ceil((worst_place(steps, shape, unit, word) + max(length for _, length in runs) * unit) / word)
    parts = math.ceil(words / m.max_burst_words)
    each = math.ceil(words / parts)
    return [each] * parts * len(runs)


def run_cycles(
    steps: Iterable[list[Point]],
    now: list[Point],
    shape: Sequence[int],
    size: int,
    m: ExternalMemory,
    width: int | None = None,
) -> int:
    """Cycles of the same; the memory inside has local words of so many data, None where it keeps pace."""
    if not now:
        return 0
    steps = list(steps)
    words = words_of_requests(steps, now, shape, size, m)
    if width is not None:
        longest = max(length for _, length in runs_of_set(now, shape))
        unit, word = (1, m.data_per_word) if m.data_per_word else (size, m.word_bits // 8)
        begin = worst_place(steps, shape, unit, width * unit)
        words = [local_cycles(words[0], longest, row_of(shape, width), width, unit, word, begin)] * len(words)
    return cycles_of_requests(words, m.latency or 0, m.outstanding)


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
