"""Hypothesis strategies for everything that tests generate, extended with every feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from hypothesis import strategies as st

from arrayol.ir import syntax
from arrayol.ir.borders import CONSTANT, Border
from arrayol.ir.spec import Shape, Tiler
from arrayol.language.syntax.diagnose import shown_shape
from arrayol.polyhedral.accesses import Access, find_outside
from arrayol.source import SourceFile, Span
from dse.space.task_graph import TaskGraph, from_links

NOWHERE = Span(SourceFile("generated", ""), 0, 0)


@st.composite
def accesses(draw: st.DrawFn, *, infinite: bool | None = None) -> Access:
    """An access of a small array: blocks that tile it, then often disturbed in one of many ways.

    Along each array axis the pattern takes `block` elements and the repetition steps over them. Disturbances: another
    step or origin (overlaps, holes, leaving), skew, reversed axes, a wrap, a last dimension more or less.
    """
    rank = draw(st.integers(1, 3))
    blocks = [draw(st.integers(1, 3)) for _ in range(rank)]
    counts: list[int | None] = [draw(st.integers(1, 3)) for _ in range(rank)]
    array: list[int | None] = [block * count for block, count in zip(blocks, counts, strict=True) if count]
    order = draw(st.permutations(range(rank)))
    paving = [[blocks[axis] if order[column] == axis else 0 for column in range(rank)] for axis in range(rank)]
    fitting = [[int(column == axis) for column in range(rank)] for axis in range(rank)]
    origin = [0] * rank
    if infinite or (infinite is None and draw(st.integers(0, 7)) == 0):
        _make_infinite(draw, counts, array)
    wrap = draw(st.integers(0, 3)) == 0
    for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2]))):
        _disturb(draw, origin, paving, fitting)
    if wrap and draw(st.booleans()):
        origin = [
            value if extent is None else draw(st.integers(-9, 9)) for value, extent in zip(origin, array, strict=True)
        ]
    if draw(st.integers(0, 4)) == 0:
        axis = draw(st.integers(0, rank - 1))
        paving[axis][order.index(axis)] -= 1  # neighbours overlap
    if rank > 1 and draw(st.integers(0, 3)) == 0:
        row, column = draw(st.permutations(range(rank)))[:2]
        paving[row][column] += draw(st.sampled_from([1, -1, 2]))  # skew
    if draw(st.integers(0, 4)) == 0:
        axis = draw(st.integers(0, rank - 1))
        array[axis] = None if array[axis] is None else array[axis] + draw(st.integers(1, 2))
    for axis, extent in enumerate(array):
        if extent is not None and draw(st.integers(0, 5)) == 0:
            _reverse(axis, extent, origin, paving, fitting)
    repetition = tuple(counts[axis] for axis in order)
    tiler = Tiler(tuple(origin), _rows(paving), _rows(fitting), wrap, NOWHERE)
    return Access(tiler, repetition, tuple(blocks), tuple(array))


def _make_infinite(draw: st.DrawFn, counts: list[int | None], array: list[int | None]) -> None:
    axis = draw(st.integers(0, len(array) - 1))
    counts[axis] = array[axis] = None


def _disturb(draw: st.DrawFn, origin: list[int], paving: list[list[int]], fitting: list[list[int]]) -> None:
    row = draw(st.integers(0, len(origin) - 1))
    change = draw(st.integers(-2, 2))
    target = draw(st.sampled_from(["origin", "paving", "fitting", "paving"]))
    if target == "origin":
        origin[row] += change
    else:
        matrix = paving if target == "paving" else fitting
        matrix[row][draw(st.integers(0, len(origin) - 1))] += change


def _reverse(axis: int, extent: int, origin: list[int], paving: list[list[int]], fitting: list[list[int]]) -> None:
    origin[axis] = extent - 1 - origin[axis]
    paving[axis] = [-value for value in paving[axis]]
    fitting[axis] = [-value for value in fitting[axis]]


def _rows(matrix: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(row) for row in matrix)


def expressions() -> st.SearchStrategy[syntax.Expr]:
    """Expressions of every form, of any structure that parentheses can give."""
    names = st.sampled_from(["x", "y", "N"]).map(lambda text: syntax.Name(text, NOWHERE))
    atoms = st.one_of(
        st.integers(0, 10**20).map(lambda value: syntax.Number(value, NOWHERE)),
        st.floats(0, 1e300).map(lambda value: syntax.Number(value, NOWHERE)),
        st.booleans().map(lambda value: syntax.Truth(value, NOWHERE)),
        names.map(lambda name: syntax.Ref(name, (), NOWHERE)),
    )

    def extend(inner: st.SearchStrategy[syntax.Expr]) -> st.SearchStrategy[syntax.Expr]:
        unary, binary = ["-", "~", "not"], [*"+-*/%&|^<>", "//", "<<", ">>", "==", "!=", "<=", ">=", "and", "or"]
        some = st.lists(inner, min_size=1, max_size=3).map(tuple)
        return st.one_of(
            st.builds(syntax.Unary, st.sampled_from(unary), inner, st.just(NOWHERE)),
            st.builds(syntax.Binary, st.sampled_from(binary), inner, inner, st.just(NOWHERE)),
            st.builds(syntax.Conditional, inner, inner, inner, st.just(NOWHERE)),
            st.builds(syntax.Apply, names, some, st.just(NOWHERE)),
            st.builds(syntax.Ref, names, some, st.just(NOWHERE)),
        )

    return st.recursive(atoms, extend, max_leaves=12)


@st.composite
def delay_sets(draw: st.DrawFn) -> tuple[tuple[tuple[int, ...], ...], Shape]:
    """One to three delays and a repetition space; each axis may be infinite."""
    rank = draw(st.integers(1, 3))
    vectors = st.tuples(*[st.integers(-3, 3)] * rank).filter(any)
    delays = tuple(draw(st.lists(vectors, min_size=1, max_size=3)))
    repetition = tuple(draw(st.sampled_from([4, 5, 6, None])) for _ in range(rank))
    return delays, repetition


@st.composite
def task_graphs(draw: st.DrawFn, *, most: int = 6) -> TaskGraph:
    """Any acyclic graph of one to `most` tasks, connected or not."""
    tasks = draw(st.integers(1, most))
    pairs = [(writer, reader) for reader in range(tasks) for writer in range(reader)]
    links = draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    return from_links(tuple("abcdefgh"[:tasks]), links)


@st.composite
def body_texts(draw: st.DrawFn) -> str:
    """An elementary `e` of one or two loops or statements over small ports, often sound, often not."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        if draw(st.integers(0, 3)) == 0:
            inner = [_statement(draw, ["i"]) for _ in range(draw(st.integers(1, 2)))]
            lines += [f"loop i in 0..{draw(st.sampled_from([2, 4, 4]))} {{", *inner, "}"]
        else:
            lines.append(_statement(draw, []))
    if draw(st.booleans()):
        lines.insert(0, "y[k] = a[k] for k in 0..4")
    body = "\n".join(lines)
    return (
        f"elementary e(a: f32[4]) -> (y: f32[4], z: f32[4, 2]) {{\nz[k, l] = 0 for k in 0..4, l in 0..2\n{body}\n}}\n"
    )


