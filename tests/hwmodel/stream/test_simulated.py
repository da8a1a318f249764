"""The simulator at reduced rows: outputs as the reference execution's, figures as the model's, no word too many."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from stream_networks import case_of, require_whole_run, segments_with_a_word_to_spare

from hwmodel.platform import default_platform
from hwmodel.simulator.streams.faults import StreamFaultError
from hwmodel.streamed import Stream

PLAIN, RASTER, COLUMNS = Stream(), Stream(raster=True), Stream(scan=(1, 0))
HALF, QUARTER, SLOW = (Stream(pace=Fraction(pulses)) for pulses in ("1/2", "1/4", "3"))

# At these sizes every kind of segment is there.
CASES = [
    ("unsharp", {"H": 12, "W": 20}, PLAIN, 6),
    ("unsharp", {"H": 12, "W": 22}, QUARTER, 21),  # units that a line does not fill
    ("unsharp", {"H": 12, "W": 20}, SLOW, 6),
    ("unsharp", {"H": 12, "W": 20}, COLUMNS, 6),
    ("denoise", {"H": 8, "W": 9}, PLAIN, 27),
    ("denoise", {"H": 8, "W": 9}, Stream(starts="memory"), 26),
    ("corners", {"H": 9, "W": 9}, PLAIN, 32),
    ("canny", {"H": 8, "W": 9}, PLAIN, 49),
    ("xcorr", {"H": 12, "W": 12}, PLAIN, 35),
    ("two", {"H": 12, "W": 16}, PLAIN, 6),
    ("conv3x3", {"H": 10, "W": 12}, PLAIN, 8),
    ("demosaic", {"H": 12, "W": 16}, RASTER, 24),
    ("camera", {"H": 8, "W": 12}, RASTER, 44),
    ("harris_nearest", {"H": 12, "W": 16}, HALF, 44),
    ("pyramid", {"H": 12, "W": 16}, PLAIN, 14),  # kept chains
    ("pyramid", {"H": 12, "W": 16}, RASTER, 14),
    ("harris", {"H": 6, "W": 7}, QUARTER, 136),  # windows that wrap along both axes
    ("harris", {"H": 6, "W": 8}, COLUMNS, 80),
    ("wavelet", {"H": 12, "W": 16}, HALF, 13),
    ("wavelet", {"H": 12, "W": 16}, replace(HALF, interface="axis"), 14),
    ("downscaler", {"H": 18, "W": 24}, PLAIN, 70),  # one rate for three lanes, and another for their reader
    ("halved", {"H": 16, "W": 24}, PLAIN, 24),
    ("larger", {"H": 8, "W": 8}, PLAIN, 35),
    ("recursive", {"H": 12, "W": 16}, PLAIN, 1),
    ("row_sums", {"H": 8, "W": 12}, PLAIN, 2),  # held data
    ("frames", {"F": 3, "H": 6, "W": 8}, PLAIN, 3),
]


@pytest.mark.parametrize(("name", "sizes", "stream", "segments"), CASES)
def test_runs_and_needs_every_word(
    tmp_path: Path, name: str, sizes: dict[str, int], stream: Stream, segments: int
) -> None:
    case = case_of(name, tmp_path, **sizes)
    require_whole_run(case, stream)
    assert segments_with_a_word_to_spare(case, stream) == (segments, [])


@pytest.mark.parametrize(("name", "sizes"), [("stereo", {"H": 6, "W": 20}), ("sobel", {"H": 16, "W": 16})])
def test_large_windows(tmp_path: Path, name: str, sizes: dict[str, int]) -> None:
    case = case_of(name, tmp_path, **sizes)
    require_whole_run(case, RASTER)


@pytest.mark.parametrize(
    ("name", "sizes", "pace"),
    [
        ("unsharp", {"H": 8, "W": 12}, 2),
        ("camera", {"H": 8, "W": 8}, 1),
        ("pyramid_nearest", {"H": 8, "W": 12}, 3),
        ("larger", {"H": 4, "W": 6}, 4),
        ("recursive", {"H": 6, "W": 8}, 4),
    ],
)
def test_intervals_and_latencies_of_a_platform(tmp_path: Path, name: str, sizes: dict[str, int], pace: int) -> None:
    """Operands and results pass over several pulses."""
    case = case_of(name, tmp_path, **sizes)
    stream = Stream(pace=Fraction(pace))
    plain, slow = (require_whole_run(case, stream, platform) for platform in (None, default_platform()))
    assert slow.cycles >= plain.cycles


def test_words_are_the_data_that_wait(tmp_path: Path) -> None:
    for name in ("unsharp", "canny", "xcorr"):
        run = require_whole_run(case_of(name, tmp_path, H=12, W=12), PLAIN)
        assert run.words == run.live


def test_a_start_too_early(tmp_path: Path) -> None:
    case = case_of("unsharp", tmp_path, H=8, W=12)
    group = case.model.streamed(PLAIN)
    for name in ("blur_x", "blur_y", "sharpen"):
        node = group.nodes[name]
        early = replace(node, firing=replace(node.firing, start=node.firing.start - 1))
        with pytest.raises(StreamFaultError):
            case.simulated(replace(group, nodes={**group.nodes, name: early}))
