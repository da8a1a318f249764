"""Figures of known networks at their full size: words, last start, cycles. The simulator has them at fewer rows."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from stream_networks import NETWORKS, case_of

from hwmodel.streamed import Stream

SMALL = {"H": 120, "W": 160}
RASTER = Stream(raster=True)
COLUMNS = Stream(scan=(1, 0))
HALF, QUARTER, EIGHTH = (Stream(pace=Fraction(1, own)) for own in (2, 4, 8))


@pytest.mark.parametrize(
    ("name", "sizes", "stream", "words", "last_start", "cycles"),
    [
        ("unsharp", {}, Stream(), 1_445, 485, 154_086),
        ("unsharp", {}, HALF, 1_450, 245, 77_046),
        ("unsharp", {}, QUARTER, 1_460, 125, 38_526),
        ("unsharp", {}, EIGHTH, 1_480, 65, 19_266),
        ("unsharp", {}, COLUMNS, 642, 325, 153_926),
        ("unsharp", {"H": 1080, "W": 1920}, Stream(), 5_765, 1_925, 2_075_526),
        ("denoise", {}, Stream(), 4_333, 964, 154_565),
        ("denoise", {}, Stream(starts="memory"), 2_409, 964, 154_565),
        ("corners", {}, Stream(), 4_810, 2_411, 156_012),
        ("canny", {}, Stream(), 5_292, 2_411, 156_012),
        ("xcorr", {}, Stream(), 12_011, 3_851, 157_452),
        ("column", {}, Stream(), 960, 480, 154_081),
        ("column", {}, COLUMNS, 2, 1, 153_602),
        ("conv3x3", {}, Stream(), 3_842, 3_843, 2_073_602),
        ("demosaic", SMALL, RASTER, 966, 322, 19_523),
        ("camera", SMALL, RASTER, 1_308, 487, 19_688),
        ("stereo", SMALL, RASTER, 1_303, 322, 19_523),
        ("sobel", SMALL, RASTER, 3_703, 1_290, 20_491),
        ("harris_nearest", SMALL, Stream(), 1_288, 325, 19_526),
        ("pyramid_nearest", SMALL, Stream(), 324, 323, 19_363),
        ("wavelet", SMALL, HALF, 724, 322, 19_363),
        ("wavelet", SMALL, Stream(pace=Fraction(1, 2), raster=True), 10_324, 322, 38_563),
        ("two", {}, Stream(), 130, 66, 3_139),
        ("halved", {}, Stream(), 398, 487, 6_341),
        ("larger", {}, Stream(), 257, 50, 1_971),
        ("frames", {}, Stream(), 1_538, 1_538, 6_147),
        # wraps in scan order: half a frame waits, and what comes round is kept, of the next frame too
        ("pyramid", SMALL, RASTER, 10_004, 19_200, 38_240),
        # wraps as made: tasks begin with the first row that they can make
        ("pyramid", SMALL, Stream(), 729, 645, 19_685),
        ("harris", SMALL, Stream(), 3_284, 647, 19_848),
        ("harris", {}, Stream(), 38_484, 7_687, 2_081_288),
        ("downscaler", {"H": 108, "W": 160}, Stream(), 1_367, 2_155, 18_313),
    ],
)
def test_known_figures(
    tmp_path: Path, name: str, sizes: dict[str, int], stream: Stream, words: int, last_start: int, cycles: int
) -> None:
    metrics = case_of(name, tmp_path, **sizes).model.metrics(stream)
    assert (metrics.words, metrics.last_start, metrics.cycles) == (words, last_start, cycles)


# The lines that ImaGen (two ports a memory) keeps of these networks, at 480 pixels a line, and its last starts.
IMAGEN_LINES = {"unsharp": 5, "denoise": 10, "corners": 14, "canny": 16, "xcorr": 27}


@pytest.mark.parametrize("name", [*NETWORKS, "unsharp"])
@pytest.mark.parametrize("pixels", [1, 2, 4, 8])
def test_no_more_words_than_lines_of_imagen(tmp_path: Path, name: str, pixels: int) -> None:
    stream = Stream(pace=Fraction(1, pixels), starts="memory")
    metrics = case_of(name, tmp_path).model.metrics(stream)
    assert metrics.words <= IMAGEN_LINES[name] * 480
    assert metrics.cycles <= 320 * 480 // pixels + metrics.last_start + 2
    assert metrics.frame_cycles == 320 * 480 // pixels


def test_memory_starts_ask_for_an_input_later(tmp_path: Path) -> None:
    model = case_of("denoise", tmp_path).model
    starts = {name: node.firing.start for name, node in model.streamed(Stream(starts="memory")).nodes.items()}
    assert (starts["load i"], starts["load f"]) == (0, 962)


def test_what_a_line_and_a_frame_take(tmp_path: Path) -> None:
    group: Any = case_of("downscaler", tmp_path, H=108, W=160).model.streamed(Stream())
    assert (group.line, group.frame) == (162, 108 * 162)  # 60 columns of 8/3 places: lines of 160 would not end whole
