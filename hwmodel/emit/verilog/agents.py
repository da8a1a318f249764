"""An agent as a Verilog module: its program, and the counters that give the words that its lanes access.

The module walks its program, a row in each cycle. After the last row of a step it rests until all agents `advance`.
`active` says that it has a row in this cycle; the outputs for lanes and controls are those of the row.

An agent is through with a step from its last row on. One of the port may have to wait: it stays at its row until it may
`go`, and says in the same cycle whether it is through (`fin`). All others never wait, and say so a cycle ahead: whether
they will be through in the next cycle if agents advance in this one (`fin_where`), and if they do not (`fin_not`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from hwmodel.emit.schedule.activity import Agent, Counter, LaneCounters, PlaceCounters
from hwmodel.emit.schedule.memories import Memory
from hwmodel.emit.schedule.names import column_names
from hwmodel.emit.schedule.program import Instruction


def bits_of(count: int) -> int:
    """The bits of a number below `count`, 1 at least."""
    return max(1, (count - 1).bit_length())


def code_bits(memory: Memory) -> int:
    """The bits of the code of a bank: its digits side by side."""
    return max(1, sum(bits_of(modulus) for modulus in memory.moduli))


def codes(memory: Memory) -> list[int]:
    """The code of each bank: its digits side by side, the last one in the lowest bits."""
    found = []
    for bank in range(memory.banks):
        code, rest, shift = 0, bank, 0
        for modulus in reversed(memory.moduli):
            code |= rest % modulus << shift
            rest, shift = rest // modulus, shift + bits_of(modulus)
        found.append(code)
    return found


def address_bits(memory: Memory) -> int:
    """The bits of an address in a bank."""
    return bits_of(memory.depth)


@dataclass(frozen=True)
class ModulePort:
    """A port of a module, `bits` wide."""

    name: str
    bits: int
    output: bool = True

    def declared(self) -> str:
        """Its line in the head of the module."""
        side = "output" if self.output else "input"
        width = f"[{self.bits - 1}:0] " if self.bits > 1 else ""
        return f"  {side} wire {width}{self.name}"


def lane_ports(name: str, memory: Memory, lanes: int) -> tuple[ModulePort, ModulePort, ModulePort]:
    """The ports that say which words some lanes access: whether each does, the codes of banks, and addresses."""
    return (
        ModulePort(f"{name}_valid", lanes),
        ModulePort(f"{name}_bank", lanes * code_bits(memory)),
        ModulePort(f"{name}_address", lanes * address_bits(memory)),
    )


def ports_of(agent: Agent) -> list[ModulePort]:
    """The outputs of an agent's module beside `active` and `fin`."""
    found = [port for name, lanes in agent.lanes.items() for port in lane_ports(name, agent.memories[name], len(lanes))]
    found += [ModulePort(f"is_{name}", bits_of(agent.limits[column])) for name, column in agent.controls.items()]
    found += [ModulePort(f"at_{name}", bits_of(own.counters[0].modulus)) for name, own in agent.places.items()]
    return found


AHEAD = ("fin_where", "fin_not")  # outputs of agents that never wait


def agent_module(agent: Agent, prefix: str, comment: str, *, waits: bool) -> str:
    """The module of an agent, by its name after a prefix; those of a port wait."""
    return _Printer(agent, waits).module(f"{prefix}{agent.name}", comment)


def ends_at_once(agent: Agent) -> bool:
    """Whether its first row of a frame is the last one of its step."""
    program = agent.program
    return agent.columns[program.instructions[0].symbol][agent.last] != 0


