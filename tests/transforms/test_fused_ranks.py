"""Fusions of tasks that repeat over different dimensions of one array, the first with delays: each is proven."""

from __future__ import annotations

from collections import Counter

from drawn_steps import drawn_sizes
from hypothesis import strategies as st
from many_cases import full_count, on_many
from proof import from_data, prove, transformed
from spec_data import loaded
from strategies_ranks import ranked_pairs
from strategies_transforms import LinkedSpec

from arrayol.errors import ArrayolError
from arrayol.ir.spec import RepetitiveTask

CASES, SEED = 75, 1
MOST_REFUSED = 0.4
FEATURES = {
    "other rank, delays", "same rank, delays", "other rank, 2 delays", "other rank, 3 delays",
    "read by another task", "read by another output",
}  # fmt: skip


def test_fusions_across_ranks_compute_the_same() -> None:
    fused, refused = Counter[str](), 0

    def judge(case: LinkedSpec, data: st.DataObject) -> None:
        nonlocal refused
        spec = loaded(case.text)
        consumer = spec.components["t1"]
        assert isinstance(consumer, RepetitiveTask)
        choose = from_data(data)
        block = f" {drawn_sizes(choose, consumer.repetition)}" if choose([False, False, True]) else ""
        try:
            result = transformed(spec, f"fuse t0 t1{block}")
        except ArrayolError as failure:
            if failure.diagnostics[0].code != "step-refused":
                raise
            refused += 1
            return
        prove(spec, result)
        fused.update(case.features)
        delays = next(one for one in case.features if one.endswith("delays"))
        ranks = next(one for one in case.features if one.endswith("rank"))
        fused.update((f"{ranks}, {delays}", *([] if delays == "0 delays" else [f"{ranks}, delays"])))

    on_many(full_count(CASES), SEED, judge, ranked_pairs(), st.data())
    assert fused.keys() >= FEATURES, fused
    assert refused <= MOST_REFUSED * full_count(CASES)
