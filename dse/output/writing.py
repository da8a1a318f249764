"""Result folders, written: `result.json`, `designs.csv`, plots, specifications and the report; the front so far.

A folder is written whole or not at all, in place of a former result only; what else lies in it is carried over.

Spreadsheets compute what begins with =, +, - or @, and some take 0,1 for a number. No text here does or is so: names
are those of the language and of costs, and scans stand in brackets.
"""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Sequence
from pathlib import Path

from arrayol.errors import ArrayolError
from arrayol.files import atomic_folder, carry_over, write_next_to, writing
from arrayol.language.emitter import data_files
from arrayol.text import counted
from dse.jobs.cache import FORMER_NAME
from dse.output.folder import (
    BREAKDOWN,
    CONVERGENCE,
    PARTIAL,
    PICKED,
    PLOTS,
    README,
    REPORT,
    RESULT,
    SPECS,
    TABLE,
    require_writable,
    spec_file,
    transform_command,
)
from dse.output.plots.save import save_convergence, save_front
from dse.output.report.write import first_report
from dse.results.exploration import Exploration
from dse.results.schema import Result


def designs_csv(result: Result) -> str:
    """All designs that the result holds, one a line; `pareto` says which are on the front."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(result.rows)
    return text.getvalue()


_CONTENTS = {
    RESULT: "all designs of the front with their decisions and figures, and how they were found (docs/report.md)",
    TABLE: "the same designs, a line each",
    PLOTS[0]: "the front",
    PLOTS[1]: "the same as vectors",
    CONVERGENCE[0]: "how the search went",
    REPORT: "the report: all of it in one page, to open in a browser",
    README: "this page",
}


def write_result(exploration: Exploration, target: Path, *, report: bool = True) -> tuple[Path, ...]:
    """Write the folder `target` and return its files, the report among them unless it is not wanted.

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
        if result.evolution is not None:
            save_convergence(result, *(folder / plot for plot in CONVERGENCE))
            plots += CONVERGENCE
        specs = _write_specs(exploration, folder)
        reports: tuple[str, ...] = ()
        if report:
            page = first_report(result, target, folder, exploration.steps, exploration.models)
            (folder / REPORT).write_bytes(page)
            reports = (REPORT,)
        names = (RESULT, TABLE, *plots, *reports, README, *specs)
        (folder / README).write_text(_readme(result, names), encoding="utf-8", newline="\n")
        _carry_over(target, folder)
    return tuple(target / name for name in names)


def _readme(result: Result, names: Sequence[str]) -> str:
    """What is in a result folder, and how to get the rest."""
    told = [f"{name:<16}{_CONTENTS[name]}" for name in names if name in _CONTENTS]
    specs = [name for name in names if name not in _CONTENTS]
    described = sum(design.steps is not None or design.steps_remark is not None for design in result.pareto)
    if described:
        of_front = "" if described == len(result.pareto) else f", which represent its {len(result.pareto):,} best"
        told.append(f"{SPECS:<16}the specifications of {counted(len(specs), 'design')} of the front{of_front};")
        told.append(f"{'':<16}that of another design: {transform_command(result)}")
        told.append(f"{'':<16}or, here and with a picture: arrayol explore {result.spec} --out DIR --emit ID")
    if result.is_mapped:
        told.append(f"where cycles, bits and costs go: arrayol report DIR --breakdown DIR/{BREAKDOWN[0]}")
    heading = f"{result.top}: a result of arrayol {result.arrayol} explore, specification {result.spec}"
    return "\n".join([heading, "", *told, ""])


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
            write_next_to(target, data_files(exploration.steps.original))
    return names


def _carry_over(former: Path, folder: Path) -> None:
    """Keep what a former result's folder holds beside arrayol's own files, and the store of the new one."""
    for path in former.iterdir() if former.is_dir() else ():
        if path.name in {*_CONTENTS, *BREAKDOWN, PICKED, PARTIAL, FORMER_NAME}:
            continue
        ours = shutil.ignore_patterns("*.aol", "*.png") if path.name == SPECS else None
        carry_over(path, folder / path.name, ours)


def write_partial(result: Result, target: Path) -> None:
    """Put a result and its table in place of those of the last time, each file whole or not at all.

    Raises ArrayolError (`cannot-write`) for a full disk; then nothing of it is left.
    """
    folder = target / PARTIAL
    try:
        with writing(target):
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in ((RESULT, result.to_json()), (TABLE, designs_csv(result))):
                waiting = folder / f".{name}"
                waiting.write_text(text, encoding="utf-8", newline="\n")
                waiting.replace(folder / name)
    except ArrayolError:
        remove_partial(target)
        raise


def remove_partial(target: Path) -> None:
    """What was so far is of no use any more."""
    shutil.rmtree(target / PARTIAL, ignore_errors=True)
