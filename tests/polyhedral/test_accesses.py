"""Exact decisions about tilers against enumeration."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from many_cases import case_count
from strategies import NOWHERE, accesses

from arrayol.ir.spec import Tiler
from arrayol.polyhedral.accesses import Access, find_outside
from arrayol.polyhedral.single_write import find_clash, find_hole

HORIZON = 24  # enumerated length of an infinite axis, far beyond the reach of the small coefficients generated
SETTLED = 12  # elements of an infinite axis below this are reached by enumerated repetitions, if by any
SEEN: Counter[str] = Counter()


def instances(access: Access) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All (r, f), an infinite axis up to the horizon."""
    ranges = [range(HORIZON if extent is None else extent) for extent in access.repetition]
    for repetition in product(*ranges):
        for pattern in product(*map(range, access.pattern)):
            yield repetition, pattern


def inside(access: Access, element: tuple[int, ...]) -> bool:
    return all(
        value >= 0 and (extent is None or value < extent) for value, extent in zip(element, access.array, strict=True)
    )


def note(access: Access) -> None:
    SEEN["cases"] += 1
    SEEN["wrapped"] += access.tiler.wrap
    SEEN["infinite"] += None in access.array
    SEEN["skewed"] += any(sum(map(bool, row)) > 1 for row in access.tiler.paving)


@settings(max_examples=case_count(600), deadline=None)
@given(accesses())
def test_outside_equals_enumeration(access: Access) -> None:
    found = find_outside(access)
    expected = any(not inside(access, access.element(*instance)) for instance in instances(access))
    assert (found is not None) == expected
    if found:
        assert found.element == access.element(found.instance.repetition, found.instance.pattern)
        assert not inside(access, found.element)
        value, extent = found.element[found.axis], access.array[found.axis]
        assert value < 0 or (extent is not None and value >= extent)


@settings(max_examples=case_count(600), deadline=None)
@given(st.lists(accesses(), min_size=1, max_size=2))
def test_clash_equals_enumeration(several: list[Access]) -> None:
    several = [access for access in several if access.array == several[0].array]
    counts = Counter(access.element(*instance) for access in several for instance in instances(access))
    found = find_clash(several)
    note(several[0])
    SEEN["overlapped"] += found is not None
    if found is None:
        assert max(counts.values()) == 1
        return
    pair = (found.first, found.second)
    assert found.first != found.second
    for instance in pair:
        access = several[instance.access]
        assert access.element(instance.repetition, instance.pattern) == found.element
        for value, extent in zip(instance.repetition, access.repetition, strict=True):
            assert 0 <= value < (extent or value + 1)
        for value, extent in zip(instance.pattern, access.pattern, strict=True):
            assert 0 <= value < extent


@settings(max_examples=case_count(600), deadline=None)
@given(accesses())
@example(Access(Tiler((0,), ((2,),), ((1,),), False, NOWHERE), (3,), (2,), (6,)))
def test_hole_equals_enumeration(access: Access) -> None:
    if find_clash([access]) is not None or find_outside(access) is not None:
        return
    touched = {access.element(*instance) for instance in instances(access)}
    elements = product(*(range(SETTLED if extent is None else extent) for extent in access.array))
    missing = {element for element in elements if element not in touched}
    found = find_hole([access])
    SEEN["checked for holes"] += 1
    SEEN["holes"] += found is not None
    assert (found is not None) == bool(missing)
    if found is not None:
        assert found.element is not None
        assert inside(access, found.element)
        assert found.element in missing or max(found.element) >= SETTLED
        assert found.missing == (None if None in access.array else len(missing))


@settings(max_examples=case_count(300), deadline=None)
@given(accesses(infinite=False), st.data())
def test_outside_of_a_default_equals_enumeration(access: Access, data: st.DataObject) -> None:
    delay = data.draw(st.tuples(*[st.integers(-3, 3)] * len(access.repetition)))

    def first(repetition: tuple[int, ...]) -> bool:
        before = (value - step for value, step in zip(repetition, delay, strict=True))
        return not all(0 <= value < (extent or 0) for value, extent in zip(before, access.repetition, strict=True))

    found = find_outside(access, delay)
    expected = any(not inside(access, access.element(*one)) for one in instances(access) if first(one[0]))
    assert (found is not None) == expected
    if found:
        assert first(found.instance.repetition)
        assert not inside(access, access.element(found.instance.repetition, found.instance.pattern))


@pytest.mark.parametrize("extent", [10**9, 10**15])
def test_large_spaces_are_not_enumerated(extent: int) -> None:
    whole = Access(Tiler((0,), ((4,),), ((1,),), False, NOWHERE), (extent,), (4,), (4 * extent,))
    assert find_outside(whole) is None
    assert find_clash([whole]) is None
    assert find_hole([whole]) is None
    short = Access(Tiler((0,), ((4,),), ((1,),), False, NOWHERE), (extent - 1,), (4,), (4 * extent,))
    hole = find_hole([short])
    assert hole is not None
    assert hole.missing == 4
    assert hole.element in {(4 * extent - number,) for number in range(1, 5)}
    skewed = Access(Tiler((0, 0), ((1, 0), (1, 1)), ((), ()), True, NOWHERE), (extent, 7), (), (extent, 7))
    assert find_clash([skewed]) is None
    assert find_hole([skewed]) is None


HARD = [  # relations with `mod` take isl minutes here
    (((647, -142), (908, 7), (712, 393)), (276, 496), (368, 984, 470)),
    (((-184782517, 693770507), (-549125482, -798438074)), (126614243, 531969375), (909925049, 861425550)),
]


@pytest.mark.parametrize(("paving", "repetition", "array"), HARD)
def test_wild_tilers_on_a_torus(
    paving: tuple[tuple[int, ...], ...], repetition: tuple[int, ...], array: tuple[int, ...]
) -> None:
    access = Access(Tiler((0,) * len(array), paving, ((),) * len(array), True, NOWHERE), repetition, (), array)
    assert find_clash([access]) is None
    hole = find_hole([access])
    assert hole is not None
    assert hole.missing == math.prod(array) - math.prod(repetition)


@pytest.mark.all_cases
def test_kinds_of_cases(capsys: pytest.CaptureFixture[str]) -> None:
    """Each kind of case was met often enough for the tests above to mean something."""
    if not SEEN["cases"] or not SEEN["checked for holes"]:
        pytest.skip("runs after the tests above, in the same process")
    cases = SEEN["cases"]
    shares = {kind: SEEN[kind] / cases for kind in ("wrapped", "infinite", "skewed", "overlapped")}
    shares["holes"] = SEEN["holes"] / SEEN["checked for holes"]
    with capsys.disabled():
        shown = ", ".join(f"{kind} {share:.0%}" for kind, share in shares.items())
        sys.stdout.write(f"\ntilers: {cases} cases; {shown}\n")
    assert all(share >= 0.05 for share in shares.values()), shares
