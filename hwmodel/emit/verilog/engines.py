"""The engines of a group in its module: requests, loads, and the queue of words to be stored.

An engine has three agents (schedule/port.py). library/engine.v lets requests and words pass as fast as the external
memory permits. A loaded word goes straight to the lanes that write it. A row of `storing` only asks for data: they come
from the local memories two cycles later, and wait in library/word_queue.v until the port takes them. Registers
`NAME_once` and `NAME_twice` have a signal of the row one and two cycles later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hwmodel.emit.schedule.group import EngineAgents
from hwmodel.emit.schedule.port import COPIED, PortLanes
from hwmodel.emit.schedule.units import HOLDS, LATE
from hwmodel.emit.verilog.agents import bits_of
from hwmodel.emit.verilog.wiring import GroupWiring


def engine_lines(wiring: GroupWiring, engine: EngineAgents) -> Iterator[str]:
    """An engine: its flow of requests and words, the data of lanes that load, and the queue of words to be stored."""
    name, requests, passing, storing = engine.name, engine.requests.name, engine.passing.name, engine.storing.name
    loads = [own for own in engine.lanes if not own.write]
    stores = [own for own in engine.lanes if own.write]
    yield f"  // {name}: what passes to and from the external memory"
    yield f"  assign {name}_address = {requests}_at_word;"
    yield f"  assign {name}_words = {requests}_is_words;"
    yield f"  assign {name}_write = {requests}_is_write != 0;"
    if wiring.outside.copies:
        yield f"  assign {name}_{COPIED} = {requests}_is_{COPIED};"
    yield f"  wire {name}_whole, {name}_pop;"
    asks, free = f"{requests}_active && {requests}_is_asks != 0", f"{name}_requests_go"
    if LATE in engine.requests.controls:
        yield "  // The first load of single buffers waits until those that read them have left."
        yield f"  wire {name}_held = {requests}_is_late != 0 && ({' || '.join(_holding(wiring))});"
        yield f"  wire {name}_free;"
        yield f"  assign {free} = {name}_free && !{name}_held;"
        asks, free = f"{asks} && !{name}_held", f"{name}_free"
    most = wiring.outside.outstanding
    yield f"  engine #(.OUTSTANDING({most}), .COUNT({bits_of(most + 1)})) {name}_engine ("
    yield "    .clk(clk), .reset(reset),"
    yield f"    .asks({asks}), .fence({requests}_is_fence != 0),"
    yield f"    .requests({name}_request), .requests_go({free}),"
    yield f"    .active({passing}_active), .waits({passing}_is_waits != 0), .takes({passing}_is_takes != 0),"
    yield f"    .write({passing}_is_write != 0), .done({passing}_is_done != 0), .passing_go({name}_passing_go),"
    yield f"    .rvalid({name}_rvalid), .rready({name}_rready), .wready({name}_wready), .wvalid({name}_wvalid),"
    yield f"    .whole({name}_whole), .pop({name}_pop)"
    yield "  );"
    beyond = max((_beyond(wiring, own) for own in loads), default=0)
    if beyond:
        yield "  // The words before, of elements that take several."
        yield f"  reg [{beyond - 1}:0] {name}_before;"
        together = f"{{{name}_rdata, {name}_before}} >> {wiring.outside.word_bits}"
        yield f"  always @(posedge clk) if ({name}_rvalid && {name}_rready) {name}_before <= {together};"
    for own in loads:
        yield from _load(wiring, name, (passing, beyond), own)
    yield from _queue(wiring, name, storing, stores)


def _holding(wiring: GroupWiring) -> Iterator[str]:
    """By task that reads single buffers, whether it still does so in this step."""
    for agent in (task.reading for task in wiring.schedule.tasks):
        if HOLDS in agent.controls:
            yield f"({agent.name}_active && {agent.name}_is_holds != 0)"


def _beyond(wiring: GroupWiring, own: PortLanes) -> int:
    """The bits of an element that do not fit into a word."""
    return max(0, 8 * own.bytes - wiring.outside.word_bits)


def _load(wiring: GroupWiring, engine: str, agent: tuple[str, int], own: PortLanes) -> Iterator[str]:
    """The data of a local word: where they lie in the word of the external memory.

    `agent` has the name of what passes, and the bits of the register with the words before.
    """
    passing, most = agent
    memory, lanes = wiring.lanes(own.name)
    part = 8 * own.bytes * lanes
    yield f"  assign {own.name}_writes = {own.name}_valid & {{{lanes}{{{engine}_passing_go}}}};"
    source = f"{engine}_rdata"
    if part < wiring.outside.word_bits:
        yield f"  wire [{part - 1}:0] {own.name}_part = {engine}_rdata[{passing}_is_part*{part} +: {part}];"
        source = f"{own.name}_part"
    elif beyond := _beyond(wiring, own):
        # The register has the words of the widest element, the last one on top.
        yield f"  wire [{part - 1}:0] {own.name}_part = {{{engine}_rdata, {engine}_before[{most - 1} -: {beyond}]}};"
        source = f"{own.name}_part"
    for lane in range(lanes):
        at, low = f"[{lane * memory.width} +: {memory.width}]", lane * 8 * own.bytes
        yield f"  assign {own.name}_data{at} = {source}[{low} +: {memory.width}];"


def _queue(wiring: GroupWiring, engine: str, storing: str, stores: Sequence[PortLanes]) -> Iterator[str]:
    """The queue of an engine: data are read ahead of time, put together to words, and kept until these pass."""
    word, count = wiring.outside.word_bits, wiring.outside.word_bits // 8
    if not stores:
        yield f"  assign {engine}_room = 1'b1;"
        yield f"  assign {engine}_whole = 1'b0;"
        yield f"  assign {engine}_wdata = 0;"
        yield f"  assign {engine}_wstrobe = 0;"
        return
    bits = max(bits_of(_part_count(wiring, own)) for own in stores)
    yield f"  reg {storing}_add_once, {storing}_add, {storing}_last_once, {storing}_last;"
    yield f"  reg [{bits - 1}:0] {storing}_part_once, {storing}_part;"
    yield "  always @(posedge clk) begin"
    yield f"    {storing}_add_once <= !reset && {storing}_active && {engine}_room;"
    yield f"    {storing}_add <= !reset && {storing}_add_once;"
    yield f"    {storing}_last_once <= {storing}_is_whole;"
    yield f"    {storing}_last <= {storing}_last_once;"
    yield f"    {storing}_part_once <= {storing}_is_part;"
    yield f"    {storing}_part <= {storing}_part_once;"
    yield "  end"
    data, strobes = list[str](), list[str]()
    for own in stores:
        yield from _stored(wiring, storing, own)
        data.append(f"{own.name}_word")
        strobes.append(f"{own.name}_strobe")
    yield f"  word_queue #(.WIDTH({word}), .BYTES({count})) {engine}_queue ("
    yield f"    .clk(clk), .reset(reset), .add({storing}_add),"
    yield f"    .data({' | '.join(data)}), .bytes({' | '.join(strobes)}),"
    yield f"    .last({storing}_last), .room({engine}_room), .whole({engine}_whole), .word({engine}_wdata),"
    yield f"    .strobe({engine}_wstrobe), .pop({engine}_pop)"
    yield "  );"


def _part_count(wiring: GroupWiring, own: PortLanes) -> int:
    return wiring.outside.word_bits // (8 * own.bytes * own.lanes) or own.words(wiring.outside.word_bits // 8)


def _stored(wiring: GroupWiring, storing: str, own: PortLanes) -> Iterator[str]:
    memory, lanes = wiring.lanes(own.name)
    word, size, parts = wiring.outside.word_bits, 8 * own.bytes, _part_count(wiring, own)
    yield f"  reg [{lanes - 1}:0] {own.name}_once, {own.name}_twice;"
    yield "  always @(posedge clk) begin"
    yield f"    {own.name}_once <= {own.name}_valid;"
    yield f"    {own.name}_twice <= {own.name}_once;"
    yield "  end"
    yield f"  wire [{size * lanes - 1}:0] {own.name}_bits;"
    yield f"  wire [{own.bytes * lanes - 1}:0] {own.name}_bytes;"
    for lane in range(lanes):
        low, width = lane * memory.width, memory.width
        value = f"{own.name}_data[{low} +: {width}]"
        if size > width:
            fill = f"{own.name}_data[{low + width - 1}]" if own.array in wiring.signed else "1'b0"
            value = f"{{{{{size - width}{{{fill}}}}}, {value}}}"
        there = f"{own.name}_twice[{lane}]"
        yield f"  assign {own.name}_bits[{lane * size} +: {size}] = {there} ? {value} : {size}'d0;"
        yield f"  assign {own.name}_bytes[{lane * own.bytes} +: {own.bytes}] = {{{own.bytes}{{{there}}}}};"
    if size > word:  # parts of an element, of which all bytes are there
        yield f"  wire [{word - 1}:0] {own.name}_word = {own.name}_bits >> ({storing}_part * {word});"
        yield f"  wire [{word // 8 - 1}:0] {own.name}_strobe = {own.name}_bytes[{word // 8 - 1}:0];"
        return
    shift = f" << ({storing}_part * {size * lanes})" if parts > 1 else ""
    moved = f" << ({storing}_part * {own.bytes * lanes})" if parts > 1 else ""
    yield f"  wire [{word - 1}:0] {own.name}_word = {{{word}'d0 | {own.name}_bits}}{shift};"
    yield f"  wire [{word // 8 - 1}:0] {own.name}_strobe = {{{word // 8}'d0 | {own.name}_bytes}}{moved};"