def _statement(draw: st.DrawFn, outer: list[str]) -> str:
    ranges, indices = [], list(outer)
    for name in draw(st.sampled_from([["k"], ["k"], ["k", "l"], []])):
        low = draw(st.sampled_from(["0", "0", "1", *indices]))
        ranges.append(f"{name} in {low}..{draw(st.sampled_from(['4', '4', '3', '2']))}")
        indices.append(name)
    index = st.sampled_from([*indices, *(indices and _index_forms(indices)), "0", "3"])
    compared = product(indices or ["1"], ("<", ">=", "!="), (1, 3))
    condition = st.sampled_from([f"{name} {sign} {bound}" for name, sign, bound in compared])
    reads = [f"a[{draw(index)}]", f"y[{draw(index)}]", f"z[{draw(index)}, {draw(st.sampled_from(['0', '1']))}]"]
    chosen = draw(st.sampled_from(reads))
    other = draw(st.sampled_from(reads))
    value = draw(st.sampled_from([chosen, f"{chosen} + 1", f"{chosen} if {draw(condition)} else {other}", "a[0]"]))
    target = draw(st.sampled_from([f"y[{draw(index)}]", f"y[{draw(index)}]", f"z[{draw(index)}, 1]"]))
    text = f"{target} = {value}"
    text += f" for {', '.join(ranges)}" if ranges else ""
    return text + (f" where {draw(condition)}" if draw(st.integers(0, 3)) == 0 else "")


