"""Each example of the manual computes what it says: in NumPy, by another way than the specification.

Inputs have no two equal elements, as far as their types have that many values, so that an element that is taken for
another shows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, reduce
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from manual import PAGES, TOURS, blocks, write_files
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from arrayol import api
from arrayol.checks.check import check
from arrayol.execute.environment import DTYPES
from arrayol.ir.spec import Port, Spec
from arrayol.ir.types import Kind

Array = NDArray[Any]
Says = Callable[..., Any]  # inputs in their order to the outputs in theirs

FRAMES = 5  # of inputs without end


def means(even: Array, odd: Array) -> Array:
    return (even + odd) >> 1


def smoothed(image: Array) -> Array:
    for axis in (1, 0):
        around = np.pad(image, [(1, 1) if own == axis else (0, 0) for own in range(2)], mode="edge")
        image = sliding_window_view(around, 3, axis).sum(-1) // 3
    return image


def wavelet(x: Array) -> Array:
    even, odd = x[:, ::2], x[:, 1::2]
    return np.hstack([means(even, odd), odd - even])


def low_pass(rows: Array) -> Array:
    """Each value is half itself and half the result of the one before, along the last dimension."""
    found = np.zeros_like(rows)
    for place in range(rows.shape[-1]):
        found[..., place] = 0.5 * rows[..., place] + (0.5 * found[..., place - 1] if place else 0)
    return found


def binomial(image: Array) -> Array:
    """Weights 1 2 1 by 1 2 1, without the division, where the window lies inside."""
    rows = image[:-2] + 2 * image[1:-1] + image[2:]
    return rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:]


def around(image: Array, mode: str) -> Array:
    """With one element more on each side."""
    return np.pad(image, 1, mode=mode)  # type: ignore[call-overload,no-any-return]


def largest(image: Array) -> Array:
    return sliding_window_view(image, (3, 3)).max((-2, -1))


def neighbours(rows: Array) -> Array:
    """Windows of three along the last dimension, with the nearest element at the ends."""
    return sliding_window_view(np.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(1, 1)], mode="edge"), 3, axis=-1)


def faded(image: Array) -> Array:
    return (np.float32(0.7) * image / (1 + np.arange(8))).astype("f4")


def gamma(values: Array) -> Array:
    return np.floor(255 * np.sqrt(values / 255)).astype("u1")


def over_time(video: Array) -> Array:
    """0.75 of what was before and 0.25 of the frame, frame by frame."""
    frames = list(video.astype("f4"))
    means = [np.zeros_like(frames[0])]
    for frame in frames:
        means.append(np.float32(0.75) * means[-1] + np.float32(0.25) * frame)
    return np.stack(means[1:])


def delayed_sums(src: Array, first: Array) -> Array:
    found: list[int] = []
    for place, value in enumerate(src):
        found.append((int(value) + (found[place - 5] if place >= 5 else int(first[place]))) % 256)
    return np.array(found, "u1")


def relaxed(src: Array) -> Array:
    found = np.zeros((5, 6), int)  # a row above, a column on each side
    for row in range(4):
        for column in range(4):
            found[row + 1, column + 1] = src[row, column] + found[row, column + 2] + found[row + 1, column]
    return found[1:, 1:5] % 256


def filtered(x: Array, c: Array) -> tuple[Array, int]:
    sums = np.correlate(x.astype("i8"), c.astype("i8"), "valid")
    return np.clip(sums >> 8, -32768, 32767), np.abs(sums).max()


def lower_solution(matrix: Array, right: Array) -> Array:
    return np.linalg.solve(np.tril(matrix), right)


def mark(word: Array, flag: Array) -> tuple[Any, Any, Any]:
    high, low = int(word) // 256, int(word) % 256
    return high, low, (bool((high ^ low) & 1) and not flag) or word == 0


def integral(image: Array, start: Array, top: Array) -> Array:
    """The recurrence with its borders, row by row."""
    found = np.zeros((6, 8), np.uint32)
    for row, column in np.ndindex(6, 8):
        left = found[row, column - 1] if column else start[row]
        above = found[row - 1, column] if row else top[column]
        corner = found[row - 1, column - 1] if row and column else np.uint32(0)
        found[row, column] = (int(image[row, column]) + int(left) + int(above) - int(corner)) % 2**32
    return found


def halves(rows: Array) -> tuple[Array, Array]:
    parts = rows.reshape(6, 2, 4)
    return parts.mean(-1), parts[..., 3] - parts[..., 0]


SAYS: dict[str, dict[str, Says]] = {
    "language.md": {
        "threshold.aol": lambda image: 255 * (image > 40),
        "ramp.aol:ramp": lambda: np.add.outer(10 * np.arange(6), np.arange(8)),
        "layout.aol:first": lambda a: a[0],
        "sizes.aol:scale": lambda x: np.concatenate([[480 // 7], 0.5 * x[1:]]),
        "negative.aol": lambda image: 255 - image,
        "filters.aol:smooth": lambda x, prev: (
            (y := reduce(lambda done, one: [*done, 0.5 * done[-1] + 0.5 * one], x, [prev])[1:]),
            y[-1],
        ),
        "filters.aol:mean": lambda window: window.mean(),
        "solve.aol:solve": lower_solution,
        "filter.aol:filter": filtered,
        "filter.aol:weighted": lambda x: (binomial(x.astype(int)) // 16)[0, 0],
        "borders.aol:gradient": lambda x: (np.append(np.diff(x), 0), np.where(np.arange(8) % 2 == 0, x, 0)),
        "clip.aol:clip": lambda x: (min(x, 100), x > 100),
        "histogram.aol:histogram": lambda x, level: np.bincount(np.minimum(level[x], 15), minlength=16),
        "row_histograms.aol:histogram": lambda image: np.bincount(image.ravel(), minlength=256),
        "row_histograms.aol:of_rows": lambda image: [np.bincount(row, minlength=256) for row in image],
        "row_histograms.aol:added": lambda parts: parts.sum(0),
        "operators.aol:decode": mark,
        "functions.aol:magnitude": lambda gx, gy, z: (
            (m := np.hypot(gx, gy)),
            int(np.clip(np.floor(m), 0, 255)),
            np.sqrt(z.real**2 + z.imag**2),
        ),
        "nearest.aol:level": lambda x, gain: (
            np.clip(x // 4, 0, 255),
            np.clip(np.floor(float(gain) * x + 0.5), 0, 255),
            np.floor(gain * 16 + 0.5) / 16,
        ),
        "rotate.aol:rotate": lambda x, a: (
            x * np.exp(0.5j * np.arange(4)),
            (np.abs(x) ** 2).sum(),
            a - 1j * x[0].imag,
        ),
        "weak.aol:blend": lambda a, b, n: ((int(a) + 1) % 256, b / 2 + 2, a / 2, a / 2, (n + np.arange(4)) % 256),
        "overflow.aol": lambda: (44, 44, 300),
        "overflow.aol:sums": lambda a, b: ((s := int(a) + int(b)) % 256, s % 256, s),
        "stores.aol:store": lambda x, n: (x, np.trunc(x), n),
        "fir12.aol": lambda x: np.floor(
            sliding_window_view(x.astype("i8"), 5) @ np.floor(np.array([0.1, 0.2, 0.4, 0.2, 0.1]) * 2**15 + 0.5) / 2**15
            + 0.5
        ),
        "doubled.aol": lambda a: list(accumulate(a.astype("i8"), lambda before, x: 2 * x - before, initial=0))[1:],
        "quads.aol": lambda image: image.reshape(3, 2, 4).sum(-1),
        "directions.aol:transposed": lambda image: (
            image.reshape(16, 4).reshape(8, 2, 4).transpose(1, 2, 0).reshape(8, 8)
        ),
        "directions.aol:turned": lambda image: image[::-1, ::-1],
        "directions.aol:mirrored": lambda image: image[::-1, ::-1],
        "gaps.aol": lambda image: image[::2],
        "meant.aol:meant": lambda image: image[::2],
        "meant.aol:thinned": lambda rows: rows,
        "convolve.aol": lambda image, kernel, gain: (
            gain * np.einsum("ijkl,kl", sliding_window_view(image, (3, 3)), kernel)
        ),
        "around.aol": lambda ring: sum(np.roll(ring.astype(int), shift) for shift in (-1, 0, 1)),
        "edges.aol": lambda image: np.median(neighbours(image), axis=-1),
        "beyond.aol": lambda x: np.concatenate([x[2:0:-1], x, x[2:0:-1]]),
        "shaded.aol": lambda image, table: table[image],
        "butterfly.aol": lambda x: (np.concatenate([(s := x[::2] + x[1::2]), x[::2] - x[1::2]]), s),
        "rows.aol:rows": low_pass,
        "suffix.aol": lambda image: image[:, ::-1].astype(int).cumsum(1)[:, ::-1],
        "integral.aol": integral,
        "product.aol": lambda a, b: a.astype(int) @ b.astype(int),
        "folds.aol:histogram": lambda image: np.bincount(image.ravel() // 64, minlength=4),
        "folds.aol:of_rows": lambda image: [np.bincount(row // 64, minlength=4) for row in image],
        "folds.aol:added": lambda parts: parts.sum(0),
        "folds.aol:maxima": lambda image: image.max(1),
        "folds.aol:totals": lambda image: image.sum(1).cumsum(),
        "stream.aol": over_time,
        "chain.aol:chain": lambda image: halves(low_pass(low_pass(image))),
        "chain.aol:halves": halves,
        "wavelet.aol:wavelet": wavelet,
        "wavelet.aol:means": means,
        "wavelet.aol:details": lambda even, odd: odd - even,
        "branches.aol:squash": lambda x: (
            means((bands := wavelet(x))[:, :4], wavelet(bands)[:, 4:]),
            bands[0, :4],
        ),
        "hierarchy.aol:lines": low_pass,
        "hierarchy.aol:line": low_pass,
        "tables.aol:blurred": lambda image: gamma(binomial(around(image.astype(int), "wrap")) // 16),
        "tables.aol:faded": faded,
        "tables.aol:toned": lambda image: faded(gamma(binomial(around(image.astype(int), "wrap")) // 16)),
        "classify.aol:classify": lambda x: x[:3],  # the file of weights is np.eye(3, 4)
        "classify.aol:scores": lambda x, w: w.astype(int) @ x,
        "dense.aol": lambda x, first, second: second @ (first @ x),
    },
    "run.md": {
        "edges.aol": lambda image: ((step := np.diff(image.astype(int))), abs(step) > 20),
        "video.aol:slower": lambda video: (video[:-1:2] + video[1::2]) / 2,
        "video.aol:smoother": lambda video: (video[:-1] + video[1:]) / 2,
        "video.aol:both": lambda video: ((video[:-1:2] + video[1::2]) / 2, (video[:-1] + video[1:]) / 2),
    },
    "layout.md": {
        "pairs.aol:all_pairs": lambda rows: rows[:, ::2] + rows[:, 1::2],
        "pairs.aol:pairs": lambda a: a[::2] + a[1::2],
        "apart.aol:apart": lambda a: a[:48:6] + a[1:81:10] + a[2:122:15],
        "lookup.aol:add": np.add,
    },
    "transfers.md": {
        "polynomials.aol:polynomials": np.convolve,
        "forward.aol:forward": lower_solution,
        "matrices.aol:matrices": np.matmul,
        "running.aol:rows": lambda image: image.cumsum(1),
        "counts.aol:counts": lambda x: np.bincount(x[x > 10] % 8, minlength=8),
    },
    "transformations.md": {
        "filters.aol:filters": lambda image: low_pass(low_pass(low_pass(image).T).T[:, ::-1])[:, ::-1],
        "layers.aol": lambda image: low_pass(low_pass(low_pass(image).T).T),
        "dots.aol": lambda a, b: np.clip((a.astype(int) @ b + 64) >> 7, -128, 127),
        "windows.aol:windows": lambda line: _mean_on_ring(2 * line.astype(int) % 256),
        "bands.aol:wavelet": lambda x: 2 * wavelet(2 * x),
        "larger.aol:enlarged": lambda i: _sums_at_ends(i.repeat(2, 0).repeat(2, 1).astype(int), (3, 3)) // 9,
        "blur.aol:blur": lambda i: _sums_at_ends(_sums_at_ends(i.astype(int), (1, 3)) * 85 // 256, (3, 1)) * 85 // 256,
        "edges.aol:edges": lambda i: _sums_at_ends(_sums_at_ends(i.astype(int)[None], (1, 3)) % 256, (1, 3))[0] % 256,
        "relax.aol": relaxed,
        "sums.aol:smooth_sums": lambda line: _mean_on_ring(line.astype(int).cumsum() % 256),
        "late.aol:late": lambda signal: (signal.astype(int).cumsum() % 256)[1:],
        "torus.aol:torus": lambda x: x[np.argsort([(2 * r + 3 * c) % 9 for r in range(3) for c in range(3)])],
        "border.aol": delayed_sums,
        "ends.aol:ends": lambda x: neighbours(2 * x.astype(int) % 256).max(-1),
        "round.aol:turns": lambda src: np.roll(src.reshape(3, 4), -1, axis=1).ravel(),
        "circle.aol:circle": lambda x: [
            sum(int(x[k]) << (place - k) for k in range(place + 1)) % 256 for place in range(8)
        ],
    },
    "concepts/datapaths.md": {"weigh.aol:weighs": lambda xs, ws: xs.astype(int) @ ws},
    "concepts/delays.md": {"running.aol": lambda image: image.cumsum(1)},
    "concepts/streams.md": {"details.aol": lambda image: image.astype(int) - smoothed(image)},
    "concepts/tilers.md": {
        "tilers.aol:fours": lambda image: image.reshape(3, 2, 4).sum(-1),
        "tilers.aol:overlapping": lambda signal: sliding_window_view(signal.astype(int), 4).sum(-1),
        "holes.aol:sparse": lambda image: np.add.reduceat(
            image[1::2, [0, 2, 4, 6, 7, 9, 11, 13]].astype(int), [0, 4], 1
        ),
        "holes.aol:diagonal": lambda image: [np.trace(image[:, start : start + 4]) for start in range(5)],
    },
    "howto/borders.md": {
        "borders.aol:inside": largest,
        "borders.aol:nearest": lambda image: largest(around(image, "edge")),
        "borders.aol:torus": lambda image: largest(around(image, "wrap")),
    },
    "howto/ci.md": {
        "gain.aol:gain": lambda x: 3 * x.astype(int),
        "twice.aol": lambda x: (3 * x.astype(int), 3 * x.astype(int)),
    },
    "howto/coefficients.md": {
        "fir.aol": lambda signal: np.convolve(signal, [0.1, 0.2, 0.3, 0.4], "valid"),
    },
    "howto/video.md": {
        "motion.aol": lambda video: 255 * (abs(video - np.concatenate([0 * video[:1], over_time(video)[:-1]])) > 40),
    },
    "tutorial/1-filter.md": {
        "smooth.aol:smooth": lambda image: binomial(image.astype(int)) // 16,
        "sharpen.aol:sharpen": lambda image: np.clip(
            2 * image[1:-1, 1:-1].astype(int) - binomial(image.astype(int)) // 16, 0, 255
        ),
        "sharpen.aol:details": lambda image, soft: np.clip(2 * image[1:-1, 1:-1].astype(int) - soft, 0, 255),
    },
}
# What has nothing to say: tilers alone, interfaces without a body, data by name of a file, pages of mistakes.
SILENT = {
    *("language.md shared.aol", "language.md ports.aol", "language.md camera.aol", "run.md median.aol"),
}


def _sums_at_ends(image: Any, window: tuple[int, int]) -> Any:
    """The sums over a window around each pixel, of the nearest pixels beyond the ends."""
    padded = np.pad(image, [(side // 2, side // 2) for side in window], "edge")
    return sliding_window_view(padded, window).sum((-2, -1))


def _mean_on_ring(values: Array) -> Array:
    return (np.roll(values, 1) + values + np.roll(values, -1)) // 3


def unlike(port: Port, seed: int) -> Array:
    """Elements of which no two are equal, as far as the type has that many values, in no order."""
    shape = tuple(FRAMES if extent is None else extent for extent in port.shape)
    count, kind = int(np.prod(shape)), port.type.kind
    rng = np.random.default_rng(seed)
    if kind is Kind.COMPLEX:
        return (rng.permutation(count) / 8 + 1j * rng.permutation(count)).reshape(shape).astype(DTYPES[port.type])
    if kind is Kind.FLOAT:
        return ((1 + rng.permutation(count)) / 8).reshape(shape).astype(DTYPES[port.type])
    low, high = (int(end) for end in port.type.whole_range)
    least, most = max(low, -5000), min(high, 5000)
    values = np.concatenate(
        [rng.permutation(np.arange(least, most + 1)) for _ in range(count // (most - least + 1) + 1)]
    )
    return values[:count].reshape(shape).astype(DTYPES[port.type])


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The files of a page, or of the pages of a tour."""

    @cache
    def made(page: str) -> Path:
        folder = tmp_path_factory.mktemp("page")
        tour = next((pages for pages in TOURS.values() if page in pages), (page,))
        for one in tour:
            write_files(one, folder)
        (folder / "weights").mkdir()
        np.save(folder / "weights/last.npy", np.eye(3, 4, dtype="i1"))
        np.save(folder / "h.npy", np.array([0.1, 0.2, 0.3, 0.4], "f4"))
        return folder

    return made


