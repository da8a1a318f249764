"""Verilog of one operator, cut into pipeline stages by the delays that its author states.

Values are named in the order in which they are computed. Each takes the stage in which its last operand arrives, while
the delays in that stage fit the period; else the next one. A value that is used in a later stage passes through
registers, one a stage. So one description gives a combinational operator (a long period) and any pipeline of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

COMBINATIONAL = 1000.0  # ns: a period at which nothing is cut

# Delays on an ECP5 of speed grade 6, wires included, in ns; stages come out near them, not exactly (measured after).
LUT = 0.85


def adder(bits: int) -> float:
    """Delay of a carry chain."""
    return 1.45 + 0.037 * bits


def gate(inputs: int) -> float:
    """Delay of an AND or OR of so many bits, by LUTs of four inputs."""
    return LUT * max(1, math.ceil(math.log(max(inputs, 2), 4)))


@dataclass(frozen=True, eq=False)
class Value:
    """A wire: where in the pipeline, and after how many ns of its stage, it is there."""

    name: str
    width: int
    stage: int
    ready: float


@dataclass
class Circuit:
    """An operator under construction; `period` in ns without what registers take, `every` cycles between two starts.

    It takes `cycles`, at least `least`, with the register of its result. One that is not `registered` leaves that
    register to whoever uses it: its result is on a wire in the last of these cycles.
    """

    name: str
    period: float
    least: int = 1
    registered: bool = True
    every: int = 1
    _inputs: list[Value] = field(default_factory=list)
    _lines: list[str] = field(default_factory=list)
    _moves: list[str] = field(default_factory=list)
    _registers: dict[tuple[str, int], str] = field(default_factory=dict)
    _held: dict[tuple[str, int], str] = field(default_factory=dict)
    _loops: list[tuple[int, int, str]] = field(default_factory=list)  # first stage, stage after, load
    _stepping: bool = False
    _count: int = 0
    _outputs: list[str] = field(default_factory=list)
    cycles: int = 0
    width: int = 0

    def operand(self, name: str, width: int) -> Value:
        """An operand, in a register of whoever uses the operator."""
        value = Value(name, width, 0, 0.0)
        self._inputs.append(value)
        return value

    def let(self, width: int, text: str, *operands: Value, ns: float = LUT) -> Value:
        """A value of so many bits; `{0}`, `{1}` in its text stand for the operands."""
        stage = max((value.stage for value in operands), default=0)
        ready = max((value.ready for value in operands if value.stage == stage), default=0.0) + ns
        if ready > self.period and ns < ready:
            stage, ready = stage + 1, ns
        stage, ready = self._after_loops(stage, ready, operands, ns)
        return self._name(width, text.format(*(self._at(value, stage) for value in operands)), stage, ready)

    def bits(self, value: Value, high: int, low: int) -> Value:
        """Some bits of a value: wires."""
        return self.let(high - low + 1, f"{{0}}[{high}:{low}]" if value.width > 1 else "{0}", value, ns=0.0)

    def choose(self, condition: Value, yes: Value, no: Value) -> Value:
        """A multiplexer of two inputs."""
        return self.let(max(yes.width, no.width), "{0} ? {1} : {2}", condition, yes, no)

    def entry(self, width: int, table: Sequence[int], index: Value, ns: float) -> Value:
        """The entry of a table of constants, in logic."""
        name = f"table{self._count}"
        self._lines.append(f'  (* rom_style = "logic" *) reg [{width - 1}:0] {name} [0:{len(table) - 1}];')
        entries = "".join(f" {name}[{place}] = {width}'h{value:x};" for place, value in enumerate(table))
        self._lines.append(f"  initial begin{entries} end")
        return self.let(width, f"{name}[{{0}}]", index, ns=ns)

    def iterate(
        self, count: int, state: Sequence[Value], step: Callable[[Circuit, list[Value]], list[Value]]
    ) -> list[Value]:
        """The state after `count` steps, one a cycle, on one copy of the step's hardware; not pipelined.

        `step` names the next state from the present one and must fit one cycle; what is alive meanwhile is held.
        """
        load = max(value.stage for value in state)
        start = self._started(load)
        first = load + 1
        registers = [Value(f"loop{first}_{place}", value.width, first, 0.0) for place, value in enumerate(state)]
        self._lines.extend(f"  reg [{register.width - 1}:0] {register.name};" for register in registers)
        after = first + count
        self._loops.append((first, after, start))
        self._stepping = True
        following = step(self, registers)
        self._stepping = False
        if any(value.stage != first for value in following):
            raise ValueError(f"{self.name}: a step takes more than a cycle of {self.period} ns")
        for register, value, entry in zip(registers, following, state, strict=True):
            entry_name = self._at(entry, load)
            self._moves.append(f"{register.name} <= {start} ? {entry_name} : {value.name};")
        self.every = max(self.every, count + 1)
        return [Value(register.name, register.width, after, 0.0) for register in registers]

    def result(self, value: Value) -> None:
        """Make a value the result of the operator."""
        last = max(value.stage, self.least - 1)
        name = self._register(value, last + 1) if self.registered else self._at(value, last)
        self._lines.append(f"  assign y = {name};")
        self._outputs = [f"output [{value.width - 1}:0] y"]
        self.cycles, self.width = last + 1, value.width

    def verilog(self, *, enabled: bool = False) -> str:
        """The module, with `start` if it is not pipelined; one that is `enabled`, and called so, moves with `go`."""
        ports = ["input clk", *(["input go"] if enabled else [])] + (["input start"] if self.every > 1 else [])
        name, enable = (f"{self.name}_go", " if (go)") if enabled else (self.name, "")
        ports += [f"input [{value.width - 1}:0] {value.name}" for value in self._inputs] + self._outputs
        moves = (
            [f"  always @(posedge clk){enable} begin", *(f"    {move}" for move in self._moves), "  end"]
            if self._moves
            else []
        )
        return "\n".join([f"module {name}({', '.join(ports)});", *self._lines, *moves, "endmodule", ""])

    @property
    def operands(self) -> tuple[Value, ...]:
        return tuple(self._inputs)

    def _name(self, width: int, text: str, stage: int, ready: float) -> Value:
        self._count += 1
        value = Value(f"v{self._count}", width, stage, ready)
        self._lines.append(f"  wire [{width - 1}:0] {value.name} = {text};")
        return value

    def _after_loops(self, stage: int, ready: float, operands: Sequence[Value], ns: float) -> tuple[int, float]:
        """The stage and time of a value that is computed beside a loop: it waits for the loop's end."""
        for first, after, _ in self._loops:
            if first <= stage < after and not self._stepping:
                return after, max((value.ready for value in operands if value.stage == after), default=0.0) + ns
        return stage, ready

    def _at(self, value: Value, stage: int) -> str:
        """The name of a value in its stage or a later one."""
        return value.name if stage == value.stage else self._register(value, stage)

    def _register(self, value: Value, stage: int) -> str:
        if (value.name, stage) in self._registers:
            return self._registers[value.name, stage]
        for first, after, start in self._loops:
            if first <= stage <= after and value.stage < first:
                return self._hold(value, first, start)
        before = self._at(value, stage - 1)
        name = f"{value.name}_{stage}"
        self._registers[value.name, stage] = name
        self._lines.append(f"  reg [{value.width - 1}:0] {name};")
        self._moves.append(f"{name} <= {before};")
        return name

    def _hold(self, value: Value, first: int, start: str) -> str:
        """A register that is loaded with the loop's state and keeps its value until the next start."""
        key = (value.name, first)
        if key not in self._held:
            before = self._at(value, first - 1)
            self._held[key] = f"{value.name}_h{first}"
            self._lines.append(f"  reg [{value.width - 1}:0] {self._held[key]};")
            self._moves.append(f"if ({start}) {self._held[key]} <= {before};")
        return self._held[key]

    def _started(self, stage: int) -> str:
        """The start, delayed to a stage."""
        return self._at(Value("start", 1, 0, 0.0), stage)


def shortest_periods(build: Callable[[float], Circuit]) -> dict[int, float]:
    """For each number of cycles that a circuit can take the shortest period, in ns, of those that are tried.

    They end where a step of `iterate` takes more than a cycle.
    """
    periods: dict[int, float] = {}
    for quarter in range(4 * 45, 4 * 4, -1):
        try:
            periods[build(quarter / 4).cycles] = quarter / 4
        except ValueError:
            break
    return periods
