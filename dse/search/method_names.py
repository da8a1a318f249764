"""The models and methods of an exploration by name, and what is asked of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from arrayol.errors import ArrayolError, error

Model = Literal["machine", "published"]
MODEL_NAMES: tuple[Model, ...] = get_args(Model)
MACHINE, _ = MODEL_NAMES
Method = Literal["auto", "partition", "exhaustive", "exact", "nsga2"]
METHODS: tuple[Method, ...] = get_args(Method)
AUTO, PARTITION, EXHAUSTIVE, EXACT, NSGA2 = METHODS
ASKED = "asked for"


@dataclass(frozen=True)
class Search:
    """What is asked of a search.

    `announce` is told the size of the space and the method before it starts, `report` how far it is. With
    `keep_all` the result holds more designs than those of the front.
    """

    method: str = AUTO
    seed: int = 0
    report: Callable[[Any], None] = lambda _: None
    announce: Callable[[str], None] = lambda _: None
    keep_all: bool = False

    def quietly(self) -> Search:
        """The same without a word."""
        return replace(self, report=lambda _: None, announce=lambda _: None)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A method and why it was taken."""

    name: str
    why: str

    @property
    def text(self) -> str:
        """For people."""
        return f"method {self.name}" if self.why == ASKED else f"method {self.name}: {self.why}"


def refused(method: str, reason: str, hint: str) -> ArrayolError:
    """The error for a method that cannot be taken here."""
    return error("method-refused", f"the method '{method}' cannot be taken here: {reason}", hint=hint)
