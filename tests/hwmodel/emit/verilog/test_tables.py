"""Drawn designs in which data say where tables are read, or states are written: outputs and cycles in Verilog."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hardware_designs import HALVES, Small, bench_of, made_in_halves
from hypothesis.strategies import SearchStrategy
from many_cases import full_count, on_many
from port_designs import mixed_design
from scheduled_cases import scheduled
from strategies_designs import MappedSpec, emitted_specs
from strategies_tables import binned_specs, folded_specs, histogram_specs, table_specs
from strategies_transforms import LinkedSpec
from stream_networks import Case
from verilog_programs import frames_of, needs_icarus

from arrayol.errors import ArrayolError
from hwmodel.design import Blocks, Design, GroupDesign, Processor, row_major
from hwmodel.residence import Loads

FEATURES = {"table const", "table input", "table made", "two reads", "rank 2", "load once", "load frame"}
MORE = {"several units", "fixed place"}
PARTS = {"line", "window", "table input", "table const", "table made"}


HISTOGRAMS = {"counts", "sums", "by line", "one"}
FOLDED = {"by line", "one", "state in parts"}
BINNED = {"two memories", "two references", "condition", "from 0", "from another number", "read in the body"}


@needs_icarus
@pytest.mark.parametrize(
    ("specs", "cases", "expected"),
    [
        (table_specs(), 15, FEATURES | MORE),
        (table_specs(parts=("line", "window")), 8, PARTS),
        (table_specs(("c64",)), 4, {"table const", "two reads"}),
        (histogram_specs(), 6, HISTOGRAMS),
        (binned_specs(), 14, BINNED),
        (folded_specs(), 14, FOLDED),
    ],
    ids=["tables", "parts", "tables of complex numbers", "histograms", "binned", "folded"],
)
def test_verilog_takes_the_cycles_of_the_model_and_computes_the_same(
    specs: SearchStrategy[LinkedSpec], cases: int, expected: set[str]
) -> None:
    features, refused = Counter[str](), Counter[str]()

    def judge(case: MappedSpec) -> None:
        try:
            simulation, design = scheduled(case)
        except ArrayolError as error:
            refused[error.diagnostics[0].message] += 1
            return
        assert simulation.identical
        assert design is not None
        assert [(seen.cycles, seen.wrong) for seen in frames_of(design)] == [(simulation.cycles, 0)] * 2
        features.update(case.features)
        memories = (memory for group in design.groups for memory in group.memories)
        features.update(
            "state in parts"
            for own in memories
            if own.array == "top.h" and own.banks < case.network.arrays["x"].shape[-1]
        )

    on_many(full_count(cases), 5, judge, emitted_specs(specs))
    assert features.keys() >= expected, (features, refused)


MANY = """\
elementary count(x: u8[5]) -> (n: u8[32]) {
  n[i] = 1 for i in 0..32
  n[x[k] % 32] += 3 for k in 0..5
}

task top(x: u8[70, 5]) -> (n: u8[70, 32]) {
  repeat [70] of count {
    x <- x
    n -> n
  }
}
"""


@needs_icarus
@pytest.mark.parametrize("units", [33, 70])
def test_histograms_in_more_units_than_a_control_has_bits(units: int) -> None:
    bench = bench_of(MANY)
    design = Design((GroupDesign((Processor("top", units),), Blocks((70,), row_major(1))),))
    hardware = Small(bench, (design,)).hardware(design)
    assert hardware.groups[0].tasks[0].units.units == units
    assert [(seen.cycles, seen.wrong) for seen in frames_of(hardware)] == [(hardware.cycles, 0)] * 2


UNEVEN = """\
elementary look(d: u8, t: u8[7, 9]) -> (y: u8) {
  y = t[d % 7, d // 7 % 9]
}

task top(d: u8[20], t: u8[7, 9]) -> (y: u8[20]) {
  repeat [20] of look {
    d <- d
    t <- t
    y -> y
  }
}
"""


@needs_icarus
@pytest.mark.parametrize("loads", [{}, {"t": "once"}], ids=["with each frame", "once"])
def test_lines_of_a_table_that_are_no_multiple_of_banks(tmp_path: Path, loads: Loads) -> None:
    (tmp_path / "top.aol").write_text(UNEVEN)
    design = mixed_design(Case.of(tmp_path / "top.aol"), ((1, None),), loads=loads)
    (table,) = (memory for memory in design.groups[0].memories if memory.array == "t")
    assert table.banks > 1
    assert 9 % table.banks
    seen = frames_of(design)
    assert [(frame.cycles, frame.wrong) for frame in seen] == [(design.cycles, 0)] * 2


@needs_icarus
@pytest.mark.parametrize("units", [1, 4])
@pytest.mark.parametrize("recompute", [False, True])
def test_a_table_that_two_tasks_make(units: int, recompute: bool) -> None:
    """Each writes lines of 7 elements to banks of its own; with `recompute` in each step, beside those of the last."""
    hardware = made_in_halves(units, recompute=recompute)
    (table,) = (memory for memory in hardware.groups[0].memories if memory.array == "t")
    assert table.banks == 2 * units
    assert [(seen.cycles, seen.wrong) for seen in frames_of(hardware)] == [(hardware.cycles, 0)] * 2


def test_a_table_that_is_computed_again_in_cuts_is_refused() -> None:
    """Parts of two computations would share words, and so they do not if it is computed once."""
    model = bench_of(HALVES).model
    cut = Processor("doubled", 1, Blocks((1, 7), row_major(2)))
    group = GroupDesign((cut, Processor("increased"), Processor("looks")), Blocks((2,), row_major(1)))
    assert model.estimate(group).memories
    with pytest.raises(ArrayolError, match="data say what 'looks' reads of 't', which 'doubled' computes again"):
        model.estimate(replace(group, recompute=True))


LONG = """\
elementary look(d: u10, t: u64[1024]) -> (y: u64) {
  y = t[d]
}

task top(d: u10[4], t: u64[1024]) -> (y: u64[4]) {
  repeat [4] of look {
    d <- d
    t <- t
    y -> y
  }
}
"""


@needs_icarus
def test_the_bench_waits_for_a_load_before_the_first_frame(tmp_path: Path) -> None:
    (tmp_path / "top.aol").write_text(LONG)
    design = mixed_design(Case.of(tmp_path / "top.aol"), ((1, None),), loads={"t": "once"})
    first, second = frames_of(design)
    assert first.before > 4 * design.cycles
    assert [(frame.cycles, frame.wrong) for frame in (first, second)] == [(design.cycles, 0)] * 2
