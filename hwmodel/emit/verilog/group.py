"""A group of tasks as a Verilog module: its steps, agents, memories, units and ports, wired together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from arrayol.text import counted
from hwmodel.emit.schedule.activity import Agent
from hwmodel.emit.schedule.group import EngineAgents, GroupSchedule, TaskAgents
from hwmodel.emit.schedule.memories import Memory
from hwmodel.emit.schedule.port import AddressMap, PortLanes
from hwmodel.emit.schedule.tasks import ReadPort
from hwmodel.emit.verilog.access import AccessPorts
from hwmodel.emit.verilog.agents import Port, address_bits, bits_of, code_bits, codes, ports_of
from hwmodel.emit.verilog.nets import identifier

WORDS = 16  # bits of the number of words of a request


@dataclass(frozen=True)
class Outside:
    """The external memory as a group sees it: a word of so many bits, addresses in words, unfinished requests."""

    word_bits: int
    address_bits: int
    outstanding: int

    @staticmethod
    def of(addresses: AddressMap, outstanding: int) -> Outside:
        """Of arrays that lie one after another."""
        return Outside(8 * addresses.word_bytes, bits_of(max(2, addresses.words)), outstanding)


@dataclass(frozen=True)
class UnitModule:
    """The module of a datapath: its name, the inputs for which it has a bus, and its reads at places that data say."""

    name: str
    buses: frozenset[str]
    accesses: tuple[AccessPorts, ...]


def engine_ports(engine: str, outside: Outside) -> tuple[Port, ...]:
    """The ports of an engine: requests, words that come, words that go."""
    return (
        Port(f"{engine}_request", 1),
        Port(f"{engine}_address", outside.address_bits),
        Port(f"{engine}_words", WORDS),
        Port(f"{engine}_write", 1),
        Port(f"{engine}_rvalid", 1, output=False),
        Port(f"{engine}_rdata", outside.word_bits, output=False),
        Port(f"{engine}_rready", 1),
        Port(f"{engine}_wready", 1, output=False),
        Port(f"{engine}_wvalid", 1),
        Port(f"{engine}_wdata", outside.word_bits),
        Port(f"{engine}_wstrobe", outside.word_bits // 8),
    )


def group_module(
    name: str,
    prefix: str,
    schedule: GroupSchedule,
    units: Mapping[str, UnitModule],
    outside: Outside,
    signed: Sequence[str],
) -> str:
    """The module of a group, whose agents have names after a prefix.

    `units` has the module of each task's datapath, `signed` the arrays of signed elements.
    """
    printer = _Group(schedule, prefix, units, outside, frozenset(signed))
    return printer.module(name)


def wire(name: str, bits: int) -> str:
    """The declaration of a net."""
    return f"  wire [{bits - 1}:0] {name};" if bits > 1 else f"  wire {name};"


@dataclass
class _Group:
    schedule: GroupSchedule
    prefix: str
    units: Mapping[str, UnitModule]
    outside: Outside
    signed: frozenset[str]
    beside: list[str] = field(default_factory=list)  # modules of its own

    def module(self, name: str) -> str:
        engines = [own.name for own in self.schedule.engines]
        ports = [port.declared() for engine in engines for port in engine_ports(engine, self.outside)]
        inputs = [f"  input wire {own}" for own in ("clk", "reset", "start")]
        outputs = ["  output reg busy", "  output wire last"]
        head = [f"module {name} (", ",\n".join([*inputs, *outputs, *ports]), ");"]
        body = [*self._steps(), *self._agents(), *self._memories()]
        body += [line for task in self.schedule.tasks for line in self._task(task)]
        body += [line for engine in self.schedule.engines for line in self._engine(engine)]
        return "\n".join([*head, *body, "endmodule", "", *self.beside])

    def _steps(self) -> Iterator[str]:
        """Steps: the next one begins when all agents are through."""
        bits = bits_of(self.schedule.steps)
        agents = [agent.name for agent in self.schedule.agents]
        yield "  // Steps: the next one begins in the cycle after the last agent is through."
        yield from (f"  wire {name}_active, {name}_fin;" for name in agents)
        yield f"  reg [{bits - 1}:0] step;"
        yield f"  wire advance = busy && {' && '.join(f'{name}_fin' for name in agents)};"
        yield f"  assign last = advance && step == {self.schedule.steps - 1};"
        yield "  always @(posedge clk)"
        yield "    if (reset) begin"
        yield "      busy <= 1'b0;"
        yield "      step <= 0;"
        yield "    end else if (start) busy <= 1'b1;"
        yield "    else if (advance) begin"
        yield "      step <= last ? 0 : step + 1'b1;"
        yield "      if (last) busy <= 1'b0;"
        yield "    end"

    def _agents(self) -> Iterator[str]:
        going = {task.name: "1'b1" for own in self.schedule.tasks for task in (own.reading, own.writing)}
        for engine in self.schedule.engines:
            going |= {
                engine.requests.name: f"{engine.name}_requests_go",
                engine.passing.name: f"{engine.name}_passing_go",
                engine.storing.name: f"{engine.name}_room",
            }
            yield from (f"  wire {engine.name}_{own};" for own in ("requests_go", "passing_go", "room"))
        for agent in self.schedule.agents:
            yield from self._agent(agent, going[agent.name])

    def _agent(self, agent: Agent, go: str) -> Iterator[str]:
        connected = [f".{own}({own})" for own in ("clk", "reset", "advance")]
        connected += [".run(busy)", f".go({go})", f".active({agent.name}_active)", f".fin({agent.name}_fin)"]
        for port in ports_of(agent):
            own = self._net(agent, port.name)
            yield wire(own, port.bits)
            connected.append(f".{port.name}({own})")
        yield f"  {self.prefix}{agent.name} {agent.name} (\n    {', '.join(connected)}\n  );"

    @staticmethod
    def _net(agent: Agent, port: str) -> str:
        """The net of an output of an agent: lanes have names of their own."""
        return f"{agent.name}_{port}" if port.startswith(("is_", "at_")) else port

    # Memories.

    def _lanes(self, name: str) -> tuple[Memory, int]:
        """The memory of some lanes, and how many there are."""
        for agent in self.schedule.agents:
            if name in agent.lanes:
                return agent.memories[name], len(agent.lanes[name])
        raise KeyError(name)

    def _memories(self) -> Iterator[str]:
        for memory in self.schedule.memories:
            readers, writers = self.schedule.readers[memory.name], self.schedule.writers[memory.name]
            size = f"{memory.banks} x {memory.depth} words of {memory.width} bits"
            yield f"  // {memory.name}: {size}, {self._said(memory, len(readers))}"
            for name in (*readers, *writers):
                yield wire(f"{name}_data", self._lanes(name)[1] * memory.width)
            if not readers:
                continue
            if memory.registers and memory.content is None:
                yield from self._registers(memory, readers, writers)
            else:
                for reader in readers:
                    lanes = self._lanes(reader)[1]
                    for first, count in [(lane, 1) for lane in range(lanes)] if memory.copy_each else [(0, lanes)]:
                        yield from self._copy(memory, reader, (first, count), writers)

    @staticmethod
    def _said(memory: Memory, readers: int) -> str:
        if memory.content is not None:
            return "never written"
        return "in registers" if memory.registers else f"copies: {readers}"

    def _registers(self, memory: Memory, readers: Sequence[str], writers: Sequence[str]) -> Iterator[str]:
        count = sum(self._lanes(name)[1] for name in readers)
        yield wire(f"{memory.name}_words", count * memory.width)
        at = 0
        for name in readers:
            bits = self._lanes(name)[1] * memory.width
            yield f"  assign {name}_data = {memory.name}_words[{at} +: {bits}];"
            at += bits
        parameters = f".WIDTH({memory.width}), .DEPTH({memory.depth}), .ADDRESS({address_bits(memory)})"
        lanes = f".WRITERS({self._count(writers)}), .READERS({count})"
        yield f"  registers #({parameters}, {lanes}) {memory.name}_registers ("
        yield f"    .clk(clk), {self._writing(memory, writers, bank=False)},"
        yield f"    .raddress({self._joined(readers, 'address')}), .rdata({memory.name}_words)"
        yield "  );"

    def _copy(self, memory: Memory, reader: str, lanes: tuple[int, int], writers: Sequence[str]) -> Iterator[str]:
        """A copy for some lanes of a reader: from the first one on, so many."""
        bits, (first, count) = code_bits(memory), lanes
        known = [f"{bits}'d{code}" for code in reversed(codes(memory))]
        parameters = [
            f".WIDTH({memory.width}), .DEPTH({memory.depth}), .ADDRESS({address_bits(memory)})",
            f".BANKS({memory.banks}), .CODE({bits}), .CODES({{{', '.join(known)}}})",
            f".READERS({count})",
        ]
        if memory.content is None:
            kind, writing = "banked_copy", f" {self._writing(memory, writers, bank=True)},"
            parameters.append(f".WRITERS({self._count(writers)})")
        else:
            kind, writing = "rom", ""
            parameters.append(f".CONTENT({_content(memory.content, memory.width)})")
        own = f"_{first}" if memory.copy_each else ""
        yield f"  {kind} #(\n    {', '.join(parameters)}\n  ) {memory.name}_for_{reader}{own} ("
        yield f"    .clk(clk),{writing}"
        sizes = {"valid": 1, "bank": bits, "address": address_bits(memory), "data": memory.width}
        at = {what: f"{reader}_{what}[{first * size} +: {count * size}]" for what, size in sizes.items()}
        if self._lanes(reader)[1] == 1:
            at |= {what: f"{reader}_{what}" for what, size in sizes.items() if size == 1}
        yield f"    .rvalid({at['valid']}), .rbank({at['bank']}), .raddress({at['address']}), .rdata({at['data']})"
        yield "  );"

    def _count(self, names: Sequence[str]) -> int:
        return max(1, sum(self._lanes(name)[1] for name in names))

    def _writing(self, memory: Memory, writers: Sequence[str], *, bank: bool) -> str:
        """The connections of what is written; a lane that never does where nothing is."""
        if not writers:
            nothing = [".wvalid(1'b0)", f".waddress({address_bits(memory)}'d0)", f".wdata({memory.width}'d0)"]
            nothing += [f".wbank({code_bits(memory)}'d0)"] if bank else []
            return ", ".join(nothing)
        own = [f".wvalid({self._joined(writers, 'writes')})", f".waddress({self._joined(writers, 'address')})"]
        own += [f".wbank({self._joined(writers, 'bank')})"] if bank else []
        return ", ".join([*own, f".wdata({self._joined(writers, 'data')})"])

    @staticmethod
    def _joined(names: Sequence[str], what: str) -> str:
        texts = [f"{name}_{what}" for name in reversed(names)]
        return texts[0] if len(texts) == 1 else "{" + ", ".join(texts) + "}"

    # Tasks.

    def _task(self, task: TaskAgents) -> Iterator[str]:
        units = task.units
        pace = f"a repetition every {counted(units.interval, 'cycle')}, latency {units.latency}"
        yield f"  // {units.task}: {counted(units.units, 'unit')}, {pace}"
        for port in units.reads:
            yield from self._operands(task, port)
        for lanes in (name for port in units.writes for name in port.lanes):
            yield wire(f"{lanes}_writes", self._lanes(lanes)[1])
            yield f"  assign {lanes}_writes = {lanes}_valid;"
        slot = ""
        if units.interval > 1:
            own = f"{units.task}_slot"
            yield f"  reg [{bits_of(units.interval) - 1}:0] {own};"
            yield "  always @(posedge clk)"
            yield f"    if (!busy || advance) {own} <= {units.interval - 2};"
            yield f"    else {own} <= {own} == {units.interval - 1} ? 0 : {own} + 1'b1;"
            slot = f", .slot({own})"
        for port in (port for port in units.reads if port.lookup is not None):
            yield from self._lookups(task, port)
        for unit in range(units.units):
            yield from self._unit(task, unit, slot)

    def _operands(self, task: TaskAgents, port: ReadPort) -> Iterator[str]:
        """The buses of an input port, of all units side by side."""
        units, width = task.units.units, port.width
        if not port.lanes:
            return
        yield wire(f"{port.lanes}_operands", units * port.chunk * width)
        if port.handed is not None:
            yield from self._handed(task, port)
        yield from self._brought(port)
        if port.window is not None:
            yield from self._window(task, port)
        elif port.otherwise is None and port.constant is None:
            yield f"  assign {port.lanes}_operands = {port.lanes}_data;"
        else:
            yield f"  assign {port.lanes}_operands = {port.lanes}_brought;"

    def _brought(self, port: ReadPort) -> Iterator[str]:
        """What lanes bring, and what stands in its place where one touches nothing."""
        name, lanes, width = port.lanes, self._lanes(port.lanes)[1], port.width
        yield wire(f"{name}_brought", lanes * width)
        if port.constant is None and port.otherwise is None:  # and then it is not fed by a delay
            yield f"  assign {name}_brought = {name}_data;"
            return
        yield f"  reg [{lanes - 1}:0] {name}_once, {name}_twice;"
        yield "  always @(posedge clk) begin"
        yield f"    {name}_once <= {name}_valid;"
        yield f"    {name}_twice <= {name}_once;"
        yield "  end"
        for lane in range(lanes):
            at = f"[{lane * width} +: {width}]"
            instead = f"{width}'h{port.constant or 0:x}"
            if port.otherwise is not None:
                instead = f"{port.otherwise}_brought{at}"
            text = f"{name}_twice[{lane}] ? {name}_data{at} : {instead}"
            if port.handed is not None:
                text = f"{name}_hands[{lane // port.chunk}] ? {name}_handed{at} :\n    {text}"
            yield f"  assign {name}_brought{at} = {text};"

    def _handed(self, task: TaskAgents, port: ReadPort) -> Iterator[str]:
        """What units hand on to themselves: as it is written, and from then on in registers."""
        name, lanes, width = port.lanes, self._lanes(port.lanes)[1], port.width
        bits, control = task.units.units, f"{task.reading.name}_is_{port.lanes}_handed"
        yield f"  reg [{bits - 1}:0] {name}_hands_once, {name}_hands;"
        yield f"  reg [{lanes * width - 1}:0] {name}_last;"
        yield wire(f"{name}_handed", lanes * width)
        yield "  always @(posedge clk) begin"
        yield f"    {name}_hands_once <= {control} & {{{bits}{{{task.reading.name}_active}}}};"
        yield f"    {name}_hands <= {name}_hands_once;"
        yield f"    {name}_last <= {name}_handed;"
        yield "  end"
        for lane in range(lanes):
            at = f"[{lane * width} +: {width}]"
            there = f"{port.handed}_valid[{lane}]" if lanes > 1 else f"{port.handed}_valid"
            yield f"  assign {name}_handed{at} = {there} ? {port.handed}_data{at} : {name}_last{at};"

    def _window(self, task: TaskAgents, port: ReadPort) -> Iterator[str]:
        """Registers that keep what the next rounds read again; they move on at the end of each round."""
        window, name, width, interval = port.window, port.lanes, port.width, task.units.interval
        assert window is not None, "a port with a window"
        slot, kept = f"{task.units.task}_slot", sorted({ahead for ahead in window.ahead if ahead >= 0})
        fresh = [place for place, source in enumerate(window.source) if source >= 0]
        yield f"  reg {name}_moves_once, {name}_begins;"
        yield "  always @(posedge clk) begin"
        yield f"    {name}_moves_once <= {task.reading.name}_active && {task.reading.name}_is_{name}_round != 0;"
        yield f"    {name}_begins <= {name}_moves_once;"
        yield "  end"
        yield from (wire(f"{name}_w{place}", width) for place in range(len(window.places)))
        yield from (f"  reg [{width - 1}:0] {name}_kept{place};" for place in kept)
        moves = f"{name}_begins"
        if interval > 1:
            moves = f"{name}_in_round && {slot} == {interval - 1}"
            yield f"  reg {name}_in_round;"
            yield f"  always @(posedge clk) if ({slot} == 0) {name}_in_round <= {name}_begins;"
            yield from (f"  reg [{width - 1}:0] {name}_held{place};" for place in fresh)
            yield "  always @(posedge clk) begin"
            for place in fresh:
                chunk, lane = divmod(window.source[place], window.each)
                value = f"{name}_brought[{lane * width} +: {width}]"
                yield f"    if ({slot} == {chunk}) {name}_held{place} <= {value};"
            yield "  end"
        for place, (source, ahead) in enumerate(zip(window.source, window.ahead, strict=True)):
            value = f"{name}_kept{ahead}"
            if source >= 0:
                chunk, lane = divmod(source, window.each)
                value = f"{name}_brought[{lane * width} +: {width}]"
                value = f"{slot} == {chunk} ? {value} : {name}_held{place}" if interval > 1 else value
            yield f"  assign {name}_w{place} = {value};  // {window.places[place]}"
        yield f"  always @(posedge clk) if ({moves}) begin"
        yield from (f"    {name}_kept{place} <= {name}_w{place};" for place in kept)
        yield "  end"
        chunks = [self._chunk(port, number) for number in range(-(-port.size // port.chunk))]
        text = chunks[-1]
        for number in reversed(range(len(chunks) - 1)):
            text = f"{slot} == {number} ? {chunks[number]} :\n    {text}"
        yield f"  assign {name}_operands = {text};"

    @staticmethod
    def _chunk(port: ReadPort, number: int) -> str:
        """The elements of a chunk of all units; beyond the pattern's end is anything."""
        window = port.window
        assert window is not None, "a port with a window"
        names = []
        for pattern in window.patterns:
            own = pattern[number * port.chunk : (number + 1) * port.chunk]
            names += [f"{port.lanes}_w{place}" for place in own]
            names += [f"{port.width}'d0"] * (port.chunk - len(own))
        return "{" + ", ".join(reversed(names)) + "}"

    def _asked(self, task: TaskAgents, port: str) -> list[tuple[int, AccessPorts]]:
        """The reads of a port at places that data say, of all units: by unit."""
        own = [access for access in self.units[task.units.task].accesses if access.port == port]
        return [(unit, access) for unit in range(task.units.units) for access in own]

    def _lookups(self, task: TaskAgents, port: ReadPort) -> Iterator[str]:
        """A ROM for each two reads, which has a port for each."""
        memory, asked = port.lookup, self._asked(task, port.port)
        assert memory is not None, "a port with a lookup"
        assert memory.content is not None, "of a ROM"
        bits = address_bits(memory)
        own_module = f"{self.prefix}lookup_{memory.name}"
        self.beside.append(_lookup_module(own_module, memory, bits))
        for unit, access in asked:
            yield wire(self._access(task, unit, access.address), access.address_bits)
            yield wire(self._access(task, unit, access.data), memory.width)
        for first in range(0, len(asked), 2):
            pair = asked[first : first + 2]
            ports = [self._access(task, unit, access.address) for unit, access in pair]
            data = [self._access(task, unit, access.data) for unit, access in pair]
            wide = [f"{own}_wide" for own in ports]
            for own, narrow, (_, access) in zip(wide, ports, pair, strict=True):
                yield wire(own, bits)
                short = bits - access.address_bits
                value = f"{{{short}'d0, {narrow}}}" if short > 0 else f"{narrow}[{bits - 1}:0]"
                yield f"  assign {own} = {value};"
            yield f"  {own_module} #(.PORTS({len(pair)})) {memory.name}_{first // 2} ("
            yield f"    .clk(clk), .address({{{', '.join(reversed(wide))}}}), .data({{{', '.join(reversed(data))}}})"
            yield "  );"

    @staticmethod
    def _access(task: TaskAgents, unit: int, name: str) -> str:
        return f"{task.units.task}_unit{unit}_{name.replace('$', '_')}"

    def _unit(self, task: TaskAgents, unit: int, slot: str) -> Iterator[str]:
        connected = []
        for port in task.units.reads:
            bits = port.chunk * port.width
            net = f"{port.lanes}_operands[{unit * bits} +: {bits}]"
            if not port.lanes:
                net = "{" + ", ".join([f"{port.width}'h{port.constant or 0:x}"] * port.chunk) + "}"
            if port.port in self.units[task.units.task].buses:
                connected.append(f".{identifier(port.port)}({net})")
            for number, access in self._asked(task, port.port) if port.lookup is not None else ():
                if number == unit:
                    own = (access.address, access.data)
                    connected += [f".{name}({self._access(task, unit, name)})" for name in own]
        for written in task.units.writes:
            bits = written.chunk * written.width
            net = f"{written.lanes[0]}_data[{unit * bits} +: {bits}]"
            connected.append(f".{identifier(written.port)}({net})")
        module, wired = self.units[task.units.task].name, ", ".join(connected)
        yield f"  {module} {task.units.task}_unit{unit} (.clk(clk){slot}, {wired});"
        for written in task.units.writes:
            for other in written.lanes[1:] if unit == 0 else ():
                yield f"  assign {other}_data = {written.lanes[0]}_data;"

    # The port.

    def _engine(self, engine: EngineAgents) -> Iterator[str]:
        name, requests, passing, storing = engine.name, engine.requests.name, engine.passing.name, engine.storing.name
        loads = [own for own in engine.lanes if not own.write]
        stores = [own for own in engine.lanes if own.write]
        yield f"  // {name}: what passes to and from the external memory"
        yield f"  assign {name}_address = {requests}_at_word;"
        yield f"  assign {name}_words = {requests}_is_words;"
        yield f"  assign {name}_write = {requests}_is_write != 0;"
        yield f"  wire {name}_whole, {name}_pop;"
        most = self.outside.outstanding
        yield f"  engine #(.OUTSTANDING({most}), .COUNT({bits_of(most + 1)})) {name}_engine ("
        yield "    .clk(clk), .reset(reset),"
        yield f"    .asks({requests}_active && {requests}_is_asks != 0), .fence({requests}_is_fence != 0),"
        yield f"    .requests({name}_request), .requests_go({name}_requests_go),"
        yield f"    .active({passing}_active), .waits({passing}_is_waits != 0), .takes({passing}_is_takes != 0),"
        yield f"    .write({passing}_is_write != 0), .done({passing}_is_done != 0), .passing_go({name}_passing_go),"
        yield f"    .rvalid({name}_rvalid), .rready({name}_rready), .wready({name}_wready), .wvalid({name}_wvalid),"
        yield f"    .whole({name}_whole), .pop({name}_pop)"
        yield "  );"
        for own in loads:
            yield from self._load(name, passing, own)
        yield from self._queue(name, storing, stores)

    def _load(self, engine: str, passing: str, own: PortLanes) -> Iterator[str]:
        """The data of a local word: where they lie in the word of the external memory."""
        memory, lanes = self._lanes(own.name)
        part = 8 * own.bytes * lanes
        yield wire(f"{own.name}_writes", lanes)
        yield f"  assign {own.name}_writes = {own.name}_valid & {{{lanes}{{{engine}_passing_go}}}};"
        source = f"{engine}_rdata"
        if part < self.outside.word_bits:
            yield f"  wire [{part - 1}:0] {own.name}_part = {engine}_rdata[{passing}_is_part*{part} +: {part}];"
            source = f"{own.name}_part"
        for lane in range(lanes):
            at, low = f"[{lane * memory.width} +: {memory.width}]", lane * 8 * own.bytes
            yield f"  assign {own.name}_data{at} = {source}[{low} +: {memory.width}];"

    def _queue(self, engine: str, storing: str, stores: Sequence[PortLanes]) -> Iterator[str]:
        """What is stored: read ahead of time, put together to words, and kept until these pass."""
        word, count = self.outside.word_bits, self.outside.word_bits // 8
        if not stores:
            yield f"  assign {engine}_room = 1'b1;"
            yield f"  assign {engine}_whole = 1'b0;"
            yield f"  assign {engine}_wdata = 0;"
            yield f"  assign {engine}_wstrobe = 0;"
            return
        bits = max(bits_of(self._part_count(own)) for own in stores)
        yield f"  reg {storing}_add_once, {storing}_add, {storing}_last_once, {storing}_last;"
        yield f"  reg [{bits - 1}:0] {storing}_part_once, {storing}_part;"
        yield "  always @(posedge clk) begin"
        yield f"    {storing}_add_once <= {storing}_active && {engine}_room;"
        yield f"    {storing}_add <= {storing}_add_once;"
        yield f"    {storing}_last_once <= {storing}_is_whole;"
        yield f"    {storing}_last <= {storing}_last_once;"
        yield f"    {storing}_part_once <= {storing}_is_part;"
        yield f"    {storing}_part <= {storing}_part_once;"
        yield "  end"
        data, strobes = list[str](), list[str]()
        for own in stores:
            yield from self._stored(storing, own)
            data.append(f"{own.name}_word")
            strobes.append(f"{own.name}_strobe")
        yield f"  word_queue #(.WIDTH({word}), .BYTES({count})) {engine}_queue ("
        yield f"    .clk(clk), .reset(reset), .add({storing}_add),"
        yield f"    .data({' | '.join(data)}), .bytes({' | '.join(strobes)}),"
        yield f"    .last({storing}_last), .room({engine}_room), .whole({engine}_whole), .word({engine}_wdata),"
        yield f"    .strobe({engine}_wstrobe), .pop({engine}_pop)"
        yield "  );"

    def _part_count(self, own: PortLanes) -> int:
        return self.outside.word_bits // (8 * own.bytes * own.lanes)

    def _stored(self, storing: str, own: PortLanes) -> Iterator[str]:
        memory, lanes = self._lanes(own.name)
        word, size, parts = self.outside.word_bits, 8 * own.bytes, self._part_count(own)
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
                fill = f"{own.name}_data[{low + width - 1}]" if own.array in self.signed else "1'b0"
                value = f"{{{{{size - width}{{{fill}}}}}, {value}}}"
            there = f"{own.name}_twice[{lane}]"
            yield f"  assign {own.name}_bits[{lane * size} +: {size}] = {there} ? {value} : {size}'d0;"
            yield f"  assign {own.name}_bytes[{lane * own.bytes} +: {own.bytes}] = {{{own.bytes}{{{there}}}}};"
        shift = f" << ({storing}_part * {size * lanes})" if parts > 1 else ""
        moved = f" << ({storing}_part * {own.bytes * lanes})" if parts > 1 else ""
        yield f"  wire [{word - 1}:0] {own.name}_word = {{{word}'d0 | {own.name}_bits}}{shift};"
        yield f"  wire [{word // 8 - 1}:0] {own.name}_strobe = {{{word // 8}'d0 | {own.name}_bytes}}{moved};"


