"""The fewest banks of linear mappings: known numbers, brute force over iterations, and what the search says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from operator import mod, mul
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from many_cases import case_count
from shipped import SMALL

from arrayol.checks.check import load_checked
from arrayol.files import shipped_folder
from arrayol.ir.borders import Border
from hwmodel.banks import linear
from hwmodel.banks.conflicts import moving
from hwmodel.banks.linear import LinearMapping, clique_bound, smallest_linear
from hwmodel.banks.nest import unrolled_nest
from hwmodel.banks.references import Fold, NormalisedLoop, Reference, Subscript, Unknown

Offsets = list[tuple[int, ...]]
Group = tuple[tuple[Reference, ...], tuple[NormalisedLoop, ...]]

JACOBI: Offsets = [(-1, 0), (1, 0), (0, -1), (0, 1)]
SQUARE: Offsets = [(i, j) for i in range(3) for j in range(3)]
STAR: Offsets = [(0, 0, 0), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]


def window(offsets: Offsets, *factors: int, extent: int | None = 100) -> Group:
    """References at these offsets in a nest with one loop per dimension, unrolled by factors."""
    steps = factors or (1,) * len(offsets[0])
    copies = product(*map(range, steps))
    moved = [tuple(map(sum, zip(one, copy, strict=True))) for copy in copies for one in offsets]
    return stepped(moved, steps, extent)


def stepped(offsets: Offsets, steps: tuple[int, ...], extent: int | None = 100) -> Group:
    rank = len(steps)
    references = tuple(
        Reference(
            "x",
            write=False,
            subscripts=tuple(
                Subscript(tuple(step if other == axis else 0 for other in range(rank)), offset)
                for axis, (step, offset) in enumerate(zip(steps, one, strict=True))
            ),
        )
        for one in offsets
    )
    return references, tuple(NormalisedLoop(f"i{axis}", extent) for axis in range(rank))


@pytest.mark.parametrize(
    ("group", "banks", "blocks"),
    [
        (window(JACOBI), 4, 2),
        (window([one for one in SQUARE if one != (1, 1)]), 9, 1),  # eight references; the clique has nine elements
        (window(SQUARE), 9, 1),
        (window(JACOBI, 2, 2), 12, 1),
        (window(STAR), 7, 1),
        (window([(0, 0)], 4, 4), 16, 1),
    ],
)
def test_known_numbers(group: Group, banks: int, blocks: int) -> None:
    """Those of docs/layout.md, "How the paper is read", and others: each equal to the clique bound."""
    found = smallest_linear([group])
    assert (found.banks, found.block, found.bound, found.exact, found.gave_up) == (banks, blocks, banks, True, None)


def test_jacobi_needs_five_banks_without_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "MAXIMUM_BLOCK", 1)
    found = smallest_linear([window(JACOBI)])
    assert (found.banks, found.block, found.bound) == (5, 1, 4)


def element(reference: Reference, index: tuple[int, ...], values: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(
        sum(factor * place for factor, place in zip(part.coefficients, index, strict=True))
        + part.offset
        + sum(unknown.factor * values[unknown.text] for unknown in part.unknown)
        for part in reference.subscripts
    )


def is_free(group: Group, banks: int, vector: tuple[int, ...], block: int, values: tuple[int, ...] = (0,)) -> bool:
    """Whether no iteration has two elements in one bank; unknown parts take each of the values."""
    references, loops = group
    for index in product(*(range(loop.extent or 12) for loop in loops)):
        for value in values:
            elements = {element(reference, index, {"u": value}) for reference in references}
            used = {sum(a * x for a, x in zip(vector, one, strict=True)) // block % banks for one in elements}
            if len(used) < len(elements):
                return False
    return True


def brute_force(groups: list[Group], most: int, blocks: int) -> int | None:
    """The smallest number of banks up to `most` with a conflict-free mapping."""
    rank = len(groups[0][0][0].subscripts)
    for banks in range(1, most + 1):
        for block in range(1, blocks + 1):
            for vector in product(range(banks * block), repeat=rank):
                if all(is_free(group, banks, vector, block) for group in groups):
                    return banks
    return None


@st.composite
def groups(draw: st.DrawFn) -> list[Group]:
    """One or two bodies of up to four references each to one array; often, not always, they move together."""
    rank, depth = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    factors = st.sampled_from([0, 1, 1, 2, 3, -1, -2])
    found = []
    for _ in range(draw(st.sampled_from([1, 1, 2]))):
        loops = tuple(NormalisedLoop(f"i{place}", draw(st.integers(1, 5))) for place in range(depth))
        common = [tuple(draw(factors) for _ in range(depth)) for _ in range(rank)]
        own = draw(st.integers(0, 3)) == 0
        references = tuple(
            Reference(
                "x",
                write=False,
                subscripts=tuple(
                    Subscript(tuple(draw(factors) for _ in range(depth)) if own else steps, draw(st.integers(-3, 3)))
                    for steps in common
                ),
                number=number,
            )
            for number in range(draw(st.integers(1, 4)))
        )
        found.append((references, loops))
    return found


@settings(max_examples=case_count(120), deadline=None)
@given(groups())
def test_brute_force_finds_no_fewer_banks(found: list[Group]) -> None:
    most, blocks = 5, 3
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear, "MAXIMUM_BLOCK", blocks)
        best = smallest_linear(found)
    expected = brute_force(found, most, blocks)
    assert best.exact
    assert best.bound <= (expected or most + 1) or expected is None
    if expected is None:
        assert best.banks is None or best.banks > most
    else:
        assert best.banks == expected
    if best.banks is not None:
        assert best.banks >= best.bound
        assert all(is_free(group, best.banks, best.vector, best.block) for group in found)


def test_a_short_loop_needs_less() -> None:
    """In two iterations the ring of eight never meets the ninth element of the square."""
    ring = [one for one in SQUARE if one != (1, 1)]
    long, short = smallest_linear([window(ring)]), smallest_linear([window(ring, extent=1)])
    assert long.bound == 9
    assert (short.bound, short.banks) == (8, 8)
    assert [clique_bound(moving(*window(ring, extent=extent))) for extent in (1, 2, 100)] == [8, 8, 9]


def test_large_numbers() -> None:
    far = [(10**25 + one, other - 10**13) for one, other in JACOBI]
    found = smallest_linear([stepped(far, (10**12 + 1, -(10**24) - 1))])
    assert found.banks == 4
    assert is_free(stepped(far, (10**12 + 1, -(10**24) - 1), 9), 4, found.vector, found.block)


def test_one_mapping_serves_all_bodies() -> None:
    rows, columns = window([(0, 0), (0, 1)]), window([(0, 0), (1, 0)])
    both = smallest_linear([rows, columns])
    assert smallest_linear([rows]).banks == both.banks == 2
    assert both.vector == (1, 1)


def test_unknown_parts_may_be_any_multiple() -> None:
    """x[4 u + i] and x[4 u + i + 1] keep their distance; x[i] and x[2 u] may meet in any odd number of banks."""

    def moved(offset: int, factor: int, step: int = 1) -> Reference:
        unknown = (Unknown(factor, "u"),) if factor else ()
        return Reference("x", write=False, subscripts=(Subscript((step,), offset, unknown),))

    together = ((moved(0, 4), moved(1, 4)), (NormalisedLoop("i", 10),))
    found = smallest_linear([together])
    assert found.banks == 2
    assert is_free(together, 2, found.vector, found.block, values=(0, 1, 2, 3))
    apart = ((moved(0, 2, 2), moved(1, 0, 4)), (NormalisedLoop("i", 10),))
    found = smallest_linear([apart])
    assert found.banks == 2
    assert is_free(apart, 2, found.vector, found.block, values=(0, 1, 2, 3))
    never = ((moved(0, 1), moved(0, 0)), (NormalisedLoop("i", 4),))
    assert smallest_linear([never]).banks is None


@pytest.mark.parametrize(
    ("file", "task"), [("sobel", "gradients"), ("harris", "boxsum"), ("pyramid", "shorten"), ("thumbnail", "hfilter")]
)
def test_windows_around_the_border(file: str, task: str, tmp_path: Path) -> None:
    """Of wrapped tilers: no repetition, at the border or inside, has two elements in one bank."""
    consts = {"S": 2} if file == "sobel" else {}
    path = tmp_path / f"{file}.aol"
    path.write_text((shipped_folder() / path.name).read_text(encoding="utf-8").replace("else nearest", "wrap"))
    spec = load_checked(path, {**SMALL[file], **consts})
    component = spec.tasks[task]
    shapes = {port.name: port.shape for port in component.inputs}
    (body,) = unrolled_nest(spec, task).bodies
    wrapped = {one.array for one in body.references for part in one.subscripts if part.unknown}
    assert wrapped
    for array in wrapped:
        references = [one for one in body.references if one.array == array]
        found = smallest_linear([(references, body.loops)])
        assert found.banks is not None
        for index in product(*(range(loop.extent) for loop in body.loops)):
            elements = {tuple(map(mod, element(one, index, defaultdict(int)), shapes[array])) for one in references}
            used = {sum(map(mul, found.vector, one)) // found.block % found.banks for one in elements}
            assert len(used) == len(elements)


@st.composite
def windows_at_borders(draw: st.DrawFn) -> Group:
    """Up to four reads of a small array through a border, or through none along some axes; some do not leave it."""
    rank = draw(st.integers(1, 2))
    modes = st.sampled_from(["nearest", "reflect", "mirror"])
    axes = []
    for _ in range(rank):
        step, extent = draw(st.sampled_from([1, 1, 2, -1])), draw(st.integers(3, 7))
        count = draw(st.integers(1, -(-extent // abs(step))))
        reach = step * (count - 1)
        far = (-min(0, reach), extent - 1 - max(0, reach))  # offsets at which no iteration leaves the array
        axes.append((step, count, extent, far, Border(draw(modes))))
    references = []
    for number in range(draw(st.integers(2, 4))):
        parts = []
        for place, (step, _, extent, (low, high), border) in enumerate(axes):
            offset = draw(st.integers(low - 2, high + 2))
            unknown = () if low <= offset <= high else (Unknown(1, f"u {place} {offset}", fold=Fold(border, extent)),)
            parts.append(Subscript(tuple(step * (place == other) for other in range(rank)), offset, unknown))
        references.append(Reference("x", write=False, subscripts=tuple(parts), number=number))
    loops = tuple(NormalisedLoop(f"i{place}", count) for place, (_, count, *_) in enumerate(axes))
    return tuple(references), loops


def inside(place: int, fold: Fold) -> int:
    """The element that a border has for a coordinate, as the manual of the language says it."""
    last = fold.extent - 1
    if 0 <= place <= last:
        return place
    beyond = {"nearest": (0, last), "reflect": (-place - 1, 2 * last + 1 - place), "mirror": (-place, 2 * last - place)}
    return beyond[fold.border.mode][place > last]


def folded(reference: Reference, index: tuple[int, ...]) -> tuple[int, ...]:
    places = element(
        replace(reference, subscripts=tuple(replace(one, unknown=()) for one in reference.subscripts)), index, {}
    )
    folds = [next((term.fold for term in part.unknown), None) for part in reference.subscripts]
    return tuple(inside(place, fold) if fold else place for place, fold in zip(places, folds, strict=True))


@settings(max_examples=case_count(120), deadline=None)
@given(windows_at_borders())
def test_windows_at_borders_beside_brute_force(group: Group) -> None:
    """In each iteration the distinct elements lie in distinct banks, and no mapping has fewer banks."""
    references, loops = group
    indices = product(*(range(loop.extent or 0) for loop in loops))
    iterations = {frozenset(folded(one, index) for one in references) for index in indices}

    def is_free_of(banks: int, vector: tuple[int, ...], block: int) -> bool:
        used = ({sum(map(mul, vector, one)) // block % banks for one in elements} for elements in iterations)
        return all(len(taken) == len(elements) for taken, elements in zip(used, iterations, strict=True))

    blocks = 2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear, "MAXIMUM_BLOCK", blocks)
        best = smallest_linear([group])
    assert best.banks is not None
    assert best.exact
    assert is_free_of(best.banks, best.vector, best.block)
    assert max(map(len, iterations)) <= best.bound <= best.banks
    for banks, block in product(range(1, best.banks), range(1, blocks + 1)):
        for vector in product(range(banks * block), repeat=len(loops)):
            assert not is_free_of(banks, vector, block)
    leaves = any(part.unknown for one in references for part in one.subscripts)
    if leaves and any(len(elements) < len(references) for elements in iterations):
        assert smallest_linear([group], merge_equal=False).banks is None


def test_equal_addresses_merged_or_not() -> None:
    """Unrolled 2 x 2 the stencil reads the four inner elements twice."""
    references, loops = window(JACOBI, 2, 2)
    assert smallest_linear([(references, loops)]).banks == 12
    found = smallest_linear([(references, loops)], merge_equal=False)
    reason = "two reads of a body touch the same element of 'x': they share its bank in any mapping"
    assert found == LinearMapping(None, (), 1, 12, exact=True, gave_up=reason)
    once = tuple(dict.fromkeys(references))
    assert smallest_linear([(once, loops)], merge_equal=False).banks == 12


def test_a_read_and_the_write_of_one_element_do_not_conflict() -> None:
    read, other = window([(0,), (1,)])[0]
    write = Reference("x", write=True, subscripts=read.subscripts)
    for merge in (True, False):
        assert smallest_linear([((read, other, write), (NormalisedLoop("i", 9),))], merge_equal=merge).banks == 2


def test_one_reference_needs_one_bank() -> None:
    assert smallest_linear([window([(5, 7)])]) == LinearMapping(1, (0, 0), 1, 1, exact=True, gave_up=None)


def test_giving_up_is_said() -> None:
    found = smallest_linear([window(SQUARE, 2, 2)], work=1000)
    assert found.banks is None
    assert not found.exact
    assert found.gave_up == "the search was given up at 16 banks: it would take more than 1,000 steps"
    assert found.bound == 16


def test_what_was_left_out_is_said() -> None:
    """With little work only block sizes of 1 are tried: five banks, and no claim that four would not do."""
    found = smallest_linear([window(JACOBI)], work=250)
    assert (found.banks, found.exact, found.bound) == (5, False, 4)


def test_no_mapping_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "MAXIMUM_BANKS", 8)
    reason = "9 elements are touched at once; up to 8 banks are tried"
    assert smallest_linear([window(SQUARE)]) == LinearMapping(None, (), 1, 9, exact=True, gave_up=reason)
    ring = smallest_linear([window([one for one in SQUARE if one != (1, 1)])])
    assert (ring.banks, ring.gave_up) == (None, "no mapping on up to 8 banks is free of conflicts")
