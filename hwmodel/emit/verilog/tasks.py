"""The tasks of a group in its module: units, the operands that come to them, windows, and results that they hand on.

Operands come to a unit chunk by chunk, two cycles after the rows that ask for them. Registers `NAME_once` and
`NAME_twice` have a signal of the row one and two cycles later. With an interval above 1, the register `TASK_slot`
counts its cycles, and chunk j is on the buses of units while it is j.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arrayol.text import counted
from hwmodel.datapath.operators.nets import identifier
from hwmodel.emit.schedule.delays import KEEPING, control_of
from hwmodel.emit.schedule.group import TaskAgents
from hwmodel.emit.schedule.units import ReadPort
from hwmodel.emit.verilog.agents import bits_of
from hwmodel.emit.verilog.datapaths.chunks import early_bus
from hwmodel.emit.verilog.lookups import access_net, data_reads, lookups
from hwmodel.emit.verilog.wiring import GroupWiring, lanes_wire, later_net


def task_lines(wiring: GroupWiring, task: TaskAgents) -> Iterator[str]:
    """A task: the buses of its units, the units, and their results on the lanes that write."""
    units = task.units
    pace = f"a repetition every {counted(units.interval, 'cycle')}, latency {units.latency}"
    yield f"  // {units.task}: {counted(units.units, 'unit')}, {pace}"
    slot = ""
    if units.interval > 1:
        own = f"{units.name}_slot"
        yield f"  reg [{bits_of(units.interval) - 1}:0] {own};"
        yield "  always @(posedge clk)"
        yield f"    if (restart) {own} <= {units.interval - 1};"
        yield f"    else {own} <= {own} == {units.interval - 1} ? 0 : {own} + 1'b1;"
        slot = f", .slot({own})"
    for port in units.reads:
        yield from _operands(wiring, task, port)
    for lanes in (name for port in units.writes for name in port.lanes):
        yield f"  assign {lanes}_writes = {lanes}_valid;"
    if units.kept or units.bins:
        yield from _beginning(task)
    for port in (port for port in units.reads if port.lookup is not None):
        yield from lookups(wiring, task, port)
    for unit in range(units.units):
        yield from _unit(wiring, task, unit, slot)


def _operands(wiring: GroupWiring, task: TaskAgents, port: ReadPort) -> Iterator[str]:
    """The buses of an input port, of all units side by side."""
    units, width = task.units.units, port.width
    if not port.lanes:
        return
    yield lanes_wire(f"{port.lanes}_operands", units * port.chunk * width)
    yield from _brought(wiring, port)
    if port.window is not None:
        yield from _window(wiring, task, port)
    elif port.otherwise is None and port.constant is None:
        yield f"  assign {port.lanes}_operands = {port.lanes}_data;"
    else:
        yield f"  assign {port.lanes}_operands = {port.lanes}_brought;"


def _brought(wiring: GroupWiring, port: ReadPort) -> Iterator[str]:
    """The data that lanes bring, and the values in their place where a lane accesses no word."""
    name, lanes, width = port.lanes, wiring.lanes(port.lanes)[1], port.width
    if port.otherwise is not None:
        yield from _brought(wiring, port.otherwise)
    yield lanes_wire(f"{name}_brought", lanes * width)
    if port.constant is None and port.otherwise is None:  # and then it is not fed by a delay
        yield f"  assign {name}_brought = {name}_data;"
        return
    yield f"  reg [{lanes - 1}:0] {name}_once, {name}_twice;"
    yield "  always @(posedge clk) begin"
    valid = f"{name}_valid & {{{lanes}{{{later_net(port.later)}}}}}" if port.later else f"{name}_valid"
    yield f"    {name}_once <= {valid};"
    yield f"    {name}_twice <= {name}_once;"
    yield "  end"
    for lane in range(lanes):
        at = f"[{lane * width} +: {width}]"
        instead = f"{width}'h{port.constant or 0:x}"
        if port.otherwise is not None:
            instead = f"{port.otherwise.lanes}_brought{at}"
        yield f"  assign {name}_brought{at} = {name}_twice[{lane}] ? {name}_data{at} : {instead};"


def _beginning(task: TaskAgents) -> Iterator[str]:
    """Which units begin a repetition, and which of these go on with their own state, when chunk 0 is on the buses."""
    name, bits, reader = task.units.name, task.units.units, task.reading.name
    controls = ("begins", "keeps") if task.units.kept else ("begins",)
    for what in controls:
        yield f"  reg [{bits - 1}:0] {name}_{what}_once, {name}_{what};"
    yield "  always @(posedge clk) begin"
    for what in controls:
        for first in range(0, bits, KEEPING):
            count, own = min(KEEPING, bits - first), control_of(what, first)
            at = f"[{first} +: {count}]" if bits > KEEPING else ""
            yield f"    {name}_{what}_once{at} <= {reader}_is_{own} & {{{count}{{{reader}_active}}}};"
        yield f"    {name}_{what} <= {name}_{what}_once;"
    yield "  end"


def _window(wiring: GroupWiring, task: TaskAgents, port: ReadPort) -> Iterator[str]:
    """Registers that keep what the next rounds read again; they move on at the end of each round."""
    window, name, width, interval = port.window, port.lanes, port.width, task.units.interval
    assert window is not None, "a port with a window"
    slot, moved = f"{task.units.name}_slot", sorted({ahead for ahead in window.ahead if ahead >= 0})
    yield f"  reg {name}_moves_once, {name}_begins;"
    yield "  always @(posedge clk) begin"
    yield f"    {name}_moves_once <= {task.reading.name}_active && {task.reading.name}_is_{name}_round != 0;"
    yield f"    {name}_begins <= {name}_moves_once;"
    yield "  end"
    yield from (f"  reg [{width - 1}:0] {name}_kept{place};  // {window.places[place]}" for place in moved)
    moves = f"{name}_begins"
    if interval > 1:
        moves = f"{name}_in_round && {slot} == {interval - 1}"
        yield f"  reg {name}_in_round;"
        yield f"  always @(posedge clk) if ({slot} == 0) {name}_in_round <= {name}_begins;"
        yield from _held(port, moved, slot, interval)
    yield f"  always @(posedge clk) if ({moves}) begin"
    yield from (f"    {name}_kept{place} <= {_of_window(port, place, interval - 1)};" for place in moved)
    yield "  end"
    chunks = [_chunk(port, number) for number in range(-(-port.size // port.chunk))]
    text = chunks[-1]
    for number in reversed(range(len(chunks) - 1)):
        text = f"{slot} == {number} ? {chunks[number]} :\n    {text}"
    yield f"  assign {name}_operands = {text};"


def _held(port: ReadPort, moved: Sequence[int], slot: str, interval: int) -> Iterator[str]:
    """Registers for fresh positions of a window that are also used in a later cycle of their round."""
    window, name, width = port.window, port.lanes, port.width
    assert window is not None, "a port with a window"
    last = dict.fromkeys(moved, interval - 1)
    for pattern in window.patterns:
        for at, place in enumerate(pattern):
            last[place] = max(last.get(place, 0), at // port.chunk)
    for place, source in enumerate(window.source):
        chunk, lane = divmod(source, window.each)
        if source >= 0 and last.get(place, 0) > chunk:
            yield f"  reg [{width - 1}:0] {name}_held{place};  // {window.places[place]}"
            value = f"{name}_brought[{lane * width} +: {width}]"
            yield f"  always @(posedge clk) if ({slot} == {chunk}) {name}_held{place} <= {value};"


def _of_window(port: ReadPort, place: int, number: int) -> str:
    """The net of a position of a window in cycle `number` of a round.

    It comes from the memory in that cycle or an earlier one, or from a register that has it since an earlier round.
    Positions are read in time for the cycles in which units take them.
    """
    window, width = port.window, port.width
    assert window is not None, "a port with a window"
    if window.source[place] < 0:
        return f"{port.lanes}_kept{window.ahead[place]}"
    chunk, lane = divmod(window.source[place], window.each)
    return f"{port.lanes}_brought[{lane * width} +: {width}]" if chunk == number else f"{port.lanes}_held{place}"


def _chunk(port: ReadPort, number: int) -> str:
    """The elements of a chunk of all units, with zeros beyond the pattern's end."""
    window = port.window
    assert window is not None, "a port with a window"
    names = []
    for pattern in window.patterns:
        own = pattern[number * port.chunk : (number + 1) * port.chunk]
        names += [_of_window(port, place, number) for place in own]
        names += [f"{port.width}'d0"] * (port.chunk - len(own))
    return "{" + ", ".join(reversed(names)) + "}"


