"""Two filters in a row as text, drawn with how they stream: windows, steps, borders of any kind."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st

from arrayol.checks.check import load_checked
from arrayol.checks.top import choose_top
from arrayol.ir.network import flatten
from hwmodel.accesses import Accesses
from hwmodel.platform import default_platform
from hwmodel.stream.model import StreamModel
from hwmodel.streamed import Stream

BORDERS = ("wrap", "else nearest", "else reflect", "else mirror", "else 0")
FILTERS = """\
elementary wide(x: u8[{a}, {b}]) -> (y: u8[{k}]) {{
  s: u32 = 0
  s += x[i, j]  for i in 0..{a}, j in 0..{b}
  loop n in 0..{k} {{
    y[n] = u8((s + n) // {size})
  }}
}}
elementary box(x: u8[3, 3]) -> (y: u8) {{
  s: u32 = 0
  s += x[i, j]  for i in 0..3, j in 0..3
  y = u8(s // 9)
}}
task first(i: u8[{rows}, {columns}]) -> (m: u8[{rows} / {p}, {columns} / {q} * {k}]) {{
  repeat [{rows} / {p}, {columns} / {q}] of wide {{
    x <- i at origin [{up}, {left}] paving [{p}, 0; 0, {q}] fitting [1, 0; 0, 1] {border}
    y -> m at origin [0, 0] paving [1, 0; 0, {k}] fitting [0; 1]
  }}
}}
task second(m: u8[{rows} / {p}, {columns} / {q} * {k}]) -> (o: u8[{rows} / {p}, {columns} / {q} * {k}]) {{
  repeat [{rows} / {p}, {columns} / {q} * {k}] of box {{
    x <- m at origin [-1, -1] paving [1, 0; 0, 1] fitting [1, 0; 0, 1] {inner}
    y -> o
  }}
}}
task both(i: u8[{rows}, {columns}]) -> (o: u8[{rows} / {p}, {columns} / {q} * {k}]) {{
  m = first(i)
  o = second(m)
}}
"""


@st.composite
def filters(draw: st.DrawFn, least: int = 14, most: int = 30) -> tuple[str, Stream]:
    """A filter that makes k pixels of every p-th row and q-th column, a box behind it, and how they stream.

    The filter has from twice `least` to twice `most` rows and columns.
    """
    a, b, p, q, k = (draw(st.integers(1, largest)) for largest in (4, 4, 3, 3, 2))
    up, left = -draw(st.integers(0, a)), -draw(st.integers(0, b))
    rows, columns = (draw(st.integers(least, most)) * 2 * own for own in (p, q))
    border, inner = draw(st.sampled_from(BORDERS)), draw(st.sampled_from(BORDERS[1:]))
    sizes = {"a": a, "b": b, "p": p, "q": q, "k": k, "up": up, "left": left, "rows": rows, "columns": columns}
    pace = draw(st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(2), Fraction(3)]))
    scan = draw(st.sampled_from([(0, 1), (1, 0)]))
    stream = Stream(scan, pace, draw(st.sampled_from(["latency", "memory"])), raster=draw(st.booleans()))
    return FILTERS.format(**sizes, size=a * b, border=border, inner=inner), stream


def model_of(text: str) -> StreamModel:
    """The model of a specification that is one group."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.aol"
        path.write_text(text)
        spec = load_checked(path, {})
    network = flatten(spec, choose_top(spec, None))
    return StreamModel(Accesses(network), tuple(network.processes), default_platform())
