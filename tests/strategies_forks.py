"""Hypothesis strategies for specifications whose tasks read what one task makes, each in its own steps."""

from __future__ import annotations

from hypothesis import strategies as st
from strategies_transforms import LinkedSpec


@st.composite
def forks(draw: st.DrawFn) -> LinkedSpec:
    """A task with one or two results, and two or three tasks that read them by windows, in lines, or one after another.

    Most of these end the network; at times one reads another.
    """
    shape = draw(st.sampled_from(((4, 6), (2, 12), (6, 4), (1, 8))))
    kind, both = draw(st.sampled_from(("i64", "f32", "u8"))), draw(st.booleans())
    features, arrays = {"fork", kind}, {"a": shape, **({"b": shape} if both else {})}
    outputs = "a: {0}, b: {0}" if both else "a: {0}"
    more = "\n  b = 3 * x + 1" if both else ""
    split = f"elementary split(x: {kind}) -> ({outputs.format(kind)}) {{\n  a = x + 1{more}\n}}\n"
    first = (
        f"task first(x: {kind}[{_sides(shape)}]) -> ({outputs.format(f'{kind}[{_sides(shape)}]')}) {{\n"
        f"  repeat [{_sides(shape)}] of split {{\n    x <- x\n    a -> a\n{'    b -> b' if both else ''}\n  }}\n}}\n"
    )
    definitions, ends = [split, first], dict[str, tuple[int, ...]]()
    calls = [f"  ({', '.join(arrays)}) = first(x)\n" if both else "  a = first(x)\n"]
    for number in range(draw(st.integers(2, 3))):
        chained = ends and draw(st.integers(0, 4)) == 0
        read = draw(st.sampled_from(sorted(ends if chained else arrays)))
        extents = (ends if chained else arrays)[read]
        text, extents, own = draw(_end(number, kind, extents))
        features |= own
        if chained and draw(st.booleans()):
            ends.pop(read)
        definitions.append(text)
        calls.append(f"  y{number} = t{number}({read})\n")
        ends[f"y{number}"] = extents
    results = ", ".join(f"{name}: {kind}[{_sides(extents)}]" for name, extents in ends.items())
    top = f"task top(x: {kind}[{_sides(shape)}]) -> ({results}) {{\n{''.join(calls)}}}\n"
    return LinkedSpec("".join([*definitions, top]), frozenset(features))


@st.composite
def _end(
    draw: st.DrawFn, number: int, kind: str, extents: tuple[int, ...]
) -> tuple[str, tuple[int, ...], frozenset[str]]:
    """The text of task `t0` and its elementary, the shape of its result, and its features."""
    steps = [draw(st.sampled_from([side for side in (1, 1, 2, 3, extent) if extent % side == 0])) for extent in extents]
    reach = [draw(st.sampled_from((0, 0, 1, 2))) for _ in extents]
    walked = [axis for axis, (extent, step) in enumerate(zip(extents, steps, strict=True)) if extent > step]
    walked = walked or [0]
    if draw(st.integers(0, 3)) == 0:
        walked.reverse()
    counts = [extents[axis] // steps[axis] for axis in walked]
    pattern = [step + more for step, more in zip(steps, reach, strict=True)]
    paving = [[steps[axis] if axis == other else 0 for other in walked] for axis in range(len(extents))]
    delay = draw(st.sampled_from((None, None, *range(len(walked))))) if max(counts) > 1 else None
    vector = [int(place == delay) for place in range(len(walked))]
    state, more, linked = "", "", ""
    if delay is not None:
        state, more, linked = f", p: {kind}", " + 2 * p", f"    p <- y delay [{_sides(vector)}] else 1\n"
    features = {"delay"} if delay is not None else set[str]()
    features |= {"window"} if any(reach) else set()
    border = " else nearest" if any(reach) else ""
    axes = range(len(extents))
    rows, unit = _matrix(paving), _matrix([[int(axis == other) for other in axes] for axis in axes])
    names, origin, name = "jk"[: len(axes)], [0 for _ in axes], f"{number}"
    weight = " + ".join(["1", *(f"{place + 1} * {index}" for place, index in enumerate(names))])
    ranges = ", ".join(f"{index} in 0..{side}" for index, side in zip(names, pattern, strict=True))
    elementary = (
        f"elementary e{name}(a: {kind}[{_sides(pattern)}]{state}) -> (y: {kind}) {{\n  y = {number + 1}{more}\n"
        f"  y += ({weight}) * a[{', '.join(names)}]  for {ranges}\n}}\n"
    )
    task = (
        f"task t{name}(x: {kind}[{_sides(extents)}]) -> (y: {kind}[{_sides(counts)}]) {{\n"
        f"  repeat [{_sides(counts)}] of e{name} {{\n"
        f"    a <- x at origin {origin} paving {rows} fitting {unit}{border}\n    y -> y\n{linked}  }}\n}}\n"
    )
    return elementary + task, tuple(counts), frozenset(features)


def _sides(numbers: tuple[int, ...] | list[int]) -> str:
    return ", ".join(map(str, numbers))


def _matrix(rows: list[list[int]]) -> str:
    return f"[{'; '.join(_sides(row) for row in rows)}]"