def _repetition_nets(task: TaskAgents, unit: int) -> Iterator[str]:
    """The connections by which a unit knows of its repetitions."""
    name = task.units.name
    if task.units.bins:
        yield ".reset(reset)"
    if task.units.bins or task.units.kept:
        yield f".valid({name}_begins[{unit}])"
    if task.units.kept:
        yield f".first(!{name}_keeps[{unit}])"


def _unit(wiring: GroupWiring, task: TaskAgents, unit: int, slot: str) -> Iterator[str]:
    connected = []
    for port in task.units.reads:
        bits = port.chunk * port.width
        net = f"{port.lanes}_operands[{unit * bits} +: {bits}]"
        if not port.lanes:
            net = "{" + ", ".join([f"{port.width}'h{port.constant or 0:x}"] * port.chunk) + "}"
        if port.port in wiring.units[task.units.task].buses:
            connected.append(f".{identifier(port.port)}({net})")
        for number, access in data_reads(wiring, task, port.port) if port.lookup is not None else ():
            if number == unit:
                data = access.of_element(access_net(task, unit, access.data))
                connected += [f".{access.address}({access_net(task, unit, access.address)})", f".{access.data}({data})"]
    connected += _repetition_nets(task, unit)
    for written in task.units.writes:
        bits = written.at_once * written.width
        net = f"{written.lanes[0]}_data[{unit * bits} +: {bits}]"
        connected.append(f".{early_bus(written.port) if written.early else identifier(written.port)}({net})")
    module, wired = wiring.units[task.units.task], ", ".join(connected)
    enable = f", .{module.enable}(1'b1)" if module.enable is not None else ""
    yield f"  {module.name} {task.units.name}_unit{unit} (.clk(clk){enable}{slot}, {wired});"
    for written in task.units.writes:
        for other in written.lanes[1:] if unit == 0 else ():
            yield f"  assign {other}_data = {written.lanes[0]}_data;"
