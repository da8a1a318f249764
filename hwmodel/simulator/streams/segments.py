"""Segments of line buffers as hardware: words that are written and read at two pointers, pulse by pulse."""

from __future__ import annotations

from dataclasses import dataclass, field

from hwmodel.simulator.streams.faults import stream_fault
from hwmodel.simulator.streams.passes import Datum


@dataclass
class Shifted:
    """A segment with one enable: at each the oldest word comes out, and the datum that arrives, if any, goes there."""

    name: str
    depth: int
    words: list[Datum | None] = field(init=False)
    place: int = 0

    def __post_init__(self) -> None:
        self.words = [None] * self.depth

    def step(self, arrives: Datum | None) -> Datum | None:
        """One enable: the datum that comes out, None where a word had none."""
        if not self.depth:
            return arrives
        leaves, self.words[self.place] = self.words[self.place], arrives
        self.place = (self.place + 1) % self.depth
        return leaves


@dataclass
class Queued:
    """A segment with two enables: what arrives is written, what leaves is read, each at most once in a pulse."""

    name: str
    depth: int
    words: list[Datum | None] = field(init=False)
    write: int = 0
    read: int = 0

    def __post_init__(self) -> None:
        self.words = [None] * self.depth

    def front(self, arrives: Datum | None) -> Datum | None:
        """The oldest datum, or the one that arrives where no word is taken."""
        held = self.words[self.read] if self.depth else None
        return arrives if held is None else held

    def step(self, arrives: Datum | None, leaves: Datum | None, pulse: int) -> None:
        """One pulse: a datum leaves, then the one that arrives takes a word. Raises StreamFaultError."""
        if leaves is not None:
            if self.front(arrives) != leaves:
                raise stream_fault(f"pulse {pulse}: {leaves} is to leave {self.name}, which has another datum there")
            if leaves == arrives:
                return
            self.words[self.read] = None
            self.read = (self.read + 1) % self.depth
        if arrives is not None:
            if not self.depth or self.words[self.write] is not None:
                raise stream_fault(f"pulse {pulse}: {arrives} overwrites a datum that waits in {self.name}")
            self.words[self.write] = arrives
            self.write = (self.write + 1) % self.depth
