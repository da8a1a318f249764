"""Result folders: the names of their files, where one may be written, and results read back.

A result of another format number is refused by name, and keys that this version does not know are left out.
"""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeGuard

from pydantic import ValidationError

from arrayol.errors import ArrayolError, Diagnostic, Severity, error, render
from arrayol.files import MOST_DOCUMENT_BYTES, hint_of, read_json, read_text, resolved
from arrayol.text import clipped
from dse.jobs.cache import CACHE_FILES
from dse.results.consistency import require_consistent
from dse.results.identifiers import IDENTIFIER
from dse.results.schema import FORMAT, Result

RESULT, TABLE, PLOTS, SPECS = "result.json", "designs.csv", ("pareto.png", "pareto.svg"), "specs"
BREAKDOWN = ("breakdown.png", "breakdown.svg")  # drawn when somebody asks, of a result that is there
CONVERGENCE = ("convergence.png",)  # of a heuristic search
REPORT = "report.html"
PICKED = "picked.json"  # made of a result afterwards: a new one leaves it behind
README = "README.txt"
OTHER_FOLDER = "name another folder with --out"  # a hint
PARTIAL = "partial"  # the front so far, while a search is on its way
_LONGEST_NAME = 120  # of a file; a design with a longer name takes its number on the front

Warn = Callable[[Diagnostic], None]


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
    """Read back what `dse.output.writing.write_result` stored; `warn` is told of keys that this version does not know.

    Raises ArrayolError: `other-format` for a result that another version wrote, `wrong-result` for one whose figures
    do not agree with each other, `not-a-result` for anything else.
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
    require_consistent(result, str(path))
    return result


def _require_names(result: Result, path: Path) -> None:
    """Raises ArrayolError (`wrong-result`) for a name of a design that no exploration gives: it could be a path."""
    for design in (*result.pareto, *(result.designs or ())):
        if re.fullmatch(IDENTIFIER, design.id) is None:
            message = f"'{clipped(design.id)}' is no name of a design: digits, letters and + . , : _ -, no sign first"
            raise error("wrong-result", message, file=str(path), hint="explore once more")


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
    """The result without keys that are not known. Raises ValueError for whatever else is wrong."""
    try:
        return Result.model_validate_json(text)
    except ValidationError as wrong:
        mistakes = wrong.errors(include_url=False, include_input=False)
        if any(mistake["type"] != "extra_forbidden" for mistake in mistakes):
            raise
    places = [mistake["loc"] for mistake in mistakes]
    for *parts, key in places:
        holder: Any = document
        for part in parts:
            holder = holder[part]
        del holder[key]
    texts = ("".join("[]" if isinstance(part, int) else f".{part}" for part in place) for place in places)
    names = dict.fromkeys(text.removeprefix(".") for text in texts)
    message = f"keys that this version of arrayol does not know are left out: {', '.join(names)}"
    result = Result.model_validate_json(json.dumps(document))
    warn(Diagnostic("unknown-key", message, severity=Severity.WARNING, file=str(path)))
    return result


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
