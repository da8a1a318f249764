"""All layouts of a nest, their options, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from addresses import banks_of

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.ir.spec import Spec
from hwmodel.banks.layouts import CUSTOM, CYCLIC, CYCLIC_TRUE, LINEAR, NAIVE, Choices, Comparison
from hwmodel.banks.report import remarks, to_json

TEXT = """\
const N = 8

elementary apart(a: f32[128]) -> (b: f32[8]) {
  b[i] = a[6 * i] + a[10 * i + 1] + a[15 * i + 2] for i in 0..8
}

elementary means(x: f32[N + 2], unused: f32[4]) -> (y: f32[N]) {
  y[i] = x[i] + x[i + 1] + x[i + 2] for i in 0..N
}

elementary sums(x: i32[N, 4]) -> (y: i32[N]) {
  y[i] += x[i, j] for i in 0..N, j in 0..4
}

elementary lookup(a: f32[16, 16], n: u8[N], wide: i32[N]) -> (y: f32[N]) {
  y[i] = a[2 * i + 1, 3 * i32(n[i])] + a[2 * i, 3 * wide[i]] for i in 0..N
}

elementary pick(table: f32[16], place: i32) -> (y: f32) { y = table[place] }
elementary add(x: f32, y: f32) -> (z: f32) { z = x + y }
elementary black(x: f32[4]) -> (y: f32[4])

