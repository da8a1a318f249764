"""Slack of larger applications: no other rate of a single task saves much logic within it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from arrayol import api
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from dse.output.open_design import StoredDesign
from hwmodel.cost_model.model import MachineModel
from hwmodel.design import Design, Processor

COMPARED = ("latency_cycles", "internal_memory_elements")
SLACK = 0.01
SMALL = {
    "camera": {"H": 4, "W": 4},
    "downscaler": {"H": 18, "W": 16},
    "flow": {"H": 4, "W": 4},
    "mobilenet": {"H": 2, "W": 2},
    "sobel": {"H": 8, "W": 8},
}
PAGE = Path(__file__).parents[3] / "docs/howto/to-a-project.md"
Figures = tuple[float, ...]  # the compared ones, then LUT


def explored(spec: api.Spec, slack: float) -> api.Exploration:
    space = api.Space(study=api.Study(slack=slack), narrow=True, verify=False)
    return api.explore(spec, objectives=COMPARED, space=space, device="none")


def within(figures: Figures, other: Figures) -> bool:
    pairs = zip(figures[:-1], other[:-1], strict=True)
    return all(own <= int((1 + SLACK) * most + 1e-9) for own, most in pairs)


def other_rates(opened: StoredDesign) -> Iterator[Design]:
    """The design with one unit less, half of them or one of a task, at each interval that the platform offers."""
    for number, group in enumerate(opened.design.groups):
        for place, own in enumerate(group.processors):
            process = opened.network.processes[own.task]
            for interval in opened.platform.intervals(process):
                for units in dict.fromkeys((1, own.units, max(1, own.units // 2), max(1, own.units - 1))):
                    processors: list[Processor] = [*group.processors]
                    processors[place] = replace(own, units=units, interval=interval)
                    groups = [*opened.design.groups]
                    groups[number] = replace(group, processors=tuple(processors))
                    yield replace(opened.design, groups=tuple(groups))


def figures_of_changes(opened: StoredDesign) -> Iterator[Figures]:
    model = MachineModel(opened.network, opened.platform, opened.accesses.loads)
    for design in other_rates(opened):
        with suppress(ArrayolError):  # rates that memories or the model refuse
            yield tuple(model.evaluate(design).objectives((*COMPARED, "lut")).values())


def require_lean(spec: api.Spec, folder: Path) -> None:
    """For each design of the front without slack what is shown has little more LUT than all of its single changes."""
    shown, strict = explored(spec, SLACK), explored(spec, 0.0).result
    api.write_result(shown, folder, report=False)
    lean: list[Figures] = []
    changed: list[Figures] = []
    for design in shown.result.pareto:
        opened = api.open_design(spec, folder, design.id)
        lean.append(tuple(design.objectives[name] for name in (*COMPARED, "lut")))
        changed += figures_of_changes(opened)
    assert len(changed) > len(lean)
    for one in strict.pareto:
        most = (*(one.objectives[name] for name in COMPARED), 0.0)
        least = min(figures[-1] for figures in (*lean, *changed) if within(figures, most))
        assert min(figures[-1] for figures in lean if within(figures, most)) <= 1.1 * least


@pytest.mark.parametrize("name", SMALL)
def test_shipped_fronts(name: str, tmp_path: Path) -> None:
    require_lean(api.load(shipped_folder() / f"{name}.aol", SMALL[name]), tmp_path / "out")


def test_the_front_end_of_jpeg(tmp_path: Path) -> None:
    blocks = dict(re.findall(r"```\w+\n(?:/\*|#) (front\.\w+)(.*?)```", PAGE.read_text(encoding="utf-8"), re.S))
    (tmp_path / "front.c").write_text(f"/* {blocks['front.c']}", encoding="utf-8")
    (tmp_path / "front.toml").write_text(f"# {blocks['front.toml']}", encoding="utf-8")
    (tmp_path / "front.aol").write_text(
        api.import_c(tmp_path / "front.c", {"ROWS": 16, "COLS": 32}).text, encoding="utf-8"
    )
    require_lean(api.load(tmp_path / "front.aol"), tmp_path / "out")