def _index_forms(indices: list[str]) -> list[str]:
    name = indices[-1]
    return [
        f"{name} - 1",
        f"3 - {name}",
        f"{name} // 2",
        f"({name} + 1) % 4",
        f"max({name} - 1, 0)",
        f"{name} + {indices[0]}",
    ]


@dataclass(frozen=True)
class SmallSpec:
    """One repetitive task: what it reads and writes, its delays, and its text."""

    read: Access
    written: Access
    delays: tuple[tuple[int, ...], ...]
    text: str


@st.composite
def small_specs(draw: st.DrawFn) -> SmallSpec:
    """A task that reads `x` and writes `y` through tilers that are often right, with up to two delays."""
    written = draw(accesses())
    rank = len(written.repetition)
    same = st.just(replace(written, tiler=replace(written.tiler, wrap=draw(st.booleans()))))
    others = accesses(infinite=False).filter(lambda access: len(access.repetition) == rank)
    read = draw(st.one_of(same, same, others))
    read = _with_border(draw, replace(read, repetition=written.repetition))
    steps = st.tuples(*[st.sampled_from([0, 0, 1, -1, 2, -2])] * rank).filter(any)
    delays = tuple(draw(st.lists(steps, min_size=1, max_size=2))) if draw(st.integers(0, 2)) else ()
    if delays and draw(st.booleans()):
        delays = (delays[0], tuple(-step for step in delays[0]))
    return SmallSpec(read, written, delays, _spec_text(read, written, delays))


def _with_border(draw: st.DrawFn, access: Access) -> Access:
    """The access, one in three times with a border that goes as far as it reads."""
    finite = None not in (*access.repetition, *access.pattern, *access.array)
    return draw(borders(access)) if finite and draw(st.integers(0, 2)) == 0 else access


@st.composite
def borders(draw: st.DrawFn, access: Access) -> Access:
    """The access with one of the borders that reach as far beyond the ends as it reads."""
    reached = draw(st.permutations([Border(mode) for mode in ("nearest", "reflect", "mirror", CONSTANT)]))
    options = [replace(access, tiler=replace(access.tiler, wrap=False, border=border)) for border in reached]
    return next((option for option in options if find_outside(option) is None), options[0])


def _spec_text(read: Access, written: Access, delays: Sequence[tuple[int, ...]]) -> str:
    indices = [f"i{axis}" for axis in range(len(written.pattern))]
    ranges = ", ".join(f"{name} in 0..{extent}" for name, extent in zip(indices, written.pattern, strict=True))
    ports = "".join(f", p{number}: u8" for number in range(len(delays)))
    links = "".join(f"    p{number} <- q delay {list(delay)} else 0\n" for number, delay in enumerate(delays))
    inputs, outputs, space = (shown_shape(shape) for shape in (read.array, written.array, written.repetition))
    return (
        f"elementary e(a: u8{shown_shape(read.pattern)}{ports}) -> (b: u8{shown_shape(written.pattern)}, q: u8) {{\n"
        f"  b[{', '.join(indices)}] = 1 for {ranges}\n  q = 1\n}}\n"
        f"task t(x: u8{inputs}) -> (y: u8{outputs}) {{\n  repeat {space} of e {{\n"
        f"    a <- x at {_tiler_text(read.tiler)}\n    b -> y at {_tiler_text(written.tiler)}\n{links}  }}\n}}\n"
    )


def _tiler_text(tiler: Tiler) -> str:
    matrices = ["; ".join(", ".join(map(str, row)) for row in matrix) for matrix in (tiler.paving, tiler.fitting)]
    wrap = " wrap" if tiler.wrap else ""
    border = "" if tiler.border is None else " else 0" if tiler.border.is_constant else f" else {tiler.border.mode}"
    return f"origin {list(tiler.origin)} paving [{matrices[0]}] fitting [{matrices[1]}]{wrap}{border}"
