"""Generated specifications behind the memory port on Icarus: one stream, or streams between groups of blocks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st
from many_cases import case_count, on_many
from port_designs import memory_of, mixed_design, require_port_frames
from strategies_streams import Drawn, streams
from stream_designs import platform_at
from stream_networks import Case
from verilog_programs import needs_icarus

from arrayol.errors import ArrayolError
from hwmodel.platform import Platform
from hwmodel.streamed import Stream

REFUSED = {"not-streamed", "not-emitted", "made-in-part"}


@dataclass(frozen=True)
class Placed:
    """A drawn specification, how its tasks are cut in groups, which of these stream, on which platform, and when."""

    drawn: Drawn
    cuts: tuple[bool, ...]
    streaming: tuple[bool, ...]
    chunk: int
    platform: Platform
    together: bool

    def kinds(self, tasks: int, stream: Stream) -> list[tuple[int, Stream | None]]:
        """The groups of so many tasks: those of several stream, as groups of blocks here have one."""
        sizes = [1]
        for cut in self.cuts[: tasks - 1]:
            if cut:
                sizes.append(0)
            sizes[-1] += 1
        return [(size, stream if size > 1 or self.streaming[at] else None) for at, size in enumerate(sizes)]


@st.composite
def placed(draw: st.DrawFn, kind: str = "i32", clocks: tuple[float, ...] = (2.0, 50.0, 150.0)) -> Placed:
    """Half of them are one group."""
    several = draw(st.booleans())
    cuts = tuple(several and draw(st.booleans()) for _ in range(10))
    streaming = tuple(not several or draw(st.booleans()) for _ in range(11))
    memory = {
        "port": draw(st.sampled_from(("shared", "separate"))),
        "word_bits": draw(st.sampled_from((32, 64, 128))),
        "latency": draw(st.sampled_from((5, 8, 30))),
        "outstanding": draw(st.sampled_from((1, 4))),
    }
    platform = memory_of(platform_at(draw(st.sampled_from(clocks))), **memory)
    drawn, chunk = draw(streams(kind)), draw(st.sampled_from((0, 1, 2, 3)))
    return Placed(drawn, cuts, streaming, chunk, platform, draw(st.booleans()))


def judge(own: Placed, tally: Counter[str]) -> None:
    """Emit a case and run it."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.aol"
        path.write_text(own.drawn.text)
        case = Case.of(path)
    stream = own.drawn.stream
    for other in (stream, replace(stream, pace=Stream().pace), replace(stream, pace=Stream().pace, scan=())):
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
