"""Generated designs of generated specifications in Verilog: cycles, what is loaded before, and all outputs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from many_cases import on_many
from scheduled_cases import scheduled
from strategies_designs import MappedSpec, emitted_specs
from verilog_programs import needs_icarus

from arrayol.errors import ArrayolError
from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.emit.verilog.icarus import FrameSeen, run_bench

pytestmark = needs_icarus

CASES, SEED = 75, 2  # of the seeds tried, one with all features
FEATURES = {"FIFO", "cut", "recompute", "delay", "load once", "load rom", "several units", "partial block"}


def test_hardware_takes_the_cycles_of_the_model_and_computes_the_same() -> None:
    features, refused = Counter[str](), Counter[str]()

    def judge(case: MappedSpec) -> None:
        try:
            simulation, design = scheduled(case)
        except ArrayolError as error:
            refused[error.diagnostics[0].code] += 1
            return
        if design is None:
            return
        setup = simulation.setup.cycles
        assert [(seen.before, seen.cycles, seen.wrong) for seen in seen_on(design)] == [
            (setup, simulation.cycles, 0),
            (0, simulation.cycles, 0),
        ]
        features.update(case.features)

    on_many(CASES, SEED, judge, emitted_specs())
    assert "unproven-schedule" not in refused
    assert features.keys() >= FEATURES, (features, refused)


def seen_on(design: HardwareDesign) -> tuple[FrameSeen, ...]:
    """The frames of a design on its test bench."""
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, text in DesignFiles(design).files().items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        return run_bench(folder)
