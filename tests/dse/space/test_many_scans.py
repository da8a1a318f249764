"""Spaces with so many blocks and scans that nothing lists them: their size, their method, and what the rounds take."""

from __future__ import annotations

import math
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrayol.checks.check import load_checked
from arrayol.errors import ArrayolError
from arrayol.ir.network import flatten
from arrayol.text import listed
from dse.search.context import ROUNDS
from dse.search.figures import columns_of
from dse.search.group_front import nothing
from dse.search.methods import choose_method
from dse.search.rounds.portions import WorkQueue
from dse.search.rounds.schedule import ROUNDS as ALL_ROUNDS
from dse.search.rounds.schedule import (
    SCANS_FOUND,
    STRUCTURES_AT_LEAST,
    Schedule,
    neighbouring_scans,
    places,
    sampled_product,
)
from dse.space.mappings import MappingSpace
from dse.space.objectives import DEFAULT
from dse.space.remarks import NUMBERS_SHOWN, remarks_of, size_of
from dse.space.study import Study, narrowed
from hwmodel.cost_model.group.legal_scans import LegalScans
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Blocks, Scan
from hwmodel.platform import find_platform


def space_of(path: Path, extents: tuple[int, ...], delay: tuple[int, ...] | None = None, **study: Any) -> MappingSpace:
    """One task over these extents, that a delay may feed."""
    sizes = ", ".join(map(str, extents))
    fed = f"    b <- c delay [{', '.join(map(str, delay))}] else 0\n" if delay else "    b <- x\n"
    path.write_text(
        "elementary add(a: i16, b: i16) -> (c: i16) {\n  c = sat(i16, a + b)\n}\n\n"
        f"task t(x: i16[{sizes}]) -> (y: i16[{sizes}]) {{\n"
        f"  repeat [{sizes}] of add {{\n    a <- x\n{fed}    c -> y\n  }}\n}}\n"
    )
    model = MachineModel(flatten(load_checked(path), "t"), find_platform(path, None)[0])
    return MappingSpace(model, narrowed(Study(**study)))


@pytest.mark.parametrize(
    ("extents", "delay", "study"),
    [
        ((4, 6), None, {}),
        ((4, 1, 3), (1, 0, 0), {}),
        ((4, 3), (1, -1), {}),
        ((4, 3), (1, -1), {"orders": ["0,1", "1,0", "-0,1"]}),
        ((4, 3), (0, 1), {"blocks": {"t": [[2, 3], [1, 1], [4, 2]]}}),
        ((4, 3), None, {"blocks": "ladder", "orders": ["1,-0"]}),
    ],
)
def test_sizes_are_what_a_list_has(
    tmp_path: Path, extents: tuple[int, ...], delay: tuple[int, ...] | None, study: dict[str, Any]
) -> None:
    space = space_of(tmp_path / "few.aol", extents, delay, **study)
    listed = [(scan, shape) for scan, shapes in space.structures("t") for shape in map(tuple, shapes.tolist())]
    assert len(set(listed)) == len(listed) == space.count_structures("t") == size_of(space).structures
    expected = {(scan, shape) for shape in space.shapes("t") for scan in space.scans("t", shape)}
    assert set(listed) == expected
    assert [space.shape_at("t", place) for place in range(space.count_shapes("t"))] == list(space.shapes("t"))
    for turn in range(7):
        assert space.structure_at("t", turn / 7) in expected
    last = len(ALL_ROUNDS) - 1
    assert set(Schedule(space).upto("t", last)) >= expected


@pytest.mark.parametrize("rank", [7, 9])
def test_spaces_of_many_dimensions_are_counted_and_thinned(tmp_path: Path, rank: int) -> None:
    """What would list them would not end: of rank 9 there are 9! 2^9 scans of each of 2^9 shapes."""
    space = space_of(tmp_path / "many.aol", (2,) * rank)
    size, columns = size_of(space), columns_of(DEFAULT, (), space.model, reuse_memory=False)
    assert size.structures == 2**rank * math.factorial(rank) * 2**rank
    assert choose_method("auto", space, columns, size).name == ROUNDS
    with pytest.raises(ArrayolError, match="it lists all blocks under all scans of each group, at most 20,000,000"):
        choose_method("exact", space, columns, size)
    schedule = Schedule(space)
    first = schedule.upto("t", 0)
    assert 2 ** min(rank, 11) < len(first) <= STRUCTURES_AT_LEAST + 2 * (rank + 2)
    sides = [{shape[at] for _, shape in first} for at in range(rank)]
    assert all(len(own) > 1 for own in sides), "each dimension has blocks of several sides"
    assert {shape for _, shape in first} >= {(1,) * rank, (2,) * rank}
    assert schedule.sketch(space.graph.all) is not None