@dataclass
class _Printer:
    agent: Agent
    waits: bool
    counters: dict[Counter, str] = field(default_factory=dict)
    assigned: list[str] = field(default_factory=list)

    def module(self, name: str, comment: str) -> str:
        agent = self.agent
        for own, lanes in agent.lanes.items():
            self._lanes(own, lanes)
        for own, column in agent.controls.items():
            self.assigned.append(f"  assign is_{own} = {self._column(column)};")
        for name_of_place, place in agent.places.items():
            self.assigned.append(f"  assign at_{name_of_place} = {self._place(place)};")
        ports = [port.declared() for port in ports_of(agent)]
        going, ends = (("go",), ("fin",)) if self.waits else ((), AHEAD)
        inputs = [f"  input wire {name}" for name in ("clk", "reset", "run", *going, "advance")]
        outputs = [f"  output wire {name}" for name in ("active", *ends)]
        lines = [f"// {line}" for line in comment.splitlines()]
        lines += [f"module {name} (", ",\n".join([*inputs, *outputs, *ports]), ");"]
        lines += [*self._word(), *self._walk(), *self._counting(), *self.assigned, "endmodule", ""]
        return "\n".join(lines)

    # The row: numbers that the instruction says.

    def _width(self, column: int) -> int:
        return bits_of(self.agent.limits[column])

    def _column(self, column: int) -> str:
        return self.names[column]

    @cached_property
    def names(self) -> dict[int, str]:
        return {column: f"row_{name}" for column, name in column_names(self.agent).items()}

    @cached_property
    def cycle_bits(self) -> int:
        """Bits that the cycles of any instruction take."""
        return bits_of(max(own.cycles for own in self.agent.program.instructions))

    def _word(self) -> Iterator[str]:
        """The instructions: how many cycles each takes beside its first, and the numbers of its columns."""
        agent, program = self.agent, self.agent.program
        fields = [("cycles", self.cycle_bits)]
        fields += [(self._column(column), self._width(column)) for column in range(len(agent.limits))]
        last = len(program.instructions) - 1
        yield f"  reg [{bits_of(last + 1) - 1}:0] at, pc;  // the next instruction, and the one behind it"
        yield f"  reg [{fields[0][1] - 1}:0] cycle, cycles;  // the next one of the row that is there, and its last one"
        yield "  // The row: whether it ends a step, which lanes touch a word, and by how much counters go ahead."
        yield from (f"  reg [{width - 1}:0] {name};" for name, width in fields[1:])
        yield f"  reg [{sum(width for _, width in fields) - 1}:0] next;  // what instruction `at` says of these"
        yield "  reg [1:0] soon;  // of instruction `pc`: whether it ends a step, and takes one cycle"
        yield from self._table("at", "next", self._numbers)
        yield from self._table("pc", "soon", self._soon)

    def _table(self, index: str, name: str, say: Callable[[int], str]) -> Iterator[str]:
        last = len(self.agent.program.instructions) - 1
        yield "  always @*"
        yield '    (* rom_style = "logic" *)'
        yield f"    case ({index})"
        for number in range(last + 1):
            yield f"      {'default' if number == last else number}: {name} = {say(number)};"
        yield "    endcase"

    def _numbers(self, number: int) -> str:
        """The cycles of an instruction after its first, and the numbers of its columns, side by side."""
        own = self.agent.program.instructions[number]
        numbers = [f"{self.cycle_bits}'d{own.cycles - 1}"]
        columns = enumerate(self.agent.columns[own.symbol])
        return "{" + ", ".join([*numbers, *(f"{self._width(column)}'d{value}" for column, value in columns)]) + "}"

    def _soon(self, number: int) -> str:
        """Two bits of an instruction: whether it ends a step, and whether it takes one cycle only."""
        own = self.agent.program.instructions[number]
        return f"2'b{int(self.agent.columns[own.symbol][self.agent.last] != 0)}{int(own.cycles == 1)}"

    # The walk through the program looks two instructions ahead: the row is the present instruction, `at` is the one
    # after it, and `pc` and the loops belong to the one after that. The row is copied from `next` as a whole, so that
    # yosys takes the row, and not `at`, for the register of the table.

    def _walk(self) -> Iterator[str]:
        row = "{" + ", ".join(["cycles", *(self._column(column) for column in range(len(self.agent.limits)))]) + "}"
        yield "  reg rests;"
        yield "  reg is_last;  // it is the last cycle of the row"
        yield "  reg next_ends, next_is_one;  // of instruction `at`: whether it ends a step, and takes one cycle"
        for depth, times in enumerate(self.agent.program.times):
            yield f"  reg [{bits_of(times) - 1}:0] loop{depth};"
        yield "  assign active = run && !rests;"
        yield f"  wire done = active{' && go' if self.waits else ''};"
        yield "  wire fetch = done && is_last;"
        yield from self._ends(self._column(self.agent.last))
        yield "  always @(posedge clk)"
        yield "    if (reset) begin"
        yield from self._beginning(row)
        yield "    end else begin"
        yield "      rests <= through && !advance;"
        yield "      if (fetch) begin"
        yield from self._fetching(row)
        yield "      end else if (done) begin"
        yield "        cycle <= cycle + 1'b1;"
        yield "        is_last <= cycle == cycles;"
        yield "      end"
        yield "    end"

    def _beginning(self, row: str) -> Iterator[str]:
        """The values of all registers in the first row."""
        (behind, _), (two, counters) = self._reached(1), self._reached(2)
        yield f"      {row} <= {self._numbers(0)};"
        yield "      cycle <= 1;"
        yield f"      is_last <= 1'b{int(self.agent.program.instructions[0].cycles == 1)};"
        yield "      rests <= 1'b0;"
        yield f"      at <= {behind};"
        yield f"      {{next_ends, next_is_one}} <= {self._soon(behind)};"
        yield f"      pc <= {two};"
        for depth, count in enumerate(counters):
            yield f"      loop{depth} <= {count};"

    def _fetching(self, row: str) -> Iterator[str]:
        """The next instruction becomes the row, and those after it move up."""
        program = self.agent.program
        last = len(program.instructions) - 1
        yield f"        {row} <= next;"
        yield "        cycle <= 1;"
        yield "        is_last <= next_is_one;"
        yield "        at <= pc;"
        yield "        {next_ends, next_is_one} <= soon;"
        yield "        case (pc)"
        for number, own in enumerate(program.instructions):
            if own.ends or number == last:
                yield f"          {number}: {self._next(own, program.again if number == last else number + 1)}"
        yield "          default: pc <= pc + 1'b1;"
        yield "        endcase"

    def _ends(self, ends: str) -> Iterator[str]:
        """When the agent is through with a step; `ends` is the row's last column."""
        if self.waits:
            yield f"  wire through = rests || (done && {ends});"
            yield "  assign fin = through;"
            return
        yield f"  wire through = rests || (run && {ends});"
        yield f"  wire behind = is_last ? next_ends : {ends};  // the row behind this one ends a step"
        yield f"  assign fin_where = rests ? {ends} : behind;"
        yield f"  assign fin_not = rests || {ends} || behind;"

    def _reached(self, count: int) -> tuple[int, list[int]]:
        """The instruction that is `count` after the first, and the counters of loops there."""
        program, at = self.agent.program, 0
        counters = [0] * program.depth
        for _ in range(count):
            own = program.instructions[at]
            at = at + 1 if at + 1 < len(program.instructions) else program.again
            for loop in own.ends:
                counters[loop.depth] = (counters[loop.depth] + 1) % loop.times
                if counters[loop.depth]:
                    at = loop.start
                    break
        return at, counters

    def _next(self, own: Instruction, after: int) -> str:
        text, ended = "", ""
        for loop in own.ends:
            counter = f"loop{loop.depth}"
            again = f"{counter} <= {counter} + 1'b1; pc <= {loop.start};{ended}"
            text += f"if ({counter} != {loop.times - 1}) begin {again} end else "
            ended += f" {counter} <= 0;"
        return f"{text}begin pc <= {after};{ended} end"

    # Counters of lanes.

    def _counter(self, counter: Counter) -> str:
        """The name of a counter, or the number of one that never moves."""
        if self.agent.limits[counter.column] == 1:
            return f"{bits_of(counter.modulus)}'d{counter.initial}"
        return self.counters.setdefault(counter, f"k{len(self.counters)}")

    def _counting(self) -> Iterator[str]:
        if not self.counters:
            return
        for counter, name in self.counters.items():
            bits = bits_of(counter.modulus)
            yield f"  reg [{bits - 1}:0] {name};  // below {counter.modulus}"
            yield f"  wire [{bits}:0] {name}_next = {name} + {self._column(counter.column)};"
        yield "  always @(posedge clk)"
        yield "    if (reset) begin"
        yield from (f"      {name} <= {counter.initial};" for counter, name in self.counters.items())
        yield "    end else if (done) begin"
        for counter, name in self.counters.items():
            if counter.modulus == 1 << bits_of(counter.modulus):
                yield f"      {name} <= {name}_next;"
            else:
                text = f"{name}_next >= {counter.modulus} ? {name}_next - {counter.modulus} : {name}_next"
                yield f"      {name} <= {text};"
        yield "    end"

    def _place(self, place: PlaceCounters) -> str:
        """The value of the counter that has a number in the row."""
        *others, chosen = map(self._counter, place.counters)
        if place.which is not None:
            for number, text in reversed(list(enumerate(others))):
                chosen = f"{self._column(place.which)} == {number} ? {text} : {chosen}"
        return chosen

    def _lanes(self, name: str, lanes: tuple[LaneCounters, ...]) -> None:
        memory = self.agent.memories[name]
        valid, bank, address = lane_ports(name, memory, len(lanes))
        for port, own in (
            (valid, [f"{self._column(lane.valid)} != 0" for lane in lanes]),
            (bank, [self._bank(lane) for lane in lanes]),
            (address, [self._address(memory, lane) for lane in lanes]),
        ):
            texts = [f"active && {text}" if port is valid else text for text in own]
            self._vector(port.name, texts, port.bits // len(lanes))

    def _vector(self, name: str, texts: list[str], bits: int) -> None:
        for number, text in enumerate(texts):
            where = f"[{number * bits} +: {bits}]" if len(texts) > 1 or bits > 1 else ""
            self.assigned.append(f"  assign {name}{where} = {text};")

    def _bank(self, lane: LaneCounters) -> str:
        digits = [self._counter(digit) for digit in lane.digits]
        return "{" + ", ".join(digits) + "}" if digits else "1'd0"

    def _address(self, memory: Memory, lane: LaneCounters) -> str:
        bits = address_bits(memory)
        texts = dict[int, str]()
        for number, (counter, section) in enumerate(zip(lane.sections, memory.sections, strict=True)):
            if counter is not None:
                own = self._counter(counter)
                texts[number] = f"{bits}'d{section.base} + {own}" if section.base else own
        if not texts:
            return f"{bits}'d0"
        *others, last = texts
        chosen = texts[last]
        for number in reversed(others):
            assert lane.section is not None, "a lane in several sections says in which"
            chosen = f"{self._column(lane.section)} == {number} ? {texts[number]} : {chosen}"
        return chosen
