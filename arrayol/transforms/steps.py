"""STEP texts, as the command line and notebooks write them: `fuse hflr vftd 4,12`; `str(step)` gives the text again."""

from __future__ import annotations

import re
from collections.abc import Callable

from arrayol.language.hints import closest
from arrayol.transforms.calls import CallName
from arrayol.transforms.collapse import Collapse
from arrayol.transforms.fuse import Fuse
from arrayol.transforms.pave import Pave
from arrayol.transforms.pipeline import Step
from arrayol.transforms.tile import Tile

FORMS = {
    "fuse": "fuse PRODUCER CONSUMER [BLOCK]",
    "pave": "pave TASK FACTORS",
    "tile": "tile TASK SIZES",
    "collapse": "collapse TASK",
}
EXAMPLES = {
    "fuse": "fuse hflr vftd 4,12",
    "pave": "pave hflr 1,8",
    "tile": "tile hflr 4,12",
    "collapse": "collapse hflr",
}
_ALL = ", ".join(f'"{form}"' for form in FORMS.values())

_CALL = re.compile(r"([A-Za-z_]\w*)(?:@([A-Za-z_]\w*))?", re.ASCII)
_SIZES = re.compile(r"[0-9]+(,[0-9]+)*", re.ASCII)
_DIGITS = 18  # more would be beyond any repetition space


class StepTextError(ValueError):
    """A text that no step is written like: wrong usage, told with the form that the step has."""


def parse_step(text: str) -> Step:
    """The step that a text means. Raises StepTextError."""
    words = re.sub(r"\s*,\s*", ",", text).split()
    if not words:
        raise StepTextError(f"A step is empty. The steps are {_ALL}.")
    verb, *arguments = words
    if verb not in FORMS:
        near = closest(verb, FORMS)
        raise StepTextError(
            f"There is no step '{verb}'. " + (f"Did you mean '{near}'?" if near else f"The steps are {_ALL}.")
        )
    return _BUILDERS[verb](text, arguments)


def _fuse(text: str, arguments: list[str]) -> Step:
    if len(arguments) not in (2, 3):
        raise _wrong(text, f"takes two tasks and at most one list of sizes, not {_count(len(arguments))}")
    producer, consumer = (_call(text, word) for word in arguments[:2])
    return Fuse(producer, consumer, _sizes(text, arguments[2]) if len(arguments) == 3 else None)


def _pave(text: str, arguments: list[str]) -> Step:
    return Pave(*_task_and_sizes(text, arguments))


def _tile(text: str, arguments: list[str]) -> Step:
    return Tile(*_task_and_sizes(text, arguments))


def _collapse(text: str, arguments: list[str]) -> Step:
    if len(arguments) != 1:
        raise _wrong(text, f"takes one task, not {_count(len(arguments))}")
    return Collapse(_call(text, arguments[0]))


_BUILDERS: dict[str, Callable[[str, list[str]], Step]] = {
    "fuse": _fuse,
    "pave": _pave,
    "tile": _tile,
    "collapse": _collapse,
}


def _task_and_sizes(text: str, arguments: list[str]) -> tuple[CallName, tuple[int, ...]]:
    if len(arguments) != 2:
        raise _wrong(text, f"takes a task and a list of sizes, not {_count(len(arguments))}")
    return _call(text, arguments[0]), _sizes(text, arguments[1])


def _call(text: str, word: str) -> CallName:
    found = _CALL.fullmatch(word)
    if found is None:
        raise _wrong(text, f"names a task as TASK or TASK@RESULT, not '{word}'")
    return CallName(found[1], found[2])


def _sizes(text: str, word: str) -> tuple[int, ...]:
    """Whole numbers of at least 1; the step itself knows how many there must be."""
    if not _SIZES.fullmatch(word):
        raise _wrong(text, f"takes sizes as whole numbers with commas, as in 4,12, not '{word}'")
    if any(len(digits) > _DIGITS for digits in word.split(",")):
        raise _wrong(text, f"takes sizes of at most {_DIGITS} digits")
    sizes = tuple(map(int, word.split(",")))
    if 0 in sizes:
        raise _wrong(text, f"takes sizes of at least 1, not '{word}'")
    return sizes


def _count(number: int) -> str:
    return {0: "nothing", 1: "one word"}.get(number, f"{number} words")


def _wrong(text: str, what: str) -> StepTextError:
    verb = text.split(maxsplit=1)[0]
    return StepTextError(f"In '{text}': {verb} {what}. Its form is {FORMS[verb]}, as in \"{EXAMPLES[verb]}\".")
