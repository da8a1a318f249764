"""Tiled nests against brute force, on generated ones: what may run, and what each tile loads and stores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import product

import islpy as isl
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies_tiles import CONSTS, EXTENTS, LOCAL, NestCase, nest_cases
from tiles_at_values import at_values
from tiles_brute import (
    Placed,
    Sets,
    Tile,
    TileSets,
    faults,
    instances,
    keeps_order,
    placed,
    strips_of,
    theorem_one,
    theorem_six,
    tile_sets,
    wastes,
)

from arrayol.errors import ArrayolError
from arrayol.language.loader import Loaded, load_source
from arrayol.language.symbolic import read_schedule, symbolic_component
from arrayol.source import SourceFile
from arrayol.tiling.enumerate import iterations, rows, tiles
from arrayol.tiling.load_store import KeyedArray, keyed_arrays, live_in, load_for, traffic
from arrayol.tiling.nest import TiledNest, Traffic
from arrayol.tiling.program import program_of
from arrayol.tiling.tile import Schedule, Tiling, tile_nest


def loaded(case: NestCase) -> Loaded:
    found = load_source(SourceFile("generated.aol", case.text))
    assert "e" in found.spec.components, [str(one) for one in found.diagnostics]
    return found


def tiled(case: NestCase, *, symbols: tuple[str, ...] = (), sizes: tuple[int | str, ...] | None = None) -> TiledNest:
    source = loaded(case)
    program = program_of(symbolic_component(source, "e", symbols))
    schedules = [
        Schedule(number, *read_schedule(", ".join(times), program.statements[number - 1].indices, source, symbols))
        for number, times in zip(case.chosen, case.schedules, strict=True)
    ]
    return tile_nest(program, schedules, Tiling(sizes or case.sizes, case.strip_dims))


def elements(relation: isl.Map) -> Sets:
    found: Sets = defaultdict(set)
    pairs = rows(relation)
    for tile, element in zip(pairs.domain.tolist(), pairs.image.tolist(), strict=True):
        found[tuple(tile)].add(tuple(element))
    return found


def verdict(case: NestCase, found: list[Placed]) -> str:
    """What brute force says of a nest."""
    if not found:
        return "empty-nest"
    for number in case.chosen:
        times = [one.time for one in found if one.instance.number == number]
        if len(set(times)) < len(times):
            return "schedule-not-one-to-one"
    if shares_a_local(case) or not splits(case):
        return "statements-apart"
    if not keeps_order(found, lambda one: (one.time, one.instance.number)):
        return "schedule-breaks-dependence"
    return "fine" if keeps_order(found, lambda one: (one.tile, one.time, one.instance.number)) else "tiles"


def shares_a_local(case: NestCase) -> bool:
    """Whether a local passes between a chosen line and another one."""
    cells = [
        {(one.number in case.chosen, cell) for cell in one.cells if cell[0] == LOCAL}
        for one in instances(case)
        if LOCAL in case.lines[one.number - 1].text
    ]
    inside = {cell for found in cells for chosen, cell in found if chosen}
    return any(cell in inside for found in cells for chosen, cell in found if not chosen)


def splits(case: NestCase) -> bool:
    """Whether the lines that are not chosen can run before and after the others, one after another."""
    every = [Placed(one, (place,), ()) for place, one in enumerate(instances(case))]
    others = [number for number in range(1, len(case.lines) + 1) if number not in case.chosen]
    choices = [dict(zip(others, phases, strict=True)) for phases in product([-1, 1], repeat=len(others))]
    return any(keeps_order(every, lambda one, choice=choice: in_phases(one, choice)) for choice in choices)


def in_phases(one: Placed, phases: Mapping[int, int]) -> tuple[object, ...]:
    """When an instance runs if statements have phases, those not named the middle one, 0."""
    return (phases.get(one.instance.number, 0), one.time)


@given(nest_cases())
@settings(max_examples=case_count(100), deadline=None)
def test_generated_nests(case: NestCase) -> None:
    found = placed(case)
    expected = verdict(case, found)
    event(expected)
    if expected != "fine":
        with pytest.raises(ArrayolError) as refused:
            tiled(case)
        code = refused.value.diagnostics[0].code
        assert code == expected or (expected == "tiles" and code in ("tiles-in-circle", "tiles-out-of-order"))
        return
    nest = tiled(case)
    check_order(case, nest, found)
    check_sets(nest, found)


@given(nest_cases().filter(lambda case: verdict(case, placed(case)) == "fine"), st.sets(st.integers(0, 2)))
@settings(
    max_examples=case_count(40),
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
def test_symbols(case: NestCase, named: set[int]) -> None:
    """With N symbolic, and some tile sizes: the same sets; with uncertain writes perhaps more loads, all valid."""
    sizes = tuple(f"b{axis}" if axis in named else size for axis, size in enumerate(case.sizes))
    try:
        nest = tiled(case, symbols=("N",), sizes=sizes)
    except ArrayolError:
        event("refused for another N or size")  # for which it may well be wrong
        return
    values = {**CONSTS, **{f"b{axis}": size for axis, size in enumerate(case.sizes)}}
    expected, found = traffic(tiled(case)), at_values(traffic(nest), values)
    simple = at_values(traffic(nest, simplify=True), values)
    sets, strips = tile_sets(placed(case)), strips_of(placed(case), case.strip_dims)
    assert tiles(found.nest).tolist() == tiles(expected.nest).tolist()
    for array in expected.moved:
        assert found.store[array].is_equal(expected.store[array])
        assert found.read[array].is_equal(expected.read[array])
        at_origin = any(isinstance(size, str) for size in sizes)
        if at_origin and not expected.written[array].is_equal(expected.surely_written[array]):
            event("uncertain writes, symbolic sizes")
            assert expected.load[array].is_subset(found.load[array])
        else:
            assert found.load[array].is_equal(expected.load[array])
        for one in (found, simple):
            load, store = elements(one.load[array]), elements(one.store[array])
            assert not [fault for strip in strips for fault in faults(sets[array], load, store, strip)]


def check_order(case: NestCase, nest: TiledNest, found: list[Placed]) -> None:
    """Instances in the order of execution; the rest before or after them."""
    ordered = sorted(found, key=lambda one: (one.tile, one.time, one.instance.number))
    ran = iterations(nest)
    assert ran.tile.tolist() == [list(one.tile) for one in ordered]
    assert ran.time.tolist() == [list(one.time) for one in ordered]
    assert [case.chosen[place] for place in ran.statement] == [one.instance.number for one in ordered]
    assert [tuple(row[: len(one.instance.point)]) for row, one in zip(ran.instance.tolist(), ordered, strict=True)] == [
        one.instance.point for one in ordered
    ]
    assert [tuple(tile) for tile in tiles(nest).tolist()] == sorted({one.tile for one in found})
    phases = {**dict.fromkeys(nest.before, -1), **dict.fromkeys(nest.after, 1)}
    assert sorted([*phases, *case.chosen]) == list(range(1, len(case.lines) + 1))
    order = {one.instance: place for place, one in enumerate(ordered)}
    every = [Placed(one, (order.get(one, place),), ()) for place, one in enumerate(instances(case))]
    assert keeps_order(every, lambda one: in_phases(one, phases))


def check_sets(nest: TiledNest, found: list[Placed]) -> None:
    """In and Out by definition, load and store by the theorems both ways, all of them valid and exact."""
    sets, strips = tile_sets(found), strips_of(found, nest.strip_dims)
    differences, lexicographic = traffic(nest), traffic(nest, method="lexicographic")
    simple = traffic(nest, simplify=True)
    assert set(differences.load) >= {array for array, one in sets.items() if any({**one.read, **one.written}.values())}
    for array in differences.locals:
        check_local(nest, sets[array], differences, found)
    for array in differences.moved:
        assert differences.load[array].is_equal(lexicographic.load[array])
        assert differences.store[array].is_equal(lexicographic.store[array])
        check_array(sets[array], differences, array, strips)
        check_simple(sets[array], simple, array, strips)
    for keyed in (one for one in keyed_arrays(nest) if one.name in differences.moved):
        check_given_store(keyed, sets[keyed.name], simple.store[keyed.name], strips)


def check_local(nest: TiledNest, sets: TileSets, found: Traffic, placed_: list[Placed]) -> None:
    """A local is never moved; it is kept for as many strips as its uses lie in; sums start at zero once."""
    check_accesses(sets, found, LOCAL, sorted({one.tile for one in placed_}))
    assert not elements(found.load[LOCAL])
    assert not elements(found.store[LOCAL])
    strips = strips_of(placed_, nest.strip_dims)
    used: dict[tuple[int, ...], set[int]] = defaultdict(set)
    for number, strip in enumerate(strips):
        for tile in strip:
            for element in sets.read[tile] | sets.written[tile]:
                used[element].add(number)
    assert (found.nests[LOCAL].strip_dims > nest.strip_dims) == any(len(numbers) > 1 for numbers in used.values())
    event("local from strip to strip" if found.nests[LOCAL].strip_dims > nest.strip_dims else "local of a strip")
    every = sorted({one.tile for one in placed_})
    zeroed, _ = theorem_six(sets, every, {tile: set() for tile in every})
    first = elements(found.zeroed[LOCAL])
    assert all(first[tile] in (zeroed[tile], set()) for tile in every)
    if LOCAL in found.variables:
        event("local as a variable")
        check_variable(placed_)


def check_variable(found: list[Placed]) -> None:
    """In the order of execution all uses of one lie together."""
    turns = []
    for one in sorted(found, key=lambda one: (one.tile, one.time, one.instance.number)):
        turns += [place[:-1] for name, place in one.instance.cells if name == LOCAL]
    runs = [turn for place, turn in enumerate(turns) if not place or turns[place - 1] != turn]
    assert len(set(runs)) == len(runs)


def check_given_store(keyed: KeyedArray, sets: TileSets, store: isl.Map, strips: list[list[Tile]]) -> None:
    """Loads for stores that are too large."""
    load, stores = elements(load_for(keyed, live_in(keyed), store)), elements(store)
    for strip in strips:
        expected, _ = theorem_six(sets, strip, {tile: stores[tile] for tile in strip})
        assert {tile: load[tile] for tile in strip} == expected


def check_simple(sets: TileSets, found: Traffic, array: str, strips: list[list[Tile]]) -> None:
    """One polyhedron of elements at each tile, inside the array, and valid."""
    load, store = elements(found.load[array]), elements(found.store[array])
    assert not [fault for strip in strips for fault in faults(sets, load, store, strip)]
    box = set(product(*(range(extent) for extent in EXTENTS[array])))
    for moved, relation in ((load, found.load[array]), (store, found.store[array])):
        for tile, part in moved.items():
            at_tile = isl.Set(f"{{ {list(tile)} }}")
            of_tile = relation.intersect_domain(at_tile).range()
            assert part <= box
            assert of_tile.is_equal(isl.Set.from_basic_set(of_tile.convex_hull()))


def check_accesses(sets: TileSets, found: Traffic, array: str, every: list[Tile]) -> None:
    read, written, sure = (elements(one[array]) for one in (found.read, found.written, found.surely_written))
    for tile in every:
        assert read[tile] == sets.read[tile]
        assert written[tile] == sets.written[tile]
        assert sure[tile] == sets.sure[tile]


def check_array(sets: TileSets, found: Traffic, array: str, strips: list[list[Tile]]) -> None:
    check_accesses(sets, found, array, [tile for strip in strips for tile in strip])
    load, store = elements(found.load[array]), elements(found.store[array])
    for strip in strips:
        loads, stores = theorem_six(sets, strip)
        if all(sets.written[tile] == sets.sure[tile] for strip in strips for tile in strip):
            assert (loads, stores) == theorem_one(sets, strip)
        for tile in strip:
            assert load[tile] == loads[tile]
            assert store[tile] == stores[tile]
        assert faults(sets, load, store, strip) == []
        assert wastes(sets, load, store, strip) == []
