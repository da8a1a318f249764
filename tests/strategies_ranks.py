"""Pairs of tasks over one array that repeat over different dimensions of it, the first with one to three delays."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from strategies_transforms import LinkedSpec

from arrayol.language.syntax.diagnose import shown_shape
from arrayol.pictures.text import matrix_text

Extents = tuple[int, ...]


@st.composite
def ranked_pairs(draw: DrawFn) -> LinkedSpec:
    """`top` of `t0`, which may have delays, and `t1`, which reads it; at times `t2` reads it too, or it is an output.

    Each task repeats over some dimensions of the array, in any order, and has the others in its pattern.
    """
    rank = draw(st.sampled_from((2, 2, 3)))
    shape = tuple(draw(st.sampled_from((2, 4, 3) if rank == 2 else (2, 3))) for _ in range(rank))
    features = {f"{rank} dimensions"}
    spaces = [_dimensions(draw, rank) for _ in range(2)]
    delays = _delays(draw, tuple(shape[axis] for axis in spaces[0]))
    features |= {"other rank"} if len(spaces[0]) != len(spaces[1]) else {"same rank"}
    features |= {f"{len(delays)} delays"}
    parts = [_task(0, shape, spaces[0], delays), _task(1, shape, spaces[1], [])]
    calls, outputs = ["a = t0(x)", "b = t1(a)"], ["b"]
    other = draw(st.sampled_from(("", "", "task", "output")))
    if other == "task":
        parts.append(_task(2, shape, _dimensions(draw, rank), []))
        calls.append("c = t2(a)")
        outputs.append("c")
    elif other == "output":
        outputs.append("a")
    features |= {f"read by another {other}"} if other else set()
    ends = ", ".join(f"{name}: i32{shown_shape(shape)}" for name in outputs)
    lines = "".join(f"  {call}\n" for call in calls)
    top = f"task top(x: i32{shown_shape(shape)}) -> ({ends}) {{\n{lines}}}\n"
    return LinkedSpec("\n".join([*parts, top]), frozenset(features))


def _dimensions(draw: DrawFn, rank: int) -> tuple[int, ...]:
    """Some dimensions, one at least, in any order."""
    order = draw(st.permutations(range(rank)))
    return tuple(order[: draw(st.integers(1, rank))])


def _delays(draw: DrawFn, space: Extents) -> list[Extents]:
    """Vectors that reach back in one order of the repetitions: none, or up to three."""
    nearest = st.tuples(*(st.integers(-1, 2 if extent > 2 else 1) for extent in space))
    back = nearest.filter(lambda vector: any(vector) and next(step for step in vector if step) > 0)
    lengths = nearest.filter(lambda vector: sum(map(bool, vector)) == 1).map(lambda vector: tuple(map(abs, vector)))
    return draw(
        st.lists(st.one_of(lengths, back), min_size=draw(st.sampled_from((0, 1, 1, 1))), max_size=3, unique=True)
    )


def _task(number: int, shape: Extents, space: Extents, delays: list[Extents]) -> str:
    """A task over some dimensions, whose elementary weighs the elements of its pattern and what its delays bring."""
    kept = [axis for axis in range(len(shape)) if axis not in space]
    pattern = tuple(shape[axis] for axis in kept)
    indices = [f"k{place}" for place in range(len(kept))]
    element = f"[{', '.join(indices)}]" if kept else ""
    weight = " + ".join(["3", *(f"{place + 2} * {index}" for place, index in enumerate(indices))])
    terms = [f"({weight}) * x{element}", *(f"{place + 2} * p{place}{element}" for place in range(len(delays)))]
    ranges = ", ".join(f"{index} in 0..{extent}" for index, extent in zip(indices, pattern, strict=True))
    typed = f"i32{shown_shape(pattern)}"
    ports = ", ".join([f"x: {typed}", *(f"p{place}: {typed}" for place in range(len(delays)))])
    paving = matrix_text([[int(axis == other) for other in space] for axis in range(len(shape))])
    fitting = matrix_text([[int(axis == other) for other in kept] for axis in range(len(shape))])
    tiler = f"origin {[0] * len(shape)} paving {paving} fitting {fitting}"
    links = [f"p{place} <- y delay {list(vector)} else {place + 1}" for place, vector in enumerate(delays)]
    lines = "".join(f"    {link}\n" for link in [f"x <- x at {tiler}", *links, f"y -> y at {tiler}"])
    return (
        f"elementary e{number}({ports}) -> (y: {typed}) {{\n"
        f"  y{element} = {' + '.join(terms)}{f' for {ranges}' if ranges else ''}\n}}\n\n"
        f"task t{number}(x: i32{shown_shape(shape)}) -> (y: i32{shown_shape(shape)}) {{\n"
        f"  repeat {shown_shape(tuple(shape[axis] for axis in space))} of e{number} {{\n{lines}  }}\n}}\n"
    )
