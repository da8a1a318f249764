"""Specifications in which data say where tables are read: const arrays, inputs, and arrays that another task makes.

Each is valid by construction: subscripts are limited to the table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from strategies_transforms import LinkedSpec

from arrayol.language.syntax.diagnose import shown_shape

_TYPES = ("u8", "i12", "i16", "f32")
_LEVELS = (32, 45, 64)


@st.composite
def table_specs(draw: DrawFn, kinds: Sequence[str] = _TYPES, parts: Sequence[str] = ("whole",)) -> LinkedSpec:
    """One or two reads of a table in each repetition over data of up to 24 elements, and perhaps one at a fixed place.

    The table is a whole array, or a part of one that moves with the repetition: a "line", or a "window".
    """
    kind, lines, space = draw(st.sampled_from(kinds)), draw(st.integers(0, 4)), draw(st.integers(2, 24))
    shape = (4, 16) if lines == 0 else (draw(st.sampled_from(_LEVELS)),)
    where, part = draw(st.sampled_from(("input", "input", "made", "const"))), draw(st.sampled_from(parts))
    reads, fixed = draw(st.integers(1, 2)), draw(st.booleans())
    if part != "whole":
        space = min(space, 9)
    features = {f"type {kind}", f"table {where}", "two reads" if reads == 2 else "one read", f"rank {len(shape)}", part}
    subscripts = ["d", "d * 3 // 2"][:reads]
    texts = [_element(shape, text) for text in subscripts]
    if fixed:
        features.add("fixed place")
        texts.append(f"t[{', '.join(str(extent // 2) for extent in shape)}]")
    total = " + ".join(f"{number + 1} * {text}" for number, text in enumerate(texts))
    sized = f"{kind}{shown_shape(shape)}"
    body = total if kind[0] in "cf" else f"{kind}({total})"
    whole, tiler = _array_of(shape, space, part)
    held = f"{kind}{shown_shape(whole)}"
    definitions = [
        f"elementary look(d: u8, t: {sized}) -> (y: {kind}) {{\n  y = {body}\n}}\n",
        _task(
            "looks",
            f"d: u8[{space}], t: {held}",
            f"y: {kind}[{space}]",
            space,
            "look",
            "d <- d",
            f"t <- t{tiler}",
            "y -> y",
        ),
    ]
    inputs, calls, table = f"x: u8[{space}]", [], "t"
    if where == "const":
        ranges = ", ".join(f"k{axis} in 0..{extent}" for axis, extent in enumerate(whole))
        weight = " + ".join(f"{3 + axis} * k{axis} * k{axis}" for axis in range(len(whole)))
        value = f"({weight}) % 125"
        value = f"{kind}({value}, {weight})" if kind[0] == "c" else value
        definitions.append(f"const T: {held} = [{value} for {ranges}]\n")
        table = "T"
    elif where == "input":
        inputs += f", t: {held}"
    else:
        links = "    a <- s\n    b -> b\n"
        definitions += [
            f"elementary bend(a: {kind}) -> (b: {kind}) {{\n  b = a + a\n}}\n",
            f"task bends(s: {held}) -> (b: {held}) {{\n  repeat {shown_shape(whole)} of bend {{\n{links}  }}\n}}\n",
        ]
        inputs += f", s: {held}"
        calls.append("t = bends(s)")
    calls.append(f"y = looks(x, {table})")
    lines_of_calls = "".join(f"  {call}\n" for call in calls)
    top = f"task top({inputs}) -> (y: {kind}[{space}]) {{\n{lines_of_calls}}}\n"
    return LinkedSpec("\n".join([*definitions, top]), frozenset(features))


def _array_of(shape: tuple[int, ...], space: int, part: str) -> tuple[tuple[int, ...], str]:
    """The array of a table, and the tiler of its part in each of `space` repetitions: a line, or a window."""
    if part == "whole":
        return shape, ""
    first = (1, *(0 for _ in shape[1:]))
    identity = [[int(row == column) for column in range(len(shape))] for row in range(len(shape))]
    if part == "window":
        whole, paving, fitting = (shape[0] + space - 1, *shape[1:]), first, identity
    else:
        whole, paving, fitting = (space, *shape), (1, *(0 for _ in shape)), [[0] * len(shape), *identity]
    rows = "; ".join(", ".join(map(str, row)) for row in fitting)
    return whole, f" at origin {[0] * len(whole)} paving [{'; '.join(map(str, paving))}] fitting [{rows}]"


def _element(shape: tuple[int, ...], text: str) -> str:
    if len(shape) == 1:
        return f"t[min(i32({text}), {shape[0] - 1})]"
    return f"t[i32({text}) % {shape[0]}, i32({text}) // {shape[0]} % {shape[1]}]"


def _task(name: str, inputs: str, outputs: str, space: int, callee: str, *links: str) -> str:
    lines = "".join(f"    {link}\n" for link in links)
    return f"task {name}({inputs}) -> ({outputs}) {{\n  repeat [{space}] of {callee} {{\n{lines}  }}\n}}\n"


@st.composite
def histogram_specs(draw: DrawFn) -> LinkedSpec:
    """Counts or sums by a place that data say, in a state of 33 elements, over lines of data or over all of them."""
    lines, space, bins = draw(st.integers(1, 3)), draw(st.integers(2, 7)), 33
    counts, rows = draw(st.booleans()), draw(st.booleans())
    added = "1" if counts else "x"
    features = {"counts" if counts else "sums", "by line" if rows else "one"}
    vector, place = ("[0, 1]", "min(x, 32)") if rows else ("[1]", "x % 33")
    extents, out = (f"[{lines}, {space}]", f"[{lines}, {bins}]") if rows else (f"[{space}]", f"[{bins}]")
    body = f"  n[i] = h[i] for i in 0..{bins}\n  n[{place}] = u16(h[{place}] + {added})\n"
    at = " at origin [0, 0] paving [1, 0; 0, 0] fitting [0; 1]" if rows else ""
    links = f"    x <- x\n    h <- n delay {vector} else 3\n    n delay {vector} -> h{at}\n"
    text = (
        f"elementary count(x: u8, h: u16[{bins}]) -> (n: u16[{bins}]) {{\n{body}}}\n"
        f"task top(x: u8{extents}) -> (h: u16{out}) {{\n  repeat {extents} of count {{\n{links}  }}\n}}\n"
    )
    return LinkedSpec(text, frozenset(features))


@st.composite
def binned_specs(draw: DrawFn, *, read: bool = False) -> LinkedSpec:
    """Histograms of lines, in memories of units: one or two of them, of one or two references, from some number on.

    With `read` another task takes the greatest sum of each line.
    """
    kind, words = draw(st.sampled_from(("u8", "i12", "u16", "i32"))), draw(st.sampled_from((32, 33, 48)))
    lines, length, start = draw(st.integers(1, 4)), draw(st.integers(1, 60)), draw(st.integers(0, 3))
    features = {f"type {kind}", "from 0" if not start else "from another number"}
    value = draw(st.sampled_from(("1", "x[k]", "x[k] - 100", "x[k] * x[k]")))
    condition = draw(st.sampled_from(("", " where x[k] > 99", " where k % 3 != 1")))
    statements = [f"n[x[k] % {words}] += {kind}({value}) for k in 0..{length}{condition}"]
    if draw(st.booleans()):
        statements.append(f"n[min(x[k] // 2, {words - 1})] += 2 for k in 0..{length}")
        features.add("two references")
    statements.insert(0, f"n[i] = {start} for i in 0..{words}")
    outputs, links, named = f"n: {kind}[{words}]", "    n -> n\n", f"n: {kind}[{lines}, {words}]"
    if draw(st.booleans()):
        statements.append("m[i, j] = 0 for i in 0..4, j in 0..8")
        statements.append(f"m[x[k] // 64, x[k] % 8] += 1 for k in 0..{length}")
        outputs, links, named = f"{outputs}, m: u16[4, 8]", f"{links}    m -> m\n", f"{named}, m: u16[{lines}, 4, 8]"
        features.add("two memories")
    if draw(st.booleans()):
        statements.append(f"s += n[i] for i in 0..{words}")
        outputs, links, named = f"{outputs}, s: {kind}", f"{links}    s -> s\n", f"{named}, s: {kind}[{lines}]"
        features.add("read in the body")
    if condition:
        features.add("condition")
    body = "".join(f"  {statement}\n" for statement in statements)
    repeated = f"  repeat [{lines}] of count {{\n    x <- x\n{links}  }}\n"
    text = (
        f"elementary count(x: u8[{length}]) -> ({outputs}) {{\n{body}}}\n"
        f"task {'counted' if read else 'top'}(x: u8[{lines}, {length}]) -> ({named}) {{\n{repeated}}}\n"
    )
    if read:
        features.add("sums that a task reads")
        arrays, sized = ", ".join(re.findall(r"\w+(?=:)", named)), f"n: {kind}[{lines}, {words}]"
        text += (
            f"elementary greatest(n: {kind}[{words}]) -> (most: {kind}) {{\n"
            f"  most = n[0]\n  most = max(most, n[i]) for i in 1..{words}\n}}\n"
            f"task read({sized}) -> (most: {kind}[{lines}]) {{\n"
            f"  repeat [{lines}] of greatest {{\n    n <- n\n    most -> most\n  }}\n}}\n"
            f"task top(x: u8[{lines}, {length}]) -> (most: {kind}[{lines}]) {{\n"
            f"  {f'({arrays})' if ', ' in arrays else arrays} = counted(x)\n  most = read(n)\n}}\n"
        )
    return LinkedSpec(text, frozenset(features))


@st.composite
def folded_specs(draw: DrawFn) -> LinkedSpec:
    """Arrays that are added element by element: one for each line, or one of all, in the state of a delay."""
    kind, size = draw(st.sampled_from(("u8", "i12", "u16"))), draw(st.sampled_from((6, 16, 24, 33)))
    lines, length, rows = draw(st.integers(1, 3)), draw(st.integers(2, 5)), draw(st.booleans())
    space, vector = (f"{lines}, {length}", "0, 1") if rows else (f"{length}", "1")
    out = f"{lines}, {size}" if rows else f"{size}"
    at = " at origin [0, 0] paving [1, 0; 0, 0] fitting [0; 1]" if rows else ""
    value = draw(st.sampled_from(("h[i] + x[i]", "max(h[i], x[i])", f"h[{size - 1} - i] + x[i]")))
    links = f"    x <- x\n    h <- n delay [{vector}] else 3\n    n delay [{vector}] -> h{at}\n"
    repeated = f"  repeat [{space}] of fold {{\n{links}  }}\n"
    text = (
        f"elementary fold(x: {kind}[{size}], h: {kind}[{size}]) -> (n: {kind}[{size}]) {{\n"
        f"  n[i] = {kind}({value}) for i in 0..{size}\n}}\n"
        f"task top(x: {kind}[{space}, {size}]) -> (h: {kind}[{out}]) {{\n{repeated}}}\n"
    )
    return LinkedSpec(text, frozenset({"by line" if rows else "one", f"type {kind}"}))
