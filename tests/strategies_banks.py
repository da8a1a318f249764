"""Hypothesis strategies for array references and unrolled bodies."""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st
from layouts_brute import DrawnNest, DrawnReference, Rows

from hwmodel.banks.references import NormalisedLoop, Reference, Subscript, Unknown

FACTORS = st.sampled_from([0, 0, 1, 2, 3, 4, 6, 10, 12, -1, -2, -4, -6, 10**12, -(10**13)])
OFFSETS = st.one_of(st.integers(-12, 12), st.sampled_from([10**12, 10**12 + 1, -(10**13) + 3, 10**25]))
SMALL_FACTORS = st.sampled_from([0, 0, 1, 2, 3, 4, 6, 8, -1, -2, -3, -4])


@st.composite
def subscripts(draw: st.DrawFn, loops: int, *, small: bool = False) -> Subscript:
    """Constants, one or several indices, negative and large factors, and sometimes a part that is not affine."""
    factors = SMALL_FACTORS if small else FACTORS
    coefficients = tuple(draw(factors) for _ in range(loops))
    offset = draw(st.integers(-9, 9) if small else OFFSETS)
    if draw(st.integers(0, 5)) == 0:
        unknown = Unknown(draw(st.sampled_from([1, 2, 3, 4, 6])), draw(st.sampled_from(["b[i]", "i * j"])))
        return Subscript(coefficients, offset, (unknown,))
    return Subscript(coefficients, offset)


@st.composite
def reference_sets(draw: st.DrawFn, *, small: bool = False, most: int = 7) -> tuple[Reference, ...]:
    """References to one array of 1 to 4 dimensions in a nest of 1 to 3 loops, often alike but for their offsets."""
    rank, loops = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    one = st.tuples(*[subscripts(loops, small=small)] * rank)
    found = [draw(one)]
    for _ in range(draw(st.integers(0, most - 1))):
        if draw(st.booleans()):
            found.append(draw(one))
        else:
            moves = [draw(st.integers(-2, 2)) for _ in range(rank)]
            found.append(
                tuple(
                    Subscript(part.coefficients, part.offset + move, part.unknown)
                    for part, move in zip(draw(st.sampled_from(found)), moves, strict=True)
                )
            )
    return tuple(Reference("A", False, parts, number=number) for number, parts in enumerate(found))


@st.composite
def bodies(draw: st.DrawFn) -> tuple[tuple[NormalisedLoop, ...], tuple[Reference, ...]]:
    """Loops, and statements over two small arrays that load up to three elements and store one."""
    loops = tuple(NormalisedLoop(name, draw(st.integers(1, 5))) for name in "ij"[: draw(st.integers(1, 2))])
    rank = draw(st.integers(1, 2))
    alike = st.tuples(*[subscripts(len(loops), small=True)] * rank)
    shared = [draw(alike) for _ in range(2)]
    found = []
    for statement in range(draw(st.integers(1, 5))):
        loads = draw(st.integers(0, 3))
        for number in range(loads + 1):
            parts = draw(st.sampled_from(shared)) if draw(st.integers(0, 3)) else draw(alike)
            moved = tuple(
                Subscript(part.coefficients, part.offset + draw(st.integers(0, 1)), part.unknown) for part in parts
            )
            certain = draw(st.integers(0, 4)) > 0
            array = draw(st.sampled_from(["A", "A", "B"]))
            found.append(Reference(array, number == loads, moved, 0, statement, (), number, certain))
    return loops, tuple(found)


# Nests as texts, with the same numbers beside them.

_STEPS = st.sampled_from([0, 1, 1, 1, 2, 2, 3, 4, -1, -2])


