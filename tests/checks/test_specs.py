"""`check` of small specifications against enumeration of every repetition, pattern index and element."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from many_cases import case_count
from strategies import SmallSpec, small_specs

from arrayol.checks.check import check
from arrayol.polyhedral.accesses import Access

HORIZON = 24  # enumerated length of an infinite dimension, far beyond the reach of the generated coefficients
SETTLED = 12  # elements below this are touched within the horizon, if at all
REACH = 8  # orders are looked for among vectors of at most this size: enough for two delays of components up to 2
SEEN: Counter[str] = Counter()


def touched(access: Access) -> Counter[tuple[int, ...]]:
    """How often each element is touched."""
    ranges = [range(HORIZON if extent is None else extent) for extent in (*access.repetition, *access.pattern)]
    rank = len(access.repetition)
    return Counter(access.element(values[:rank], values[rank:]) for values in product(*ranges))


def leaves(access: Access) -> bool:
    return not all(
        value >= 0 and (extent is None or value < extent)
        for element in touched(access)
        for value, extent in zip(element, access.array, strict=True)
    )


def stays(access: Access) -> bool:
    """Whether an infinite array is only looked at near its start."""
    axis = access.array.index(None)
    return max(element[axis] for element in touched(access)) < HORIZON - 1


def written_wrong(access: Access) -> set[str]:
    counts = touched(access)
    if max(counts.values()) > 1:
        return {"written-twice"}
    elements = product(*(range(SETTLED if extent is None else extent) for extent in access.array))
    return set() if all(element in counts for element in elements) else {"not-covered"}


def read_in_part(access: Access) -> set[str]:
    """The remark on elements that no instance reads, but for a crop: runs along all axes that begin inside."""
    elements = set(product(*(range(extent or 0) for extent in access.array)))
    read = set(touched(access)) & elements
    along = [{element[axis] for element in read} for axis in range(len(access.array))]
    runs = all(max(one) - min(one) + 1 == len(one) for one in along if one)
    inside = all(len(one) == extent or 0 not in one for one, extent in zip(along, access.array, strict=True))
    crop = set(product(*along)) == read and runs and inside and not access.tiler.wrap
    return set() if read == elements or crop else {"never-read"}


def expected(spec: SmallSpec) -> set[str]:
    """The codes that enumeration finds."""
    codes: set[str] = set()
    for access in (spec.read, spec.written):
        if access.tiler.border:
            straight = replace(access, tiler=replace(access.tiler, border=None))
            codes |= set() if leaves(straight) else {"border-never-acts"}
        elif leaves(access):
            codes.add("out-of-bounds")
        elif None in access.array and stays(access):
            codes.add("infinite-not-followed")
    if not leaves(spec.written) and not (None in spec.written.array and stays(spec.written)):
        codes |= written_wrong(spec.written)
    if not codes - {"border-never-acts"} and None not in spec.read.array:
        codes |= read_in_part(spec.read)
    space = spec.written.repetition
    acting = []
    for delay in spec.delays:
        if all(extent is None or abs(step) < extent for step, extent in zip(delay, space, strict=True)):
            acting.append(delay)
        else:
            codes.add("delay-never-acts")
    return codes | (set() if not acting or has_order(acting, space) else {"no-order"})


def has_order(delays: list[tuple[int, ...]], space: tuple[int | None, ...]) -> bool:
    candidates = product(*(range(1 if extent is None else -REACH, REACH + 1) for extent in space))
    return any(
        all(sum(one * step for one, step in zip(tau, delay, strict=True)) >= 1 for delay in delays)
        for tau in candidates
    )


@settings(max_examples=case_count(250), deadline=None)
@given(small_specs())
def test_check_equals_enumeration(tmp_path_factory: pytest.TempPathFactory, spec: SmallSpec) -> None:
    path = tmp_path_factory.getbasetemp() / "small.aol"
    path.write_text(spec.text, encoding="utf-8")
    found = {diagnostic.code for diagnostic in check(path).diagnostics}
    if None in spec.read.array:  # of which one frame is looked at: tests/polyhedral/test_unread.py
        found.discard("never-read")
    assert found == expected(spec), spec.text
    SEEN["cases"] += 1
    SEEN.update(found if found - {"never-read"} else found | {"sound"})
    SEEN["wrapped"] += spec.written.tiler.wrap
    SEEN["infinite axes"] += None in spec.written.array
    SEEN["skewed"] += any(sum(map(bool, row)) > 1 for row in spec.written.tiler.paving)
    SEEN["delays"] += bool(spec.delays)
    SEEN["borders"] += spec.read.tiler.border is not None


@pytest.mark.all_cases
def test_kinds_of_specs(capsys: pytest.CaptureFixture[str]) -> None:
    """Each kind of spec was met often enough for the test above to mean something."""
    if not SEEN["cases"]:
        pytest.skip("runs after the test above, in the same process")
    kinds = [
        "sound",
        "wrapped",
        "written-twice",
        "not-covered",
        "skewed",
        "delays",
        "infinite axes",
        "no-order",
        "borders",
        "never-read",
    ]
    shares = {kind: SEEN[kind] / SEEN["cases"] for kind in [*kinds, "out-of-bounds", "borders"]}
    with capsys.disabled():
        shown = ", ".join(f"{kind} {share:.0%}" for kind, share in shares.items())
        sys.stdout.write(f"\nspecs: {SEEN['cases']} cases; {shown}\n")
    assert all(share >= 0.05 for share in shares.values()), shares
