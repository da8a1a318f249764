"""One loop nest: how its arrays lie in memory banks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from arrayol.api.spec import Source, file_of, load
from arrayol.files import atomic_file, place_beside, writing
from arrayol.language.emitter import data_files, spec_text
from arrayol.language.settings import Settings
from arrayol.pictures.save import save_layout, save_layout_exploration
from hwmodel.assumptions import assumed_by_layout
from hwmodel.banks.emit_aol import rewritten
from hwmodel.banks.emit_linear import rewritten_linear
from hwmodel.banks.explore import MOST_COPIES, LayoutExploration
from hwmodel.banks.explore import explore_layouts as search_layouts
from hwmodel.banks.layouts import Choices, Comparison
from hwmodel.banks.nest import PORTS, lay_out
from hwmodel.banks.report import exploration_picture, picture
from hwmodel.platform import find_platform

EmittedPorts = Literal["memories", "banks", "linear"]


def layout(
    spec: Source,
    task: str,
    unroll: Sequence[int] | None = None,
    choices: Choices | None = None,
    *,
    settings: Settings | None = None,
) -> Comparison:
    """How the arrays of a repetitive task or an elementary can lie in memory banks, its loops unrolled by factors.

    Without `choices` there are as many banks as the platform has, and the rule is `ports`. Raises ArrayolError where
    the nest or the factors cannot be used: see `hwmodel.banks.nest.lay_out`.
    """
    loaded = load(spec, settings)
    return lay_out(loaded, task, unroll, choices if choices is not None else local_choices(loaded))


def local_banks(spec: Source) -> int:
    """The banks of the local memory, from the platform file beside the spec or else the shipped default."""
    return local_choices(spec).banks


def local_choices(spec: Source) -> Choices:
    """The usual choices with those banks, and what was assumed of them."""
    platform, origin = find_platform(file_of(spec), None)
    return Choices(platform.local.banks, assumed=assumed_by_layout(platform, origin))


def explore_layouts(
    spec: Source,
    task: str,
    choices: Choices | None = None,
    *,
    ports: Sequence[int] = PORTS,
    most: int = MOST_COPIES,
    settings: Settings | None = None,
) -> LayoutExploration:
    """Unroll factors and layouts of a nest, searched together: see `hwmodel.banks.explore.explore_layouts`.

    There are at most `most` copies of a body and `choices.banks` banks, of each of some numbers of `ports`.
    """
    loaded = load(spec, settings)
    return search_layouts(loaded, task, choices if choices is not None else local_choices(loaded), ports, most)


def draw_layout_exploration(exploration: LayoutExploration, path: Path | str) -> None:
    """Write the picture of an exploration: its front, and what copies of a body are worth (.svg or .png)."""
    save_layout_exploration(exploration_picture(exploration), Path(path))


def draw_layout(spec: Source, comparison: Comparison, path: Path | str, *, settings: Settings | None = None) -> None:
    """Write the picture of a comparison: arrays by bank, and what layouts save by unroll factors (.svg or .png)."""
    save_layout(picture(load(spec, settings), comparison), Path(path))


def emit_layout(
    spec: Source,
    comparison: Comparison,
    path: Path | str,
    *,
    ports: EmittedPorts = "memories",
    settings: Settings | None = None,
) -> None:
    """Write the elementary of a comparison, unrolled and on its custom or its linear layout, as a specification.

    Its task NAME_laid_out computes what the elementary does. `ports` are those of the custom layout, one for each of
    its virtual `memories` or of its `banks`, or those of the `linear` one, for each array its banks and their words.
    Raises ArrayolError: `no-nest` for a task, `no-linear-banks`, `cannot-write`.
    """
    target = Path(path)
    loaded, name, factors = load(spec, settings), comparison.nest.name, comparison.factors
    if ports == "linear":
        laid_out = rewritten_linear(loaded, name, factors, comparison.linear)
    else:
        laid_out = rewritten(loaded, name, factors, comparison.custom, physical=ports == "banks")
    place_beside(target, data_files(laid_out))
    with atomic_file(target) as temporary, writing(target):
        temporary.write_text(spec_text(laid_out), encoding="utf-8", newline="\n")
