"""Drawn designs of networks with values of rank 0 as hardware: outputs and cycles in Verilog, outputs in C++."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from cpp_programs import is_right, needs_compiler, seen_of
from many_cases import full_count, on_many
from scheduled_cases import scheduled
from strategies_designs import MappedSpec, emitted_specs
from strategies_scalars import scalar_specs
from verilog_programs import needs_icarus

from arrayol.errors import ArrayolError
from hwmodel.emit.hls.design import HlsFiles
from hwmodel.emit.schedule.design import HardwareDesign
from hwmodel.emit.verilog.design import DesignFiles
from hwmodel.emit.verilog.icarus import run_bench

FEATURES = {
    "array of a scalar", "called directly", "only scalars", "scalar between tasks", "scalar input",
    "scalar into a called elementary", "scalar output", "scalar to all repetitions",
}  # fmt: skip
MORE = {"fold to a scalar", "several groups", "several units", "load rom", "load once"}


def drawn(case: MappedSpec, refused: Counter[str]) -> tuple[int, HardwareDesign] | None:
    """The cycles of a case and its hardware, or None where the hardware is refused for a reason that is counted."""
    try:
        simulation, design = scheduled(case)
    except ArrayolError as error:
        refused[error.diagnostics[0].code] += 1
        return None
    assert simulation.identical
    assert design is not None
    return simulation.cycles, design


@needs_icarus
def test_verilog_takes_the_cycles_of_the_model_and_computes_the_same() -> None:
    features, refused = Counter[str](), Counter[str]()

    def judge(case: MappedSpec) -> None:
        found = drawn(case, refused)
        if found is None:
            return
        cycles, design = found
        with TemporaryDirectory() as scratch:
            folder = Path(scratch)
            for name, text in DesignFiles(design).files().items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(str(text), encoding="utf-8")
            frames = run_bench(folder)
        assert [(seen.cycles, seen.wrong) for seen in frames] == [(cycles, 0), (cycles, 0)]
        features.update(case.features)

    on_many(full_count(16), 5, judge, emitted_specs(scalar_specs()))
    assert "unproven-schedule" not in refused
    assert features.keys() >= FEATURES | MORE, (features, refused)


@needs_compiler
def test_cpp_computes_the_same() -> None:
    features, refused = Counter[str](), Counter[str]()

    def judge(case: MappedSpec) -> None:
        found = drawn(case, refused)
        if found is None:
            return
        seen = seen_of(HlsFiles(case.spec, found[1]))
        assert is_right(seen), seen
        features.update(case.features)

    on_many(full_count(6), 3, judge, emitted_specs(scalar_specs(most=3)))
    assert features.keys() >= {"called directly", "scalar between tasks", "scalar output"}, (features, refused)
