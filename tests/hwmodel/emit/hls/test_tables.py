"""Drawn designs in C++ in which data say where tables are read: const ones, loaded ones, and those that tasks make."""

from __future__ import annotations

from collections import Counter

from cpp_programs import is_right, needs_compiler, seen_of
from many_cases import full_count, on_many
from scheduled_cases import scheduled
from strategies_designs import MappedSpec, emitted_specs
from strategies_tables import table_specs

from arrayol.errors import ArrayolError
from hwmodel.emit.hls.design import HlsFiles

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
    assert features.keys() >= FEATURES, (features, refused)
