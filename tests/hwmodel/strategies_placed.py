"""Generated specifications behind the memory port: one stream, or streams between groups of blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st
from port_designs import memory_of, mixed_design
from strategies_streams import Drawn, streams
from stream_designs import platform_at
from stream_networks import Case

from arrayol.errors import ArrayolError
from hwmodel.emit.schedule.design import HardwareDesign, StreamScheduling
from hwmodel.emit.streams.port_schedule import VERILOG_STREAMS
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

    @property
    def streams(self) -> Iterator[Stream]:
        """How it may stream, the last one in the simplest way."""
        plain = replace(self.drawn.stream, pace=Stream().pace)
        yield from (self.drawn.stream, plain, replace(plain, scan=()))

    def kinds(self, tasks: int, stream: Stream) -> list[tuple[int, Stream | None]]:
        """The groups of so many tasks: those of several stream, as groups of blocks here have one."""
        sizes = [1]
        for cut in self.cuts[: tasks - 1]:
            if cut:
                sizes.append(0)
            sizes[-1] += 1
        return [(size, stream if size > 1 or self.streaming[at] else None) for at, size in enumerate(sizes)]


def placed_design(
    own: Placed, tally: Counter[str], *, may_be_together: bool = False, streams: StreamScheduling = VERILOG_STREAMS
) -> tuple[Case, HardwareDesign] | None:
    """The first design of a case that is emitted, and what it is of; None where all are refused, which is tallied."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "drawn.aol"
        path.write_text(own.drawn.text)
        case = Case.of(path)
    for stream in own.streams:
        try:
            kinds = own.kinds(len(case.network.processes), stream)
            together = may_be_together and own.together and len(kinds) > 1
            design = mixed_design(case, kinds, own.platform, chunk=own.chunk, together=together, streams=streams)
        except ArrayolError as refused:
            if not {diagnostic.code for diagnostic in refused.diagnostics} <= REFUSED:
                raise
            tally[refused.diagnostics[0].message] += 1
            continue
        streaming = {group.streamed is not None for group in design.groups}
        tally["both kinds" if len(streaming) == 2 else "streams" if True in streaming else "blocks"] += 1
        tally["at the same time"] += together
        return case, design
    return None


@st.composite
def placed(draw: st.DrawFn, kind: str = "i32", clocks: tuple[float, ...] = (2.0, 50.0, 150.0)) -> Placed:
    """Half of them are one group."""
    several = draw(st.booleans())
    cuts = tuple(several and draw(st.booleans()) for _ in range(10))
    streaming = tuple(not several or draw(st.booleans()) for _ in range(11))
    memory = {
        "port": draw(st.sampled_from(("shared", "separate"))),
        "word_bits": draw(st.sampled_from((32, 64, 128))),
        "latency": draw(st.sampled_from((0, 3, 4, 8, 30))),
        "outstanding": draw(st.sampled_from((1, 4))),
    }
    platform = memory_of(platform_at(draw(st.sampled_from(clocks))), **memory)
    drawn, chunk = draw(streams(kind)), draw(st.sampled_from((0, 1, 2, 3)))
    return Placed(drawn, cuts, streaming, chunk, platform, draw(st.booleans()))
