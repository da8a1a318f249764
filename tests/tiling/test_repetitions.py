"""Repetitive tasks as nests: tilers and delays of generated tasks against their enumeration."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import islpy as isl
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies import SmallSpec, small_specs
from tiles_brute import Sets, TileSets, theorem_one

from arrayol.errors import ArrayolError
from arrayol.language.loader import load_source
from arrayol.language.symbolic import read_schedule, symbolic_component
from arrayol.polyhedral.accesses import Access
from arrayol.source import SourceFile
from arrayol.tiling.enumerate import rows
from arrayol.tiling.load_store import traffic
from arrayol.tiling.nest import TiledNest
from arrayol.tiling.program import program_of
from arrayol.tiling.tile import Schedule, Tiling, tile_nest

Point = tuple[int, ...]


@st.composite
def tilings(draw: st.DrawFn, case: SmallSpec) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], int]:
    """A permutation with signs that often suit the delays, tile sizes, and along how many dimensions a strip runs."""
    rank = len(case.written.repetition)
    order = tuple(draw(st.permutations(range(rank))))
    suited = draw(st.integers(0, 3))
    steps = [next((delay[axis] for delay in case.delays if delay[axis]), 1) for axis in order]
    signs = tuple((1 if step > 0 else -1) if suited else draw(st.sampled_from([1, -1])) for step in steps)
    sizes = tuple(draw(st.integers(1, 3)) for _ in range(rank))
    return order, signs, sizes, draw(st.integers(1, min(2, rank)))


def tiled(
    case: SmallSpec, order: Sequence[int], signs: Sequence[int], sizes: tuple[int, ...], strip_dims: int
) -> TiledNest:
    loaded = load_source(SourceFile("generated.aol", case.text))
    program = program_of(symbolic_component(loaded, "t"))
    indices = program.statements[0].indices
    text = ", ".join(f"{sign} * {indices[axis]}" for axis, sign in zip(order, signs, strict=True))
    return tile_nest(program, [Schedule(1, *read_schedule(text, indices, loaded, ()))], Tiling(sizes, strip_dims))


def elements(access: Access, repetition: Point) -> Iterator[Point]:
    for index in product(*(range(extent) for extent in access.pattern)):
        element = access.element(repetition, index)
        border = access.tiler.border
        pairs = zip(element, access.array, strict=True)
        if border is None or not border.is_constant or all(0 <= at < (extent or 0) for at, extent in pairs):
            yield element


@given(st.one_of(small_specs(), small_specs().filter(lambda case: bool(case.delays))), st.data())
@settings(max_examples=case_count(80), deadline=None)
def test_generated_tasks(case: SmallSpec, data: st.DataObject) -> None:
    space = case.written.repetition
    assume(None not in (*space, *case.read.array, *case.written.array))
    order, signs, sizes, strip_dims = data.draw(tilings(case))
    repetitions = list(product(*(range(extent or 0) for extent in space)))
    times = {r: tuple(sign * r[axis] for axis, sign in zip(order, signs, strict=True)) for r in repetitions}
    tile = {r: tuple(time // size for time, size in zip(times[r], sizes, strict=True)) for r in repetitions}
    steps = [
        (before, r)
        for delay in case.delays
        for r in repetitions
        if (before := tuple(one - step for one, step in zip(r, delay, strict=True))) in times
    ]
    legal = all(times[before] < times[r] for before, r in steps)
    kept = all((tile[before], times[before]) < (tile[r], times[r]) for before, r in steps)
    event(f"legal {legal}, tiles {kept}, delays {bool(steps)}")
    if not kept or not legal:
        with pytest.raises(ArrayolError) as refused:
            tiled(case, order, signs, sizes, strip_dims)
        code = refused.value.diagnostics[0].code
        assert code in (("tiles-in-circle", "tiles-out-of-order") if legal else ("schedule-breaks-dependence",))
        return
    sets = expected_sets(case, sorted(repetitions, key=lambda r: (tile[r], times[r])), tile, steps)
    check_traffic(tiled(case, order, signs, sizes, strip_dims), sets, sorted(set(tile.values())))


def expected_sets(
    case: SmallSpec, ordered: list[Point], tile: dict[Point, Point], steps: list[tuple[Point, Point]]
) -> dict[str, TileSets]:
    """What tiles touch of the task's arrays `x` and `y`, and of `q`, what the delays carry."""
    sets: dict[str, TileSets] = defaultdict(TileSets)
    for r in ordered:
        sets["x"].read[tile[r]].update(elements(case.read, r))
        for written in (sets["y"].written, sets["y"].sure):
            written[tile[r]].update(elements(case.written, r))
        fresh = {before for before, later in steps if later == r} - sets["q"].sure[tile[r]]
        sets["q"].read[tile[r]].update(fresh)
        for written in (sets["q"].written, sets["q"].sure):
            written[tile[r]].update({r} if case.delays else ())
    return sets


