"""A picked design as a document and files: its decisions, steps and specification, where cycles and bits go."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from arrayol.files import atomic_file, writing
from arrayol.ir.spec import Spec
from arrayol.language.emitter import spec_text
from arrayol.transforms.pipeline import run_steps
from arrayol.transforms.steps import parse_step
from dse.output.folder import PICKED, spec_file
from dse.results.pick import Picked
from dse.results.schema import Design, Result


def write_picked(result: Result, picked: Picked, spec: Spec | None, folder: Path) -> dict[str, Any]:
    """Write picked.json in a result folder, and the design's specification where `write_result` left it out.

    `spec` is what the design's steps start from. The document is returned. Raises ArrayolError as `atomic_file` does.
    """
    name = _write_spec(result, picked.design, spec, folder)
    document = picked_document(picked, name)
    target = folder / PICKED
    with atomic_file(target) as temporary, writing(target):
        temporary.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return document


def picked_document(picked: Picked, aol: str | None) -> dict[str, Any]:
    """The JSON of a picked design; `aol` names its specification in the result folder, null without steps."""
    return {
        "rule": picked.rule.text,
        "why": picked.why,
        "design": picked.design.model_dump(mode="json"),
        "breakdown": picked.design.breakdown,
        "aol": aol,
    }


def _write_spec(result: Result, design: Design, spec: Spec | None, folder: Path) -> str | None:
    """The name of the design's specification in the folder; it is made if it is not there yet."""
    if design.steps is None:
        return None
    places = [pareto.id for pareto in result.pareto]
    name = spec_file(design.id, places.index(design.id) + 1 if design.id in places else 0)
    target = folder / name
    if not target.exists():
        if spec is None:
            return None
        target.parent.mkdir(exist_ok=True)
        text = spec_text(run_steps(spec, [parse_step(step) for step in design.steps]).spec)
        with atomic_file(target) as temporary, writing(target):
            temporary.write_text(text, encoding="utf-8")
    return name
