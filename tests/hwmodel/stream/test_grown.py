"""Line buffers of a group from those of small ones, beside those that are counted read by read."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from stream_networks import case_of

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError
from arrayol.ir.network import flatten
from hwmodel.accesses import Accesses
from hwmodel.platform import default_platform
from hwmodel.stream.model import StreamModel
from hwmodel.streamed import Chain, Stream

BORDERS = ("wrap", "else nearest", "else reflect", "else mirror", "else 0")
FILTERS = """\
elementary wide(x: u8[{a}, {b}]) -> (y: u8) {{
  s: u32 = 0
  s += x[i, j]  for i in 0..{a}, j in 0..{b}
  y = u8(s // {size})
}}
elementary box(x: u8[3, 3]) -> (y: u8) {{
  s: u32 = 0
  s += x[i, j]  for i in 0..3, j in 0..3
  y = u8(s // 9)
}}
task first(i: u8[{rows}, {columns}]) -> (m: u8[{rows} / {p}, {columns} / {q}]) {{
  repeat [{rows} / {p}, {columns} / {q}] of wide {{
    x <- i at origin [{up}, {left}] paving [{p}, 0; 0, {q}] fitting [1, 0; 0, 1] {border}
    y -> m
  }}
}}
task second(m: u8[{rows} / {p}, {columns} / {q}]) -> (o: u8[{rows} / {p}, {columns} / {q}]) {{
  repeat [{rows} / {p}, {columns} / {q}] of box {{
    x <- m at origin [-1, -1] paving [1, 0; 0, 1] fitting [1, 0; 0, 1] {inner}
    y -> o
  }}
}}
task both(i: u8[{rows}, {columns}]) -> (o: u8[{rows} / {p}, {columns} / {q}]) {{
  m = first(i)
  o = second(m)
}}
"""


@st.composite
def filters(draw: st.DrawFn) -> tuple[str, Stream]:
    """A filter that reads every p-th row and q-th column, a box behind it, and how they stream."""
    a, b, p, q = (draw(st.integers(1, most)) for most in (4, 4, 3, 3))
    up, left = -draw(st.integers(0, a)), -draw(st.integers(0, b))
    rows, columns = draw(st.integers(14, 30)) * 2 * p, draw(st.integers(14, 30)) * 2 * q
    border, inner = draw(st.sampled_from(BORDERS)), draw(st.sampled_from(BORDERS[1:]))
    sizes = {"a": a, "b": b, "p": p, "q": q, "up": up, "left": left, "rows": rows, "columns": columns, "size": a * b}
    pace = draw(st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(2), Fraction(3)]))
    scan = draw(st.sampled_from([(0, 1), (1, 0)]))
    stream = Stream(scan, pace, draw(st.sampled_from(["latency", "memory"])), raster=draw(st.booleans()))
    return FILTERS.format(**sizes, border=border, inner=inner), stream


def model_of(text: str) -> StreamModel:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.aol"
        path.write_text(text)
        spec = load_checked(path, {})
    network = flatten(spec, choose_top(spec, None))
    return StreamModel(Accesses(network), tuple(network.processes), default_platform())


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
    assert model.listed_reads(Stream()) > 1_000_000
    assert model.metrics(Stream()).words == 1_041_603  # as many as counting read by read says
