"""References of unrolled nests against what bodies and tilers touch, iteration by iteration."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import prod

import pytest
from blockwise import events
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from loading import spec_of, unchecked_spec_of
from many_cases import case_count
from shipped import SMALL
from strategies import SmallSpec, small_specs

from arrayol.checks.check import load_checked
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from arrayol.ir.spec import RepetitiveTask
from arrayol.polyhedral.accesses import Access
from hwmodel.banks.nest import unrolled_nest
from hwmodel.banks.references import Body, NormalisedLoop, Reference, Subscript, Unknown, UnrolledNest

Touched = Counter[tuple[str, bool, tuple[int, ...]]]


def touched(body: Body) -> Touched:
    """What the references of a body touch in all its full blocks."""
    found: Touched = Counter()
    for index in product(*(range(loop.extent) for loop in body.loops)):
        for one in body.references:
            found[one.array, one.write, tuple(part.value(index) for part in one.subscripts)] += 1
    return found


KERNELS = [
    ("fir", "fir", ((4, 1), (3, 2), (7, 5))),
    ("pattern", "pattern", ((2, 3), (5, 2))),
    ("jacobi", "jacobi", ((2, 2), (3, 1), (1, 4))),
    ("sobel", "sobel", ((2, 2), (3, 5))),
    ("matmul", "matmul", ((2, 2, 2), (1, 3, 4))),
]


@pytest.mark.parametrize(("file", "name", "factors"), [(f, n, one) for f, n, every in KERNELS for one in every])
def test_full_blocks_touch_what_their_iterations_touch(file: str, name: str, factors: tuple[int, ...]) -> None:
    spec = load_checked(shipped_folder() / f"{file}.aol", SMALL[file])
    (body,) = unrolled_nest(spec, name, factors).bodies
    statements = spec.elementaries[name].body
    loops = events(statements, (1,) * len(factors))
    lows = [min(one.indices[axis][1] for one in loops) for axis in range(len(factors))]
    extents = [max(one.indices[axis][1] for one in loops) - low + 1 for axis, low in enumerate(lows)]
    expected: Touched = Counter()
    full = 0
    for one in loops:
        places = [value - low for (_, value), low in zip(one.indices, lows, strict=True)]
        if all(p < e // f * f for p, e, f in zip(places, extents, factors, strict=True)):
            expected.update((port, False, element) for port, element in one.reads)
            expected[*one.write[:1], True, one.write[1]] += 1
            full += 1
    assert touched(body) == expected
    assert body.factors == factors
    assert [loop.extent for loop in body.loops] == [e // f for e, f in zip(extents, factors, strict=True)]
    assert body.runs == prod(loop.extent for loop in body.loops)
    statements_per_iteration = len(loops) // prod(extents)
    assert full == body.runs * prod(factors) * statements_per_iteration
    assert body.leftover == prod(extents) - body.runs * prod(factors)


def reads(text: str, factors: tuple[int, ...] | None = None) -> list[str]:
    """The references of an elementary, as text."""
    return [shown(one) for one in unrolled_nest(spec_of(text), "e", factors).references]


def shown(one: Reference) -> str:
    parts = ", ".join(
        " ".join([*map(str, part.coefficients), f"+{part.offset}", *(f"{u.factor}*({u.text})" for u in part.unknown)])
        for part in one.subscripts
    )
    return f"{one.array}[{parts}]{' written' if one.write else ''}{'' if one.certain else ' perhaps'}"


def test_numbers_count_the_accesses_of_a_statement() -> None:
    """Target of `+=`, value, subscripts, condition, each before the reads inside it; the write is last."""
    text = """elementary e(x: i64[9, 9], b: i64[9], p: i64) -> (y: i64[9]) {
      y[i] = 0 for i in 0..9
      loop i in 0..3 { y[b[i]] += x[b[i + 1], 2 * i] + p where b[3 * i] > p and b[i + 2] > 0 }
    }"""
    nest = unrolled_nest(spec_of(text), "e")
    last = nest.bodies[1].references
    assert [shown(one) for one in last] == [
        "y[0 +0 1*(b[i])] perhaps",
        "x[0 +0 1*(b[i + 1]), 2 +0] perhaps",
        "b[1 +1] perhaps",
        "b[1 +0] perhaps",
        "b[3 +0]",
        "b[1 +2] perhaps",
        "y[0 +0 1*(b[i])] written perhaps",
    ]
    assert [one.number for one in last] == list(range(7))
    assert set(nest.arrays) == {"x", "b", "y"}  # scalars live in registers
    assert [(one.live_in, one.live_out) for one in nest.arrays.values()] == [
        (True, False),
        (True, False),
        (False, True),
    ]


def test_unknown_parts_keep_their_factor() -> None:
    text = """elementary e(x: f32[90, 90], b: u8[9]) -> (y: f32[4, 4]) {
      y[i, j] = x[2 * i + 1, 3 * i32(b[j])] + x[4 * i, 4 * i * j] + x[i // 2 + 2 * j, 5] for i in 0..4, j in 0..4
    }"""
    assert reads(text, (2, 2))[:4] == [
        "x[4 0 +1, 0 0 +0 3*(b[2 * j])]",
        "b[0 2 +0]",
        "x[8 0 +0, 0 0 +0 16*(i * j)]",
        "x[1 4 +0, 0 0 +5]",
    ]


def test_branches_and_guards_are_uncertain() -> None:
    text = "elementary e(x: f32[9]) -> (y: f32[9]) { y[i] = x[i - 1] if i > 0 and x[i] > 0 else 0 for i in 0..9 }"
    assert reads(text) == ["x[1 +-1] perhaps", "x[1 +0] perhaps", "y[1 +0] written"]


def test_bodies_of_one_elementary() -> None:
    """Shallower bodies take the first factors; each has its own loops, runs and remainder."""
    text = """elementary e(x: f32[7, 6]) -> (y: f32[7]) {
      loop i in 0..7 { y[i] = 0  y[i] += x[i, j] for j in 1..6  y[i] = y[i] * 2 }
    }"""
    bodies = unrolled_nest(spec_of(text), "e", (2, 2)).bodies
    assert [(body.loops, body.factors, body.runs, body.leftover) for body in bodies] == [
        ((NormalisedLoop("i", 3),), (2,), 3, 1),
        ((NormalisedLoop("i", 3), NormalisedLoop("j", 2)), (2, 2), 6, 11),
        ((NormalisedLoop("i", 3),), (2,), 3, 1),
    ]
    assert [len(body.references) for body in bodies] == [2, 12, 4]


def test_runs_of_a_triangle() -> None:
    text = """elementary e(x: f32[7, 7]) -> (y: f32[7]) {
      y[i] = 0 for i in 0..7
      y[i] += x[i, j] for i in 0..7, j in 0..i
    }"""
    for factor in (1, 2, 3):
        body = unrolled_nest(spec_of(text), "e", (1, factor)).bodies[1]
        assert body.runs == sum(i // factor for i in range(7))
        assert body.leftover == 21 - factor * body.runs
        assert body.loops[1].extent == 6 // factor
        assert all(one.certain == (one.copy[1] == 0) for one in body.references)  # the last block may lack the others


@settings(max_examples=case_count(80), deadline=None)
@given(small_specs(), st.data())
def test_tilers_touch_what_their_repetitions_touch(case: SmallSpec, data: st.DataObject) -> None:
    """Also where an array is left without `wrap`: the checks of tilers come before."""
    assume(None not in (*case.written.repetition, *case.written.pattern, *case.read.pattern))
    spec = unchecked_spec_of(case.text)
    factors = tuple(data.draw(st.integers(1, min(extent, 3))) for extent in case.written.repetition)
    try:
        nest = unrolled_nest(spec, "t", factors)
    except ArrayolError:
        assert any(delay.acts for delay in spec.tasks["t"].delays)  # test_delays tells when
        return
    (body,) = nest.bodies
    assert body.runs == prod(extent // factor for extent, factor in zip(case.written.repetition, factors, strict=True))
    expected: Touched = Counter()
    found: Touched = Counter()
    for block in product(*(range(loop.extent) for loop in body.loops)):
        repetitions = copies_of(block, factors, directions_of(nest, spec.tasks["t"]), case.written.repetition)
        for array, access in (("x", case.read), ("y", case.written)):
            for repetition in repetitions:
                for index in product(*map(range, access.pattern)):
                    expected[array, array == "y", access.element(repetition, index)] += 1
        for one in body.references:
            access = case.written if one.write else case.read
            found[one.array, one.write, element(one, block, access)] += 1
    assert found == expected


def element(one: Reference, block: tuple[int, ...], access: Access) -> tuple[int, ...]:
    """What a reference touches; an axis with an unknown part is known by the border, or up to its extent."""
    values, border = [], access.tiler.border
    for part, extent in zip(one.subscripts, access.array, strict=True):
        plain = Subscript(part.coefficients, part.offset).value(block)
        assert all(unknown.factor == (1 if border else extent) for unknown in part.unknown)
        inside = border.element(plain, extent or 0) if border else plain % (extent or 1)
        values.append(inside if part.unknown else plain)
    return tuple(values)


def copies_of(
    block: tuple[int, ...], factors: tuple[int, ...], signs: tuple[int, ...], extents: tuple[int, ...]
) -> list[tuple[int, ...]]:
    """The repetitions of a block; a dimension walked downwards counts from its end."""
    places = [[factor * place + copy for copy in range(factor)] for place, factor in zip(block, factors, strict=True)]
    axes = [
        [place if sign > 0 else extent - 1 - place for place in axis]
        for axis, sign, extent in zip(places, signs, extents, strict=True)
    ]
    return list(product(*axes))


def directions_of(nest: UnrolledNest, task: RepetitiveTask) -> tuple[int, ...]:
    """The first directions in which every delay points back."""
    acting = [delay.vector for delay in task.delays if delay.acts]
    if all(factor == 1 for factor in nest.bodies[0].factors):
        return (1,) * len(task.repetition)
    return next(
        signs
        for signs in product((1, -1), repeat=len(task.repetition))
        if all([s * v for s, v in zip(signs, one, strict=True)] > [0] * len(signs) for one in acting)
    )


DELAYED = """elementary add(a: f32, p: f32, q: f32) -> (s: f32) {{ s = a + p * q }}
task t(x: f32[6, 5]) -> (y: f32[6, 5]) {{
  repeat [6, 5] of add {{
    a <- x at origin [0, 0] paving [1, 0; 0, 1] fitting []
    p <- s delay {} else 0
    q <- s delay {} else x at origin [0, 0] paving [1, 0; 0, 1] fitting []
    s -> y at origin [0, 0] paving [1, 0; 0, 1] fitting []
  }}
}}"""


@pytest.mark.parametrize(
    ("delays", "factors", "reason"),
    [
        ("[1, 0] [0, 1]", (2, 2), None),
        ("[1, -1] [0, 1]", (2, 2), "unrolled by 2,2, repetition (1, 1) would run before repetition (0, 2), whose 's'"),
        ("[1, -1] [0, 1]", (1, 5), None),
        ("[-1, 0] [0, -1]", (2, 2), None),
        ("[1, -1] [-1, 2]", (2, 1), "no order of 't' row by row, in any directions, respects all its delays"),
    ],
)
def test_delays(delays: str, factors: tuple[int, int], reason: str | None) -> None:
    one, other = delays.split("] ")
    spec = unchecked_spec_of(DELAYED.format(one + "]", other))
    if reason is None:
        found = unrolled_nest(spec, "t", factors).references
        assert sum(not reference.certain for reference in found) == prod(factors)  # the delay's default
        return
    with pytest.raises(ArrayolError) as caught:
        unrolled_nest(spec, "t", factors)
    assert caught.value.diagnostics[0].message.startswith(reason)


def test_a_wrap_that_is_left_keeps_its_extent() -> None:
    text = """elementary e(a: f32[3]) -> (b: f32) { b = a[0] + a[2] }
    task t(x: f32[8]) -> (y: f32[8]) {
      repeat [8] of e {
        a <- x at origin [-1] paving [1] fitting [1] wrap
        b -> y at origin [0] paving [1] fitting []
      }
    }"""
    first, middle, last, write = unrolled_nest(spec_of(text), "t").references
    assert first.subscripts == (Subscript((1,), -1, (Unknown(8, "-((1 * r0 - 1) // 8)"),)),)
    assert middle.subscripts == write.subscripts == (Subscript((1,), 0),)
    assert last.subscripts[0].stride == 1
    assert unrolled_nest(spec_of(text), "t", (4,)).references[0].subscripts[0].stride == 4


def test_an_endless_repetition() -> None:
    text = """elementary e(a: f32) -> (b: f32) { b = a }
    task t(x: f32[*, 4]) -> (y: f32[*, 4]) {
      repeat [*, 4] of e {
        a <- x at origin [0, 0] paving [1, 0; 0, 1] fitting []
        b -> y at origin [0, 0] paving [1, 0; 0, 1] fitting []
      }
    }"""
    (body,) = unrolled_nest(spec_of(text), "t", (3, 2)).bodies
    assert (body.loops, body.runs, body.leftover) == ((NormalisedLoop("r0", None), NormalisedLoop("r1", 2)), None, 0)


@pytest.mark.parametrize(
    ("name", "factors", "message"),
    [
        ("lpsf", None, "'lpsf' is made of calls: it has no loops"),
        ("lpfs", None, "there is no task 'lpfs'"),
        ("hflr", (2,), "'hflr' has 2 nested loops, and there is 1 unroll factor"),
        ("hflr", (1, 5), "loop 'r1' of 'hflr' runs 4 times, so it cannot be unrolled by 5"),
        ("hflr", (0, 1), "an unroll factor is at least 1, not 0"),
    ],
)
def test_refusals(name: str, factors: tuple[int, ...] | None, message: str) -> None:
    spec = load_checked(shipped_folder() / "lpsf.aol", SMALL["lpsf"])
    with pytest.raises(ArrayolError) as caught:
        unrolled_nest(spec, name, factors)
    assert [found.message for found in caught.value.diagnostics] == [message]
