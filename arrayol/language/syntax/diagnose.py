"""Mistakes while a specification is resolved: how resolution goes on after one, hints, and things shown in messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import TypeVar

from arrayol.errors import Diagnostic
from arrayol.ir.spec import Local, Port, Shape, written_name
from arrayol.source import Span

Item = TypeVar("Item")
Result = TypeVar("Result")


class Mistake(Exception):  # noqa: N818  it never leaves this package
    """Stops the resolution of one part. Without a diagnostic it follows from a mistake already told."""

    def __init__(self, diagnostic: Diagnostic | None = None) -> None:
        super().__init__()
        self.diagnostic = diagnostic


def mistake(code: str, message: str, span: Span, hint: str | None = None) -> Mistake:
    """A mistake to raise."""
    return Mistake(Diagnostic(code, message, span, hint))


class Mistakes(list[Diagnostic]):
    """The mistakes found so far; steps run under `attempt`, and go on where one of them fails."""

    def attempt(self, step: Callable[[], Result]) -> Result | None:
        """The result of a step, or None after noting its mistake."""
        try:
            return step()
        except Mistake as failure:
            if failure.diagnostic:
                self.append(failure.diagnostic)
            return None

    def all_of(self, items: Iterable[Item], step: Callable[[Item], Result]) -> tuple[Result, ...]:
        """The results of a step for every item. Raises a silent Mistake where any failed, after all have been tried."""
        results = [self.attempt(lambda item=item: step(item)) for item in items]  # type: ignore[misc]
        if any(result is None for result in results):
            raise Mistake
        return tuple(result for result in results if result is not None)

    def sound_of(self, items: Iterable[Item], step: Callable[[Item], Result]) -> tuple[Result, ...]:
        """The results of a step for every item with which it succeeds; the mistakes of the others are noted."""
        results = (self.attempt(lambda item=item: step(item)) for item in items)  # type: ignore[misc]
        return tuple(result for result in results if result is not None)

    def report(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        """Note a mistake and go on."""
        self.append(Diagnostic(code, message, span, hint))


# Hints: what a misspelt word probably meant.


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate most like `word`, if one is alike enough to be a slip of the keyboard."""
    return next(iter(get_close_matches(word, sorted(candidates), n=1, cutoff=0.7)), None)


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """A hint for an unknown name, or None where nothing is near; `latency` is meant for `latency_cycles`."""
    known = list(candidates)
    near = closest(word, known) or next((name for name in known if name.startswith(f"{word}_")), None)
    return f"did you mean '{near}'?" if near else None


# Shapes and ports in messages.


def shown_shape(shape: Shape) -> str:
    """A shape as it is written: `[1080, *]`; a scalar has none."""
    return f"[{', '.join('*' if extent is None else str(extent) for extent in shape)}]" if shape else ""


def shown_port(port: Port | Local) -> str:
    """A port or local as it is written: `src: f32[1080, 1920]`."""
    return f"{written_name(port.name)}: {port.type}{shown_shape(port.shape)}"
