"""Hypothesis strategies for array references and unrolled bodies."""

from __future__ import annotations

from hypothesis import strategies as st

from hwmodel.banks.references import Loop, Reference, Subscript, Unknown

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
def bodies(draw: st.DrawFn) -> tuple[tuple[Loop, ...], tuple[Reference, ...]]:
    """Loops, and statements over two small arrays that load up to three elements and store one."""
    loops = tuple(Loop(name, draw(st.integers(1, 5))) for name in "ij"[: draw(st.integers(1, 2))])
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
