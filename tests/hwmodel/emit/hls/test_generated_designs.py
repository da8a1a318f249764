"""Generated designs of generated specifications in C++: all outputs and what streams hold, under sanitizers."""

from __future__ import annotations

from collections import Counter

from cpp_programs import is_right, needs_compiler, seen_of
from generated_designs import COMPLEX, NARROW, try_many
from many_cases import full_count, new_seed, on_many
from scheduled_cases import scheduled
from strategies_designs import MappedSpec, emitted_specs

from arrayol.errors import ArrayolError
from hwmodel.emit.hls.design import HlsFiles

pytestmark = needs_compiler

CASES, SEED = 15, 8  # delays and partial blocks are in shipped specifications, too
FEATURES = {"several groups", "several units", "separate port", "load rom", "load once", "streams", "cut", "border"}


def test_complex_numbers_are_the_same() -> None:
    tally = try_many(COMPLEX, full_count(3), 2 + new_seed(), hls=True)
    assert tally.wrong == []
    assert tally.right, tally.refused


def test_elements_of_several_words_are_whole() -> None:
    tally = try_many(NARROW, full_count(3), 1 + new_seed(), hls=True)
    assert tally.wrong == []
    assert tally.features["elements of several words"], (tally.features, tally.refused)


def test_a_program_computes_the_same() -> None:
    features, refused = Counter[str](), Counter[str]()

    def judge(case: MappedSpec) -> None:
        try:
            _, design = scheduled(case, as_verilog=False)
        except ArrayolError as error:
            refused[error.diagnostics[0].code] += 1
            return
        if design is None:
            return
        order = [*design.network.processes]  # in dataflow order: what a FIFO hands on is made before it is read
        for group in design.groups:
            assert [own.units.task for own in group.tasks] == [
                own for own in order if own in {task.units.task for task in group.tasks}
            ]
        files = HlsFiles(case.spec, design)
        seen = seen_of(files)
        assert is_right(seen, files.frames), seen
        features.update(case.features)
        features["streams"] += bool(seen.streams)

    on_many(full_count(CASES), SEED, judge, emitted_specs())
    assert features.keys() >= FEATURES, (features, refused)
