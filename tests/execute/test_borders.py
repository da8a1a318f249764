"""Borders equal numpy.pad: all modes, every distance and rank; and wraps stay as they were."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from loading import spec_of
from many_cases import case_count
from numpy.lib.stride_tricks import sliding_window_view

from arrayol.errors import ArrayolError
from arrayol.execute.environment import Points
from arrayol.execute.patterns import read_patterns, tiling_for_reading
from arrayol.execute.run import execute
from arrayol.ir.borders import Border
from arrayol.ir.spec import Tiler, identity
from arrayol.language.syntax.diagnose import shown_shape
from arrayol.source import SourceFile, Span

PADDED = {"nearest": "edge", "reflect": "symmetric", "mirror": "reflect", "7": "constant"}
NOWHERE = Span(SourceFile("", ""), 0, 0)


def padded(array: np.ndarray, before: tuple[int, ...], after: tuple[int, ...], mode: str) -> np.ndarray:
    """What NumPy makes of it."""
    more = {"constant_values": 7} if mode == "7" else {}
    return np.pad(array, list(zip(before, after, strict=True)), PADDED[mode], **more)


def text(
    shape: tuple[int, ...], origin: tuple[int, ...], window: tuple[int, ...], space: tuple[int, ...], mode: str
) -> str:
    """A task that hands out its windows."""
    rank = len(shape)
    unit = "; ".join(", ".join(map(str, row)) for row in identity(rank))
    index = [f"k{axis}" for axis in range(rank)]
    ranges = ", ".join(f"{name} in 0..{extent}" for name, extent in zip(index, window, strict=True))
    at = ", ".join(index)
    ports = f"(w: i32{shown_shape(window)}) -> (v: i32{shown_shape(window)})"
    return (
        f"elementary e{ports} {{ v[{at}] = w[{at}] for {ranges} }}\n"
        f"task t(x: i32{shown_shape(shape)}) -> (y: i32{shown_shape((*space, *window))}) {{\n"
        f"  repeat {shown_shape(space)} of e {{\n"
        f"    w <- x at origin {list(origin)} paving [{unit}] fitting [{unit}] else {mode}\n    v -> y\n  }}\n}}\n"
    )


@st.composite
def windows(draw: st.DrawFn) -> tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """A mode, a shape, how far it is left before and after, as far as allowed, and a window."""
    mode = draw(st.sampled_from(sorted(PADDED)))
    shape = tuple(draw(st.integers(1, 5)) for _ in range(draw(st.integers(1, 3))))
    most = [{"reflect": extent, "mirror": extent - 1}.get(mode, 9) for extent in shape]
    before, after = (tuple(draw(st.integers(0, far)) for far in most) for _ in range(2))
    whole = [sum(sides) for sides in zip(shape, before, after, strict=True)]
    return mode, shape, before, after, tuple(draw(st.integers(1, min(3, extent))) for extent in whole)


@settings(max_examples=case_count(150), deadline=None)
@given(windows())
@example(("mirror", (5, 1), (4, 0), (4, 0), (3, 1)))
@example(("reflect", (4, 3, 2), (4, 3, 2), (4, 3, 2), (2, 2, 2)))
def test_windows_are_those_of_numpy_pad(case: tuple[str, *tuple[tuple[int, ...], ...]]) -> None:
    mode, shape, before, after, window = case
    whole = padded(np.arange(np.prod(shape), dtype="i4").reshape(shape), before, after, mode)
    expected = sliding_window_view(whole, window)
    spec = spec_of(text(shape, tuple(-far for far in before), window, expected.shape[: len(shape)], mode))
    found = execute(spec, "t", {"x": np.arange(np.prod(shape), dtype="i4").reshape(shape)})["y"]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("mode", sorted(PADDED))
def test_every_distance_that_a_mode_allows_and_none_beyond(mode: str) -> None:
    for extent, before, after in product((1, 2, 5), range(7), range(7)):
        most = {"reflect": extent, "mirror": extent - 1}.get(mode, 99)
        length = extent + before + after
        source = text((extent,), (-before,), (1,), (length,), mode)
        if max(before, after) > most:
            with pytest.raises(ArrayolError, match="border-too-far"):
                spec_of(source)
        elif before or after:
            found = execute(spec_of(source), "t", {"x": np.arange(extent, dtype="i4")})["y"]
            expected = padded(np.arange(extent, dtype="i4"), (before,), (after,), mode)
            np.testing.assert_array_equal(found[:, 0], expected)


@pytest.mark.parametrize("mode", ["nearest", "reflect", "mirror", "constant"])
@pytest.mark.parametrize("trailing", [(), (2,)])
def test_listed_repetitions_read_what_a_box_of_them_reads(mode: str, trailing: tuple[int, ...]) -> None:
    """Both ways of reading patterns, skewed and with steps, with the repetitions around a task behind."""
    tiler = Tiler((-3, 4), ((2, 1), (-1, 0)), ((1, 0), (0, -2)), False, NOWHERE, Border(mode, 7))
    array = np.random.default_rng(0).integers(0, 99, (9, 9, *trailing))
    tiling = tiling_for_reading(array, tiler, (2, 3), (3, 4), wave=None)
    assert tiling.view is not None
    points = Points(tuple(part.ravel() for part in np.indices((3, 4))))
    listed = read_patterns(array, tiler, (2, 3), points)
    np.testing.assert_array_equal(tiling.view.reshape(2, 3, 12, *trailing), listed)


def test_constants_of_consts_named_as_modes_stand_in_parentheses() -> None:
    """`nearest` alone is the mode, `(nearest)` the const."""
    source = "const nearest = 7\n" + text((4,), (-2,), (1,), (8,), "(nearest)")
    found = execute(spec_of(source), "t", {"x": np.arange(4, dtype="i4")})["y"]
    np.testing.assert_array_equal(found[:, 0], [7, 7, 0, 1, 2, 3, 7, 7])
    found = execute(spec_of(source.replace("(nearest)", "nearest")), "t", {"x": np.arange(4, dtype="i4")})["y"]
    np.testing.assert_array_equal(found[:, 0], [0, 0, 0, 1, 2, 3, 3, 3])


def test_frames_without_end_read_a_finite_axis_beyond_its_ends() -> None:
    source = text((3,), (-1,), (1,), (6,), "nearest").replace("[6]", "[*]").replace("[6, 1]", "[*, 1]")
    found = execute(spec_of(source), "t", {"x": np.arange(3, dtype="i4")}, frames=6)["y"]
    np.testing.assert_array_equal(found[:, 0], [0, 0, 1, 2, 2, 2])
