"""Streams that Verilog does not keep up with: their pulses do not suit the memories of units."""

from __future__ import annotations

from collections.abc import Iterator

from arrayol.errors import ArrayolError
from hwmodel.emit.schedule.bits import not_emitted
from hwmodel.stream.model import StreamModel, last_firing, metrics_of
from hwmodel.streamed import Stream, StreamedGroup


def refused_sums(model: StreamModel, stream: Stream) -> Iterator[ArrayolError]:
    """The reasons why a group is not emitted under decisions. Raises ArrayolError (`not-streamed`)."""
    fired = model.fired(stream)
    if stream.interface == "port" and stream.chunk:
        yield from unread_sums(model, fired)


def unread_sums(model: StreamModel, streamed: StreamedGroup) -> Iterator[ArrayolError]:
    """Tasks with memories of sums that are not read, and so not clear, when the pulses of a frame are over."""
    platform, chunk = model.platform, streamed.stream.chunk
    pulses = -(-metrics_of(model.group, streamed).cycles // chunk) * chunk
    for task in model.tasks:
        firing = streamed.nodes[task].firing
        bins = platform.bins(model.accesses.network.processes[task]) if platform is not None else ()
        if bins and last_firing(firing) + firing.interval + firing.latency >= pulses:
            yield not_emitted(
                f"a frame of a stream ends before '{task}' has made what it adds to '{bins[0].port}'",
                f"let '{bins[0].port}' be read whole, or take a design with blocks for '{task}'",
            )
