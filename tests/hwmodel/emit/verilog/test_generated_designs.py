"""Generated designs of generated specifications in Verilog: cycles, what is loaded before, and all outputs."""

from __future__ import annotations

from collections import Counter

from many_cases import full_count, on_many
from scheduled_cases import scheduled
from strategies_designs import MappedSpec, emitted_specs
from verilog_programs import frames_of, needs_icarus

from arrayol.errors import ArrayolError

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
        assert [(seen.before, seen.cycles, seen.wrong) for seen in frames_of(design)] == [
            (setup, simulation.cycles, 0),
            (0, simulation.cycles, 0),
        ]
        features.update(case.features)

    on_many(full_count(CASES), SEED, judge, emitted_specs())
    assert "unproven-schedule" not in refused
    assert features.keys() >= FEATURES, (features, refused)
