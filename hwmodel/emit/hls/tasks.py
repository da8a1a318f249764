"""A task in C++: a loop of which each round reads operands, calls the body for each unit, and writes results."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby

import numpy as np

from arrayol.ir.spec import Elementary, Port, port_named
from arrayol.ir.types import ElementType
from hwmodel.emit.c.helpers import c_type
from hwmodel.emit.c.lines import block, declared, element, loops
from hwmodel.emit.c.names import Named
from hwmodel.emit.c.tasks import call_of, sizes, zero
from hwmodel.emit.hls.names import Thing, value_of_bits
from hwmodel.emit.hls.rounds import TaskRounds, read_cycles, round_of, starts_of, write_cycles
from hwmodel.emit.hls.walks import Walk
from hwmodel.emit.schedule.activity import LaneCounters
from hwmodel.emit.schedule.delays import KEEPING, control_of
from hwmodel.emit.schedule.memories import Memory
from hwmodel.emit.schedule.units import ReadPort, WritePort

# The numbers of the step, and of the frame where states need it.
CLOCK = {"step": "int64_t step", "frame": "unsigned frame"}


@dataclass(frozen=True)
class _Streamed:
    """A line that reads or writes a stream, in a cycle counted from the beginning of its round."""

    cycle: int
    line: str


@dataclass
class TaskText:
    """The loop of a task: its rounds, its elementary, and the names of memories, streams and ROMs by memory.

    `clock` names those of `CLOCK` that it is told. A frame has so many `steps`, after a `setup` of steps before all.
    """

    rounds: TaskRounds
    elementary: Elementary
    things: Mapping[str, str]
    name: str
    clock: Sequence[str]
    steps: int
    setup: int
    walk: Walk = field(init=False)

    def __post_init__(self) -> None:
        self.walk = Walk(self.rounds.agent, self.name)

    def function(self, parameters: Sequence[str]) -> Iterator[str]:
        """The tables and the function of the task."""
        units = self.rounds.units
        ports = (*self.elementary.inputs, *self.elementary.outputs)
        body = [line for port in ports for line in self._declared(port)]
        body += [line for port in units.reads for line in self._window(port)]
        body += self._operands()
        body += _guarded((self.walk.control(starts_of(unit)), self._computed(unit)) for unit in range(units.units))
        body += self._results()
        body += [line for port in units.reads for line in self._moved(port)]
        yield from self.walk.tables()
        lines = [*self._kept(), *self._tables(), *self.walk.round_loop(units.interval, body)]
        head = f"static void {Thing.TASK}_{self.name}({', '.join([*(CLOCK[own] for own in self.clock), *parameters])})"
        yield from block(head, [*(f"(void){own};" for own in self.clock), *lines])

    # State and variables.

    def _kept(self) -> Iterator[str]:
        """What stays from round to round beside programs: windows, and states of delays that units keep."""
        units = self.rounds.units
        for port in units.reads:
            if port.window is not None:
                own = port_named(self.elementary.inputs, port.port)
                yield f"static {c_type(own.type)} kept_{self._plain(port)}[{len(port.window.places)}];"
                yield f"#pragma HLS ARRAY_PARTITION variable = kept_{self._plain(port)} complete dim = 0"
        for _, name in units.kept:
            own = port_named(self.elementary.inputs, name)
            state = Named.KEPT.of(name)
            yield f"static {declared(state, own.type, (units.units, *(sizes(own.shape) or (1,))))};"
            yield f"#pragma HLS ARRAY_PARTITION variable = {state} complete dim = 0"

    def _tables(self) -> Iterator[str]:
        """Tables that come while frames do: when its first repetition needs a table, all of it is in its memory."""
        for port, own, memory in self._written_tables():
            shape, name = sizes(port.shape) or (1,), Named.PATTERN.of(port.name)
            yield f"static {declared(name, port.type, shape)};"
            at = [f"at{axis}" for axis in range(len(shape))]
            number = " + ".join(
                f"{math.prod(shape[axis + 1 :])} * {place}" if axis < len(shape) - 1 else place
                for axis, place in enumerate(at)
            )
            value = f"{self.things[memory.name]}{_place(memory)}"
            word = f"number % {memory.banks} * {memory.depth} + number / {memory.banks}"
            if own.words:
                yield f"static const int64_t words_{name}[{own.size}] = {{{', '.join(map(str, own.words))}}};"
                word = f"words_{name}[number]"
            copied = ["#pragma HLS PIPELINE", f"const int64_t number = {number};", f"const int64_t word = {word};"]
            copied.append(f"{element(name, at)} = {value};")
            step = f"(step - {self.setup})" if self.setup else "step"
            yield from block(f"if ({step} % {self.steps} == {self.rounds.first})", loops(at, shape, copied))

    def _written_tables(self) -> Iterator[tuple[Port, ReadPort, Memory]]:
        """The inputs that are looked up in memories that are written, and these."""
        for port in self.rounds.units.reads:
            if port.lookup is not None and port.lookup.content is None:
                yield port_named(self.elementary.inputs, port.port), port, port.lookup

    def _declared(self, port: Port) -> Iterator[str]:
        name = Named.PATTERN.of(port.name)
        if self._lookup(port.name) is not None:
            return
        shape = (self.rounds.units.units, *(sizes(port.shape) or (1,)))
        yield f"{declared(name, port.type, shape)} = {{}};"
        yield f"#pragma HLS ARRAY_PARTITION variable = {name} complete dim = 0"

    def _lookup(self, port: str) -> Memory | None:
        return next((own.lookup for own in self.rounds.units.reads if own.port == port), None)

    @staticmethod
    def _plain(port: ReadPort) -> str:
        return Named.PATTERN.of(port.port)

    def _element(self, port: Port, unit: int, number: int) -> str:
        """An element of the pattern of a unit."""
        shape = sizes(port.shape)
        at = [str(place) for place in np.unravel_index(number, shape)] if shape else ["0"]
        return element(Named.PATTERN.of(port.name), [str(unit), *at])

    # Operands.

    def _operands(self) -> Iterator[str]:
        """What is read of memories, and then of streams, in the order of their cycles."""
        streamed, own_lines = list[_Streamed](), list[tuple[str, list[str]]]()
        for unit in range(self.rounds.units.units):
            lines = list[str]()
            for port in self.rounds.units.reads:
                own = port_named(self.elementary.inputs, port.port)
                for number in range(port.size) if port.lookup is None else ():
                    line = f"{self._element(own, unit, number)} = {self._operand(port, own.type, unit, number)};"
                    if self._is_stream(port):
                        begins = f"if ({self.walk.control(starts_of(unit))}) "
                        streamed.append(_Streamed(read_cycles(port)[number], begins + line))
                    else:
                        lines.append(line)
            own_lines.append((self.walk.control(starts_of(unit)), lines))
        yield from _guarded(own_lines)
        yield from self._in_turn(streamed, 0)

    def _is_stream(self, port: ReadPort) -> bool:
        return bool(port.lanes) and self.walk.agent.memories[port.lanes].fifo

    def _in_turn(self, streamed: Sequence[_Streamed], latency: int) -> Iterator[str]:
        """Reads or writes of streams cycle by cycle, for which g++ tells streams the time."""
        cycle = None
        for own in sorted(streamed, key=lambda each: each.cycle):
            if own.cycle != cycle:
                cycle = own.cycle
                begins = "round" if self.rounds.units.interval == 1 else f"{self.rounds.units.interval} * round"
                behind = latency + cycle
                yield f"cycle_is(step, {begins}{f' + {behind}' if behind else ''});"
            yield own.line

    def _operand(self, port: ReadPort, kind: ElementType, unit: int, number: int) -> str:
        """An element that a unit reads."""
        if port.built_in:
            return value_of_bits(port.built_in[number], kind)
        if port.window is not None:
            text = f"window_{self._plain(port)}[{port.window.patterns[unit][number]}]"
        else:
            text = self._brought(port, kind, unit * port.size + number, self.walk.control(starts_of(unit)))
        for _, name in self.rounds.units.kept:
            if name == port.port:
                own = port_named(self.elementary.inputs, name)
                kept = self._element(own, unit, number).replace(Named.PATTERN.of(name), Named.KEPT.of(name), 1)
                keeps = f"{self.walk.control(control_of('keeps', unit))} >> {unit % KEEPING} & 1"
                text = f"{keeps} ? {kept} : {_bracketed(text)}"
        return text

    def _brought(self, port: ReadPort, kind: ElementType, lane: int, known: str) -> str:
        """What a lane brings, where nothing is touched what stands in its place; `known` holds already."""
        otherwise = zero(kind) if port.constant is None else value_of_bits(port.constant, kind)
        if port.otherwise is not None:
            otherwise = self._brought(port.otherwise, kind, lane, known)
        if not port.lanes:
            return otherwise
        own = self.walk.agent.lanes[port.lanes][lane]
        valid = self.walk.column(own.valid)
        if valid == "0":
            return otherwise
        if port.later:
            valid = f"frame >= {port.later} && {valid}"
        value = self._read(self.walk.agent.memories[port.lanes], own)
        return value if valid == known else f"{valid} ? {c_type(kind)}({value}) : {_bracketed(otherwise)}"

    def _read(self, memory: Memory, lane: LaneCounters) -> str:
        name = self.things[memory.name]
        if memory.fifo:
            return f"{name}{self.walk.bank(lane) or '[0]'}.read()"
        return f"{name}{self.walk.place(memory, lane, _part(memory, int(memory.reads_next)))}"

    def _window(self, port: ReadPort) -> Iterator[str]:
        """The places of a window in this round: fresh ones, and those that were read before."""
        if port.window is None:
            return
        own, name = port_named(self.elementary.inputs, port.port), self._plain(port)
        yield f"{c_type(own.type)} window_{name}[{len(port.window.places)}] = {{}};"
        yield f"#pragma HLS ARRAY_PARTITION variable = window_{name} complete dim = 0"
        moves, lines = self.walk.control(round_of(port.lanes)), list[str]()
        for place, (source, ahead) in enumerate(zip(port.window.source, port.window.ahead, strict=True)):
            value = f"kept_{name}[{ahead}]" if source < 0 else self._brought(port, own.type, source, moves)
            lines.append(f"window_{name}[{place}] = {value};  // {port.window.places[place]}")
        yield from block(f"if ({moves})", lines)

    def _moved(self, port: ReadPort) -> Iterator[str]:
        """The places that the next round of a window reads again."""
        if port.window is None:
            return
        name = self._plain(port)
        kept = sorted({ahead for ahead in port.window.ahead if ahead >= 0})
        lines = [f"kept_{name}[{place}] = window_{name}[{place}];" for place in kept]
        yield from block(f"if ({self.walk.control(round_of(port.lanes))})", lines) if lines else ()

    # Bodies and results.

    def _computed(self, unit: int) -> list[str]:
        inputs = [self._argument(port, unit) for port in self.elementary.inputs]
        outputs = [f"{Named.PATTERN.of(port.name)}[{unit}]" for port in self.elementary.outputs]
        lines = [call_of(Named.DO.of(self.elementary.name), self.elementary, inputs, outputs, ())]
        for made, name in self.rounds.units.kept:
            state = f"{Named.KEPT.of(name)}[{unit}]"
            lines.append(f"memcpy({state}, {Named.PATTERN.of(made)}[{unit}], sizeof {state});")
        return lines

    def _argument(self, port: Port, unit: int) -> str:
        lookup = self._lookup(port.name)
        if lookup is not None:
            return self.things[lookup.name] if lookup.content is not None else Named.PATTERN.of(port.name)
        return f"{Named.PATTERN.of(port.name)}[{unit}]"

    def _results(self) -> Iterator[str]:
        units, streamed, own_lines = self.rounds.units, list[_Streamed](), list[tuple[str, list[str]]]()
        for unit in range(units.units):
            lines = list[str]()
            for port in units.writes:
                own = port_named(self.elementary.outputs, port.port)
                for lanes in port.lanes:
                    memory = self.walk.agent.memories[lanes]
                    for number, line in self._written(port, own, lanes, unit):
                        if memory.fifo:
                            cycle = write_cycles(port.size, units.interval)[number]
                            streamed.append(_Streamed(cycle, f"if ({self.walk.control(starts_of(unit))}) {line}"))
                        else:
                            lines.append(line)
            own_lines.append((self.walk.control(starts_of(unit)), lines))
        yield from _guarded(own_lines)
        yield from self._in_turn(streamed, units.latency)

    def _written(self, port: WritePort, own: Port, lanes: str, unit: int) -> Iterator[tuple[int, str]]:
        memory, starts = self.walk.agent.memories[lanes], self.walk.control(starts_of(unit))
        for number in range(port.size):
            lane = self.walk.agent.lanes[lanes][unit * port.size + number]
            valid, value = self.walk.column(lane.valid), self._element(own, unit, number)
            if valid == "0":
                continue
            name, when = self.things[memory.name], "" if valid == starts else f"if ({valid}) "
            if memory.fifo:
                yield number, f"{when}{name}{self.walk.bank(lane) or '[0]'}.write({value});"
            else:
                yield number, f"{when}{name}{self.walk.place(memory, lane, _part(memory))} = {value};"

    @cached_property
    def touched(self) -> list[Memory]:
        """The memories that it touches, each once."""
        tables = [memory for _, _, memory in self._written_tables()]
        return list({own.name: own for own in (*self.walk.agent.memories.values(), *tables)}.values())


def _guarded(parts: Iterable[tuple[str, list[str]]]) -> Iterator[str]:
    """Lines that each happen under a condition; those of one condition in a block."""
    for condition, own in groupby(parts, key=lambda part: part[0]):
        lines = [line for _, more in own for line in more]
        if lines:
            yield from block(f"if ({condition})", lines)


def _part(memory: Memory, ahead: int = 0) -> str:
    """Where the words of this frame begin, or those of one `ahead` in turn; empty where all frames have the same."""
    if memory.turns == 1:
        return ""
    return f"{memory.part} * ({f'(frame + {ahead})' if ahead else 'frame'} % {memory.turns})"


def _place(memory: Memory) -> str:
    """The place of `word` in a memory: by digit of its bank, and its address there."""
    digits, each = "", memory.size
    for modulus in memory.moduli:
        each //= modulus
        digits += f"[word / {each} % {modulus}]"
    return f"{digits}[word % {memory.depth}]"


def _bracketed(text: str) -> str:
    return f"({text})" if "?" in text or text.startswith("-") else text
