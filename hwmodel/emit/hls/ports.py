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
) -> Iterator[str]:
    """The tables and the function of a port; `types` are those of elements by array."""
    walk = Walk(rounds.agent, name)
    (counter,) = rounds.agent.places["word"].counters
    address = walk.counter(counter)
    loads = [own for own in rounds.engine.lanes if not own.write]
    body = list[str]()
    if loads:
        body += ["word loaded = {};", f"if ({walk.control('loads')}) loaded = memory[{address}];"]
    for own in rounds.engine.lanes:
        body.append(f"// {own.array}")
        body += _touched(walk, own, types[own.array], things, address)
    yield from walk.tables()
    head = f"static void {Thing.PORT}_{name}({', '.join(['word *memory', *parameters])})"
    yield from block(head, [*walk.round_loop(1, body)])


def _touched(walk: Walk, own: PortLanes, kind: ElementType, things: Mapping[str, str], address: str) -> Iterator[str]:
    """What the lanes of an array load or store in a round."""
    memory = walk.agent.memories[own.name]
    part, stride = walk.control("part"), own.lanes * own.bytes
    for number, lane in enumerate(walk.agent.lanes[own.name]):
        valid, first = walk.column(lane.valid), number * own.bytes
        if valid == "0":
            continue
        at = str(first) if part == "0" else f"{stride} * {part}{f' + {first}' if first else ''}"
        local, template = f"{things[memory.name]}{walk.place(memory, lane)}", f"<{hls_type(kind)}, {own.bytes}>"
        if own.write:
            yield f"if ({valid}) put{template}(memory[{address}], {at}, {local});"
        else:
            yield f"if ({valid}) {local} = taken{template}(loaded, {at});"
