"""Jobs: parts of a search or of a verification that stand for themselves, so that they can be done anywhere.

A `JobPlan` yields jobs, is sent what they found in the same order, and returns what it makes of it.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, Protocol, TypeVar

from arrayol.errors import error
from dse.jobs.digest import code_digest

Result = TypeVar("Result")


class Job(Protocol):
    """A picklable job in a context of some kind, and how what it finds is written in a store."""

    @property
    def kind(self) -> str:
        """For people who look into a store."""

    @property
    def cost(self) -> float:
        """Roughly how many seconds it takes."""

    def key(self, context: Any) -> bytes:
        """The digest of all that the result depends on."""

    def run(self, context: Any) -> Any:
        """Do it."""

    def dump(self, result: Any) -> str:
        """A result as text."""

    def load(self, text: str) -> Any:
        """The same result from its text. Raises ValueError for a text that `dump` did not write."""


JobPlan = Generator[Sequence[Job], Sequence[Any], Result]


def require_same_code(code: bytes) -> None:
    """Raises ArrayolError (`cluster-version`) where another arrayol, or other libraries below it, sent the work."""
    if code != code_digest():
        raise error(
            "cluster-version",
            "a worker has another version of arrayol, of Python, or of a library that arrayol computes with",
            hint="install the same versions where the exploration starts and on all workers",
        )
