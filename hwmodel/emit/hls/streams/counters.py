"""The counters of a streaming group in C++, and which of its indices are which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hwmodel.emit.streams.conditions import Conditions, Index, period_of, runs_of
from hwmodel.emit.streams.counters import Counters
from hwmodel.emit.streams.names import bits_below
from hwmodel.emit.streams.trains import Loops


@dataclass
class StreamCounters(Counters):
    """Counters whose `lines` are those of a pulse, in C++; `state` has the types of those that stay, by name."""

    mark: ClassVar[str] = "_"

    state: dict[str, str] = field(default_factory=dict)

    def nested(self, name: str, first: int, loops: Loops) -> tuple[str, list[Index]]:
        """Counters of nested loops: the variable that says when they move, and the index of each loop."""
        begins, indices = self.event(first), []
        for number, (stride, extent) in enumerate(loops):
            own = f"{name}_{number}"
            index = Index(f"i_{own}", extent)
            self.state[own] = f"place<{extent}, {stride}, {bits_below(extent)}, {bits_below(stride)}>"
            self.lines += [
                f"const bool fires_{own} = {own}.step({begins});",
                f"const int {index.net} = int({own}.index);",
            ]
            begins = f"fires_{own}"
            indices.append(index)
        return begins, indices

    def tick(self, period: int, pulse: int) -> str:
        """The variable that is true in a pulse of a frame, and every `period` pulses before and after."""
        return "true" if period == 1 else super().tick(period, pulse)

    def _either(self, name: str, nets: Sequence[str]) -> str:
        return f"const bool {name} = {' || '.join(nets)};"

    def event_lines(self) -> Iterator[str]:
        """The delays from the begin of a frame."""
        yield "const bool at_0 = begins;"
        for before, pulse in self.delays():
            self.state[f"wait_{pulse}"] = f"later<{pulse - before}, {bits_below(pulse - before + 1)}>"
            yield f"const bool at_{pulse} = wait_{pulse}.step(at_{before});"

    def tick_lines(self) -> Iterator[str]:
        """Counters round and round, which are in step with the begins of frames."""
        for period in sorted({period for period, _ in self.ticks}):
            self.state[f"round_{period}"] = f"turn<{period}, {bits_below(period)}>"
            yield from (
                f"const bool {name} = round_{period}.at == {pulse};"
                for (own, pulse), name in sorted(self.ticks.items())
                if own == period
            )
            yield f"round_{period}.step();"


@dataclass
class StreamConditions(Conditions):
    """Variables that say whether an index is one of some, in C++."""

    mark: ClassVar[str] = "_"

    def _compared(self, name: str, index: Index, members: NDArray[np.bool_]) -> list[str]:
        runs, period = runs_of(members), period_of(members)
        if runs is not None:
            return [f"const bool {name} = {' || '.join(_between(index, *run) for run in runs)};"]
        net, own = index.net, members
        if period is not None:
            net, own = f"{index.net} % {period}", members[:period]
        table = ", ".join(str(int(member)) for member in own)
        return [f"static const bool {name}_at[{len(own)}] = {{{table}}};", f"const bool {name} = {name}_at[{net}];"]


def _between(index: Index, first: int, last: int) -> str:
    if first == last:
        return f"{index.net} == {first}"
    parts = [f"{index.net} >= {first}"] if first else []
    parts += [f"{index.net} <= {last}"] if last < index.extent - 1 else []
    return f"({' && '.join(parts)})" if len(parts) > 1 else parts[0]
