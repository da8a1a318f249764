"""Schedules and tile sizes as people write them on the command line: "N - j, i" and "2 * S"."""

from __future__ import annotations

from collections.abc import Sequence

from arrayol.errors import ArrayolError, error
from arrayol.ir import expressions, syntax
from arrayol.ir.types import Weak
from arrayol.language.diagnose import Mistake
from arrayol.language.loader import Loaded
from arrayol.language.parser import parse
from arrayol.language.symbolic import symbolic_expression
from arrayol.source import SourceFile

_SCHEDULE_HINT = 'write one affine expression of range variables per dimension, as in "N - j, i"'
_SIZE_HINT = "write a number of iterations, as 10, or a name that stays symbolic"


def read_schedule(
    text: str, indices: Sequence[str], loaded: Loaded, symbols: Sequence[str]
) -> tuple[tuple[expressions.Expr, ...], tuple[str, ...]]:
    """The expressions of a schedule over a statement's indices, and the text of each.

    Raises ArrayolError (`bad-schedule`).
    """
    items = _expressions(text)
    if items is None:
        raise error("bad-schedule", f"'{text}' is not a schedule", hint=_SCHEDULE_HINT)
    names = f"the range variables here are {', '.join(indices)}" if indices else "there are no range variables here"
    times = []
    for item in items:
        try:
            time = symbolic_expression(item, indices, loaded, symbols)
        except Mistake as failure:
            raise _mistaken(f"'{text}' is not a schedule", failure, names) from None
        if time.type is not Weak.INTEGER:
            message = f"'{text}' is not a schedule: '{_text(item)}' is no integer"
            raise error("bad-schedule", message, hint=_SCHEDULE_HINT)
        times.append(time)
    return tuple(times), tuple(_text(item) for item in items)


def read_size(text: str, loaded: Loaded, symbols: Sequence[str]) -> int | str:
    """A tile size: a positive integer, or the name of a symbol or of nothing yet, which stays symbolic.

    Raises ArrayolError (`bad-tile`).
    """
    items = _expressions(text)
    if items is None or len(items) != 1:
        raise error("bad-tile", f"'{text}' is not a tile size", hint=_SIZE_HINT)
    item = items[0]
    if isinstance(item, syntax.Ref) and not item.subscripts:
        name = item.name.text
        if name in symbols or name not in {*loaded.definitions.by_name, *loaded.definitions.constants.values}:
            return name
    try:
        size = symbolic_expression(item, (), loaded, symbols)
    except Mistake as failure:
        raise _mistaken(f"'{text}' is not a tile size", failure, _SIZE_HINT, "bad-tile") from None
    if not isinstance(size, expressions.Constant) or size.type is not Weak.INTEGER:
        raise error("bad-tile", f"'{text}' is not a tile size: it is no integer number", hint=_SIZE_HINT)
    if size.value < 1:
        message = f"a tile has at least one iteration along each dimension, not {size.value}"
        raise error("bad-tile", message, hint=_SIZE_HINT)
    return int(size.value)


def _expressions(text: str) -> tuple[syntax.Expr, ...] | None:
    """The expressions of a list, read as the origin of a tiler; None where it is no such list."""
    opening = "tiler t = origin ["
    parsed = parse(SourceFile("", f"{opening}{text}] paving [] fitting []"))
    items = parsed.tree.items
    if parsed.diagnostics or len(items) != 1 or not isinstance(items[0], syntax.TilerDef):
        return None
    tiler = items[0].tiler
    whole = tiler.origin.span.end == len(opening) + len(text) + 1 and not tiler.paving.rows and not tiler.fitting.rows
    return tiler.origin.items if whole and tiler.origin.items else None


def _text(item: syntax.Expr) -> str:
    return item.span.file.text[item.span.start : item.span.end]


def _mistaken(what: str, failure: Mistake, hint: str, code: str = "bad-schedule") -> ArrayolError:
    found = failure.diagnostic
    return error(code, f"{what}: {found.message}" if found else what, hint=(found.hint if found else None) or hint)