def _content(words: Sequence[int], width: int) -> str:
    """The words of a ROM as one number, the first one lowest."""
    value = sum(word << number * width for number, word in enumerate(words))
    return f"{len(words) * width}'h{value:x}"


def _lookup_module(name: str, memory: Memory, bits: int) -> str:
    """A ROM read at places that data say: through each port a word, two cycles after its address."""
    assert memory.content is not None, "a ROM"
    width = memory.width
    words = [f"    words[{at}] = {width}'h{word:x};" for at, word in enumerate(memory.content)]
    return "\n".join(
        [
            f"module {name} #(parameter PORTS = 1) (",
            "  input wire clk,",
            f"  input wire [PORTS*{bits}-1:0] address,",
            f"  output reg [PORTS*{width}-1:0] data",
            ");",
            f"  reg [{width - 1}:0] words [0:{memory.depth - 1}];",
            f"  reg [PORTS*{bits}-1:0] from;",
            "  integer port;",
            "  initial begin",
            *words,
            "  end",
            "  always @(posedge clk) begin",
            "    from <= address;",
            "    for (port = 0; port < PORTS; port = port + 1)",
            f"      data[port*{width} +: {width}] <= words[from[port*{bits} +: {bits}]];",
            "  end",
            "endmodule",
            "",
        ]
    )
