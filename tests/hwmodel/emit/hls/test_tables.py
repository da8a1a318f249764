"""Drawn designs in C++ in which data say where tables are read: const ones, loaded ones, and those that tasks make."""

from __future__ import annotations

from collections import Counter

import pytest
from cpp_programs import is_right, needs_compiler, seen_of
from hardware_designs import HALVES, made_in_halves
from many_cases import full_count, on_many
from scheduled_cases import scheduled
from spec_data import loaded
from strategies_designs import MappedSpec, emitted_specs
from strategies_tables import table_specs

from arrayol.errors import ArrayolError
from hwmodel.emit.hls.design import HlsFiles

PARTS = {"line", "window"}
FEATURES = {"table const", "table input", "table made", "two reads", "rank 2", "load once", "load frame"}


@needs_compiler
def test_tables_are_there_when_data_look_them_up() -> None:
    features, refused = Counter[str](), Counter[str]()

    def judge(case: MappedSpec) -> None:
        try:
            _, design = scheduled(case, as_verilog=False)
        except ArrayolError as error:
            refused[error.diagnostics[0].message] += 1
            return
        assert design is not None
        seen = seen_of(HlsFiles(case.spec, design))
        assert is_right(seen), seen
        features.update(case.features)

    on_many(full_count(15), 5, judge, emitted_specs(table_specs()))
    on_many(full_count(4), 2, judge, emitted_specs(table_specs(parts=("line", "window"))))
    assert features.keys() >= FEATURES | PARTS, (features, refused)


@needs_compiler
@pytest.mark.parametrize("recompute", [False, True])
def test_a_table_that_two_tasks_make(recompute: bool) -> None:
    seen = seen_of(HlsFiles(loaded(HALVES), made_in_halves(4, recompute=recompute)))
    assert is_right(seen), seen
