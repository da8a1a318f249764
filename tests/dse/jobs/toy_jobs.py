"""Jobs of toy work that can be done in any process."""

from __future__ import annotations

import json
import os
import signal
import time
from dataclasses import dataclass

from arrayol.errors import error
from dse.jobs.digest import digest
from dse.jobs.jobs import JobPlan


@dataclass(frozen=True)
class Square:
    """The square of a number, plus what the context adds."""

    number: int
    cost: float = 0.01
    kind = "square"

    def key(self, context: int) -> bytes:
        return digest(self.kind, context, self.number)

    def run(self, context: int) -> int:
        return self.number**2 + context

    def dump(self, result: int) -> str:
        return json.dumps(result)

    def load(self, text: str) -> int:
        return int(json.loads(text))


@dataclass(frozen=True)
class Broken(Square):
    """Refuses, breaks or ends its process."""

    way: str = "refuses"

    def run(self, context: int) -> int:
        if self.way == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.way == "sleeps":
            time.sleep(600)
        if self.way == "breaks":
            raise ZeroDivisionError
        raise error("refused", "no", hint="none")


def sum_of_squares(rounds: list[list[int]]) -> JobPlan[int]:
    """The sum over several rounds, each of which begins with what the one before has found."""
    total = 0
    for numbers in rounds:
        total += sum((yield [Square(number + total % 7) for number in numbers]))
    return total


def one(job: Square) -> JobPlan[int]:
    """A single job."""
    (found,) = yield [job]
    return int(found)
