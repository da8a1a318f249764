"""The events of each step of a run, stored as a few numbers each, so that those of all steps can be kept."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hwmodel.simulator.port import Burst


@dataclass(frozen=True)
class SimulatedStep:
    """The events of a step: its length, the bursts, and when each task's last repetition was done."""

    start: int
    length: int
    bursts: tuple[Burst, ...]
    computing: Mapping[str, int]


def _numbers() -> array[int]:
    return array("q")


@dataclass(eq=False)
class Events:
    """The steps of a run of `tasks` that moves `arrays`, as a sequence."""

    tasks: tuple[str, ...]
    arrays: tuple[str, ...]
    _steps: array[int] = field(default_factory=_numbers)  # of each its start, and the number of bursts before it
    _bursts: array[int] = field(default_factory=_numbers)  # array, write, data, start, end
    _computing: array[int] = field(default_factory=_numbers)  # by task, 0 for one that does nothing
    _end: int = 0

    def add(self, length: int, bursts: Sequence[Burst], computing: Mapping[str, int]) -> None:
        """Append a step."""
        self._steps.extend((self._end, len(self._bursts) // 5))
        for burst in bursts:
            self._bursts.extend((self.arrays.index(burst.array), burst.write, burst.data, burst.start, burst.end))
        self._computing.extend(computing[task] for task in self.tasks)
        self._end += length

    def __len__(self) -> int:
        return len(self._steps) // 2

    def __getitem__(self, number: int) -> SimulatedStep:
        """A step by its number. Raises IndexError if there is none."""
        if not 0 <= number < len(self):
            raise IndexError(number)
        follows = number + 1 < len(self)
        start, first = self._steps[2 * number : 2 * number + 2]
        end, last = self._steps[2 * number + 2 : 2 * number + 4] if follows else (self._end, len(self._bursts) // 5)
        bursts = (self._bursts[5 * place : 5 * place + 5] for place in range(first, last))
        cycles = self._computing[len(self.tasks) * number : len(self.tasks) * (number + 1)]
        return SimulatedStep(
            start,
            end - start,
            tuple(Burst(self.arrays[name], bool(write), *others) for name, write, *others in bursts),
            {task: busy for task, busy in zip(self.tasks, cycles, strict=True) if busy},
        )

    def __iter__(self) -> Iterator[SimulatedStep]:
        return (self[number] for number in range(len(self)))
