"""Result folders: `result.json`, `designs.csv`, plots and specifications.

A folder is written whole or not at all, in place of a former result only; what else lies in it is carried over. Read
back, a result of another format number is refused by name, and keys that this version does not know are left out.
"""

from __future__ import annotations

import json
import os
import shutil
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeGuard

from pydantic import ValidationError

from arrayol.errors import ArrayolError, Diagnostic, Severity, error, render
from arrayol.files import atomic_folder, place_beside
from arrayol.language.emitter import data_files
from arrayol.text import counted
from dse.jobs.cache import CACHE_FILES, FORMER_NAME
from dse.output.plots.save import save_breakdown, save_convergence, save_front
from dse.output.table import designs_csv
from dse.results.consistency import require_consistent
from dse.results.exploration import Exploration
from dse.results.schema import FORMAT, Result

RESULT, TABLE, PLOTS, SPECS = "result.json", "designs.csv", ("pareto.png", "pareto.svg"), "specs"
BREAKDOWN = ("breakdown.png", "breakdown.svg")
CONVERGENCE = ("convergence.png",)  # of a heuristic search
PICKED, REPORT = "picked.json", "report.html"  # made of a result afterwards: a new one leaves them behind
README = "README.txt"
OTHER_FOLDER = "name another folder with --out"  # a hint
PARTIAL = "partial"  # the front so far, while a search is on its way
_CONTENTS = {
    RESULT: "all designs of the front with their decisions and figures, and how they were found (docs/report.md)",
    TABLE: "the same designs, a line each",
    PLOTS[0]: "the front",
    PLOTS[1]: "the same as vectors",
    BREAKDOWN[0]: "where cycles, bits and costs go, of some designs of the front",
    BREAKDOWN[1]: "the same as vectors",
    CONVERGENCE[0]: "how the search went",
    README: "this page",
}
_LONGEST_NAME = 120  # of a file; a design with a longer name takes its number on the front

Warn = Callable[[Diagnostic], None]


def write_result(exploration: Exploration, target: Path) -> tuple[Path, ...]:
    """Write the folder `target` and return its files.

    A former result is replaced when the new one is whole; what else lies beside it is carried over. Raises ArrayolError
    as `require_writable` and `atomic_folder` do.
    """
    require_writable(target)
    with atomic_folder(target) as folder:
        result = exploration.result
        (folder / RESULT).write_text(result.to_json(), encoding="utf-8", newline="\n")
        (folder / TABLE).write_text(designs_csv(result), encoding="utf-8", newline="\n")
        save_front(exploration, *(folder / plot for plot in PLOTS))
        plots: tuple[str, ...] = PLOTS
        if result.is_mapped:
            save_breakdown(result, *(folder / plot for plot in BREAKDOWN))
            plots += BREAKDOWN
        if result.evolution is not None:
            save_convergence(result, *(folder / plot for plot in CONVERGENCE))
            plots += CONVERGENCE
        specs = _write_specs(exploration, folder)
        names = (RESULT, TABLE, *plots, README, *specs)
        (folder / README).write_text(_readme(result, names), encoding="utf-8", newline="\n")
        _carry_over(target, folder)
    return tuple(target / name for name in names)


def _readme(result: Result, names: Sequence[str]) -> str:
    """What is in a result folder, and how to get the rest."""
    told = [f"{name:<16}{_CONTENTS[name]}" for name in names if name in _CONTENTS]
    specs = [name for name in names if name not in _CONTENTS]
    described = sum(design.steps is not None or design.steps_remark is not None for design in result.pareto)
    if described:
        of_front = "" if described == len(result.pareto) else f", those that tell most of its {len(result.pareto):,}"
        told.append(f"{SPECS:<16}the specifications of {counted(len(specs), 'design')} of the front{of_front};")
        told.append(f"{'':<16}that of another design: {transform_command(result)}")
        told.append(f"{'':<16}or, here and with a picture: arrayol explore {result.spec} --out DIR --emit ID")
    heading = f"{result.top}: a result of arrayol {result.arrayol} explore, specification {result.spec}"
    return "\n".join([heading, "", *told, ""])


