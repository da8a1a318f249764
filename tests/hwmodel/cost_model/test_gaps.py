"""Gaps between runs: what is read over them, and that a body which reads more is never faster for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from many_cases import case_count

from arrayol.checks.check import check_source
from arrayol.checks.top import choose_top
from arrayol.ir.network import flatten
from arrayol.source import SourceFile
from hwmodel.cost_model.evaluate.evaluation import price
from hwmodel.cost_model.memory_port.requests import Requested
from hwmodel.cost_model.model import MachineModel
from hwmodel.datapath.entry import ElementaryEntry
from hwmodel.design import row_major
from hwmodel.figures import LATENCY
from hwmodel.platform import Platform
from hwmodel.platform_memories import ExternalMemory
from hwmodel.simulator.requests import Requester

ENTRIES = {"e": ElementaryEntry(initiation_interval=1, latency=2)}


@dataclass(frozen=True)
class Axis:
    """How a pattern of `size` elements, each `fitting` behind the one before, walks an axis from `origin` on."""

    origin: int
    paving: int
    fitting: int
    size: int


def _least_cycles(
    axes: tuple[Axis, ...], extents: tuple[int, ...], repeats: tuple[int, ...], platform: Platform
) -> int:
    """The cycles of the fastest blocks of all shapes."""
    rank = len(axes)

    def diagonal(values: list[int]) -> str:
        return "; ".join(", ".join(str(v if i == k else 0) for k in range(rank)) for i, v in enumerate(values))

    pattern, array, space = (", ".join(map(str, own)) for own in ([axis.size for axis in axes], extents, repeats))
    origin, paving, fitting = ([getattr(axis, name) for axis in axes] for name in ("origin", "paving", "fitting"))
    text = f"""
elementary e(x: u16[{pattern}]) -> (y: u8) {{ y = 0 }}
task top(x: u16[{array}]) -> (y: u8[{space}]) {{
  repeat [{space}] of e {{
    x <- x at origin {origin} paving [{diagonal(paving)}] fitting [{diagonal(fitting)}]
    y -> y
  }}
}}
"""
    spec = check_source(SourceFile("gaps.aol", text)).spec
    model = MachineModel(flatten(spec, choose_top(spec, None)), platform)
    batch = model.batch(tuple(model.network.processes))
    assert batch is not None
    shapes = np.array([*product(*(range(1, extent + 1) for extent in repeats))])
    return int(price(batch.tables(row_major(rank), shapes), np.array([[1]])).objective(LATENCY).min())


@pytest.mark.parametrize(
    ("elements", "shape", "cycles", "words"),
    [
        (range(0, 640, 2), (480, 640), 70, 40),  # every second pixel of a row: all of the row, but for the last
        (range(641, 1278, 3), (480, 640), 70, 40),
        ([0, 1, 2, 300, 301, 302], (480, 640), 32, 2),  # far apart
        ([*range(0, 16, 4), *range(304, 320, 4)], (480, 640), 32, 2),  # near in two places that are far apart
        (range(1, 96, 3), (2, 32, 3), 36, 6),  # one colour, which never lies last in a pixel
        ([*range(32), *range(96, 128)], (2, 3, 32), 34, 4),  # a channel of two rows, the others longer than it
    ],
)
def test_what_a_step_asks_for(elements: Sequence[int], shape: tuple[int, ...], cycles: int, words: int) -> None:
    """Bytes, at 16 a word and a latency of 30, 8 requests unfinished at once."""
    memory = ExternalMemory(latency=30, word_bits=128, burst="run", outstanding=8)
    element = np.array(elements)
    found = Requested(shape, 1, memory).by_step(element, 0 * element, 1)
    assert (found.cycles(30, 8).tolist(), (found.number * found.words).tolist()) == ([cycles], [words])
    requester = Requester.of("x", shape, 1, memory, [element])
    assert requester.serve(0, element, 0)[0] == cycles


@st.composite
def _pairs(draw: st.DrawFn) -> tuple[tuple[Axis, Axis], int, int]:
    """An axis as a body walks it, and as one does that reads more; the extent, and how many repetitions there are."""
    fitting, size, repeats = draw(st.integers(2, 4)), draw(st.integers(1, 3)), draw(st.integers(2, 5))
    closer = draw(st.sampled_from([f for f in range(1, fitting) if fitting % f == 0]))
    before, after = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    span = (before + after) * closer + fitting * (size - 1) + 1
    paving = span + draw(st.integers(0, 4))
    more = Axis(0, paving, closer, before + after + fitting // closer * (size - 1) + 1)
    less = Axis(before * closer, paving, fitting, size)
    return (less, more), paving * (repeats - 1) + span + draw(st.integers(0, 3)), repeats


def _platforms(latency: int, outstanding: int, word: int) -> Platform:
    memory = ExternalMemory(latency=latency, word_bits=word, burst="run", outstanding=outstanding)
    return Platform(clock_mhz=100.0, memory=memory, elementary=ENTRIES)


@settings(max_examples=case_count(100), deadline=None)
@given(
    st.lists(_pairs(), min_size=1, max_size=2),
    st.builds(_platforms, st.integers(5, 40), st.sampled_from((1, 2, 8)), st.sampled_from((16, 32, 128))),
)
def test_reading_more_is_never_faster(axes: list[tuple[tuple[Axis, Axis], int, int]], platform: Platform) -> None:
    pairs, extents, repeats = (tuple(each) for each in zip(*axes, strict=True))
    less, more = (_least_cycles(own, extents, repeats, platform) for own in zip(*pairs, strict=True))
    event(f"as fast: {less == more}")
    assert less <= more