CASES = [(page, name) for page, statements in SAYS.items() for name in statements]


@pytest.mark.parametrize(("page", "name"), CASES, ids=[f"{page}-{name}" for page, name in CASES])
def test_it_computes_what_it_says(page: str, name: str, folder_of: Callable[[str], Path]) -> None:
    file, _, top = name.partition(":")
    spec = api.load(folder_of(page) / file)
    component = spec.components[top or _only(spec)]
    ports = [port for port in component.inputs if port.name not in spec.tables]
    data = {port.name: unlike(port, seed) for seed, port in enumerate(ports, 7)}
    found = api.run(spec, data, top=component.name)
    said = SAYS[page][name](*[array[()] for array in data.values()])
    expected = said if isinstance(said, tuple) else (said,)
    assert len(found) == len(expected)
    for array, wanted in zip(found.values(), expected, strict=True):
        assert np.shape(array) == np.shape(wanted)
        np.testing.assert_allclose(array, wanted, rtol=1e-5, atol=1e-9)


def _only(spec: Spec) -> str:
    """The top task of a file: that which no other calls."""
    return list(spec.tasks)[-1]


def test_every_example_is_tried_or_has_nothing_to_say(folder_of: Callable[[str], Path]) -> None:
    """Of the pages of reference and of the tours; not of errors.md, which shows mistakes."""
    pages = [page for page in (*PAGES, *(page for tour in TOURS.values() for page in tour)) if page != "errors.md"]
    tried = {f"{page} {name.partition(':')[0]}" for page, name in CASES}
    shown = {f"{block.page} {block.name}" for page in pages for block in blocks(page, "aol") if not block.is_correction}
    wrong = {one for one in shown - tried if not check(folder_of(one.split()[0]) / one.split()[1]).ok}
    assert shown - tried - wrong == SILENT