def transform_command(result: Result, folder: str = "DIR") -> str:
    """What makes the specification of a design that has none in the folder."""
    return f"arrayol transform {result.spec} --result {folder} --design ID"


def _write_specs(exploration: Exploration, folder: Path) -> list[str]:
    """Write the specifications of the designs of the front whose steps the result has; their names."""
    if exploration.steps is None:
        return []
    names: list[str] = []
    for number, design in enumerate(exploration.result.pareto, 1):
        if design.steps is not None:
            (folder / SPECS).mkdir(exist_ok=True)
            names.append(spec_file(design.id, number))
            target = folder / names[-1]
            target.write_text(exploration.steps.text_of(design), encoding="utf-8", newline="\n")
            place_beside(target, data_files(exploration.steps.original))
    return names


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
    if Path.cwd().is_relative_to(target.resolve()):
        message = "this is the folder you are in, which cannot be replaced as a whole"
        raise error("cannot-write", message, file=str(target), hint="name a folder below it with --out")
    if not target.resolve().parent.is_dir():
        message = f"there is no folder '{target.parent}' to write to"
        raise error("cannot-write", message, file=str(target), hint="create the folder first, or name another place")
    if not os.access(target.resolve().parent, os.W_OK | os.X_OK):
        message = f"the folder '{target.parent}' may not be written to"
        raise error("cannot-write", message, file=str(target), hint=OTHER_FOLDER)


def warn_in_python(warning: Diagnostic) -> None:
    """Tell scripts and notebooks."""
    warnings.warn(render(warning), stacklevel=2)


def load_result(folder: Path, warn: Warn = warn_in_python) -> Result:
    """Read back what `write_result` stored; `warn` is told of keys that this version does not know.

    Raises ArrayolError: `other-format` for a result that another version wrote, `wrong-result` for one whose figures
    do not agree with each other, `not-a-result` for anything else.
    """
    path, hint = folder / RESULT, "name the folder that 'arrayol explore' wrote"
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        raise error("not-a-result", f"there is no {RESULT} here", file=str(folder), hint=hint) from None
    except OSError as refused:
        message = f"the result cannot be read: {refused.strerror}"
        raise error("unreadable", message, file=str(path)) from None
    except UnicodeDecodeError:
        text = ""
    document = _of_our_format(_parsed(text), path)
    try:
        result = _validated(text, document, path, warn)
    except ValueError:  # pydantic's own
        raise _no_result(path) from None
    require_consistent(result, str(path))
    return result


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
        return _is_result(_parsed((folder / RESULT).read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return False


def _is_result(document: object) -> TypeGuard[dict[str, Any]]:
    """Whether arrayol wrote the document, in whatever version."""
    return isinstance(document, dict) and {"arrayol", "pareto"} <= document.keys()


def _carry_over(former: Path, folder: Path) -> None:
    """Copy what a former result's folder holds beside arrayol's own files, and the store of the new one."""
    for path in former.iterdir() if former.is_dir() else ():
        if path.name in {*_CONTENTS, PICKED, REPORT, PARTIAL, FORMER_NAME}:
            continue
        if path.name in CACHE_FILES:
            _link(path, folder / path.name)
        elif path.is_dir() and not path.is_symlink():
            ours = shutil.ignore_patterns("*.aol", "*.png") if path.name == SPECS else None
            shutil.copytree(path, folder / path.name, symlinks=True, ignore=ours, dirs_exist_ok=True)
        else:
            shutil.copy2(path, folder / path.name, follow_symlinks=False)


def _link(path: Path, target: Path) -> None:
    """The same file in another place too, or where the file system has no such links a copy of it."""
    try:
        target.hardlink_to(path)
    except OSError:
        shutil.copy2(path, target)
