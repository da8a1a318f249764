"""Latenesses by axes are those that all reads of a frame show."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from stream_networks import case_of

from hwmodel.stream.enumerated import enumerated_latenesses
from hwmodel.stream.lanes import links_of
from hwmodel.stream.latenesses import is_product
from hwmodel.stream.strides import pitches_of
from hwmodel.streamed import Stream


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("unsharp", {"H": 9, "W": 14}),
        ("camera", {"H": 8, "W": 12}),
        ("stereo", {"H": 8, "W": 24}),
        ("pyramid", {"H": 12, "W": 16}),
        ("wavelet", {"H": 12, "W": 16}),
        ("downscaler", {"H": 27, "W": 32}),
        ("larger", {"H": 6, "W": 6}),
        ("row_sums", {"H": 6, "W": 8}),
        ("sobel", {"H": 16, "W": 16}),
    ],
)
@pytest.mark.parametrize("pace", ["1", "1/2", "1/8", "3"])
@pytest.mark.parametrize("scan", [(0, 1), (1, 0)])
def test_by_axes_as_by_all_reads(
    tmp_path: Path, name: str, sizes: dict[str, int], pace: str, scan: tuple[int, ...]
) -> None:
    model = case_of(name, tmp_path, **sizes).model
    stream = Stream(scan, Fraction(pace), raster=True)
    firing = pitches_of(model.group.nodes, model.loops, stream, lambda node, _: (1, 0 if node.process else -1)).firing
    links = links_of(model.group, firing)
    assert len(links) >= 3
    for link in links:
        assert is_product(link.write)
        sides = [(link.reader, link.read), (link.writer, link.write)]
        reader, writer = ((node, touch, firing[node.name]) for node, touch in sides)
        assert link.by_source == enumerated_latenesses(model.accesses, reader, writer)
