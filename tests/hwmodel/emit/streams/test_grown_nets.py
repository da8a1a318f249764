"""The module of a large streaming group by small frames, beside that of all its repetitions: the same text."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from many_cases import case_count, on_many
from stream_designs import platform_at
from stream_filters import filters, model_of
from stream_networks import case_of

from arrayol.errors import ArrayolError
from arrayol.execute.run import with_tables
from hwmodel.emit.schedule.bits import bits_of_values
from hwmodel.emit.streams.group import GroupModule
from hwmodel.emit.streams.hardware import StreamHardware
from hwmodel.emit.streams.nets.grown import grown_nets
from hwmodel.streamed import Stream

AXIS = Stream(interface="axis")
HALF, QUARTER, THREE = (replace(AXIS, pace=Fraction(pulses)) for pulses in ("1/2", "1/4", "3"))
EVERY = 1 << 60  # more repetitions than any frame has


def by_small_frames(whole: StreamHardware) -> StreamHardware | None:
    """The same group with nets by small frames; None where they do not say."""
    nets = grown_nets(whole.model, whole.stream, whole.streamed, whole.nets_of)
    return None if nets is None else replace(whole, known=nets)


def judge(whole: StreamHardware, tally: Counter[str]) -> None:
    """Hold the nets by small frames against those of all repetitions."""
    found = by_small_frames(whole)
    tally["derived" if found is not None else "whole"] += 1
    if found is not None:
        assert GroupModule(found, "group", "").text() == GroupModule(whole, "group", "").text()
        assert found.begins == whole.begins
        assert found.multiple == whole.multiple


# Units, gaps of lines, other scans, kept chains, states before they leave, several frames, tables, one dimension.
CASES = [
    ("conv3x3", {"H": 90, "W": 130}, AXIS, 100),
    ("unsharp", {"H": 90, "W": 131}, QUARTER, 50),
    ("unsharp", {"H": 90, "W": 130}, THREE, 20),
    ("unsharp", {"H": 90, "W": 130}, replace(AXIS, scan=(1, 0)), 50),
    ("denoise", {"H": 70, "W": 80}, replace(AXIS, starts="memory"), 2),
    ("halved", {"H": 96, "W": 128}, AXIS, 2),
    ("larger", {"H": 64, "W": 64}, AXIS, 2),
    ("recursive", {"H": 96, "W": 128}, replace(AXIS, pace=Fraction(4)), 100),
    ("row_sums", {"H": 96, "W": 128}, AXIS, 2),
    ("frames", {"F": 3, "H": 94, "W": 96}, AXIS, 2),
    ("pyramid_nearest", {"H": 104, "W": 128}, THREE, 10),
    ("fir", {"N": 3200, "TAPS": 4, "S": 4}, AXIS, 50),
    ("dct", {"H": 160, "W": 160}, AXIS, 50),
    ("demosaic", {"H": 104, "W": 128}, replace(AXIS, interface="port", chunk=128), 50),
]


@pytest.mark.parametrize(("name", "sizes", "stream", "mhz"), CASES)
def test_kinds_of_groups(tmp_path: Path, name: str, sizes: dict[str, int], stream: Stream, mhz: float) -> None:
    case, tally = case_of(name, tmp_path, **sizes), Counter[str]()
    model = replace(case.model, platform=platform_at(mhz))
    arrays = case.network.arrays
    tables = with_tables(case.spec, case.spec.components[case.network.name], {})
    contents = {own: np.asarray(bits_of_values(values, arrays[own].type)).reshape(-1) for own, values in tables.items()}
    judge(StreamHardware(model, stream, contents, EVERY), tally)
    assert tally["derived"]


def test_generated_filters() -> None:
    cases, tally = case_count(10), Counter[str]()

    def on(drawn: tuple[str, Stream]) -> None:
        text, stream = drawn
        model = replace(model_of(text), platform=platform_at(10))
        try:
            whole = StreamHardware(model, stream, {}, EVERY)
            assert whole.multiple
            GroupModule(whole, "group", "").text()
        except ArrayolError as refused:
            if not {own.code for own in refused.diagnostics} <= {"not-streamed", "not-emitted"}:
                raise
            tally["refused"] += 1
            return
        judge(whole, tally)

    on_many(cases, 3, on, filters(24, 32))
    assert tally["derived"] >= tally["whole"]


def test_a_large_frame_is_derived(tmp_path: Path) -> None:
    """Of a frame of 33 million pixels nothing is listed: that is refused beyond 8 million repetitions."""
    model = replace(case_of("conv3x3", tmp_path, H=4320, W=7680).model, platform=platform_at(50))
    text = GroupModule(StreamHardware(model, AXIS, {}), "group", "").text()
    assert ".DEPTH(7678)" in text
    with pytest.raises(ArrayolError, match="is counted repetition by repetition"):
        assert StreamHardware(model, AXIS, {}, EVERY).nets


def test_few_places_say_nothing(tmp_path: Path) -> None:
    model = replace(case_of("conv3x3", tmp_path, H=12, W=14).model, platform=platform_at(50))
    assert by_small_frames(StreamHardware(model, AXIS, {})) is None
