"""What `transfers` tells, against enumeration and against the documents of docs/transfers.md."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder

SPECS = shipped_folder()


def polyprod(n: int, b: int, times: Mapping[str, int] | None = None) -> tuple[int, int, int, int]:
    """Loads of a, b and c and stores of c of the polynomial product under (N-j, i), tile by tile in plain sets."""
    loaded = {"a": 0, "b": 0, "c": 0}
    stored = 0
    for outer in range(0, n + 1, b):
        touched: dict[str, set[int]] = {"a": set(), "b": set(), "c": set()}
        rows = [n - time for time in range(outer, min(outer + b, n + 1))]
        last: dict[int, int] = {}
        for inner in range(0, n + 1, b):
            columns = range(inner, min(inner + b, n + 1))
            here = {"a": set(columns), "b": set(rows), "c": {i + j for i in columns for j in rows}}
            for name, elements in here.items():
                loaded[name] += len(elements - touched[name])
                touched[name] |= elements
            last |= dict.fromkeys(here["c"], inner)
        stored += len(last)
    return loaded["a"], loaded["b"], loaded["c"], stored


@pytest.mark.parametrize(("n", "b"), [(0, 10), (9, 10), (23, 10), (20, 7), (5, 1)])
def test_totals_of_the_polynomial_product(n: int, b: int) -> None:
    found = api.transfers(SPECS / "polyprod.aol", "polyprod", schedules=["N-j, i"], tile=[b], settings={"N": n})
    assert found.remark == "tiling statement 2, the one with the range variables j and i"
    arrays = found.report().to_json()["arrays"]
    assert (arrays["a"]["loaded"], arrays["b"]["loaded"], arrays["c"]["loaded"], arrays["c"]["stored"]) == polyprod(
        n, b
    )
    assert arrays["a"]["stored"] == arrays["b"]["stored"] == 0
    assert all(one["live"] <= one["allocated"] for one in arrays.values())
    assert all(one["live"] <= one["live_overlapped"] <= one["allocated_overlapped"] for one in arrays.values())


def test_the_document_has_the_fields_of_its_page() -> None:
    found = api.transfers(SPECS / "polyprod.aol", "polyprod", schedules=["N-j, i"], settings={"N": 20})
    document = json.loads(json.dumps(found.report().to_json()))
    assert set(document["policies"]) == {"remote", "tile", "strip-reuse", "whole-strip"}
    for cost in document["policies"].values():
        assert {"data_moved", "bursts", "row_changes", "live", "cycles"} <= set(cost)
    for array in document["arrays"].values():
        assert {"load", "store", "loaded", "stored", "live", "allocated"} <= set(array)
    moved = sum(one["loaded"] + one["stored"] for one in document["arrays"].values())
    assert document["policies"]["strip-reuse"]["data_moved"] == moved
    assert document["policies"]["remote"]["data_moved"] == 4 * 21 * 21
    assert (
        document["policies"]["strip-reuse"]["cycles"] <= document["policies"]["strip-reuse"]["cycles_without_overlap"]
    )


def test_symbolic_sizes_are_never_counted() -> None:
    for tile, symbolic in (([10], ["N"]), (["b"], ["N"]), (["b"], [])):
        found = api.transfers(SPECS / "polyprod.aol", "polyprod", schedules=["N-j, i"], tile=tile, symbolic=symbolic)
        document = found.report().to_json()
        assert document["policies"] == {}
        assert document["tiles"] is None
        for array in document["arrays"].values():
            assert all(array[key] is None for key in ("loaded", "stored", "live", "allocated"))
    formula = api.transfers(SPECS / "polyprod.aol", "polyprod", schedules=["N-j, i"], symbolic=["N"])
    loads = formula.report().arrays["c"].load
    for n in (5, 9, 10, 19, 23, 29, 100):
        assert loads.summed is not None
        assert loads.summed.at({"N": n}) == polyprod(n, 10)[2]


def test_nests_too_large_to_be_walked_have_formulas() -> None:
    found = api.transfers(SPECS / "polyprod.aol", "polyprod", schedules=["N-j, i"], settings={"N": 99999})
    told = found.report()
    assert told.remark.startswith("too large to be walked")
    assert (told.policies, told.tiles, told.arrays["c"].serial) == ({}, None, None)
    loads = told.arrays["b"].load
    assert loads.total == 100000
    with pytest.raises(ArrayolError, match="too large"):
        found.c()


def test_strips_of_two_dimensions_load_each_element_once() -> None:
    settings = {"S": 8, "K": 10}
    for dims, loads in ((1, {"a": 8 * 10 * 2, "b": 10 * 8 * 2, "c": 64}), (2, {"a": 80, "b": 160, "c": 64})):
        found = api.transfers(
            SPECS / "matmul.aol", "matmul", schedules=["i, j, k"], tile=[4, 4, 5], strip_dims=dims, settings=settings
        )
        arrays = found.report().to_json()["arrays"]
        assert {name: one["loaded"] for name, one in arrays.items()} == loads


def test_one_schedule_for_several_statements() -> None:
    """It goes to the one statement that has its range variables; where several have, the user must choose."""
    found = api.transfers(SPECS / "stencil2d.aol", "stencil2d", schedules=["i, j"], settings={"H": 9, "W": 9})
    assert [one.number for one in found.traffic.nest.statements] == [2]
    assert found.traffic.nest.before == (1,)
    with pytest.raises(ArrayolError, match="3 statements of 'solve' to tile, and one schedule"):
        api.transfers(SPECS / "solve.aol", "solve", schedules=["i"])
