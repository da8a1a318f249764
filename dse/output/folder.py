"""Result folders: the names of their files, where one may be written, and results read back.

A result of another format number is refused by name, and keys that this version does not know are left out.
"""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard

from pydantic import ValidationError

from arrayol.errors import ArrayolError, Diagnostic, Severity, error, render
from arrayol.files import MOST_DOCUMENT_BYTES, hint_of, read_json, read_text, resolved
from arrayol.text import clipped, counted
from dse.jobs.cache import CACHE_FILES
from dse.results.consistency import EXPLORE_AGAIN, wrong_designs
from dse.results.rows import IDENTIFIER
from dse.results.schema import FORMAT, Result

RESULT, TABLE, PLOTS, SPECS = "result.json", "designs.csv", ("pareto.png", "pareto.svg"), "specs"
BREAKDOWN = ("breakdown.png", "breakdown.svg")  # drawn when somebody asks, of a result that is there
CONVERGENCE = ("convergence.png",)  # of a heuristic search
REPORT = "report.html"
PICKED = "picked.json"  # made of a result afterwards: a new one leaves it behind
README = "README.txt"
OTHER_FOLDER = "name another folder with --out"  # a hint
PARTIAL = "partial"  # the front so far, while a search is on its way
_WARNED = 5  # designs that are left out, each with its reason
_LISTS = (("pareto",), ("designs",))  # where a document has designs
_LONGEST_NAME = 120  # of a file; a design with a longer name takes its number on the front

Warn = Callable[[Diagnostic], None]
Place = tuple[str | int, ...]  # keys and numbers that lead to a value of a document


def transform_command(result: Result, folder: str = "DIR") -> str:
    """What makes the specification of a design that has none in the folder."""
    return f"arrayol transform {result.spec} --result {folder} --design ID"


def spec_file(identifier: str, number: int) -> str:
    """The name, in a result folder, of the specification of a design, the so-and-so-many-th (from 1) of the front."""
    return f"{SPECS}/{identifier.replace(':', '-') if len(identifier) <= _LONGEST_NAME else number}.aol"


def require_writable(target: Path) -> None:
    """Raises ArrayolError where `target` may not become a result folder.

    `not-a-result` for a file, or a folder that is neither empty nor a former result; `cannot-write` as
    `require_replaceable`.
    """
    if target.exists() and not target.is_dir():
        raise error("not-a-result", "this is a file, and results go to a folder", file=str(target), hint=OTHER_FOLDER)
    require_replaceable(target)
    if (target / SPECS).exists() and not (target / SPECS).is_dir():
        message = f"this is in the way of the folder '{SPECS}' of a result"
        raise error("cannot-write", message, file=str(target / SPECS), hint=f"move it away, or {OTHER_FOLDER}")
    if (
        target.is_dir()
        and not _holds_result(target)
        and any(path.name not in (*CACHE_FILES, PARTIAL) for path in target.iterdir())
    ):
        message = "this folder is not empty and holds no former result"
        raise error("not-a-result", message, file=str(target), hint=OTHER_FOLDER)


def require_replaceable(target: Path) -> None:
    """Raises ArrayolError (`cannot-write`) where a folder's parent is missing, and for the folder one is in."""
    if target.is_symlink() and not target.exists():
        raise error("cannot-write", "this is a link to nothing", file=str(target), hint=OTHER_FOLDER)
    if Path.cwd().is_relative_to(resolved(target)):
        message = "this is the folder you are in, which cannot be replaced as a whole"
        raise error("cannot-write", message, file=str(target), hint="name a folder below it with --out")
    if not resolved(target).parent.is_dir():
        message = f"there is no folder '{target.parent}' to write to"
        raise error("cannot-write", message, file=str(target), hint="create the folder first, or name another place")
    if not os.access(resolved(target).parent, os.W_OK | os.X_OK):
        message = f"the folder '{target.parent}' may not be written to"
        raise error("cannot-write", message, file=str(target), hint=OTHER_FOLDER)


def warn_in_python(warning: Diagnostic) -> None:
    """Tell scripts and notebooks."""
    warnings.warn(render(warning), stacklevel=2)


