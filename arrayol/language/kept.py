"""What stays of one text of an editor for its next: results of a definition while all that it names means the same.

Only what has no mistakes is kept: messages have the lines of other places in them, and hints all names of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from arrayol.ir import syntax
from arrayol.language.namespace import KINDS, Definitions
from arrayol.language.syntax.diagnose import Mistakes
from arrayol.language.syntax.parser import Readings
from arrayol.language.syntax.tree import names_used

Result = TypeVar("Result")
Meanings = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Same:
    """A value that is equal to itself alone."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


class Memory(Generic[Result]):
    """Results by the node that they are of, those of the last text and of this one."""

    def __init__(self) -> None:
        self._last: dict[int, tuple[Any, Meanings, Result]] = {}
        self._now: dict[int, tuple[Any, Meanings, Result]] = {}

    def turn(self) -> None:
        """Begin with the next text: what the last one did not ask for is forgotten."""
        self._last, self._now = self._now, {}

    def known(self, node: object, meanings: Meanings) -> Result | None:
        """The result of a node, if it was kept with the same meanings."""
        found = self._now.get(id(node)) or self._last.get(id(node))
        if found is None or found[0] is not node or found[1] != meanings:
            return None
        self._now[id(node)] = found
        return found[2]

    def keep(self, node: object, meanings: Meanings, result: Result) -> None:
        """Keep a result for the next text."""
        self._now[id(node)] = (node, meanings, result)

    def attempt(
        self, mistakes: Mistakes, node: object, meanings: Meanings, step: Callable[[], Result]
    ) -> Result | None:
        """As `mistakes.attempt`; a step without mistakes is not taken again while the meanings are the same."""
        known = self.known(node, meanings)
        if known is not None:
            return known
        before = len(mistakes)
        result = mistakes.attempt(step)
        if result is not None and len(mistakes) == before:
            self.keep(node, meanings, result)
        return result


@dataclass(frozen=True, slots=True)
class Kept:
    """What an editor's text gave, in each stage from its characters to the checks."""

    readings: dict[str, Readings] = field(default_factory=dict)  # by the name of the file
    names: Memory[tuple[str, ...]] = field(default_factory=Memory)
    tables: Memory[Any] = field(default_factory=Memory)
    signatures: Memory[Any] = field(default_factory=Memory)
    fragments: Memory[Any] = field(default_factory=Memory)
    checks: Memory[bool] = field(default_factory=Memory)

    def turn(self) -> None:
        """Begin with the next text."""
        for memory in (self.names, self.tables, self.signatures, self.fragments, self.checks):
            memory.turn()

    def names_in(self, item: syntax.Item) -> tuple[str, ...]:
        """Every name in a definition but its own, once."""
        known = self.names.known(item, ())
        if known is None:
            known = names_used(item)
            self.names.keep(item, (), known)
        return known


class Namespace:
    """What each name of a file means, as far as it matters to the definitions that name it."""

    def __init__(self, kept: Kept, definitions: Definitions) -> None:
        self._kept = kept
        self._broken = {*definitions.broken, *definitions.constants.broken}
        self._definitions = definitions
        self._known: dict[str, Hashable] = {}

    def of(self, item: syntax.Item) -> Meanings:
        """The meanings of all names in a definition; None is that of a name of its own."""
        return tuple(map(self._meaning, self._kept.names_in(item)))

    def _meaning(self, name: str) -> Hashable:
        if name not in self._known:
            self._known[name] = self._meaning_of(name)
        return self._known[name]

    def _meaning_of(self, name: str) -> Hashable:
        definitions = self._definitions
        if name in self._broken:
            return False
        if name in definitions.copies:
            return KINDS[syntax.Task]
        item = definitions.by_name.get(name)
        if isinstance(item, syntax.Const):
            return repr(definitions.constants.values.get(name))  # 1 is not 1.0, and 0.0 not -0.0
        if isinstance(item, syntax.ConstArray):
            return Same(definitions.tables.get(name, item))
        if isinstance(item, syntax.TilerDef):
            return (Same(item), *map(self._meaning, self._kept.names_in(item)))
        return KINDS[type(item)] if item is not None else None


class Attempt(Protocol):
    """A step of a definition: `more` is what it depends on beside the meanings of the names in it."""

    def __call__(
        self, mistakes: Mistakes, item: syntax.Item, more: Meanings, step: Callable[[], Result]
    ) -> Result | None: ...


def attempts(kept: Kept | None, definitions: Definitions, stage: str) -> Attempt:
    """How the steps of a stage are taken: as `mistakes.attempt`, or where something is kept by its memory."""
    if kept is None:
        return lambda mistakes, item, more, step: mistakes.attempt(step)
    memory: Memory[Any] = getattr(kept, stage)
    namespace = Namespace(kept, definitions)
    return lambda mistakes, item, more, step: memory.attempt(mistakes, item, (*namespace.of(item), *more), step)
