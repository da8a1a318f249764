"""A smaller case that fails in the same way: fewer commands, arguments, files, lines, tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from case import Case, Command
from texts import tokens_of

Part = TypeVar("Part")


@dataclass
class _Search:
    """The smallest case so far, and the tries that are left."""

    case: Case
    fails: Callable[[Case], bool]
    tries: int

    def accept(self, candidate: Case) -> bool:
        """Take a smaller case if it fails too."""
        if self.tries == 0:
            return False
        self.tries -= 1
        if self.fails(candidate):
            self.case = candidate
            return True
        return False

    def shorten(self, parts: Sequence[Part], rebuilt: Callable[[Sequence[Part]], Case]) -> None:
        """Leave out halves, quarters, ... single parts."""
        size = max(1, len(parts) // 2)
        while parts and size and self.tries:
            start = 0
            while start < len(parts):
                fewer = [*parts[:start], *parts[start + size :]]
                if self.accept(rebuilt(fewer)):
                    parts = fewer
                else:
                    start += size
            size //= 2


def minimal(case: Case, fails: Callable[[Case], bool], tries: int) -> Case:
    """The smallest case found with so many tries for which `fails` still holds."""
    search = _Search(case, fails, tries)
    search.shorten(case.commands, lambda commands: replace(search.case, commands=tuple(commands)))
    kept = [name for name in search.case.files if name != case.reprinted]
    search.shorten(kept, lambda names: replace(search.case, files=_only(search.case, names)))
    for name in search.case.files:
        for split in (_lines, tokens_of):
            text = _text(search.case, name)
            if text is not None:
                search.shorten(split(text), lambda parts, name=name: _with(search.case, name, "".join(parts)))  # type: ignore[misc]
    for place, command in enumerate(search.case.commands):
        search.shorten(command[1:], lambda words, place=place: _arguments(search.case, place, words))  # type: ignore[misc]
    return search.case


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _text(case: Case, name: str) -> str | None:
    try:
        return case.files[name].decode("utf-8")
    except UnicodeDecodeError:
        return None


def _only(case: Case, names: Sequence[str]) -> dict[str, bytes]:
    return {name: data for name, data in case.files.items() if name in names or name == case.reprinted}


def _with(case: Case, name: str, text: str) -> Case:
    return replace(case, files={**case.files, name: text.encode()})


def _arguments(case: Case, place: int, words: Sequence[str]) -> Case:
    commands: list[Command] = list(case.commands)
    commands[place] = (commands[place][0], *words)
    return replace(case, commands=tuple(commands))