@pytest.mark.parametrize(
    ("extents", "delay", "blocks"),
    [
        ((4, 6), None, None),
        ((4, 6), (1, -2), None),
        ((4, 1, 6), (0, 0, 3), None),
        ((4, 6), (-1, 0), [[3, 2], [1, 5], [4, 6]]),
    ],
)
def test_units_that_can_work_at_once_are_those_of_listed_blocks(
    tmp_path: Path, extents: tuple[int, ...], delay: tuple[int, ...] | None, blocks: list[list[int]] | None
) -> None:
    for most in (2, 5, 24):
        study = {"units": [1, most], **({"blocks": {"t": blocks}} if blocks else {})}
        space = space_of(tmp_path / "units.aol", extents, delay, **study)
        counts = set[int]()
        for shape in space.shapes("t"):
            block = set(product(*map(range, shape)))
            before = [tuple(map(int.__sub__, one, delay)) for one in block] if delay else []
            counts.add(len(block) - sum(one in block for one in before))
        missing = sorted(count for count in counts if count < most and count != 1)
        remarks = [text for text in remarks_of(space, "test") if "can work at once" in text]
        shown = [*map(str, missing[:NUMBERS_SHOWN]), *(["more"] if len(missing) > NUMBERS_SHOWN else [])]
        what = "on some blocks of t at most %s units can work at once; the study does not list that number; "
        tail = "the next smaller one is taken, if any"
        assert remarks == ([what % listed(shown, "or") + tail] if missing else [])


def test_units_of_many_blocks_are_not_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    space = space_of(tmp_path / "many.aol", (4,) * 10, units=[1, 4])
    monkeypatch.setattr(MappingSpace, "shapes", lambda *_: pytest.fail("lists all shapes"))
    (remark,) = (text for text in remarks_of(space, "test") if "can work at once" in text)
    assert "at most 2 units" in remark


@pytest.mark.parametrize("delay", [(0, 1, 0, 0, 1, 0, 0, 0), (1,) * 8])
def test_rounds_at_high_rank_seek_few_scans(
    tmp_path: Path, delay: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Finding a scan at its place takes milliseconds: of all kinds of shapes in a round only so many are sought."""
    sought = list[int]()
    find = LegalScans.__getitem__

    def counted(scans: LegalScans, place: int) -> Any:
        sought.append(place)
        return find(scans, place)

    monkeypatch.setattr(LegalScans, "__getitem__", counted)
    schedule = Schedule(space_of(tmp_path / "many.aol", (2,) * 8, delay))
    first = schedule.upto("t", 0)
    assert 32 < len(first) <= (128 if all(delay) else 1 << 9)  # of many sets of dimensions counts take long
    sought.clear()
    schedule.upto("t", 2)
    assert 0 < len(sought) < 3 * SCANS_FOUND


def test_shapes_that_differ_in_what_they_hold_whole_share_their_upward_scans(tmp_path: Path) -> None:
    space = space_of(tmp_path / "few.aol", (2, 2, 2), (1, 0, 0))
    some = [space.model.legal_scans("t", shape) for shape in ((1, 1, 1), (1, 2, 1), (1, 2, 2))]
    assert len({id(scans.only(upwards=True)) for scans in some}) == 1
    for scans in some:
        assert [scan for scan in scans if not any(scan.descending)] == list(scans.only(upwards=True))


def test_what_only_the_exact_path_takes_waits_for_the_next_round(tmp_path: Path) -> None:
    space = space_of(tmp_path / "exact.aol", (2, 2, 2, 2), (0, 1, 1, 0))
    columns = columns_of(DEFAULT, (), space.model, reuse_memory=False)
    schedule, part = Schedule(space), nothing(columns, 1)
    assert schedule.upto("t", 0) == schedule.upto("t", 1)
    portions = WorkQueue(space, columns, schedule, space.graph.all, 1.0)
    first, second = portions.plain(0), portions.plain(1)
    assert [one.is_exact for one in first] == [one.is_exact for one in second] != []
    before, after = (sum(one.seconds for one in offered) for offered in (first, second))
    assert 0.95 * before < after <= before, "a group's tables cost no more the second time"
    assert any(one.jobs(part) for one in second)
    assert not any(one.jobs(part) for one in first), "priced already"
    assert portions.plain(1) == []


def test_many_scans_with_a_delay(tmp_path: Path) -> None:
    space = space_of(tmp_path / "many.aol", (2,) * 6, (0, 1, 0, -1, 0, 0))
    structures = Schedule(space).upto("t", 2)
    assert len({scan for scan, _ in structures}) > 8
    assert all(space.model.is_legal("t", Blocks(shape, scan)) for scan, shape in islice(structures, 0, None, 997))


@given(st.integers(1, 10**40), st.integers(1, 300))
def test_places_are_spread(number: int, most: int) -> None:
    found = list(places(number, most))
    assert len(set(found)) == len(found) <= most
    assert all(0 <= place < number for place in found)
    if number >= 3 * most:
        assert len(found) == most


@given(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.integers(1, 200))
def test_some_of_a_product_has_its_corners(sizes: list[int], most: int) -> None:
    choices = [[(side,) for side in range(size)] for size in sizes]
    found = list(sampled_product(choices, most))
    every = list(product(*choices))
    assert len(set(found)) == len(found)
    assert set(found) <= set(every)
    assert {every[0], every[-1]} <= set(found)
    assert len(found) <= max(most + len(sizes) + 2, 0)
    if len(every) <= most:
        assert found == every


def test_scans_beside_differ_in_one_decision() -> None:
    scan = Scan((2, 0, 1), (False, True, False))
    assert list(map(str, neighbouring_scans(scan))) == ["-0,2,1", "2,1,-0", "-2,-0,1", "2,0,1", "2,-0,-1"]