task stream(samples: f32[*]) -> (averages: f32[*]) {
  repeat [*] of mean { x <- samples  at origin [0] paving [4] fitting [1]
                       y -> averages at origin [0] paving [1] fitting [] }
}
elementary mean(x: f32[4]) -> (y: f32) { y = (x[0] + x[1] + x[2] + x[3]) / 4 }
task twice(a: f32[*]) -> (b: f32[*]) { c = stream(a)  b = stream(c) }
"""


@pytest.fixture
def spec(tmp_path: Path) -> Spec:
    path = tmp_path / "nests.aol"
    path.write_text(TEXT, encoding="utf-8")
    return api.load(path)


def cycles(found: Comparison) -> dict[str, int | None]:
    return {name: cost.cycles for name, cost in found.costs.items()}


def test_one_body_of_three_loads_and_a_store(spec: Spec) -> None:
    """By hand: x[2i], x[2i+1] twice, x[2i+2] twice, x[2i+3]; y[2i], y[2i+1]."""
    found = api.layout(spec, "means", (2,), Choices(4))
    assert cycles(found) == {NAIVE: 8, CYCLIC: 4, CYCLIC_TRUE: 3, CUSTOM: 3, LINEAR: 1}
    assert {name: cost.memories for name, cost in found.costs.items()} == {
        NAIVE: 1,
        CYCLIC: 4,
        CYCLIC_TRUE: 4,
        CUSTOM: 4,
        LINEAR: 4 + 2,
    }


def test_the_list_rule_waits_for_the_loads(spec: Spec) -> None:
    assert cycles(api.layout(spec, "means", (2,), Choices(4, "list"))) == {
        NAIVE: 8,
        CYCLIC: 4,
        CYCLIC_TRUE: 3,
        CUSTOM: 4,
        LINEAR: 2,
    }


def test_scalar_replacement_loads_and_stores_each_element_once(spec: Spec) -> None:
    plain = api.layout(spec, "sums", (1, 4), Choices(4))
    saved = api.layout(spec, "sums", (1, 4), Choices(4, scalar_replacement=True))
    assert (plain.costs[NAIVE].cycles, saved.costs[NAIVE].cycles) == (12, 6)
    assert (plain.costs[CUSTOM].cycles, saved.costs[CUSTOM].cycles) == (8, 2)


def test_equal_addresses_merged_or_not(spec: Spec) -> None:
    apart = api.layout(spec, "means", (2,), Choices(4, merge_equal=False))
    assert apart.linear["x"].banks is None
    assert cycles(apart)[LINEAR] is None
    assert any("'x'" in remark for remark in remarks(apart))


def test_copies_are_made_where_they_save_cycles(spec: Spec) -> None:
    copied = api.layout(spec, "apart", None, Choices(4, replicate=True))
    assert (copied.replicated, copied.costs[CUSTOM].cycles) == (frozenset({"a"}), 1)
    assert list(banks_of(copied.custom)) == ["a_0", "a_0_copy1", "a_0_copy2", "b_0"]
    assert api.layout(spec, "apart", None, Choices(4)).costs[CUSTOM].cycles == 3
    two = api.layout(spec, "apart", None, Choices(2, replicate=True))
    assert list(banks_of(two.custom)) == ["a_0", "a_0_copy1", "b_0"], "a bank needs no second copy"
    enough = api.layout(spec, "sums", (1, 4), Choices(4, replicate=True))
    assert enough.replicated == frozenset(), "the sum's own bank decides"


def test_the_finer_partition_needs_no_copies(spec: Spec) -> None:
    found = api.layout(spec, "apart", None, Choices(4, partition="finer"))
    assert found.costs[CUSTOM].cycles == 1
    assert len(found.custom.of_array("a")) == 3


def test_what_is_not_affine_keeps_its_factor_where_it_cannot_wrap(spec: Spec) -> None:
    """Rows (f) and (g) of table 1 from a text: three times a u8 in i32 is a multiple of 3; of an i32 it may wrap."""
    found = to_json(api.layout(spec, "lookup", None, Choices(4)))["arrays"]
    partitions = {part["memory"]: part for part in found["a"]["partitions"]}
    assert {name: part["strides"] for name, part in partitions.items()} == {"a_0_0": [2, 1], "a_1_0": [2, 3]}
    assert partitions["a_1_0"]["references"] == ["a[2 * i + 1, 3 * n[i]]"]
    assert partitions["a_1_0"]["renamed"] == ["a_1_0[i, n[i]]"]
    assert partitions["a_0_0"]["renamed"] == ["a_0_0[i, (3 * wide[i])]"]
    assert set(found) == {"a", "n", "wide", "y"}, "the loads of subscripts are accesses too"


def test_an_array_that_is_never_read_is_told(spec: Spec) -> None:
    found = api.layout(spec, "means", None, Choices(4))
    assert remarks(found) == ["'unused' is never accessed: it has no layout"]
    assert set(found.linear) == {"x", "y"}


def test_a_nest_without_end(spec: Spec) -> None:
    found = api.layout(spec, "stream", (2,), Choices(8))
    assert (found.costs[NAIVE].cycles, found.costs[CUSTOM].cycles) == (10, 2)
    assert found.reorganisation is None
    assert to_json(found)["reorganisation"] is None


def test_the_platforms_banks_are_the_default(spec: Spec) -> None:
    assert api.layout(spec, "means").choices == Choices(8)
    beside = Path(spec.name).with_suffix(".toml")
    beside.write_text("[memory]\nlatency = 1\ndata_per_word = 1\n[local]\nbanks = 3\n", encoding="utf-8")
    assert api.layout(spec, "means").choices == Choices(3)


@pytest.mark.parametrize(
    ("task", "unroll", "choices", "message"),
    [
        ("means", None, Choices(0), "error[bad-layout]: 0 memory banks are not possible"),
        (
            "means",
            None,
            Choices(4, "fastest"),
            "error[bad-layout]: there is no rule 'fastest'\n  hint: choose ports or list",
        ),
        ("means", None, Choices(4, partition="own"), "error[bad-layout]: there is no partition 'own'"),
        ("means", (9,), Choices(4), "error[bad-unroll]: loop 'i' of 'means' runs 8 times"),
        ("means", (0,), Choices(4), "error[bad-unroll]: an unroll factor is at least 1, not 0"),
        ("means", (2, 2), Choices(4), "error[bad-unroll]: 'means' has"),
        ("pick", None, Choices(4), "error[no-affine-references]: no subscript in 'pick' is affine in the loops"),
        ("add", None, Choices(4), "error[no-array-references]: 'add' accesses no array"),
        ("black", None, Choices(4), "error[no-nest]"),
        ("twice", None, Choices(4), "error[no-nest]: 'twice' is made of calls: it has no loops"),
        ("mans", None, Choices(4), "error[unknown-task]: there is no task 'mans'\n  hint: did you mean 'means'?"),
    ],
)
def test_refusals(spec: Spec, task: str, unroll: tuple[int, ...] | None, choices: Choices, message: str) -> None:
    with pytest.raises(ArrayolError) as refused:
        api.layout(spec, task, unroll, choices)
    assert message in str(refused.value)


def test_the_json_is_that_of_the_design(spec: Spec) -> None:
    found = json.loads(json.dumps(to_json(api.layout(spec, "sums", (2, 1), Choices(2)))))
    assert found["rule"] == "ports"
    assert list(found["layouts"]) == ["naive", "cyclic", "cyclic_true", "custom", "linear"]
    assert found["layouts"]["custom"] == {"cycles": 3, "memories": 2, "reduction": 0.5}
    mapping = {"banks": 2, "vector": [1, 0], "block": 1, "words": 16, "bound": 2, "exact": True}
    assert found["arrays"]["x"]["linear"] == mapping
    first = found["arrays"]["x"]["partitions"][0]
    assert (first["references"], first["suffix"], first["renamed"]) == (["x[2 * i, j]"], [0, 0], ["x_0_0[i, j]"])
    assert found["reorganisation"] == {
        "elements_in": 32,
        "elements_out": 8,
        "cycles_in": 16,
        "cycles_out": 4,
        "exact": True,
        "break_even": 1,
    }


def test_the_emitted_specification_computes_the_same(spec: Spec, tmp_path: Path) -> None:
    found = api.layout(spec, "sums", (3, 4), Choices(2))
    data = {"x": np.arange(32, dtype=np.int32).reshape(8, 4) ** 3}
    for ports in ("memories", "banks", "linear"):
        api.emit_layout(spec, found, tmp_path / "laid.aol", ports=ports)
        laid = api.load(tmp_path / "laid.aol")
        assert np.array_equal(api.run(laid, data)["y"], data["x"].sum(axis=1))
