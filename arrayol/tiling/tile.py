"""From a program, schedules and tile sizes to a tiled nest, after every proof that it may run so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields

import islpy as isl

from arrayol.errors import error
from arrayol.ir import expressions
from arrayol.polyhedral.isl import TooHardError, bounded_effort
from arrayol.polyhedral.pieces import value_pieces
from arrayol.source import Span
from arrayol.tiling.legality import (
    check_domains,
    check_locals,
    check_one_to_one,
    check_order,
    check_tiles,
    split_statements,
)
from arrayol.tiling.nest import ProgramStatement, ScheduledStatement, Size, TiledNest, parameter, parameter_set
from arrayol.tiling.program import Program

EFFORT = 1_000_000  # operations of isl for one question about a nest: a second, or ten with large moduli


@dataclass(frozen=True, slots=True)
class Schedule:
    """When the instances of a statement run: an expression for each dimension, and the text it was read from."""

    statement: int
    times: tuple[expressions.Expr, ...]
    text: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tiling:
    """Tile sizes, one for each schedule dimension, and along how many of the last of them a strip runs."""

    sizes: tuple[Size, ...]
    strip_dims: int


def tile_nest(program: Program, schedules: Sequence[Schedule], tiling: Tiling) -> TiledNest:
    """The statements that have a schedule, tiled; the others run before or after them.

    Raises ArrayolError: `bad-schedule`, `empty-nest`, `endless-nest`, `schedule-not-one-to-one`,
    `schedule-breaks-dependence`, `statements-apart`, `tiles-in-circle`, `tiles-out-of-order`, `nest-too-hard`.
    """
    questions = 1 + len(program.dependences) // 20  # of the size that the bound is meant for
    with answered_in_time(program.symbolic.component.name, program.symbolic.component.span, patience=questions):
        return _tiled(program, schedules, tiling)


@contextmanager
def answered_in_time(name: str, span: Span | None = None, *, patience: int = 1) -> Iterator[None]:
    """Raise ArrayolError (`nest-too-hard`) where isl would work longer than the bound, or gives up.

    `patience` is a factor of the bound. At it isl's reader of texts calls them wrong, so every mistake that isl tells
    counts.
    """
    try:
        with bounded_effort(EFFORT * patience):
            yield
    except (TooHardError, isl.Error):
        message = f"the sets of '{name}' are too hard to compute exactly"
        hint = "tile fewer statements, use a schedule with smaller factors, or give numbers for all sizes and consts"
        raise error("nest-too-hard", message, span, hint=hint) from None


def _tiled(program: Program, schedules: Sequence[Schedule], tiling: Tiling) -> TiledNest:
    chosen = sorted(schedules, key=lambda schedule: schedule.statement)
    named = [size for size in tiling.sizes if isinstance(size, str)]
    symbols = tuple(dict.fromkeys([*program.symbolic.symbols, *named]))
    known = parameter_set(symbols, [f"{parameter(size)} >= 1" for size in named])
    statements = tuple(_scheduled(program, schedule) for schedule in chosen)
    check_domains(program, statements)
    check_one_to_one(program, statements)
    numbers = [statement.number for statement in statements]
    check_locals(program, numbers)
    before, after = split_statements(program, numbers)
    nest = TiledNest(
        program.symbolic.component.name,
        statements,
        before,
        after,
        program.arrays,
        symbols,
        dict(program.symbolic.values),
        program.context.intersect(known),
        tiling.sizes,
        tiling.strip_dims,
        tuple(schedule.text for schedule in chosen),
    )
    check_order(program, nest)
    check_tiles(program, nest)
    return nest


def _scheduled(program: Program, schedule: Schedule) -> ScheduledStatement:
    statement = program.statements[schedule.statement - 1]
    own = {field.name: getattr(statement, field.name) for field in fields(statement)}
    return ScheduledStatement(**own, schedule=_schedule_map(program, statement, schedule))


def _schedule_map(program: Program, statement: ProgramStatement, schedule: Schedule) -> isl.Map:
    symbols = {name: parameter(name) for name in program.symbolic.symbols}
    instance = [f"i{place}" for place in range(len(statement.indices))]
    names: Mapping[str, str] = {**symbols, **dict(zip(statement.indices, instance, strict=True))}
    times = [f"x{place}" for place in range(len(schedule.times))]
    conditions = []
    for time, expr, text in zip(times, schedule.times, schedule.text, strict=True):
        pieces = value_pieces(expr, names)
        if pieces is None:
            hint = "a schedule is made of range variables, consts, + and -, and multiplication by numbers"
            raise error("bad-schedule", f"'{text}' in a schedule is not affine", hint=hint)
        cases = [f"{where} and {time} = {value}" if where else f"{time} = {value}" for where, value in pieces]
        conditions.append(f"({' or '.join(f'({case})' for case in cases)})")
    prefix = f"[{', '.join(symbols.values())}] -> "
    relation = isl.Map(f"{prefix}{{ [{', '.join(instance)}] -> [{', '.join(times)}] : {' and '.join(conditions)} }}")
    return relation.intersect_domain(statement.domain)
