"""From a specification, schedules and tile sizes as people write them to a tiled nest that is proven right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arrayol.checks.top import choose_top
from arrayol.errors import error
from arrayol.language.loader import Loaded
from arrayol.language.symbolic import read_schedule, read_size, symbolic_component
from arrayol.tiling.nest import ProgramStatement, Size, TiledNest
from arrayol.tiling.program import Program, program_of
from arrayol.tiling.tile import Schedule, Tiling, answered_in_time, tile_nest


@dataclass(frozen=True, slots=True)
class NestRequest:
    """What people say of a nest: a component, its schedules, the statements that have them, tile sizes, symbols.

    Without `schedules` statements run in the order of the text (see `_AsWritten`); without `statements` all have a
    schedule. One tile size counts for every dimension. `strip_dims` says along how many of the last dimensions a strip
    runs.
    """

    component: str
    schedules: Sequence[str] | None = None
    tile: Sequence[str] = ("10",)
    statements: Sequence[int] | None = None
    symbols: Sequence[str] = ()
    strip_dims: int = 1


def open_program(loaded: Loaded, component: str, symbols: Sequence[str] = ()) -> Program:
    """The statements of an elementary or a repetitive task, to be looked at before they get schedules.

    Raises ArrayolError where the specification has no such component (`unknown-task`), or it has no nest (`no-nest`,
    `infinite-nest`), or where the symbols are no integer consts or not affine (`unknown-symbol`, `not-symbolic`).
    """
    symbolic = symbolic_component(loaded, choose_top(loaded.spec, component), symbols)
    with answered_in_time(component, symbolic.component.span):
        return program_of(symbolic)


def open_nest(loaded: Loaded, request: NestRequest) -> TiledNest:
    """A tiled nest of a sound specification. Raises ArrayolError as `open_program` and `tile_program` do."""
    return tile_program(open_program(loaded, request.component, request.symbols), loaded, request)


def tile_program(program: Program, loaded: Loaded, request: NestRequest) -> TiledNest:
    """A program tiled as people write it. Raises ArrayolError as `tile_nest` does, and for what is misspelt."""
    statements = _statements(program, request)
    written = _AsWritten.of([program.statements[number - 1] for number in statements])
    texts = _texts(written, statements, request)
    schedules = [
        Schedule(number, *read_schedule(text, program.statements[number - 1].indices, loaded, request.symbols))
        for number, text in zip(statements, texts, strict=True)
    ]
    places = written.places if request.schedules is None else frozenset()
    return tile_nest(program, schedules, _tiling(schedules, program, loaded, request, places))


@dataclass(frozen=True, slots=True)
class _AsWritten:
    """Schedules in the order of the text: for each statement the place in the text, a range variable, the place, ...

    Places that are the same for all statements are left out, and shorter schedules are padded with zeros. `places`
    numbers the dimensions that hold places; tiles are 1 wide there, or else they would mix what is to run in turn.
    """

    texts: tuple[str, ...]
    places: frozenset[int]

    @staticmethod
    def of(statements: Sequence[ProgramStatement]) -> _AsWritten:
        rows = [_written(statement) for statement in statements]
        width = max(map(len, rows), default=0)
        padded = [row + ["0"] * (width - len(row)) for row in rows]
        kept = [at for at in range(width) if at % 2 or len({row[at] for row in padded}) > 1]
        texts = [", ".join(row[at] for at in kept) or "0" for row in padded]
        return _AsWritten(tuple(texts), frozenset(number for number, at in enumerate(kept) if not at % 2))


def _written(statement: ProgramStatement) -> list[str]:
    """Places in the text and range variables in turn, beginning with a place."""
    row, names = [], list(statement.indices)
    for place, count in statement.path:
        row.append(str(place))
        for number in range(count):
            row += ["0", names.pop(0)] if number else [names.pop(0)]
    return row


def _statements(program: Program, request: NestRequest) -> list[int]:
    """The numbers of the statements that get schedules. Raises ArrayolError (`bad-statement`)."""
    count = len(program.statements)
    if request.statements is None:
        return list(range(1, count + 1))
    chosen = list(request.statements)
    wrong = next((number for number in chosen if not 1 <= number <= count), None)
    if wrong is not None:
        hint = f"they count from 1 to {count} in the order of the text" if count > 1 else "it has statement 1 only"
        raise error("bad-statement", f"'{request.component}' has no statement {wrong}", hint=hint)
    twice = next((number for number in chosen if chosen.count(number) > 1), None)
    if twice is not None:
        raise error("bad-statement", f"statement {twice} is named twice", hint="a statement has one schedule")
    return chosen


def _texts(written: _AsWritten, statements: Sequence[int], request: NestRequest) -> Sequence[str]:
    """A text for each statement's schedule. Raises ArrayolError (`bad-schedule`)."""
    if request.schedules is None:
        return written.texts
    schedules = request.schedules
    if len(schedules) != len(statements):
        wanted = f"{len(statements)} statements" if len(statements) > 1 else "one statement"
        given = f"{len(schedules)} schedules" if len(schedules) != 1 else "one schedule"
        raise error(
            "bad-schedule",
            f"{wanted} of '{request.component}' to tile, and {given}",
            hint="give one --schedule for each statement, in the order of the text, or choose some with --statement",
        )
    return list(schedules)


def _tiling(
    schedules: Sequence[Schedule], program: Program, loaded: Loaded, request: NestRequest, places: frozenset[int]
) -> Tiling:
    """Sizes for every dimension; tiles are 1 wide in `places` where there is one size for all.

    Raises ArrayolError (`bad-schedule`, `bad-tile`, `bad-strip`).
    """
    depths = {len(schedule.times) for schedule in schedules}
    if len(depths) > 1:
        hint = 'pad the shorter ones with numbers, as in "i, 0"'
        raise error("bad-schedule", "the schedules have different numbers of dimensions", hint=hint)
    depth = depths.pop()
    sizes: list[Size] = [read_size(text, loaded, request.symbols) for text in request.tile]
    if len(sizes) not in (1, depth):
        dimensions = f"{depth} dimensions" if depth > 1 else "one dimension"
        message = f"{len(sizes)} tile sizes, but the schedule has {dimensions}"
        raise error("bad-tile", message, hint="give one size for all dimensions, or one for each")
    taken = {name for statement in program.statements for name in statement.indices}
    clash = next((size for size in sizes if size in taken), None)
    if clash is not None:
        raise error("bad-tile", f"'{clash}' is a range variable, not a tile size", hint="choose another name")
    if not 1 <= request.strip_dims <= min(2, depth):
        hint = "1, or 2 where the schedule has that many dimensions"
        raise error("bad-strip", f"a strip cannot run along {request.strip_dims} tile dimensions", hint=hint)
    if len(sizes) == 1:
        sizes = [1 if axis in places else sizes[0] for axis in range(depth)]
    return Tiling(tuple(sizes), request.strip_dims)
