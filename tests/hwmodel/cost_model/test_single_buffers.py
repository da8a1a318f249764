"""Single buffers by hand, beside the simulated machine; in studies, results and hardware."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from spec_data import any_inputs, loaded

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.ir.network import flatten
from dse.verify.testbench import mismatches, run_simulation
from hwmodel.cost_model.estimate import DesignEstimate
from hwmodel.cost_model.model import MachineModel
from hwmodel.datapath.entry import ElementaryEntry
from hwmodel.design import Blocks, Design, GroupDesign, Processor, row_major
from hwmodel.platform import Platform
from hwmodel.platform_memories import ExternalMemory, RowModel

TEXT = """\
elementary add(x: i16) -> (y: i16) {
  y = x + 1
}
task top(x: i16[8]) -> (y: i16[8]) {
  repeat [8] of add {
    x <- x
    y -> y
  }
}
"""
PLATFORM = Platform(
    memory=ExternalMemory(latency=5, data_per_word=2),
    elementary={"add": ElementaryEntry(initiation_interval=1, latency=2)},
)
DESIGN = GroupDesign((Processor("top"),), Blocks((4,), row_major(1)))
SINGLE = replace(DESIGN, single_buffers=frozenset({"x"}))


def simulated(platform: Platform, group: GroupDesign) -> DesignEstimate:
    """The estimate of a design of one group; the simulated machine agrees with it."""
    spec, design = loaded(TEXT), Design((group,))
    model = MachineModel(flatten(spec, "top"), platform)
    estimate = model.evaluate(design)
    simulation = run_simulation(spec, model.accesses, platform, design, estimate, any_inputs(spec, "top"))
    assert not list(mismatches(simulation, estimate))
    assert simulation.identical
    return estimate


def test_half_the_memory_and_no_overlap() -> None:
    """A block is 5 + 2 cycles on the port, and 4 + 2 to compute: its last repetition has left after 4.

    Double: 7, 7, 6 or 7, 7. Single: 7, 4 + 7, 7, 7.
    """
    double, single = (simulated(PLATFORM, group) for group in (DESIGN, SINGLE))
    assert (double.latency_cycles, single.latency_cycles) == (28, 32)
    x, y = ({one.name: one.live for one in own.groups[0].memories} for own in (double, single))
    assert (x, y) == ({"x": 8, "y": 8}, {"x": 4, "y": 8})
    ends, times = single.groups[0].ends, single.groups[0].processors[0]
    assert ends == {"loads": 18, "stores": 14}
    assert (times.computing, times.waiting_for_loads, times.waiting_for_stores) == (12, 12, 8)


def test_what_has_no_single_buffer_is_refused() -> None:
    model = MachineModel(flatten(loaded(TEXT), "top"), PLATFORM)
    with pytest.raises(ArrayolError, match="a single buffer is asked for 'y', which the group top does not load"):
        model.estimate(replace(DESIGN, single_buffers=frozenset({"y"})))
    rows = RowModel(row_bytes=16, banks=2, word_ns=64.0, row_change_ns=3.0, same_bank_activate_ns=7.0)
    memory = ExternalMemory(data_per_word=2, rows=rows)
    with_rows = MachineModel(flatten(loaded(TEXT), "top"), PLATFORM.model_copy(update={"memory": memory}))
    with pytest.raises(ArrayolError, match=r"\[memory.rows\] has another order"):
        with_rows.estimate(SINGLE)


def test_a_study_tries_them_and_results_have_them(tmp_path: Path) -> None:
    path = tmp_path / "top.aol"
    path.write_text(TEXT)
    array = {"x": {"buffers": ["double", "single"]}}
    study = api.Study.model_validate(
        {"styles": ["block"], "units": [1], "blocks": {"top": [[4]]}, "layouts": ["none"], "array": array}
    )
    found = api.explore(path, space=api.Space(study=study))
    decisions = [design.groups[0].decisions for design in found.result.pareto]
    assert [one.single_buffers for one in decisions] == [frozenset(), frozenset({"x"})]
    api.write_result(found, tmp_path / "result", report=False)
    opened = api.open_design(path, tmp_path / "result", found.result.pareto[1].id)
    assert opened.design.groups == (decisions[1],)
    api.emit_verilog(opened, tmp_path / "verilog")
    assert (tmp_path / "verilog" / "design.json").exists()
