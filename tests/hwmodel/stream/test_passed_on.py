"""Arrays that a copy writes element by element, and arrays that readers compute again: words, runs and Verilog."""

from __future__ import annotations

from pathlib import Path

import pytest
from stream_designs import require_frames, stream_design
from stream_networks import Case, case_of, require_whole_run, segments_with_a_word_to_spare
from verilog_programs import needs_icarus

from arrayol.ir.network import flatten
from arrayol.transforms.steps import parse_step, run_steps
from hwmodel.streamed import Stream

SERIAL, AGAIN = "serial enlarge a", "again blur_x blur_y"
SMALL = {"H": 6, "W": 9}


def case_after(name: str, folder: Path, *steps: str, **settings: int) -> Case:
    """A network after steps."""
    case = case_of(name, folder, **settings)
    spec = run_steps(case.spec, [parse_step(step) for step in steps]).spec
    return Case(spec, flatten(spec, case.network.name))


@pytest.mark.parametrize(
    ("name", "step", "words", "last_start", "cycles"),
    [("larger", SERIAL, 147, 51, 1_972), ("unsharp", AGAIN, 962, 484, 154_085)],
)
def test_known_figures(tmp_path: Path, name: str, step: str, words: int, last_start: int, cycles: int) -> None:
    metrics = case_after(name, tmp_path, step).model.metrics(Stream())
    assert (metrics.words, metrics.last_start, metrics.cycles) == (words, last_start, cycles)


@pytest.mark.parametrize(("name", "step"), [("larger", SERIAL), ("unsharp", AGAIN)])
def test_it_runs_in_no_word_less(tmp_path: Path, name: str, step: str) -> None:
    case = case_after(name, tmp_path, step, **SMALL)
    run = require_whole_run(case, Stream())
    assert run.words == run.live
    count, spare = segments_with_a_word_to_spare(case, Stream())
    assert count
    assert spare == []


@needs_icarus
@pytest.mark.parametrize(("name", "step"), [("larger", SERIAL), ("unsharp", AGAIN)])
def test_verilog_has_the_same_cycles_and_bits(tmp_path: Path, name: str, step: str) -> None:
    require_frames(stream_design(case_after(name, tmp_path, step, **SMALL), Stream(interface="axis")), 7)