@st.composite
def drawn_nests(draw: st.DrawFn) -> DrawnNest:
    """An elementary `t` of one statement, or a repetitive task `t` whose tilers may wrap; factors to unroll by."""
    depth = draw(st.integers(1, 2))
    extents = tuple(draw(st.integers(1, 6)) for _ in range(depth))
    factors = tuple(draw(st.integers(1, min(extent, 3))) for extent in extents)
    repetitive = draw(st.booleans())
    wraps = repetitive and draw(st.booleans())
    reads = [
        DrawnReference(array, draw(_rows(depth, rank)))
        for array, rank in (("a", draw(st.integers(1, 2))), ("c", 1))
        for _ in range(draw(st.integers(array == "a", 4 if array == "a" else 1)))
    ]
    unit = tuple((tuple(int(axis == loop) for loop in range(depth)), 0) for axis in range(depth))
    shapes, placed = _placed(draw, reads, extents, wraps=wraps)
    references = (*placed, DrawnReference("y", unit, write=True))
    loops = tuple("ij"[:depth]) if not repetitive else tuple(f"r{axis}" for axis in range(depth))
    shapes["y"] = extents
    text = (_task_text if repetitive else _body_text)(loops, extents, shapes, references, "wrap" * wraps)
    return DrawnNest(text, loops, extents, factors, shapes, references, wraps)


@st.composite
def _rows(draw: st.DrawFn, depth: int, rank: int) -> Rows:
    return tuple((tuple(draw(_STEPS) for _ in range(depth)), draw(st.integers(0, 3))) for _ in range(rank))


def _placed(
    draw: st.DrawFn, reads: list[DrawnReference], extents: tuple[int, ...], *, wraps: bool
) -> tuple[dict[str, tuple[int, ...]], list[DrawnReference]]:
    """Shapes that hold all that is read, from 0 on; a shape that wraps may be too small for it."""
    shapes: dict[str, tuple[int, ...]] = {}
    placed = []
    for array in dict.fromkeys(one.array for one in reads):
        own = [one for one in reads if one.array == array]
        touched = [one.element(index, None) for one in own for index in product(*map(range, extents))]
        lows, highs = map(min, zip(*touched, strict=True)), map(max, zip(*touched, strict=True))
        moved = tuple(lows)
        spans = [high - low + 1 for low, high in zip(moved, highs, strict=True)]
        shapes[array] = tuple(max(1, span - draw(st.integers(0, 3))) if wraps else span for span in spans)
        placed += [
            DrawnReference(
                array, tuple((row, offset - low) for (row, offset), low in zip(one.rows, moved, strict=True))
            )
            for one in own
        ]
    return shapes, placed


def _port(array: str, shapes: dict[str, tuple[int, ...]]) -> str:
    return f"{array}: i32[{', '.join(map(str, shapes[array]))}]"


def _body_text(
    loops: tuple[str, ...],
    extents: tuple[int, ...],
    shapes: dict[str, tuple[int, ...]],
    references: tuple[DrawnReference, ...],
    _: str,
) -> str:
    def subscript(row: tuple[int, ...], offset: int) -> str:
        return " + ".join([*(f"{factor} * {loop}" for factor, loop in zip(row, loops, strict=True)), str(offset)])

    reads = " + ".join(f"{one.array}[{', '.join(subscript(*row) for row in one.rows)}]" for one in references[:-1])
    ranges = ", ".join(f"{loop} in 0..{extent}" for loop, extent in zip(loops, extents, strict=True))
    inputs = ", ".join(_port(array, shapes) for array in shapes if array != "y")
    return f"elementary t({inputs}) -> ({_port('y', shapes)}) {{\n  y[{', '.join(loops)}] = {reads}  for {ranges}\n}}\n"


def _task_text(
    loops: tuple[str, ...],
    extents: tuple[int, ...],
    shapes: dict[str, tuple[int, ...]],
    references: tuple[DrawnReference, ...],
    wrap: str,
) -> str:
    ports = ", ".join(f"p{number}: i32" for number in range(len(references) - 1))
    links = []
    for number, one in enumerate(references):
        origin = ", ".join(str(offset) for _, offset in one.rows)
        paving = "; ".join(", ".join(map(str, row)) for row, _ in one.rows)
        arrow, port = ("->", "q") if one.write else ("<-", f"p{number}")
        told = "" if one.write else wrap
        links.append(f"    {port} {arrow} {one.array} at origin [{origin}] paving [{paving}] fitting [] {told}")
    inputs = ", ".join(_port(array, shapes) for array in shapes if array != "y")
    return "\n".join(
        [
            f"elementary e({ports}) -> (q: i32)",
            f"task t({inputs}) -> ({_port('y', shapes)}) {{",
            f"  repeat [{', '.join(map(str, extents))}] of e {{",
            *links,
            "  }",
            "}",
            "",
        ]
    )
