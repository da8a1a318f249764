"""A loop in C++ whose rounds a program tells: its tables, its counters, and where lanes touch memories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from hwmodel.emit.c.lines import indented
from hwmodel.emit.hls.names import unsigned_type
from hwmodel.emit.schedule.activity import Agent, Counter, LaneCounters
from hwmodel.emit.schedule.memories import Memory
from hwmodel.emit.schedule.names import column_names
from hwmodel.emit.schedule.program import Program

NESTED = 40  # instructions of a program of which the loops are also written as people write them


@dataclass
class Walk:
    """The loop of an agent, whose tables and types end with a name."""

    agent: Agent
    name: str
    counters: dict[Counter, str] = field(default_factory=dict)

    # Tables.

    def tables(self) -> Iterator[str]:
        """The rows, the program that says which of them each round takes, and its loops."""
        agent, program = self.agent, self.agent.program
        members = [column for column, limit in enumerate(agent.limits) if limit > 1]
        rows, name = len(agent.columns), self.name
        yield from _nest(program)
        yield f"struct row_of_{name} {{"
        yield from (f"  {unsigned_type(agent.limits[column])} {self.columns[column]};" for column in members)
        yield "};"
        yield f"static const row_of_{name} rows_of_{name}[{rows}] = {{"
        yield from (f"  {{{', '.join(str(row[column]) for column in members)}}}," for row in agent.columns)
        yield "};"
        loops = list[str]()
        yield f"static const instruction program_of_{name}[{len(program.instructions)}] = {{"
        for own in program.instructions:
            yield f"  {{{own.symbol}, {own.cycles}, {len(loops)}, {len(loops) + len(own.ends)}}},"
            loops += [f"{{{loop.start}, {loop.times}, {loop.depth}}}" for loop in own.ends]
        yield "};"
        loops = loops or ["{0, 1, 0}"]
        yield f"static const loop loops_of_{name}[{len(loops)}] = {{{', '.join(loops)}}};"

    @cached_property
    def columns(self) -> dict[int, str]:
        """The members of a row by column."""
        names = dict[int, str]()
        for column, text in column_names(self.agent).items():
            own = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in text)
            while own in names.values():
                own += "_"
            names[column] = own
        return names

    def column(self, column: int) -> str:
        """A number of the row of this round."""
        return f"row.{self.columns[column]}" if self.agent.limits[column] > 1 else "0"

    def control(self, name: str) -> str:
        """A control of the row."""
        return self.column(self.agent.controls[name])

    # The loop.

    def round_loop(self, interval: int, body: Sequence[str]) -> Iterator[str]:
        """The loop over the rounds of a step, of which one begins every interval, and the state that it keeps."""
        yield from self.state()
        yield "bool ends = false;"
        yield "for (int round = 0; !ends; ++round) {"
        yield f"#pragma HLS PIPELINE II = {interval}"
        yield from indented([self.row(), *body, *self.advance(f"ends = {self.column(self.agent.last)};")])
        yield "  (void)round;"
        yield "}"

    def state(self) -> Iterator[str]:
        """What it keeps from round to round; counters are known once all lanes are written."""
        yield f"static walk<{max(1, self.agent.program.depth)}> program;"
        for counter, own in self.counters.items():
            bits = max(1, (counter.modulus - 1).bit_length())
            yield f"static ap_uint<{bits}> {own} = {counter.initial};  // below {counter.modulus}"

    def row(self) -> str:
        """The row of this round."""
        return f"const row_of_{self.name} &row = rows_of_{self.name}[program_of_{self.name}[program.at].row];"

    def advance(self, *before: str) -> Iterator[str]:
        """The counters and the program go on to the next round; some lines come between them."""
        name, program = self.name, self.agent.program
        for counter, own in self.counters.items():
            yield f"{own} = turned({own}, {self.column(counter.column)}, {counter.modulus});"
        yield from before
        yield f"program.next(program_of_{name}, {len(program.instructions)}, {program.again}, loops_of_{name});"

    # Lanes.

    def counter(self, counter: Counter) -> str:
        """The name of a counter; of one that never moves its number."""
        if self.agent.limits[counter.column] == 1:
            return str(counter.initial)
        return self.counters.setdefault(counter, f"k{len(self.counters)}")

    def bank(self, lane: LaneCounters) -> str:
        """The bank that a lane touches, as subscripts: a digit each."""
        return "".join(f"[{self.counter(digit)}]" for digit in lane.digits)

    def place(self, memory: Memory, lane: LaneCounters, base: str = "") -> str:
        """The word that a lane touches, as subscripts; `base` is where the words of a frame begin."""
        texts = dict[int, str]()
        for number, (counter, section) in enumerate(zip(lane.sections, memory.sections, strict=True)):
            if counter is not None:
                own = self.counter(counter)
                texts[number] = f"{section.base} + {own}" if section.base else own
        *others, last = texts or {0: "0"}
        chosen = f"unsigned({texts[last]})" if others else texts.get(last, "0")
        for number in reversed(others):
            assert lane.section is not None, "a lane in several sections says in which"
            chosen = f"{self.column(lane.section)} == {number} ? unsigned({texts[number]}) : {chosen}"
        return f"{self.bank(lane)}[{f'{base} + {chosen}' if base else chosen}]"


def _nest(program: Program) -> Iterator[str]:
    """The loops of a short program as a comment."""
    if len(program.instructions) > NESTED:
        return
    opened = dict[int, list[int]]()
    for own in program.instructions:
        for loop in own.ends:
            opened.setdefault(loop.start, []).append(loop.times)
    depth = 0
    for number, own in enumerate(program.instructions):
        for times in reversed(opened.get(number, [])):  # the outermost ends last
            yield f"// {'  ' * depth}{times} times:"
            depth += 1
        yield f"// {'  ' * depth}row {own.symbol}{f', {own.cycles} rounds' if own.cycles > 1 else ''}"
        depth -= len(own.ends)
