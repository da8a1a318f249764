"""Toy jobs that tell what goes on in a worker."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from toy_jobs import Square

_at_work: list[int] = []


@dataclass(frozen=True)
class SingleRun(Square):
    """How many jobs are at work in its process."""

    def run(self, context: int) -> int:
        del context
        _at_work.append(self.number)
        time.sleep(0.01)
        found = len(_at_work)
        _at_work.remove(self.number)
        return found


@dataclass(frozen=True)
class Where(Square):
    """The process it is done in, after some time."""

    def run(self, context: int) -> int:
        time.sleep(context / 1000)
        return os.getpid()


class Strange:
    """A job that a worker with another version does not know how to unpack."""

    kind, cost = "strange", 0.01

    def __reduce__(self) -> tuple[object, ...]:
        return _unknown, ()


def _unknown() -> None:
    raise AssertionError("was unpacked")
