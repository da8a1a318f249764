"""One loop nest: how its arrays lie in memory banks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from arrayol.api.spec import Source, file_of, load
from arrayol.files import atomic_file, write_next_to, writing
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
    """Compare layouts of the arrays of a loop nest in memory banks.

    - `task`: a repetitive or an elementary task. `unroll`: a factor for each loop, outermost first; without it 1.
    - `choices`: the number of banks, and how cycles are counted; without it, the banks of the platform and the rule
      `ports`.

    `costs` of the result has the cycles and the memories of each layout. Raises ArrayolError as `load`, and if the nest
    or the factors cannot be used.

    >>> sorted(api.layout(spec, "filter", unroll=[1, 2]).costs)
    ['custom', 'cyclic', 'cyclic_true', 'linear', 'naive']
    """
    loaded = load(spec, settings)
    return lay_out(loaded, task, unroll, choices if choices is not None else local_choices(loaded))


def local_banks(spec: Source) -> int:
    """Return the number of banks of the local memory.

    The platform is the file beside the specification, or else the shipped default. Raises ArrayolError as
    `load_platform`.

    >>> api.local_banks(spec)
    8
    """
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
    """Search unroll factors and layouts of a loop nest together.

    There are at most `most` copies of a body, and 1, 2, 4, ... up to `choices.banks` banks, with each number of
    `ports`. The `front` of the result has the designs that no other beats in cycles, memories, ports and copies. Raises
    ArrayolError as `layout`, and `bad-unroll` for a number of copies that is not possible.

    >>> max(design.copies for design in api.explore_layouts(spec, "filter", most=4).front)
    4
    """
    loaded = load(spec, settings)
    return search_layouts(loaded, task, choices if choices is not None else local_choices(loaded), ports, most)


def draw_layout_exploration(exploration: LayoutExploration, path: Path | str) -> None:
    """Draw the front of a layout exploration, and what copies of a body are worth (.svg or .png).

    >>> api.draw_layout_exploration(api.explore_layouts(spec, "filter", most=2), "layouts.svg")
    """
    save_layout_exploration(exploration_picture(exploration), Path(path))


def draw_layout(spec: Source, comparison: Comparison, path: Path | str, *, settings: Settings | None = None) -> None:
    """Draw the arrays of a comparison by bank, and what the layouts save at other unroll factors (.svg or .png).

    `spec` and `settings` are those of `layout`.

    >>> api.draw_layout(spec, api.layout(spec, "filter"), "banks.svg")
    """
    save_layout(picture(load(spec, settings), comparison), Path(path))


def emit_layout(
    spec: Source,
    comparison: Comparison,
    path: Path | str,
    *,
    ports: EmittedPorts = "memories",
    settings: Settings | None = None,
) -> None:
    """Write the elementary task of a comparison, unrolled and on its layout, as a specification.

    Its task NAME_laid_out computes the same as the elementary task. `ports` says which ports it has: with `memories` or
    `banks`, one for each virtual memory or bank of the custom layout; with `linear`, one for each array of the linear
    layout, with its banks and their words. Raises ArrayolError: `no-nest` for a task that is not elementary,
    `no-linear-banks`, `cannot-write`.

    >>> api.emit_layout(spec, api.layout(spec, "convolve", unroll=[1, 3]), "laid_out.aol")
    >>> "convolve_laid_out" in api.load("laid_out.aol").components
    True
    """
    target = Path(path)
    loaded, name, factors = load(spec, settings), comparison.nest.name, comparison.factors
    if ports == "linear":
        laid_out = rewritten_linear(loaded, name, factors, comparison.linear)
    else:
        laid_out = rewritten(loaded, name, factors, comparison.custom, physical=ports == "banks")
    write_next_to(target, data_files(laid_out))
    with atomic_file(target) as temporary, writing(target):
        temporary.write_text(spec_text(laid_out), encoding="utf-8", newline="\n")
