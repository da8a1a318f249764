"""Legal scans beside every pair of repetitions, and what the model refuses, with the exact message."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import islice, permutations, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import NOWHERE, delay_sets
from strategies_machine import in_outer_blocks

from arrayol.checks.check import check_source, load_checked
from arrayol.checks.top import choose_top
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from arrayol.ir.network import flatten
from arrayol.ir.spec import Delay, Shape
from arrayol.source import SourceFile
from hwmodel.accesses import points
from hwmodel.cost_model.group.legal_scans import count_structures, legal_scans
from hwmodel.cost_model.group.scans import DelayMoves, block_places, breaking_pair, moves_of, prefixes
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import BankLayout, Blocks, Design, GroupDesign, Processor, Scan, row_major
from hwmodel.platform import load_platform

Vectors = tuple[tuple[int, ...], ...]


def all_scans(rank: int) -> list[Scan]:
    """Every permutation of the dimensions with every choice of directions."""
    directions = list(product((False, True), repeat=rank))
    return [Scan(dimensions, descending) for dimensions in permutations(range(rank)) for descending in directions]


def places(extents: tuple[int, ...], blocks: Blocks) -> dict[tuple[int, ...], tuple[int, ...]]:
    """The place of each repetition's block in the block order, to be compared lexicographically."""
    found = {}
    for r in product(*map(range, extents)):
        block = [[index // side] for index, side in zip(r, blocks.shape, strict=True)]
        for dimension in blocks.scan.twice:
            outer = blocks.outer[dimension]
            block[dimension] = [r[dimension] // outer, r[dimension] % outer // blocks.shape[dimension]]
        directed = zip(blocks.scan.dimensions, blocks.scan.descending, strict=True)
        found[r] = tuple(-block[dimension].pop(0) if down else block[dimension].pop(0) for dimension, down in directed)
    return found


def is_legal(extents: tuple[int, ...], vectors: Vectors, blocks: Blocks) -> bool:
    place = places(extents, blocks)
    for r, vector in product(place, vectors):
        before = tuple(index - step for index, step in zip(r, vector, strict=True))
        if before in place and place[before] > place[r]:
            return False
    return True


def acting(vectors: Vectors) -> list[Delay]:
    return [Delay("p", "q", vector, 0, True, NOWHERE) for vector in vectors]


@given(delay_sets(), st.data())
def test_a_scan_is_legal_where_no_pair_breaks_it(case: tuple[Vectors, Shape], data: st.DataObject) -> None:
    vectors, repetition = case
    extents = tuple(extent or 4 for extent in repetition)
    scan = Scan(
        tuple(data.draw(st.permutations(range(len(extents))))),
        tuple(data.draw(st.booleans()) for _ in extents),
    )
    blocks = Blocks(tuple(data.draw(st.integers(1, extent)) for extent in extents), scan)
    blocks = data.draw(in_outer_blocks(blocks, extents))
    broken = breaking_pair(extents, acting(vectors), blocks)
    assert (broken is None) == is_legal(extents, vectors, blocks)
    if broken is not None:
        delay, (reader, source) = broken
        place = places(extents, blocks)
        assert place[source] > place[reader]
        assert tuple(a - b for a, b in zip(reader, source, strict=True)) == delay.vector


@given(delay_sets(), st.data())
def test_every_legal_order_is_offered(case: tuple[Vectors, Shape], data: st.DataObject) -> None:
    vectors, repetition = case
    extents = tuple(extent or 4 for extent in repetition)
    shape = tuple(data.draw(st.integers(1, extent)) for extent in extents)
    offered = legal_scans(extents, acting(vectors), shape)
    legal = [scan for scan in all_scans(len(extents)) if is_legal(extents, vectors, Blocks(shape, scan))]
    assert len(set(offered)) == len(offered)
    assert set(offered) <= set(legal)
    orders = {(scan.dimensions, tuple(in_order(extents, Blocks(shape, scan)))) for scan in offered}
    assert orders == {(scan.dimensions, tuple(in_order(extents, Blocks(shape, scan)))) for scan in legal}


def listed(extents: tuple[int, ...], vectors: Vectors, shape: tuple[int, ...]) -> list[Scan]:
    """What is offered, by trying every scan: first what is legal for single repetitions too, then orders not yet there.

    Scans that differ in the direction of dimensions with a single block alone are one order.
    """
    rank = len(extents)
    legal = [scan for scan in all_scans(rank) if not breaking_pair(extents, acting(vectors), Blocks(shape, scan))]
    offered = [scan for scan in legal if not breaking_pair(extents, acting(vectors), Blocks((1,) * rank, scan))]
    blocks = [-(-extent // side) for extent, side in zip(extents, shape, strict=True)]

    def order(scan: Scan) -> list[tuple[int, bool]]:
        pairs = zip(scan.dimensions, scan.descending, strict=True)
        return [(dimension, down and blocks[dimension] > 1) for dimension, down in pairs]

    known = [order(scan) for scan in offered]
    for scan in legal:
        if order(scan) not in known:
            offered.append(scan)
            known.append(order(scan))
    return offered


@st.composite
def delayed_blocks(draw: st.DrawFn) -> tuple[tuple[int, ...], Vectors, tuple[int, ...]]:
    """Extents, delays that act or do not, and a shape of blocks."""
    extents = draw(st.lists(st.integers(1, 5), max_size=3).map(tuple))
    vector = st.tuples(*(st.integers(-2, 3) for _ in extents)).filter(lambda one: any(one) or not one)
    vectors = draw(st.lists(vector, max_size=3 if extents else 0).map(tuple))
    return extents, vectors, draw(st.tuples(*(st.integers(1, extent) for extent in extents)))


@given(delayed_blocks())
def test_scans_are_offered_as_if_they_were_listed(case: tuple[Shape, Vectors, tuple[int, ...]]) -> None:
    extents, vectors, shape = case
    expected = listed(extents, vectors, shape)
    scans = legal_scans(extents, acting(vectors), shape)
    assert list(scans) == expected
    assert scans.number == len(scans) == len(expected)
    assert [scans[place] for place in range(scans.number)] == expected
    assert [scans.index(scan) for scan in expected] == list(range(len(expected)))
    assert [scan in scans for scan in all_scans(len(extents))] == [scan in expected for scan in all_scans(len(extents))]
    assert scans[::3] == tuple(expected[::3])
    assert scans[-1:] == tuple(expected[-1:])


@given(delayed_blocks(), st.data())
def test_some_of_the_scans_are_offered_as_if_they_were_filtered(
    case: tuple[Shape, Vectors, tuple[int, ...]], data: st.DataObject
) -> None:
    extents, vectors, shape = case
    outermost = data.draw(st.sets(st.sampled_from(range(len(extents))))) if extents else set()
    every = legal_scans(extents, acting(vectors), shape)
    outer = [scan for scan in every if set(scan.dimensions[: len(outermost)]) == outermost]
    upwards = [scan for scan in every if not any(scan.descending)]
    both = [scan for scan in outer if scan in upwards]
    narrowed = every.only(upwards=True), every.only(outermost=outermost), every.only(upwards=True, outermost=outermost)
    for scans, expected in zip(narrowed, (upwards, outer, both), strict=True):
        assert list(scans) == [scans[place] for place in range(scans.number)] == expected
        assert [scan in scans for scan in every] == [scan in expected for scan in every]


@given(delayed_blocks(), st.data())
def test_structures_are_counted_as_if_they_were_listed(
    case: tuple[Shape, Vectors, tuple[int, ...]], data: st.DataObject
) -> None:
    extents, vectors, _ = case
    sides = [data.draw(st.lists(st.integers(1, extent), unique=True, max_size=3)) for extent in extents]
    delays = acting(vectors)
    scans = data.draw(st.none() | st.lists(st.sampled_from(all_scans(len(extents))), unique=True, max_size=5))
    pairs = [(shape, scan) for shape in product(*sides) for scan in listed(extents, vectors, shape)]
    wanted = [scan for _, scan in pairs if scans is None or scan in scans]
    assert count_structures(extents, delays, sides, scans) == len(wanted)


def test_scans_of_many_dimensions_are_not_listed() -> None:
    rank = 12
    extents = (60,) * rank
    vectors = ((1,) + (0,) * (rank - 1), (0, 1, -1) + (0,) * (rank - 3))
    scans = legal_scans(extents, acting(vectors), (1,) * rank)
    assert 10**11 < scans.number < 2**rank * 479_001_600
    some = [scans[scans.number * place // 7] for place in range(7)]
    assert len(set(some)) == 7
    assert list(islice(scans, 3)) == [scans[0], scans[1], scans[2]]
    assert [scans.index(scan) for scan in some] == [scans.number * place // 7 for place in range(7)]
    assert not any(breaking_pair(extents, acting(vectors), Blocks((1,) * rank, scan)) for scan in some)
    free = count_structures(extents, [], [(1, 2, 60)] * rank)
    assert free == 6**rank * 479_001_600
    assert scans.number < count_structures(extents, acting(vectors), [(1, 60)] * rank) < free


@given(st.integers(1, 9), st.lists(st.integers(1, 9), min_size=1, max_size=3), st.integers(-10, 10))
def test_moves_are_those_of_all_indices(extent: int, drawn: list[int], step: int) -> None:
    sides = tuple(sorted((min(side, extent) for side in drawn), reverse=True))
    left = {index: (index, index - step) for index in range(extent) if 0 <= index - step < extent}
    for side, moves in zip(sides, moves_of(extent, sides, step), strict=True):
        change = {index: now // side - before // side for index, (now, before) in left.items()}
        ahead, behind, same = (
            min((index for index, by in change.items() if sign(by) == wanted), default=None) for wanted in (1, -1, 0)
        )
        assert moves == DelayMoves(ahead, behind, same)
        left = {index: (now % side, before % side) for index, (now, before) in left.items() if not change[index]}


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


@given(st.lists(st.integers(1, 7), max_size=3), st.data())
def test_places_and_prefixes_follow_the_loops(extents: list[int], data: st.DataObject) -> None:
    space = tuple(extents)
    scan = data.draw(st.sampled_from(list(all_scans(len(space)))))
    plain = Blocks(tuple(data.draw(st.integers(1, extent)) for extent in space), scan)
    blocks = data.draw(in_outer_blocks(plain, space))
    assert blocks.fit(len(space))
    place = places(space, blocks)
    order = sorted(set(place.values()))
    assert block_places(points(space), space, blocks).tolist() == [order.index(place[r]) for r in sorted(place)]
    for level in range(len(blocks.scan.dimensions) + 1):
        outer = [one[:level] for one in order]
        assert prefixes(space, blocks, level).tolist() == [sorted(set(outer)).index(one) for one in outer]


@pytest.mark.parametrize(
    ("shape", "dimensions", "outer"),
    [
        ((2, 2), (0, 1, 0), ()),
        ((2, 2), (0, 1, 0), (1, 2)),
        ((2, 2), (0, 1, 0), (4, 4)),
        ((2, 2), (0, 1), (2, 2)),
        ((2, 2), (0, 1, 0, 0), (4, 2)),
        ((2, 2), (0, 0), (4, 2)),
        ((2, 2, 2), (0, 1, 0), (4, 2, 2)),
    ],
)
def test_sides_that_do_not_nest_do_not_fit(
    shape: tuple[int, ...], dimensions: tuple[int, ...], outer: tuple[int, ...]
) -> None:
    assert not Blocks(shape, Scan(dimensions, (False,) * len(dimensions)), outer).fit(2)
    assert Blocks((2, 2), Scan((0, 1, 0), (False,) * 3), (4, 2)).fit(2)


def in_order(extents: tuple[int, ...], blocks: Blocks) -> list[tuple[int, ...]]:
    """Repetitions in the order of their blocks, row-major inside."""
    place = places(extents, blocks)
    return sorted(place, key=lambda r: (place[r], r))


def lpsf(**consts: int) -> MachineModel:
    spec = load_checked(shipped_folder() / "lpsf.aol", {"H": 12, "W": 16} | consts)
    return MachineModel(flatten(spec, choose_top(spec, None)), load_platform(shipped_folder() / "lpsf.toml"))


def test_lpsf_has_four_scans_for_every_shape() -> None:
    model = lpsf()
    for task in model.network.processes:
        extents = model.accesses.extents(task)
        for shape in product(*(range(1, extent + 1) for extent in extents)):
            assert len(model.legal_scans(task, shape)) == 4


PAIR = GroupDesign((Processor("hflr"), Processor("vftd")), Blocks((4, 1), Scan((1, 0), (False, False))))


LATER = Scan((0, 1), (False, True))
REFUSED = (
    replace(PAIR, schedule=Blocks((4, 1), Scan((1, 0), (True, False)))),
    replace(PAIR, processors=(Processor("hflr", 1, Blocks((1, 2), LATER)), Processor("vftd"))),
    replace(PAIR, processors=(Processor("hflr"), Processor("vftd", 5))),
    replace(PAIR, fifos=frozenset({"p0"})),
    replace(PAIR, fifos=frozenset({"p2"})),
    replace(PAIR, fifos=frozenset({"p1"})),
    replace(PAIR, layouts=(BankLayout("p1", 9, (1, 1)),)),
    replace(PAIR, layouts=(BankLayout("p4", 2, (1, 1)),)),
)


def test_refusals(golden: Callable[[Path, str], None], checkout: Path) -> None:
    model = lpsf()
    messages = []
    for design in REFUSED:
        with pytest.raises(ArrayolError) as caught:
            model.estimate(design)
        messages.append(str(caught.value).replace(str(shipped_folder()), "specs"))
    golden(checkout / "tests" / "golden" / "machine-refusals.txt", "\n\n".join(messages) + "\n")


def test_designs_that_are_no_partition() -> None:
    with pytest.raises(ValueError, match="not a partition of the processes of 'lpsf'"):
        lpsf().evaluate(Design((PAIR,)))


def test_whole_designs_are_sums() -> None:
    model = lpsf()
    scan = row_major(2)
    groups = tuple(
        GroupDesign((Processor(task, 2),), Blocks((4, 2), replace(scan))) for task in ("hflr", "vftd", "hfrl", "vfbu")
    )
    found, parts = model.evaluate(Design(groups)), [model.estimate(group) for group in groups]
    assert found.latency_cycles == found.frame_cycles == sum(part.latency_cycles for part in parts)
    assert found.internal_memory_bits == sum(part.internal_memory_bits for part in parts)
    assert found.additive["traffic_bytes"] == 8 * 12 * 16 * 4
    assert found.units == 8
    unit = model.platform.datapath(model.network.processes["hflr"]).cost
    assert {"lut", "dsp"} < set(unit)
    of_memories = Counter[str]()
    for use in (use for part in parts for use in part.memories):
        of_memories.update(use.costs)
    assert of_memories["lut"] > 0
    assert found.costs == {name: 8 * amount + of_memories[name] for name, amount in unit.items()}
    assert sum(found.ends.values()) == found.latency_cycles
    assert found.bottleneck == max(found.ends, key=lambda name: found.ends[name])
    assert found.frames_per_second == 100e6 / found.frame_cycles
    reused = model.evaluate(Design(groups), reuse_memory=True)
    assert reused.internal_memory_elements == max(part.internal_memory_elements for part in parts)
    assert reused.latency_cycles == found.latency_cycles


def test_a_lone_task_with_plain_blocks_keeps_two_blocks_in_and_two_out() -> None:
    model = lpsf()
    found = model.estimate(GroupDesign((Processor("hflr"),), Blocks((3, 2), row_major(2))))
    buffers = {memory.name: memory.data for memory in found.memories if memory.kind == "buffer"}
    assert buffers == {"p0": 2 * 24, "p1": 2 * 24}


def test_platforms_with_wide_words() -> None:
    spec = load_checked(shipped_folder() / "lpsf.aol", {"H": 12, "W": 16})
    network = flatten(spec, choose_top(spec, None))
    platform = load_platform(shipped_folder() / "lpsf.toml")
    memory = platform.memory.model_copy(update={"data_per_word": None, "word_bits": 128})
    wide = MachineModel(network, platform.model_copy(update={"memory": memory}))
    assert wide.data_per_word == 4
    assert wide.estimate(PAIR).latency_cycles == lpsf().estimate(PAIR).latency_cycles


FRAMES = """
elementary keep(x: f32) -> (y: f32) { y = x }
elementary mean(x: f32[2]) -> (y: f32) { y = x[0] / 2 + x[1] / 2 }
task copies(video: f32[*, 4]) -> (kept: f32[*, 4]) {
  repeat [*, 4] of keep {
    x <- video at origin [0, 0] paving [1, 0; 0, 1] fitting []
    y -> kept  at origin [0, 0] paving [1, 0; 0, 1] fitting []
  }
}
task means(kept: f32[*, 4]) -> (calm: f32[*, 4]) {
  repeat [*, 4] of mean {
    x <- kept at origin [0, 0] paving [1, 0; 0, 1] fitting [1; 0]
    y -> calm at origin [0, 0] paving [1, 0; 0, 1] fitting []
  }
}
task calm(video: f32[*, 4]) -> (calmer: f32[*, 4]) {
  kept   = copies(video)
  calmer = means(kept)
}
"""


def test_a_window_over_frames_of_a_fused_array_is_refused() -> None:
    checked = check_source(SourceFile("calm.aol", FRAMES))
    assert checked.spec is not None
    platform = load_platform(shipped_folder() / "lpsf.toml").model_copy(update={"assume_datapaths": True})
    model = MachineModel(flatten(checked.spec, "calm"), platform)
    whole = Blocks((1, 2), row_major(2))
    with pytest.raises(ArrayolError) as caught:
        model.estimate(GroupDesign((Processor("copies"), Processor("means")), whole))
    assert str(caught.value) == (
        "error[several-frames]: 'means' reads element [1, 0] of 'kept', which 'copies' makes in another frame; between "
        "fused tasks only one frame is there\n"
        "  hint: put 'means' and 'copies' in different groups"
    )
    apart = model.evaluate(Design(tuple(GroupDesign((Processor(task),), whole) for task in ("copies", "means"))))
    assert apart.additive["traffic_bytes"] == 4 * (4 + 4 + 8 + 4)
