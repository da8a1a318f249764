"""What `arrayol show --stream` prints: the loops of a streaming group, when its nodes start, and its line buffers."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import click
from rich.table import Table

from arrayol.cli.options import tell
from arrayol.cli.tables import headed_table, print_parts
from arrayol.ir.network import flatten
from arrayol.ir.spec import Spec
from hwmodel.accesses import Accesses
from hwmodel.stream.loops import Loops, places_of
from hwmodel.stream.model import StreamModel, stream_metrics
from hwmodel.stream.nodes import StreamGroup
from hwmodel.stream.remarks import remarks_of
from hwmodel.streamed import Chain, Stream, StreamedGroup

_SHOWN = 12  # depths of a chain, at most


def show_stream(spec: Spec, top: str, stream: Stream) -> None:
    """Print the tasks of a specification as one streaming group. Raises ArrayolError (`not-streamed`)."""
    network = flatten(spec, top)
    model = StreamModel(Accesses(network), tuple(network.processes))
    streamed, metrics = model.streamed(stream), stream_metrics(model, stream)
    total = f"{metrics.words:,} words, {metrics.bits:,} bits; the last task starts at {metrics.last_start:,}"
    ends = f"a frame ends after {metrics.cycles:,} pulses, the next one follows after {metrics.frame_cycles:,}"
    print_parts(
        f"{top} as one streaming group, in pulses; every task takes one",
        _loops_table(model.group, model.loops, streamed),
        _nodes_table(streamed),
        *_chains_tables(streamed),
        f"{total}\n{ends}",
    )
    tell(remarks_of(model.group, streamed))


def parse_pace(text: str) -> Fraction:
    """A pace of its text, as 1, 2 or 1/4. Raises BadParameter."""
    try:
        pace = Fraction(text)
    except (ValueError, ZeroDivisionError):
        pace = Fraction(0)
    if pace <= 0 or 1 not in (pace.numerator, pace.denominator):
        raise click.BadParameter(f"'{text}' is no whole number of pulses, nor one over a whole number, as 1/4.")
    return pace


def parse_scan(text: str) -> tuple[int, ...]:
    """An order of loops of its text, as 1,0. Raises BadParameter."""
    numbers = text.replace(" ", "").split(",") if text else []
    if not all(number.isdecimal() for number in numbers):
        raise click.BadParameter(f"'{text}' is no list of loops, as 1,0.")
    return tuple(map(int, numbers))


def _loops_table(group: StreamGroup, loops: Loops, streamed: StreamedGroup) -> Table:
    table = headed_table("loop", "dimensions", right=("places",))
    for number in streamed.stream.scan or range(len(loops.members)):
        members = [(node, at) for node, at in loops.members[number] if node in streamed.nodes]
        texts = (f"{node} {at}{_ratio(loops.ratio[node, at])}" for node, at in members)
        table.add_row(str(number), ", ".join(texts), f"{places_of(loops, group.nodes, number):,}")
    return table


def _ratio(ratio: Fraction) -> str:
    return "" if ratio == 1 else f" (ratio {ratio})"


def _nodes_table(streamed: StreamedGroup) -> Table:
    table = headed_table("node", right=("start", "units", "strides"))
    for node in streamed.nodes.values():
        strides = ", ".join(f"{stride:,}" for stride in node.firing.strides) or "-"
        table.add_row(node.name, f"{node.firing.start:,}", str(node.firing.units), strides)
    return table


def _chains_tables(streamed: StreamedGroup) -> Iterator[Table]:
    """A table of the lanes that wait, if some do."""
    waiting = [chain for chain in streamed.chains if chain.segments]
    if waiting:
        table = headed_table("line buffer", "segments, from the newest", right=("words",))
        for chain in waiting:
            table.add_row(_name(chain, streamed), _depths(chain), f"{chain.words:,}")
        yield table


def _name(chain: Chain, streamed: StreamedGroup) -> str:
    """The output, with element and unit where there are several, and what is special about the chain."""
    lanes = {(one.place, one.unit) for one in streamed.chains if (one.node, one.port) == (chain.node, chain.port)}
    lane = f" lane {chain.place}.{chain.unit}" if len(lanes) > 1 else ""
    node = chain.node if chain.node == f"load {chain.port}" else f"{chain.node} {chain.port}"
    return f"{node}{lane}{' (kept)' if chain.kept else ''}{' (state)' if chain.state else ''}"


def _depths(chain: Chain) -> str:
    shown = [f"{segment.depth:,}" for segment in chain.segments[:_SHOWN]]
    left_out = len(chain.segments) - _SHOWN
    return " + ".join(shown) + (f" + ... ({left_out} more)" if left_out > 0 else "")
