"""Result folders: result.json, designs.csv and the plot, whole or not there at all."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from arrayol.errors import error
from arrayol.files import atomic_folder
from arrayol.language.emitter import spec_text
from arrayol.transforms.pipeline import run_steps
from arrayol.transforms.step_text import parse_step
from dse.designs_csv import designs_csv
from dse.explore import Exploration
from dse.mapping import Mapped
from dse.mapping_result import MappedDesign, MappingResult
from dse.plots.save import save_convergence, save_mapping_plots, save_plot
from dse.result import Design, Result
from dse.work.store import STORE_FILES

RESULT, TABLE, PLOTS, SPECS = "result.json", "designs.csv", ("pareto.png", "pareto.svg"), "specs"
BREAKDOWN = ("breakdown.png", "breakdown.svg")
CONVERGENCE = ("convergence.png",)  # of a heuristic search
PICKED, REPORT = "picked.json", "report.html"  # made of a result afterwards: a new one leaves them behind
SPECS_AT_MOST = 100  # designs of a long front whose specifications are written; result.json has the steps of all
_LONGEST_NAME = 120  # of a file; a design with a longer name takes its number on the front


def write_result(exploration: Exploration | Mapped, target: Path) -> tuple[Path, ...]:
    """Write the folder `target` and return its files.

    A former result is replaced when the new one is whole; what else lies beside it is carried over. Raises ArrayolError
    as `require_writable` and `atomic_folder` do.
    """
    require_writable(target)
    with atomic_folder(target) as folder:
        (folder / RESULT).write_text(exploration.result.to_json(), encoding="utf-8")
        (folder / TABLE).write_text(designs_csv(exploration.result), encoding="utf-8")
        save_plot(exploration, *(folder / plot for plot in PLOTS))
        more: tuple[str, ...] = BREAKDOWN if isinstance(exploration, Mapped) else ()
        if isinstance(exploration, Mapped):
            save_mapping_plots(exploration, *(folder / plot for plot in BREAKDOWN))
            if exploration.result.evolution is not None:
                save_convergence(exploration, *(folder / plot for plot in CONVERGENCE))
                more += CONVERGENCE
        specs = _write_specs(exploration, folder)
        _carry_over(target, folder)
    return tuple(target / name for name in (RESULT, TABLE, *PLOTS, *more, *specs))


def _write_specs(exploration: Exploration | Mapped, folder: Path) -> list[str]:
    """Write the specification of each of the first designs of the front that steps make; their names in the folder."""
    if exploration.spec is None:
        return []
    names: list[str] = []
    front: tuple[Design | MappedDesign, ...] = exploration.result.pareto
    for number, design in enumerate(front[:SPECS_AT_MOST], 1):
        if design.steps is None:
            continue
        (folder / SPECS).mkdir(exist_ok=True)
        name = spec_file(design.id, number)
        made = run_steps(exploration.spec, [parse_step(step) for step in design.steps])
        (folder / name).write_text(spec_text(made.spec), encoding="utf-8")
        names.append(name)
    return names


def spec_file(identifier: str, number: int) -> str:
    """The name, in a result folder, of the specification of a design, the so-and-so-many-th (from 1) of the front."""
    return f"{SPECS}/{identifier.replace(':', '-') if len(identifier) <= _LONGEST_NAME else number}.aol"


def require_writable(target: Path) -> None:
    """Raises ArrayolError where `target` may not become a result folder.

    `not-a-result` for a file, or a folder that is neither empty nor a former result; `cannot-write` where the parent
    is missing, and for the folder one is in.
    """
    hint = "name another folder with --out"
    if target.is_symlink() and not target.exists():
        raise error("cannot-write", "this is a link to nothing", file=str(target), hint=hint)
    if target.exists() and not target.is_dir():
        raise error("not-a-result", "this is a file, and results go to a folder", file=str(target), hint=hint)
    if Path.cwd().is_relative_to(target.resolve()):
        message = "this is the folder you are in, which cannot be replaced as a whole"
        raise error("cannot-write", message, file=str(target), hint="name a folder below it with --out")
    if not target.resolve().parent.is_dir():
        message = f"there is no folder '{target.parent}' to write to"
        raise error("cannot-write", message, file=str(target), hint="create the folder first, or name another place")
    if not os.access(target.resolve().parent, os.W_OK | os.X_OK):
        message = f"the folder '{target.parent}' may not be written to"
        raise error("cannot-write", message, file=str(target), hint=hint)
    if target.is_dir() and not _holds_result(target) and any(one.name not in STORE_FILES for one in target.iterdir()):
        message = "this folder is not empty and holds no former result"
        raise error("not-a-result", message, file=str(target), hint=hint)


def load_result(folder: Path) -> Result | MappingResult:
    """Read back what `write_result` stored. Raises ArrayolError (`not-a-result`) for anything else."""
    hint = "name the folder that 'arrayol explore' wrote"
    try:
        text = (folder / RESULT).read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        raise error("not-a-result", f"there is no {RESULT} here", file=str(folder), hint=hint) from None
    except OSError as refused:
        message = f"the result cannot be read: {refused.strerror}"
        raise error("unreadable", message, file=str(folder / RESULT)) from None
    except UnicodeDecodeError:
        text = ""
    try:
        published = json.loads(text).get("model") == "published"
        return (Result if published else MappingResult).model_validate_json(text)
    except (ValueError, AttributeError):  # pydantic's own
        message = "this is not a result of 'arrayol explore', or of another version of it"
        raise error("not-a-result", message, file=str(folder / RESULT), hint="explore once more") from None


def _holds_result(folder: Path) -> bool:
    """Whether arrayol wrote the folder, in whatever version."""
    try:
        document = json.loads((folder / RESULT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and {"arrayol", "pareto"} <= document.keys()


def _carry_over(former: Path, folder: Path) -> None:
    """Copy what a former result's folder holds beside arrayol's own files."""
    for found in former.iterdir() if former.is_dir() else ():
        if found.name in {RESULT, TABLE, *PLOTS, *BREAKDOWN, *CONVERGENCE, PICKED, REPORT}:
            continue
        if found.name in STORE_FILES:
            _link(found, folder / found.name)
        elif found.is_dir() and not found.is_symlink():
            ours = shutil.ignore_patterns("*.aol") if found.name == SPECS else None
            shutil.copytree(found, folder / found.name, symlinks=True, ignore=ours, dirs_exist_ok=True)
        else:
            shutil.copy2(found, folder / found.name, follow_symlinks=False)


def _link(found: Path, target: Path) -> None:
    """The same file in another place too, or where the file system has no such links a copy of it."""
    try:
        target.hardlink_to(found)
    except OSError:
        shutil.copy2(found, target)
