"""A picked design in its result's folder: `picked.json` with its decisions and where its cycles and bits go."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from arrayol.files import atomic_file, write_next_to, writing
from arrayol.language.emitter import data_files
from dse.output.folder import PICKED, spec_file
from dse.results.designs import Design
from dse.results.pick import Picked
from dse.results.schema import Result
from dse.results.steps import StepFinder


def write_picked(result: Result, picked: Picked, steps: StepFinder | None, folder: Path) -> dict[str, Any]:
    """Write picked.json in a result folder, and the design's specification where `write_result` left it out.

    `steps` knows the steps of its designs. Returned is the document, whose `aol` names that file in the folder, null
    without steps. Raises ArrayolError as `atomic_file` does.
    """
    name = write_spec(result, picked.design, steps, folder)
    document = {
        "rule": picked.rule.text,
        "why": picked.why,
        "design": picked.design.model_dump(mode="json"),
        "breakdown": picked.design.breakdown,
        "costs": picked.design.costs,
        "aol": name,
    }
    target = folder / PICKED
    with atomic_file(target) as temporary, writing(target):
        temporary.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8", newline="\n")
    return document


def write_spec(result: Result, design: Design, steps: StepFinder | None, folder: Path) -> str | None:
    """The name of the specification, in a result's folder, of a design with its steps; made if it is not there yet.

    None without steps. Raises ArrayolError as `atomic_file` does.
    """
    if design.steps is None:
        return None
    places = [pareto.id for pareto in result.pareto]
    name = spec_file(design.id, places.index(design.id) + 1 if design.id in places else 0)
    target = folder / name
    if not target.exists():
        if steps is None:
            return None
        with writing(target):
            target.parent.mkdir(exist_ok=True)
        write_next_to(target, data_files(steps.original))
        with atomic_file(target) as temporary, writing(target):
            temporary.write_text(steps.text_of(design), encoding="utf-8", newline="\n")
    return name
