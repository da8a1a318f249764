"""Nests of generated or written texts, tiled as the command line does."""

from __future__ import annotations

from collections.abc import Sequence

from strategies_tiles import NestCase

from arrayol.checks.check import load_sound
from arrayol.checks.nest import NestRequest, open_nest
from arrayol.errors import ArrayolError
from arrayol.files import shipped_folder
from arrayol.ir.spec import Spec
from arrayol.language.loader import load, load_source
from arrayol.language.symbolic import read_schedule, symbolic_component
from arrayol.source import SourceFile
from arrayol.tiling.nest import TiledNest
from arrayol.tiling.program import program_of
from arrayol.tiling.tile import Schedule, Tiling, tile_nest

POLYPROD, DIAGONAL = "N - j, i", "i + j, i"  # the two schedules of paper C, figure 1


def nest_of_case(case: NestCase) -> TiledNest | None:
    """The nest, or None where it is refused. What `check` says of the body does not count: parts may stay unwritten."""
    loaded = load_source(SourceFile("generated", case.text))
    program = program_of(symbolic_component(loaded, "e", ()))
    schedules = [
        Schedule(number, *read_schedule(", ".join(times), program.statements[number - 1].indices, loaded, ()))
        for number, times in zip(case.chosen, case.schedules, strict=True)
    ]
    try:
        return tile_nest(program, schedules, Tiling(case.sizes, case.strip_dims))
    except ArrayolError:
        return None


def shipped_nest(
    name: str,
    schedule: str | None,
    tile: Sequence[str],
    statement: int,
    symbols: Sequence[str] = (),
    strip_dims: int = 1,
    **consts: int,
) -> TiledNest:
    """A statement of the shipped elementary that has its file's name."""
    schedules = None if schedule is None else [schedule]
    request = NestRequest(name, schedules, tile, [statement], symbols, strip_dims)
    return open_nest(load_sound(shipped_folder() / f"{name}.aol", consts), request)


def shipped_spec(name: str, **consts: int) -> Spec:
    """A shipped specification."""
    return load(shipped_folder() / f"{name}.aol", consts).spec
