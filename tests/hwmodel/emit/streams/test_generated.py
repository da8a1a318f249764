"""Generated streaming groups behind AXI4-Stream on Icarus, two frames each, with and without pauses."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st
from many_cases import case_count, on_many
from strategies_streams import Drawn, streams
from stream_designs import require_frames, stream_design
from stream_networks import Case
from verilog_programs import needs_icarus

from arrayol.errors import ArrayolError
from hwmodel.streamed import Stream

REFUSED = {"not-streamed", "not-emitted"}


def variants(stream: Stream) -> list[Stream]:
    """A drawn decision behind AXI4-Stream, and what is left of it where that is refused."""
    axis = replace(stream, interface="axis")
    return [axis, replace(axis, pace=Stream().pace), replace(axis, pace=Stream().pace, scan=())]


def judge(drawn: Drawn, mhz: float, tally: Counter[str]) -> None:
    """Emit a case and run it."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.aol"
        path.write_text(drawn.text)
        case = Case.of(path)
    for stream in variants(drawn.stream):
        try:
            design = stream_design(case, stream, mhz)
            design.files()
        except ArrayolError as refused:
            if not {diagnostic.code for diagnostic in refused.diagnostics} <= REFUSED:
                raise
            tally[refused.diagnostics[0].message] += 1
            continue
        require_frames(design, 7)
        tally["held"] += 1
        return


@needs_icarus
def test_generated_groups() -> None:
    cases, tally = max(10, case_count(20)), Counter[str]()
    clocks = st.sampled_from((2.0, 50.0, 150.0))
    on_many(cases, 1, lambda pair: judge(pair[0], pair[1], tally), st.tuples(streams(), clocks))
    assert tally["held"] >= 0.7 * cases


@needs_icarus
def test_generated_groups_of_complex_numbers() -> None:
    """At clocks that operators of floats reach."""
    cases, tally, clocks = max(4, case_count(12)), Counter[str](), st.sampled_from((2.0, 50.0))
    kinds = st.sampled_from(("c64", "c128")).flatmap(streams)
    on_many(cases, 1, lambda pair: judge(pair[0], pair[1], tally), st.tuples(kinds, clocks))
    assert tally["held"] >= 0.7 * cases
