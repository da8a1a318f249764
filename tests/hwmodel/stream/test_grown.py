"""Line buffers of a group from those of small ones, beside those that are counted read by read."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from many_cases import case_count
from stream_filters import filters, model_of
from stream_networks import case_of

from arrayol.errors import ArrayolError
from hwmodel.stream.lanes import Lane
from hwmodel.stream.model import StreamModel
from hwmodel.streamed import Chain, Segment, Stream, Tap


def counted(model: StreamModel, stream: Stream) -> tuple[Chain, ...] | str:
    try:
        return model.sample(stream).chains
    except ArrayolError as refusal:
        return refusal.diagnostics[0].message


@settings(max_examples=case_count(20))
@given(filters())
def test_what_small_sizes_promise_is_what_is_counted(drawn: tuple[str, Stream]) -> None:
    text, stream = drawn
    model = model_of(text)
    try:
        grown: tuple[Chain, ...] | str | None = model.grown(stream)
    except ArrayolError as refusal:
        grown = refusal.diagnostics[0].message
    assume(grown is not None)
    assert grown == counted(model, stream)


@pytest.mark.parametrize(
    ("name", "stream"),
    [
        ("pyramid", Stream()),
        ("pyramid", Stream(scan=(1, 0), pace=Fraction(1, 2))),
        ("camera", Stream(raster=True)),
        ("demosaic", Stream(starts="memory")),
    ],
)
def test_shipped_groups_grow(tmp_path: Path, name: str, stream: Stream) -> None:
    model = case_of(name, tmp_path, H=72, W=96).model
    grown = model.grown(stream)
    assert grown is not None
    assert grown == counted(model, stream)


def test_a_group_at_full_size(tmp_path: Path) -> None:
    model = case_of("pyramid", tmp_path, H=1080, W=1920).model
    # as many as counting read by read says
    assert model.metrics(Stream()).words == 8_649
    assert model.metrics(Stream(raster=True)).words == 1_041_604


Lines = dict[tuple[Lane, bool], list[tuple[tuple[Tap, ...], tuple[Segment, ...]]]]


@settings(max_examples=case_count(20))
@given(filters())
def test_sums_over_axes_are_what_is_listed(drawn: tuple[str, Stream]) -> None:
    """Chains from reads as sums over axes, beside those of every read of a frame."""
    text, stream = drawn
    model = model_of(text)
    chains = counted(model, stream)
    if isinstance(chains, str):
        assert chains == listed(model, stream)
        return
    found: Lines = {}
    for chain in chains:
        lane = Lane(chain.node, chain.port, chain.place, chain.unit, chain.state)
        found.setdefault((lane, chain.kept), []).append((chain.at_birth, chain.segments))
    assert found == listed(model, stream)


def listed(model: StreamModel, stream: Stream) -> Lines | str:
    """The chains of lanes, and kept ones, from every read of a frame; or why these are refused."""
    found: Lines = {}
    try:
        for own in model.passes(stream):
            for kept, lines in ((False, own.chains), (True, own.kept)):
                if lines:
                    segments = [(first, tuple(each.segment for each in line)) for first, line in lines]
                    found[own.lane, kept] = segments
    except ArrayolError as refusal:
        return refusal.diagnostics[0].message
    return found