def load_result(folder: Path, warn: Warn = warn_in_python) -> Result:
    """Read back what `dse.output.writing.write_result` stored; `warn` gets the keys that this version does not know.

    Designs that are not what `explore` writes, or whose figures do not agree with each other, are left out: `warn` is
    told which and why (`wrong-design`), and the result has them as `unusable`. Raises ArrayolError: `other-format` for
    a result that another version wrote, `wrong-result` for one whose figures as a whole do not agree with each other,
    or that has no usable design on its front, `not-a-result` for anything else.
    """
    path, hint = folder / RESULT, "name the folder that 'arrayol explore' wrote"
    try:
        text = read_text(path, MOST_DOCUMENT_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        raise error("not-a-result", f"there is no {RESULT} here", file=str(folder), hint=hint) from None
    except OSError as refused:
        message = f"the result cannot be read: {refused.strerror}"
        raise error("unreadable", message, hint=hint_of(refused), file=str(path)) from None
    except UnicodeDecodeError:
        text = ""
    document = _of_our_format(_parsed(text), path)
    try:
        result = _validated(text, document, path, warn)
    except ValueError:  # pydantic's own
        raise _no_result(path) from None
    _require_names(result, path)
    result = result.without(wrong_designs(result, str(path)))
    for warning in _warnings_of(result.unusable, path):
        warn(warning)
    return result


def _require_names(result: Result, path: Path) -> None:
    """Raises ArrayolError (`wrong-result`) for a name of a design that no exploration gives: it could be a path."""
    for design in (*result.pareto, *(result.designs or ())):
        if re.fullmatch(IDENTIFIER, design.id) is None:
            message = f"'{clipped(design.id)}' is no name of a design: digits, letters and + . , : _ -, no sign first"
            raise error("wrong-result", message, file=str(path), hint="explore once more")


def _warnings_of(unusable: Mapping[str, str], path: Path) -> Iterator[Diagnostic]:
    """One warning for each design that is left out, and one for all beyond some."""
    texts = [f"design {name} is left out: {reason}" for name, reason in unusable.items()]
    if len(texts) > _WARNED:
        names = ", ".join(list(unusable)[_WARNED:])
        texts[_WARNED:] = [f"{counted(len(texts) - _WARNED, 'more design')} left out: {names}"]
    for text in texts:
        yield Diagnostic("wrong-design", text, hint=EXPLORE_AGAIN, severity=Severity.WARNING, file=str(path))


def _parsed(text: str) -> object:
    """A JSON document; None for a text that is none, or is nested deeper than Python reads."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _of_our_format(document: object, path: Path) -> dict[str, Any]:
    """The document. Raises ArrayolError: `other-format` for what another version wrote, `not-a-result`."""
    if not _is_result(document):
        raise _no_result(path)
    number = document.get("format")
    if number is not None and type(number) is not int:
        raise _no_result(path)
    if number != FORMAT:
        its = "has no format number" if number is None else f"is in format {number}"
        message = f"the result {its}, and this version of arrayol reads and writes format {FORMAT}"
        newer = number is not None and number > FORMAT
        hint = "read it with the version of arrayol that wrote it, or explore again" if newer else "explore again"
        raise error("other-format", message, file=str(path), hint=hint)
    return document


def _validated(text: str, document: dict[str, Any], path: Path, warn: Warn) -> Result:
    """The result without keys that are not known, and without designs that are not what `explore` writes.

    Raises ValueError for whatever else is wrong.
    """
    try:
        return Result.model_validate_json(text)
    except ValidationError as wrong:
        mistakes = wrong.errors(include_url=False, include_input=False)
    unknown = [mistake["loc"] for mistake in mistakes if mistake["type"] == "extra_forbidden"]
    broken = [mistake["loc"] for mistake in mistakes if mistake["type"] != "extra_forbidden"]
    if any(place[:1] not in _LISTS or len(place) < 2 for place in broken):
        raise ValueError(document)
    for *parts, key in unknown:
        holder: Any = document
        for part in parts:
            holder = holder[part]
        del holder[key]
    unusable = _without_designs(document, broken)
    if not document["pareto"]:
        raise ValueError(document)
    result = Result.model_validate_json(json.dumps(document)).without(unusable)
    if unknown:
        texts = ("".join("[]" if isinstance(part, int) else f".{part}" for part in place) for place in unknown)
        names = dict.fromkeys(text.removeprefix(".") for text in texts)
        message = f"keys that this version of arrayol does not know are left out: {', '.join(names)}"
        warn(Diagnostic("unknown-key", message, severity=Severity.WARNING, file=str(path)))
    return result


def _without_designs(document: dict[str, Any], broken: Sequence[Place]) -> dict[str, str]:
    """Take designs with values that `explore` never writes out of a document: by id or place, what is wrong."""
    unusable: dict[str, str] = {}
    for list_name, number, *rest in broken:
        design = document[str(list_name)][number]
        name = design.get("id") if isinstance(design, dict) else None
        place = f"{list_name}[{number}]"
        inside = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in rest)
        what = f"its {inside.removeprefix('.')}" if inside else "it"
        unusable.setdefault(name if isinstance(name, str) else place, f"{what} is not what explore writes")
    places = {(list_name, number) for list_name, number, *_ in broken}
    for (list_name,) in _LISTS:
        kept = enumerate(document.get(list_name) or ())
        if document.get(list_name) is not None:
            own = [design for number, design in kept if (list_name, number) not in places]
            document[list_name] = [one for one in own if not _is_called(one, unusable)]
    return unusable


def _is_called(design: object, names: Collection[str]) -> bool:
    """Whether a design of a document has one of some ids."""
    return isinstance(design, dict) and design.get("id") in names


def _no_result(path: Path) -> ArrayolError:
    message = "this is not a result of 'arrayol explore', or of another version of it"
    return error("not-a-result", message, file=str(path), hint="explore once more")


def _holds_result(folder: Path) -> bool:
    """Whether arrayol wrote the folder, in whatever version."""
    try:
        return _is_result(read_json(folder / RESULT))
    except (OSError, ValueError):
        return False


def _is_result(document: object) -> TypeGuard[dict[str, Any]]:
    """Whether arrayol wrote the document, in whatever version."""
    return isinstance(document, dict) and {"arrayol", "pareto"} <= document.keys()
