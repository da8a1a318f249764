"""Small random specifications as .aol text, valid by construction, with every feature that execution must get right."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

from generated_bodies import TYPES, GeneratedPort, bodies, const_array, one, pattern_shapes, table_of_bodies
from hypothesis import event
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn


@dataclass(frozen=True)
class Generated:
    """A specification, the task to execute, and what that takes.

    In `streamed`, the same text for any number of frames, an axis of `frames` frames is infinite.
    """

    text: str
    task: str
    inputs: tuple[GeneratedPort, ...]
    streamed: str | None = None


def matrix(rows: list[list[int]]) -> str:
    """A matrix literal; one without columns is empty."""
    return f"[{'; '.join(', '.join(map(str, row)) for row in rows)}]" if rows and rows[0] else "[]"


@st.composite
def input_tilers(
    draw: DrawFn, repetition: tuple[int, ...], pattern: tuple[int, ...], constant: str | None = None
) -> tuple[str, tuple[int, ...]]:
    """A tiler that reads somehow, and its array's shape: windows, steps, skews, reversals, with or without wrap.

    With a constant for it, at times a border in place of the wrap.
    """
    rank = draw(st.integers(1, 2))
    small = st.integers(-2, 2)
    paving = [[draw(small) for _ in repetition] for _ in range(rank)]
    fitting = [[draw(small) for _ in pattern] for _ in range(rank)]
    low, high = [0] * rank, [0] * rank
    for axis in range(rank):
        for factor, length in zip([*paving[axis], *fitting[axis]], [*repetition, *pattern], strict=True):
            low[axis] += min(0, factor * (length - 1))
            high[axis] += max(0, factor * (length - 1))
    if draw(st.booleans()):
        event("wrapped input")
        shape = tuple(draw(st.integers(1, 5)) for _ in range(rank))
        origin, wrap = [draw(st.integers(-3, 3)) for _ in range(rank)], " wrap"
        if constant and draw(st.booleans()):
            far = [
                length - max(-(first + bottom), first + top - length + 1)
                for first, bottom, top, length in zip(origin, low, high, shape, strict=True)
            ]
            modes = ["nearest", constant, *["reflect"] * (min(far) >= 0), *["mirror"] * (min(far) >= 1)]
            wrap = f" else {draw(st.sampled_from(modes))}"
            event(f"border{wrap}")
    else:
        shape = tuple(top - bottom + 1 + draw(st.integers(0, 1)) for top, bottom in zip(high, low, strict=True))
        origin, wrap = [-bottom for bottom in low], ""
    return f"origin {origin} paving {matrix(paving)} fitting {matrix(fitting)}{wrap}", shape


@st.composite
def output_tilers(draw: DrawFn, repetition: tuple[int, ...], pattern: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    """A tiler that writes every element once: blocks, some axes reversed, or shifted and skewed around the torus."""
    extents = [*repetition, *pattern]
    rank = draw(st.integers(1, 2))
    axis_of = [draw(st.integers(0, rank - 1)) for _ in extents]
    shape = tuple(
        prod(length for length, at in zip(extents, axis_of, strict=True) if at == axis) for axis in range(rank)
    )
    order = draw(st.permutations(range(len(extents))))
    columns = [[0] * len(extents) for _ in range(rank)]
    for axis in range(rank):
        stride = 1
        for dimension in order:
            if axis_of[dimension] == axis:
                columns[axis][dimension] = stride
                stride *= extents[dimension]
    origin = [0] * rank
    for axis in range(rank):
        if draw(st.booleans()):
            columns[axis], origin[axis] = [-factor for factor in columns[axis]], shape[axis] - 1
    wrap = ""
    if draw(st.booleans()):
        event("wrapped output")
        wrap, origin = " wrap", [start + draw(st.integers(-4, 4)) for start in origin]
        if rank == 2:  # adding a multiple of one row's columns to the other row is one-to-one on the torus
            skew = draw(st.integers(-1, 1)) * (shape[1] if draw(st.booleans()) else 1)
            columns[1] = [own + skew * other for own, other in zip(columns[1], columns[0], strict=True)]
    split = len(repetition)
    paving, fitting = [row[:split] for row in columns], [row[split:] for row in columns]
    return f"origin {origin} paving {matrix(paving)} fitting {matrix(fitting)}{wrap}", shape


@st.composite
def delay_vectors(draw: DrawFn, rank: int) -> list[tuple[int, ...]]:
    """One or two delays that some schedule allows; at times only one that is no unit vector."""
    if rank == 2 and draw(st.sampled_from((True, True, False))):
        event("skewed wavefronts")
        return draw(st.sampled_from(([(1, -1), (0, 1)], [(1, -1), (-1, 2)], [(1, 1), (-1, 0)])))
    tau = draw(st.sampled_from([(1,), (-1,)] if rank == 1 else [(1, 0), (0, 1), (0, -1), (1, 2), (2, -1), (1, 1)]))
    vectors = product(range(-2, 3), repeat=rank)
    fitting = [vector for vector in vectors if sum(a * b for a, b in zip(tau, vector, strict=True)) >= 1]
    return draw(st.lists(st.sampled_from(fitting), min_size=1, max_size=2))


STREAM_DELAYS = ([(1, 0)], [(1, -1), (0, 1)], [(0, 1)], [(1, 1), (0, -1)], [(2, 0), (1, -2)], [(1, -1)])


@st.composite
def streams(draw: DrawFn) -> Generated:
    """A task over frames: each repetition takes from and gives to its own frame, and delays reach earlier ones."""
    frames, width = draw(st.integers(1, 3)), draw(st.integers(2, 3))
    kind = draw(st.sampled_from(TYPES))
    pattern = draw(pattern_shapes())[:1]
    linked, out = GeneratedPort("x0", kind, pattern), GeneratedPort("y0", kind, pattern)
    fitting = [[0], [1]] if pattern else []
    step = pattern[0] if pattern else 1
    tilers = {
        "x0": f"origin [0, 0] paving [1, 0; 0, 1] fitting {matrix(fitting)}",
        "y0": f"origin [0, 0] paving [1, 0; 0, {step}] fitting {matrix(fitting)}",
    }
    links, ports = [f"x0 <- a_x0 at {tilers['x0']}"], [linked]
    for number, vector in enumerate(draw(st.sampled_from(STREAM_DELAYS))):
        port = GeneratedPort(f"p{number}", kind, pattern)
        default = draw(st.sampled_from((f"a_x0 at {tilers['x0']}", one(kind))))
        links.append(f"{port.name} <- y0 delay {list(vector)} else {default}")
        ports.append(port)
    links.append(f"y0 -> b_y0 at {tilers['y0']}")
    tables = draw(table_of_bodies())
    body = draw(bodies([*ports, *tables], [out]))
    definitions = [draw(const_array(table)) for table in tables]
    array = GeneratedPort("a_x0", kind, (frames, width + step - 1))

    def text(length: str) -> str:
        return "\n".join(
            [
                *definitions,
                f"elementary e({', '.join(map(str, ports))}) -> ({out}) {{",
                body,
                "}",
                f"task t(a_x0: {kind}[{length}, {array.shape[1]}]) -> (b_y0: {kind}[{length}, {width * step}]) {{",
                f"  repeat [{length}, {width}] of e {{",
                *(f"    {link}" for link in links),
                "  }",
                "}",
            ]
        )

    return Generated(text(str(frames)), "t", (array,), text("*"))


def specs() -> st.SearchStrategy[Generated]:
    """Repetitive tasks of an elementary with a body, one in five over an infinite axis."""
    return st.sampled_from(range(5)).flatmap(lambda number: streams() if number == 4 else finite_specs())


@st.composite
def finite_specs(draw: DrawFn) -> Generated:
    """A repetitive task of an elementary with a body; sometimes inside an outer repetition or a compound task."""
    rank = draw(st.sampled_from((2, 2, 1)))
    repetition = tuple(draw(st.lists(st.sampled_from((3, 4, 2, 1)), min_size=rank, max_size=rank)))
    common = draw(st.sampled_from(TYPES))
    kinds = st.sampled_from((common, common, *TYPES))
    linked = [GeneratedPort(f"x{n}", draw(kinds), draw(pattern_shapes())) for n in range(draw(st.integers(1, 2)))]
    outputs = [GeneratedPort(f"y{n}", draw(kinds), draw(pattern_shapes())) for n in range(draw(st.integers(1, 2)))]
    delayed, arrays, links = [], [], []
    for port in linked:
        tiler, shape = draw(input_tilers(repetition, port.shape, one(port.type)))
        arrays.append(GeneratedPort(f"a_{port.name}", port.type, shape))
        links.append(f"{port.name} <- a_{port.name} at {tiler}")
    if draw(st.sampled_from((True, True, False))):
        for number, vector in enumerate(draw(delay_vectors(len(repetition)))):
            source = draw(st.sampled_from(outputs))
            port = GeneratedPort(f"p{number}", source.type, source.shape)
            delayed.append(port)
            default = draw(st.sampled_from(("0", one(port.type)))) if port.type != "bool" else "true"
            event("delay")
            if min(vector) < 0:
                event("negative delay")
            if draw(st.booleans()):
                event("tiled default")
                tiler, shape = draw(input_tilers(repetition, port.shape))
                arrays.append(GeneratedPort(f"a_{port.name}", port.type, shape))
                default = f"a_{port.name} at {tiler}"
            links.append(f"{port.name} <- {source.name} delay {list(vector)} else {default}")
    results = []
    for port in outputs:
        tiler, shape = draw(output_tilers(repetition, port.shape))
        results.append(GeneratedPort(f"b_{port.name}", port.type, shape))
        links.append(f"{port.name} -> b_{port.name} at {tiler}")
    inputs = [*linked, *delayed]
    tables = draw(table_of_bodies())
    body = draw(bodies([*inputs, *tables], outputs))
    tables += [array for array in arrays if draw(st.integers(0, 4)) == 0]
    arrays = [array for array in arrays if array not in tables]
    lines = [
        *(draw(const_array(table)) for table in tables),
        f"elementary e({', '.join(map(str, inputs))}) -> ({', '.join(map(str, outputs))}) {{",
        body,
        "}",
        f"task t({', '.join(map(str, arrays))}) -> ({', '.join(map(str, results))}) {{",
        f"  repeat {list(repetition)} of e {{",
        *(f"    {link}" for link in links),
        "  }",
        "}",
    ]
    if draw(st.integers(0, 3)) == 0:
        event("hierarchy")
        outer = draw(st.integers(1, 3))
        lines += _around(outer, arrays, results)
        arrays = [_wider(port, outer) for port in arrays]
        return Generated("\n".join(lines), "outer", tuple(arrays))
    return Generated("\n".join(lines), "t", tuple(arrays))


def _wider(port: GeneratedPort, outer: int) -> GeneratedPort:
    return GeneratedPort(f"o_{port.name}", port.type, (outer, *port.shape))


def _around(outer: int, arrays: list[GeneratedPort], results: list[GeneratedPort]) -> list[str]:
    """A task that repeats t along a first axis."""

    def tiler(port: GeneratedPort) -> str:
        rank = len(port.shape)
        fitting = [[0] * rank, *([int(row == column) for column in range(rank)] for row in range(rank))]
        return f"origin {[0] * (rank + 1)} paving {matrix([[1], *[[0]] * rank])} fitting {matrix(fitting)}"

    ports = ", ".join(str(_wider(port, outer)) for port in arrays), ", ".join(str(_wider(p, outer)) for p in results)
    return [
        f"task outer({ports[0]}) -> ({ports[1]}) {{",
        f"  repeat [{outer}] of t {{",
        *(f"    {port.name} <- o_{port.name} at {tiler(port)}" for port in arrays),
        *(f"    {port.name} -> o_{port.name} at {tiler(port)}" for port in results),
        "  }",
        "}",
    ]
