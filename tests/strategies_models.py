"""Models of specifications of any form, built in Python: what the grammar allows, whether or not it means anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hypothesis import strategies as st
from strategies import expressions

from arrayol.api import model as m

Node = TypeVar("Node")

names = st.sampled_from(["x", "y", "N", "W", "blur", "nearest", "u9", "_1"]).map(m.Name)
types = st.sampled_from(["u8", "i32", "f32", "bool", "c64", "i4.12", "u0.8", "i9"]).map(m.Name)
texts = st.sampled_from(["", "a.npy", "weights/k.npy", "a:b", "\\ {x}"])
values = expressions() | st.builds(m.Ref, types) | st.builds(m.Apply, types, expressions().map(lambda one: (one,)))


def _tuples(part: st.SearchStrategy[Node], least: int = 0, most: int = 3) -> st.SearchStrategy[tuple[Node, ...]]:
    return st.lists(part, min_size=least, max_size=most).map(tuple)


def _maybe(part: st.SearchStrategy[Node]) -> st.SearchStrategy[Node | None]:
    return st.none() | part


sizes = (
    st.integers(1, 10**20).map(lambda value: m.Number(min(value, 2**63 - 1))) | names.map(m.Ref) | st.builds(m.Infinite)
)
shapes = _tuples(sizes)
vectors = _tuples(values, 1).map(m.Vector)
ranges = st.builds(m.Range, names, values, values)
targets = st.builds(m.Ref, names, _tuples(values))
ports = st.builds(m.Port, names, types, shapes)


@st.composite
def _matrices(draw: st.DrawFn, rank: int) -> m.Matrix:
    columns = draw(st.integers(0, 2))
    row = _tuples(values, columns, columns)
    return m.Matrix(draw(_tuples(row, rank, rank)) if columns else ())


@st.composite
def tilers(draw: st.DrawFn) -> m.Tiler:
    """Tilers whose matrices have a row for each entry of the origin."""
    origin = draw(_tuples(values))
    rank = len(origin)
    return m.Tiler(m.Vector(origin), draw(_matrices(rank)), draw(_matrices(rank)), draw(st.booleans()))


places = names | tilers()


def _statements() -> st.SearchStrategy[m.Assign | m.Loop | m.Local]:
    simple = st.builds(m.Assign, targets, values, st.booleans(), _tuples(ranges, 0, 2), _maybe(values)) | st.builds(
        m.Local, names, types, shapes, _maybe(values)
    )
    return st.recursive(simple, lambda inner: st.builds(m.Loop, _tuples(ranges, 1, 2), _tuples(inner)), max_leaves=4)


@st.composite
def _repeats(draw: st.DrawFn) -> m.Repeat:
    shape = draw(_tuples(sizes, 1))
    delays = _tuples(values, len(shape), len(shape)).map(m.Vector)
    defaults = values | st.builds(m.TiledDefault, names, places)
    borders = values | st.sampled_from(["nearest", "reflect", "mirror"]).map(m.BorderMode)
    links = st.one_of(
        st.builds(lambda port, array, tiler, border: m.InputLink(port, array, tiler, border=border), names, names,
                  _maybe(places), _maybe(borders)),
        st.builds(lambda port, array, tiler, delay: m.OutputLink(port, array, tiler, delay=delay), names, names,
                  _maybe(places), _maybe(delays)),
        st.builds(m.DelayLink, names, names, delays, defaults),
    )  # fmt: skip
    return m.Repeat(shape, draw(names), draw(_tuples(links)), values=draw(_maybe(_tuples(values, 1))))


slices = values | st.builds(m.Strided, values, values, _maybe(values)) | st.builds(m.Whole)
parts = st.builds(m.Part, names, _tuples(slices))
calls = st.builds(
    lambda results, callee, arguments, values: m.Call(results, callee, arguments, values=values),
    _tuples(parts, 1), names, _tuples(parts), _maybe(_tuples(values, 1)),
)  # fmt: skip
contents = _repeats() | _tuples(calls | st.builds(m.Array, names, types, _tuples(sizes, 1)), 1)


@st.composite
def _signatures(draw: st.DrawFn) -> m.Signature:
    both = draw(st.lists(ports, max_size=4, unique_by=lambda port: port.name.text))
    cut = draw(st.integers(0, len(both)))
    return m.Signature(both[:cut], both[cut:])


tables = st.builds(m.Table, _tuples(_tuples(values, 1), 1)) | st.builds(
    lambda formula, over: m.Table([[formula]], over), values, _tuples(ranges, 1, 2)
)
parameters = st.lists(st.sampled_from(["T", "n"]).map(m.Name), max_size=2, unique_by=lambda name: name.text).map(tuple)


def _elementary(name: m.Name, signature: m.Signature, body: object, named: tuple[m.Name, ...]) -> m.Elementary:
    code = {"extern": body} if isinstance(body, str) else {"body": body}
    return m.Elementary(name, signature, parameters=named, **code)  # type: ignore[arg-type]


_ITEMS: tuple[Callable[[m.Name], st.SearchStrategy[object]], ...] = (
    lambda name: texts.map(m.Import),
    lambda name: st.builds(m.Const, st.just(name), values),
    lambda name: st.builds(m.ConstArray, st.just(name), types, shapes, values | tables | texts.map(m.DataFile)),
    lambda name: st.builds(m.TilerDef, st.just(name), tilers()),
    lambda name: st.builds(
        _elementary, st.just(name), _signatures(), _maybe(texts | _tuples(_statements())), parameters
    ),
    lambda name: st.builds(
        lambda ports, content, named: m.Task(name, ports, content, parameters=named),
        _signatures(),
        contents,
        parameters,
    ),
)


@st.composite
def models(draw: st.DrawFn) -> m.Specification:
    """Up to four definitions of every kind."""
    count = draw(st.integers(1, 4))
    return m.Specification([draw(draw(st.sampled_from(_ITEMS))(m.Name(f"d{number}"))) for number in range(count)])
