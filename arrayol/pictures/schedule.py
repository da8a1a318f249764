"""What the picture of a datapath's schedule shows."""

from __future__ import annotations

from dataclasses import dataclass

# The name of its result; its first cycle, the one after those in which it keeps its operator, and the one in which its
# result is in a register.
Operation = tuple[str, int, int, int]


@dataclass(frozen=True, slots=True)
class ScheduleShown:
    """One repetition of an elementary task: a row for each operator with its operations; times in cycles."""

    name: str
    interval: int
    depth: int
    latency: int
    rows: tuple[tuple[str, tuple[Operation, ...]], ...]