def check_traffic(nest: TiledNest, sets: dict[str, TileSets], tiles: list[Point]) -> None:
    found = traffic(nest)
    outer = nest.depth - nest.strip_dims
    strips = [[tile for tile in tiles if tile[:outer] == head] for head in sorted({tile[:outer] for tile in tiles})]
    for array in found.load:
        load, store = defaultdict(set), defaultdict(set)
        for strip in strips:
            loads, stores = theorem_one(sets[array], strip)
            if array == "q":
                others = [sets["q"].read[tile] for tile in tiles if tile not in strip]
                wanted = set().union(*others)
                stores = {tile: part & wanted for tile, part in stores.items()}
            load |= loads
            store |= stores
        assert by_tile(found.load[array]) == {tile: part for tile, part in load.items() if part}
        assert by_tile(found.store[array]) == {tile: part for tile, part in store.items() if part}
        assert found.exact[array]


def by_tile(relation: isl.Map) -> Sets:
    found: Sets = {}
    pairs = rows(relation)
    for tile, element in zip(pairs.domain.tolist(), pairs.image.tolist(), strict=True):
        found.setdefault(tuple(tile), set()).add(tuple(element))
    return found


def test_the_name_of_what_a_delay_carries_is_free() -> None:
    """An array that has the output's name keeps it."""
    text = """
    elementary e(a: u8, p: u8) -> (q: u8) { q = a + p }
    task t(x: u8[4, 4]) -> (q: u8[4, 4]) {
      repeat [4, 4] of e {
        a <- x at origin [0, 0] paving [1, 0; 0, 1] fitting []
        p <- q delay [1, 0] else x at origin [3, 0] paving [0, 0; 0, 1] fitting []
        q -> q at origin [0, 0] paving [1, 0; 0, 1] fitting []
      }
    }
    """
    loaded = load_source(SourceFile("generated.aol", text))
    program = program_of(symbolic_component(loaded, "t"))
    assert [(array.name, array.role, array.shape) for array in program.arrays.values()] == [
        ("x", "input", (4, 4)),
        ("q", "output", (4, 4)),
        ("q'", "delayed", (4, 4)),
    ]
    schedule = Schedule(1, *read_schedule("r0, r1", ("r0", "r1"), loaded, ()))
    found = traffic(tile_nest(program, [schedule], Tiling((2, 2), 1)))
    assert by_tile(found.load["q'"]) == {(1, 0): {(1, 0), (1, 1)}, (1, 1): {(1, 2), (1, 3)}}
    assert by_tile(found.store["q'"]) == {(0, 0): {(1, 0), (1, 1)}, (0, 1): {(1, 2), (1, 3)}}
    assert by_tile(found.load["x"])[(0, 0)] == {(0, 0), (0, 1), (1, 0), (1, 1), (3, 0), (3, 1)}
    assert by_tile(found.load["x"])[(1, 0)] == {(2, 0), (2, 1), (3, 0), (3, 1)}
    assert replace(program.arrays["q'"], name="q").extents == ("(4)", "(4)")
