"""Drawn designs with delays over frames: two frames more of other data in Verilog than they reach back."""

from __future__ import annotations

from collections import Counter

from many_cases import full_count, on_many
from scheduled_cases import scheduled
from strategies_designs import MappedSpec, emitted_specs
from strategies_frames import frame_specs
from verilog_programs import frames_of, needs_icarus

from arrayol.errors import ArrayolError

FEATURES = {
    *("tiled default", "two frames back", "wide state", "task alone", "task after", "task before"),
    *("several units", "several groups", "several frames", "another repetition"),
}


@needs_icarus
def test_each_frame_takes_the_cycles_of_the_model_and_finds_what_the_one_before_made() -> None:
    features, refused = Counter[str](), Counter[str]()

    def judge(case: MappedSpec) -> None:
        try:
            simulation, design = scheduled(case)
        except ArrayolError as error:
            refused[error.diagnostics[0].message] += 1
            return
        assert simulation.identical
        assert design is not None
        frames = (design.frame, *design.later)
        assert len({str(frame.after[0].text) for frame in frames}) == len(frames)
        assert [(seen.cycles, seen.wrong) for seen in frames_of(design)] == [(simulation.cycles, 0)] * len(frames)
        features.update(case.features)

    on_many(full_count(15), 13, judge, emitted_specs(frame_specs()))
    assert features.keys() >= FEATURES, (features, refused)
