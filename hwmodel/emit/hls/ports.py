"""A port to the external memory in C++: a loop of which each round takes a local word there or brings one from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from arrayol.ir.types import ElementType
from hwmodel.emit.c.lines import block
from hwmodel.emit.hls.names import Thing, hls_type
from hwmodel.emit.hls.rounds import PortRounds
from hwmodel.emit.hls.walks import Walk
from hwmodel.emit.schedule.port import PortLanes


def port_function(
    rounds: PortRounds,
    name: str,
    things: Mapping[str, str],
    types: Mapping[str, ElementType],
    parameters: Sequence[str],
    ahead: str,
    word_bytes: int,
) -> Iterator[str]:
    """The tables and the function of a port; `types` are those of elements by array.

    `ahead` is how far the copies of this frame lie behind the first ones, by `row`; empty where there are none.
    """
    walk, asks = Walk(rounds.agent, name), f"{Thing.ASKS}_{name}"
    loads = [own for own in rounds.engine.lanes if not own.write]
    body = [
        f"if ({walk.control('begins')}) address = {asks}({'frame' if ahead else ''});",
        f"address += {walk.control('ahead')};",
    ]
    if loads:
        body += ["word loaded = {};", f"if ({walk.control('loads')}) loaded = memory[address];"]
    for own in rounds.engine.lanes:
        lines = list(_touched(walk, own, types[own.array], things, word_bytes))
        body += [f"// {own.array}", *lines] if lines else []
    yield from _request_function(rounds, name, asks, ahead)
    yield from walk.tables()
    told = ["word *memory", *(["unsigned frame"] if ahead else []), *parameters]
    head = f"static void {Thing.PORT}_{name}({', '.join(told)})"
    yield from block(head, ["unsigned address = 0;", *walk.round_loop(1, body)])


def _request_function(rounds: PortRounds, name: str, asks: str, ahead: str) -> Iterator[str]:
    """The function that gives the word with which the next request begins."""
    walk, place = Walk(rounds.requests, f"{name}_requests"), rounds.requests.places["word"]
    texts = [walk.counter(counter) for counter in place.counters]
    chosen = f"unsigned({texts[-1]})"
    for number in reversed(range(len(texts) - 1)):
        chosen = f"{walk.column(place.which or 0)} == {number} ? unsigned({texts[number]}) : {chosen}"
    yield from walk.tables()
    word = f"const unsigned word = {f'({chosen})' if ahead else chosen}{ahead and f' + ({ahead})'};"
    lines = ["#pragma HLS INLINE", *walk.state(), walk.row(), word, *walk.advance(), "return word;"]
    yield from block(f"static unsigned {asks}({'unsigned frame' if ahead else ''})", lines)


def _touched(
    walk: Walk, own: PortLanes, kind: ElementType, things: Mapping[str, str], word_bytes: int
) -> Iterator[str]:
    """What the lanes of an array load or store in a round."""
    memory = walk.agent.memories[own.name]
    part, stride = walk.control("part"), own.lanes * own.bytes
    for number, lane in enumerate(walk.agent.lanes[own.name]):
        valid, first = walk.column(lane.valid), number * own.bytes
        if valid == "0":
            continue
        at = str(first) if part == "0" else f"{stride} * {part}{f' + {first}' if first else ''}"
        local, template = f"{things[memory.name]}{walk.place(memory, lane)}", f"<{hls_type(kind)}, {own.bytes}>"
        if own.bytes > word_bytes and own.write:
            yield f"if ({valid}) put_part{template}(memory[address], {part}, {local});"
        elif own.bytes > word_bytes:
            yield f"if ({valid}) {local} = taken_by{template}(memory + address);"
        elif own.write:
            yield f"if ({valid}) put{template}(memory[address], {at}, {local});"
        else:
            yield f"if ({valid}) {local} = taken{template}(loaded, {at});"
