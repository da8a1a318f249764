"""A group of tasks in C++: its memories, and steps in which ports and tasks run side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from arrayol.ir.network import Network
from arrayol.ir.spec import Elementary, Spec, port_named
from arrayol.ir.types import ElementType
from arrayol.text import counted
from hwmodel.emit.c.helpers import c_type
from hwmodel.emit.c.lines import block
from hwmodel.emit.hls.bodies import bodies_of
from hwmodel.emit.hls.names import HlsNames, Thing, hls_type, in_cpp, value_of_bits
from hwmodel.emit.hls.ports import port_function
from hwmodel.emit.hls.rounds import PortRounds, ShorterEngine, TaskRounds, loads_late, port_rounds, task_rounds, touches
from hwmodel.emit.hls.tasks import CLOCK, TaskText
from hwmodel.emit.hls.walks import Walk
from hwmodel.emit.schedule.group import EngineAgents, GroupSchedule, TaskAgents
from hwmodel.emit.schedule.memories import Memory
from hwmodel.emit.schedule.port import COPIED, AddressMap
from hwmodel.emit.schedule.repetition import NotRepeatedError


@dataclass
class GroupText:
    """The file of a group by its number."""

    headers: ClassVar[tuple[str, ...]] = ("design.hpp", "schedule.hpp")

    spec: Spec
    network: Network
    schedule: GroupSchedule
    addresses: AddressMap
    number: int
    names: HlsNames = field(default_factory=HlsNames)

    def text(self) -> str:
        """All of it. Raises ArrayolError (`not-emitted`, `not-in-hardware`, `unproven-schedule`)."""
        lines = [*(f'#include "{name}"' for name in self.headers), "", "namespace {", ""]
        for part in (
            *self.bodies(),
            [line for memory in self._roms for line in self._rom(memory)],
            *self._functions(),
        ):
            lines += [*part, ""] if part else []
        lines += [*self._step(), "", "}  // namespace", "", *self._run(), ""]
        return in_cpp("\n".join(lines))

    # What is computed.

    def bodies(self) -> Iterator[list[str]]:
        """The bodies of its tasks. Raises ArrayolError (`not-in-hardware`)."""
        yield from bodies_of(map(self._elementary, self.schedule.tasks))

    def _elementary(self, task: TaskAgents) -> Elementary:
        elementary = self.spec.components[task.units.elementary]
        assert isinstance(elementary, Elementary), "processes repeat elementaries"
        return elementary

    # Memories.

    @cached_property
    def _things(self) -> dict[str, str]:
        """The names of memories in C++."""
        kinds = {memory.name: _kind(memory) for memory in self.schedule.memories}
        return {name: self.names.of(kind, name) for name, kind in kinds.items()}

    @property
    def _roms(self) -> list[Memory]:
        return [memory for memory in self.schedule.memories if memory.content is not None]

    @property
    def _buffers(self) -> list[Memory]:
        return [own for own in self.schedule.memories if own.content is None and not own.fifo]

    @property
    def _fifos(self) -> list[Memory]:
        return [memory for memory in self.schedule.memories if memory.fifo]

    @cached_property
    def _types(self) -> dict[str, ElementType]:
        """The types of elements by memory: of its array, or of the delay whose state it holds."""
        found = dict[str, ElementType]()
        for task in self.schedule.tasks:
            for port in task.units.reads:
                if port.lanes:
                    own = port_named(self._elementary(task).inputs, port.port)
                    found[task.reading.memories[port.lanes].name] = own.type
        arrays = self.network.arrays
        found |= {own.name: arrays[own.array].type for own in self.schedule.memories if own.array in arrays}
        return found

    def _rom(self, memory: Memory) -> Iterator[str]:
        kind, content = self._types[memory.name], memory.content
        assert content is not None, "a ROM has a content"
        texts = [value_of_bits(bits, kind) for bits in content]
        for length in reversed((*memory.moduli[1:], memory.depth) if memory.moduli else ()):
            texts = [f"{{{', '.join(texts[at : at + length])}}}" for at in range(0, len(texts), length)]
        shape = "".join(f"[{length}]" for length in (*memory.moduli, memory.depth))
        yield f"// '{memory.array}', of which each bank has {counted(memory.depth, 'word')}"
        yield f"static const {c_type(kind)} {self._things[memory.name]}{shape} = {{"
        yield from (f"  {text}," for text in texts)
        yield "};"

    def _parameter(self, memory: Memory) -> str:
        kind, name = hls_type(self._types[memory.name]), self._things[memory.name]
        if memory.fifo:
            return f"hls::stream<{kind}> (&{name})[{memory.banks}]"
        return f"{kind} {name}{''.join(f'[{length}]' for length in (*memory.moduli, memory.depth))}"

    # Functions.

    @cached_property
    def _calls(self) -> list[str]:
        """The calls of a step, filled while the functions are written: ports, then tasks from writers to readers."""
        return []

    @cached_property
    def _late_calls(self) -> list[str]:
        """The calls at the end of a step, which fill single buffers."""
        return []

    def _functions(self) -> Iterator[list[str]]:
        for engine in self.schedule.engines:
            yield from self._port(engine, late=False)
        yield from self.working()
        for engine in filter(loads_late, self.schedule.engines):
            yield from self._port(engine, late=True)

    def _port(self, engine: EngineAgents, *, late: bool) -> Iterator[list[str]]:
        """The function of an engine: of what passes while tasks work, or `late` of what passes after them."""
        rounds, name = self._port_rounds(engine, late=late), f"{engine.name}{'_late' if late else ''}"
        memories = _once([memory for lanes, memory in rounds.agent.memories.items() if touches(rounds.agent, lanes)])
        if not memories:
            return
        types = {own.array: self.network.arrays[own.array].type for own in engine.lanes}
        parameters = [self._parameter(memory) for memory in memories]
        copied = self._copied(engine)
        ahead, word = self._ahead(rounds) if copied else "", self.addresses.word_bytes
        yield list(port_function(rounds, name, self._things, types, parameters, ahead, word))
        memory = pointer_of(self.addresses, engine.channel)
        arguments = [memory, *(["frame"] if copied else []), *(self._things[memory.name] for memory in memories)]
        calls = self._late_calls if late else self._calls
        calls.append(f"{Thing.PORT}_{name}({', '.join(arguments)});")

    def _copied(self, engine: EngineAgents) -> list[str]:
        """The arrays of an engine that have copies outside, of which each frame takes the next one."""
        return [array for array in self.addresses.copies if any(own.array == array for own in engine.lanes)]

    def _ahead(self, rounds: PortRounds) -> str:
        """How far the copy of a frame lies behind the first one of its array, by the row of a request."""
        walk, text = Walk(rounds.requests, ""), "0"
        for place, (array, ahead) in reversed([*enumerate(self.addresses.copied, 1)]):
            if array in self._copied(rounds.engine):
                copies, size = self.addresses.copies[array], self.addresses.sizes[array]
                own = f"(frame + {ahead % copies})" if ahead % copies else "frame"
                text = f"{walk.control(COPIED)} == {place} ? {own} % {copies} * {size} : {text}"
        return text

    def _port_rounds(self, engine: EngineAgents, *, late: bool) -> PortRounds:
        """The rounds of an engine, from those in a shorter frame where these repeat."""
        number, shorter = self.schedule.engines.index(engine), self.schedule.shorter
        if shorter is not None:
            with suppress(NotRepeatedError):
                own = ShorterEngine(shorter.schedule.engines[number], shorter.repetition)
                return port_rounds(engine, self.addresses, own, late=late)
        return port_rounds(engine, self.addresses, late=late)

    def _task_rounds(self, number: int) -> TaskRounds:
        """The rounds of a task, from those in a shorter frame where these repeat."""
        shorter = self.schedule.shorter
        if shorter is not None:
            with suppress(NotRepeatedError):
                return task_rounds(shorter.schedule.tasks[number], shorter.repetition)
        return task_rounds(self.schedule.tasks[number])

    def working(self) -> Iterator[list[str]]:
        """The functions of its tasks, each behind those of which it reads FIFOs: tasks are in dataflow order.

        Raises ArrayolError (`unproven-schedule`).
        """
        clock = self._clock, self.schedule.steps, int(self.schedule.setup)
        for number, task in enumerate(self.schedule.tasks):
            name = self.names.of(Thing.TASK, task.units.task).removeprefix(f"{Thing.TASK}_")
            own = TaskText(self._task_rounds(number), self._elementary(task), self._things, name, *clock)
            touched = [
                memory for memory in self.schedule.memories if memory.name in {each.name for each in own.touched}
            ]
            touched = [memory for memory in touched if memory.content is None]
            units = task.units
            pace = f"a repetition every {counted(units.interval, 'cycle')}, latency {units.latency}"
            yield [f"// '{units.task}': {counted(units.units, 'unit')}, {pace}", *own.function(
                [self._parameter(memory) for memory in touched]
            )]  # fmt: skip
            self._calls.append(
                f"{Thing.TASK}_{name}({', '.join([*self._clock, *(self._things[own.name] for own in touched)])});"
            )

    def _step(self) -> Iterator[str]:
        told = [CLOCK[own] for own in self._clock]
        pointers = pointers_of(self.schedule, self.addresses)
        parameters = [
            *(f"word *{own}" for own in pointers),
            *told,
            *(self._parameter(memory) for memory in self._buffers),
        ]
        lines = ["#pragma HLS DATAFLOW"]
        lines += [f"#pragma HLS STABLE variable = {self._things[memory.name]}" for memory in self._buffers]
        for memory in self._fifos:
            name, kind = self._things[memory.name], hls_type(self._types[memory.name])
            lines.append(f"static hls::stream<{kind}> {name}[{memory.banks}];")
            lines.append(f"#pragma HLS STREAM variable = {name} depth = {memory.depth}")
            known = f'shim::know({name}, "{self.number + 1}: {memory.array}", {memory.depth})'
            lines += ["#ifdef ARRAYOL_SHIM", f"static const bool known_{name} = {known};"]
            lines += [f"(void)known_{name};", "#endif"]
        yield "// What passes to and from the external memory and what tasks do in a step touch different words."
        yield from block(
            f"static void run_step({', '.join(parameters)})",
            [f"{', '.join(f'(void){own}' for own in (*pointers, 'step'))};", *lines, *self._calls],
        )

    @property
    def _frames(self) -> tuple[int, int]:
        """From which frame on all states are there, and after how many frames all use the same memory again.

        Frames are numbered so: those that lack a state from 0 on, then round and round.
        """
        copied = {array for engine in self.schedule.engines for array in self._copied(engine)}
        again = math.lcm(
            *(memory.turns for memory in self.schedule.memories), *(self.addresses.copies[array] for array in copied)
        )
        later = max(self.schedule.frames_back, default=0)
        return -(-later // again) * again, again

    @property
    def _clock(self) -> Sequence[str]:
        """The names in `CLOCK` of what the functions of the group are told."""
        return ("step", "frame") if sum(self._frames) > 1 else ("step",)

    def _run(self) -> Iterator[str]:
        lines = [f"static {CLOCK[own]} = 0;" for own in self._clock]
        for memory in self._buffers:
            name = self._things[memory.name]
            lines.append(f"static {self._parameter(memory)};  // {_said(memory)}")
            lines += [
                f"#pragma HLS ARRAY_PARTITION variable = {name} complete dim = {number + 1}"
                for number in range(len(memory.moduli) + memory.registers)
            ]
            if not memory.registers and len(self.schedule.readers[memory.name]) > 1:
                lines.append(f"#pragma HLS BIND_STORAGE variable = {name} type = ram_1wnr")
        pointers = pointers_of(self.schedule, self.addresses)
        arguments = [*pointers, "step++", *self._clock[1:], *(self._things[memory.name] for memory in self._buffers)]
        step = [f"run_step({', '.join(arguments)});", *self._late_calls]
        lines += block("for (int number = 0; number < steps; ++number)", step)
        if "frame" in self._clock:
            (first, again), setup = self._frames, "if (step > 1) " if self.schedule.setup else ""
            lines.append(f"{setup}frame = frame == {first + again - 1} ? {first} : frame + 1;")
        tasks = ", ".join(f"'{own.task}'" for own in self.schedule.paces)
        yield f"// {tasks}: {counted(self.schedule.steps, 'step')} a frame"
        yield from block(f"void {head_of(self.number, pointers)}", lines)


def pointer_of(addresses: AddressMap, channel: int) -> str:
    """The name of the pointer to the external memory, or to a channel of it."""
    return f"memory{addresses.tag(channel)}"


def pointers_of(group: GroupSchedule, addresses: AddressMap) -> tuple[str, ...]:
    """The pointers that the function of a group takes: one for each channel that it uses."""
    return tuple(pointer_of(addresses, number) for number in sorted({engine.channel for engine in group.engines}))


def head_of(number: int, pointers: Sequence[str]) -> str:
    """The name and the parameters of the function of a group."""
    return f"group{number}({', '.join([*(f'word *{own}' for own in pointers), 'int steps'])})"


def _kind(memory: Memory) -> Thing:
    return Thing.ROM if memory.content is not None else Thing.FIFO if memory.fifo else Thing.BUFFER


def _once(memories: Sequence[Memory]) -> list[Memory]:
    return list({memory.name: memory for memory in memories}.values())


def _said(memory: Memory) -> str:
    if memory.registers:
        return f"'{memory.array}' in registers"
    return f"'{memory.array}' in {counted(memory.banks, 'bank')} of {counted(memory.depth, 'word')}"
