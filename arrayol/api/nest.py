"""One loop nest: what its tiles load and store, and how its arrays lie in memory banks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from arrayol.api.spec import Source, load, loaded_of
from arrayol.checks.tiling import NestRequest
from arrayol.files import atomic_file, writing
from arrayol.ir.model import Spec
from arrayol.language.emitter import spec_text
from arrayol.language.loader import Settings
from arrayol.show.layout import save_layout
from hwmodel.banks.analysis import lay_out
from hwmodel.banks.layouts import Choices, Comparison
from hwmodel.banks.picture import picture
from hwmodel.banks.rewriting.rewrite import rewritten
from hwmodel.platform import find_platform
from hwmodel.transfers.study import Transfers, open_transfers


def transfers(  # noqa: PLR0913  what people ask of a nest
    spec: Source,
    component: str,
    *,
    schedules: Sequence[str] | None = None,
    statements: Sequence[int] | None = None,
    tile: Sequence[int | str] = (10,),
    symbolic: Sequence[str] = (),
    strip_dims: int = 1,
    simplify: bool = False,
    settings: Settings | None = None,
) -> Transfers:
    """What each tile of an elementary's loop nest, or of a repetitive task, loads and stores.

    `schedules` has a text such as "N-j, i" for each of `statements` (counted from 1; all of them by default), `tile`
    one size for all dimensions of the schedule or one for each; a name in `symbolic`, or as a size, stays symbolic.
    The result makes a report, a picture and C. Raises ArrayolError where the file or the request is wrong.
    """
    request = NestRequest(component, schedules, tuple(map(str, tile)), statements, symbolic, strip_dims)
    return open_transfers(loaded_of(spec, settings), request, simplify=simplify)


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
    the nest or the factors cannot be used: see `hwmodel.banks.analysis.lay_out`.
    """
    loaded = load(spec, settings)
    return lay_out(loaded, task, unroll, choices if choices is not None else Choices(local_banks(loaded)))


def local_banks(spec: Source) -> int:
    """The banks of the local memory, from the platform file beside the spec or else the shipped default."""
    return find_platform(Path(spec.name) if isinstance(spec, Spec) else Path(spec), None)[0].local.banks


def draw_layout(spec: Source, found: Comparison, path: Path | str, *, settings: Settings | None = None) -> None:
    """Write the picture of a comparison: arrays by bank, and what layouts save by unroll factors (.svg or .png)."""
    save_layout(picture(load(spec, settings), found), Path(path))


def emit_layout(
    spec: Source, found: Comparison, path: Path | str, *, by_bank: bool = False, settings: Settings | None = None
) -> None:
    """Write the elementary of a comparison, unrolled and on its custom layout, as a specification of its own.

    Its task NAME_laid_out computes what the elementary does; with `by_bank` each bank is a port, else each virtual
    memory. Raises ArrayolError: `no-nest` for a task, `cannot-write`.
    """
    target = Path(path)
    text = spec_text(rewritten(load(spec, settings), found.nest.name, found.factors, found.custom, physical=by_bank))
    with atomic_file(target) as temporary, writing(target):
        temporary.write_text(text, encoding="utf-8")
