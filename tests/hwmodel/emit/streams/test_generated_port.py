"""Generated specifications behind the memory port on Icarus: one stream, or streams between groups of blocks."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from many_cases import case_count, on_many
from port_designs import mixed_design, require_port_frames
from strategies_placed import REFUSED, Placed, placed
from stream_networks import Case
from verilog_programs import needs_icarus

from arrayol.errors import ArrayolError


def judge(own: Placed, tally: Counter[str]) -> None:
    """Emit a case and run it."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.aol"
        path.write_text(own.drawn.text)
        case = Case.of(path)
    for other in own.streams:
        try:
            kinds = own.kinds(len(case.network.processes), other)
            together = own.together and len(kinds) > 1
            design = mixed_design(case, kinds, own.platform, chunk=own.chunk, together=together)
        except ArrayolError as refused:
            if not {diagnostic.code for diagnostic in refused.diagnostics} <= REFUSED:
                raise
            tally[refused.diagnostics[0].message] += 1
            continue
        require_port_frames(design)
        streaming = {group.streamed is not None for group in design.groups}
        tally["both kinds" if len(streaming) == 2 else "streams" if True in streaming else "blocks"] += 1
        tally["at the same time"] += together
        return


@needs_icarus
def test_generated_groups_behind_the_port() -> None:
    cases, tally = max(8, case_count(16)), Counter[str]()
    on_many(cases, 1, lambda own: judge(own, tally), placed())
    assert tally["streams"] + tally["both kinds"] >= 0.6 * cases, tally
    assert tally["at the same time"], tally


@needs_icarus
def test_generated_groups_of_complex_numbers() -> None:
    """At clocks that operators of floats reach; ports of 32 bits are refused."""
    cases, tally = max(6, case_count(12)), Counter[str]()
    on_many(cases, 1, lambda own: judge(own, tally), placed("c64", (2.0, 50.0)))
    assert tally["streams"] + tally["both kinds"] >= 0.3 * cases, tally
