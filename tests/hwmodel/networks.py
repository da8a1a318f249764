"""Networks by hand: sizes of patterns and scans, without the tilers' details that the published model never reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from arrayol.ir.network import Flow, Network, NetworkArray, Process
from arrayol.ir.spec import Delay, Port, Shape, TiledDefault, Tiler
from arrayol.ir.types import ElementType
from arrayol.source import SourceFile, Span
from hwmodel.datapath.entry import ElementaryEntry
from hwmodel.platform import Platform
from hwmodel.platform_memories import ExternalMemory

NOWHERE = Span(SourceFile("by hand", ""), 0, 0)
Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Side:
    """A port linked to an array: the shape of its pattern and the rows of its tiler's paving."""

    array: str
    pattern: Shape
    paving: Rows


def link(array: str, *pattern: int | None, paving: Rows = ((1,),)) -> Side:
    """A link of pattern shape `pattern` (none: a scalar) that walks a one-dimensional array forwards."""
    return Side(array, pattern, paving)


def process(
    name: str,
    reads: Sequence[Side],
    writes: Sequence[Side],
    delays: Iterable[Delay] = (),
    elementary: str | None = None,
) -> Process:
    """A process whose ports are named after their position."""
    inputs = tuple(_flow(f"in{number}", side) for number, side in enumerate(reads))
    outputs = tuple(_flow(f"out{number}", side) for number, side in enumerate(writes))
    ports = tuple(flow.port for flow in inputs), tuple(flow.port for flow in outputs)
    return Process(name, name, elementary or name, (1,), inputs, outputs, tuple(delays), *ports)


def delay_else(array: str, paving: Rows = ((1,),)) -> Delay:
    """A delay whose default is read from an array."""
    default = TiledDefault(array, Tiler((0,) * len(paving), paving, ((),) * len(paving), False, NOWHERE), NOWHERE)
    return Delay("prev", "last", (1,), default, True, NOWHERE)


def _flow(port: str, side: Side) -> Flow:
    rank = len(side.paving)
    fitting = ((1,) * len(side.pattern),) * rank
    return Flow(
        Port(port, ElementType.F32, side.pattern, NOWHERE),
        side.array,
        Tiler((0,) * rank, side.paving, fitting, False, NOWHERE),
    )


def network(
    shapes: Mapping[str, Shape],
    processes: Sequence[Process],
    outputs: Sequence[str],
    types: Mapping[str, ElementType] | None = None,
) -> Network:
    """Processes in the given (dataflow) order; arrays that nobody writes are inputs; f32 is the element type."""
    makers = {array for process in processes for array in process.writes}
    arrays = {
        name: NetworkArray(
            name,
            (types or {}).get(name, ElementType.F32),
            shape,
            tuple(process.name for process in processes if name in process.writes),
            tuple(process.name for process in processes if name in process.reads),
            name in outputs,
        )
        for name, shape in shapes.items()
    }
    inputs = tuple(name for name in shapes if name not in makers)
    return Network("top", {process.name: process for process in processes}, arrays, inputs, tuple(outputs))


def platform(latency: int = 30, m: int = 4, **intervals: int) -> Platform:
    """A platform with L_m, m, and initiation intervals by elementary."""
    datapaths = {name: ElementaryEntry(initiation_interval=interval) for name, interval in intervals.items()}
    return Platform(memory=ExternalMemory(latency=latency, data_per_word=m), elementary=datapaths)
